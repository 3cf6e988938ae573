import { Problem } from '../http/problem.ts';

export interface TestPlaces {
  /** Throws the Problem that a caller gets when no place is free and too many wait for one. */
  requireRoom(): void;
  /** Resolves with what gives the place back. */
  take(): Promise<() => void>;
  /** A place that no caller needs, or null: the background leaves one to them. */
  takeSpare(): (() => void) | null;
  /** Turns away who waits, and who comes. */
  close(): void;
}

interface Waiting {
  readonly admit: (giveBack: () => void) => void;
  readonly refuse: (problem: Problem) => void;
}

/** Bounds how many tests run in an instance at the same time, and how many wait. */
export function createTestPlaces({
  running: maxRunning,
  waiting: maxWaiting,
  retryAfterSeconds,
}: {
  readonly running: number;
  readonly waiting: number;
  readonly retryAfterSeconds: number;
}): TestPlaces {
  let running = 0;
  let closed = false;
  const queue: Waiting[] = [];
  const occupy = (): (() => void) => {
    running += 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      running -= 1;
      if (running < maxRunning) queue.shift()?.admit(occupy());
    };
  };
  const requireRoom = (): void => {
    if (closed) throw stopping();
    if (running < maxRunning || queue.length < maxWaiting) return;
    throw new Problem(
      'busy',
      `${running} tests run and ${queue.length} wait for their turn; ask again in ${retryAfterSeconds} s.`,
      { headers: { 'retry-after': String(retryAfterSeconds) }, more: { retryAfterSeconds } },
    );
  };
  return {
    requireRoom,
    take: async () => {
      requireRoom();
      if (running < maxRunning) return occupy();
      return new Promise((admit, refuse) => queue.push({ admit, refuse }));
    },
    takeSpare: () => (closed || running >= Math.max(1, maxRunning - 1) ? null : occupy()),
    close: () => {
      closed = true;
      for (const { refuse } of queue.splice(0)) refuse(stopping());
    },
  };
}

export function stopping(): Problem {
  return new Problem('unavailable', 'This instance of the directory is being stopped. Ask again.', {
    headers: { 'retry-after': '5' },
  });
}
