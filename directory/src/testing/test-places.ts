import pLimit from 'p-limit';
import { Problem } from '../http/problem.ts';

export interface TestPlaces {
  /** Throws the Problem that a caller gets when no place is free and too many wait for one. */
  requireRoom(): void;
  /** Resolves with what gives the place back. */
  take(): Promise<() => void>;
  /** A place that no caller needs, or null: the background leaves one to them. */
  takeSpare(): Promise<(() => void) | null>;
  /** Turns away who waits, and who comes. */
  close(): void;
}

/** Bounds how many tests run in an instance at the same time, and how many wait. */
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
      limit(() => new Promise<void>((giveBack) => admit(giveBack))).catch(() => refuse(stopping()));
    });
  const requireRoom = (): void => {
    if (closed) throw stopping();
    if (taken() < running + waiting) return;
    throw new Problem(
      'busy',
      `${limit.activeCount} tests run and ${limit.pendingCount} wait for their turn; ask again in ${retryAfterSeconds} s.`,
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
  return new Problem('unavailable', 'This instance of the directory is being stopped. Ask again.', {
    headers: { 'retry-after': '5' },
  });
}
