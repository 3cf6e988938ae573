import pLimit from 'p-limit';
import { Problem } from '../http/problem.ts';

export interface TestPlaces {
  /** @throws Problem when no place is free and the queue is full */
  requireRoom(): void;
  /** Resolves with a function that releases the place. */
  take(): Promise<() => void>;
  /** A place for a scheduled test, or null: one place is always left for callers. */
  takeSpare(): Promise<(() => void) | null>;
  /** Refuses queued and new tests. */
  close(): void;
}

/** Limits how many tests of an instance run at the same time, and how many are queued. */
export function createTestPlaces({
  running,
  waiting,
  retryAfterSeconds,
}: {
  readonly running: number;
  readonly waiting: number;
  readonly retryAfterSeconds: number;
}): TestPlaces {
  const limit = pLimit({ concurrency: running, rejectOnClear: true });
  let closed = false;
  const taken = (): number => limit.activeCount + limit.pendingCount;
  const occupy = (): Promise<() => void> =>
    new Promise((admit, refuse) => {
      limit(() => new Promise<void>((release) => admit(release))).catch(() => refuse(stopping()));
    });
  const requireRoom = (): void => {
    if (closed) throw stopping();
    if (taken() < running + waiting) return;
    throw new Problem(
      'busy',
      `${limit.activeCount} tests are running and ${limit.pendingCount} are queued; retry in ${retryAfterSeconds} s.`,
      { headers: { 'retry-after': String(retryAfterSeconds) }, more: { retryAfterSeconds } },
    );
  };
  return {
    requireRoom,
    take: async () => {
      requireRoom();
      return occupy();
    },
    takeSpare: async () => (closed || taken() >= Math.max(1, running - 1) ? null : occupy()),
    close: () => {
      closed = true;
      limit.clearQueue();
    },
  };
}

export function stopping(): Problem {
  return new Problem('unavailable', 'This instance of the directory is stopping. Retry the request.', {
    headers: { 'retry-after': '5' },
  });
}
