import type { Arrivals } from '../model/load.ts';

/** The due times of an open loop, on an absolute schedule: a late call does not delay later ones. */
export interface Schedule {
  /** Monotonic milliseconds. */
  nextDueMs(): number;
  advance(): void;
}

export function createSchedule(
  ratePerSecond: number,
  arrivals: Arrivals,
  startMs: number,
  random: () => number,
): Schedule {
  const gapMs = 1000 / ratePerSecond;
  let count = 0;
  let dueMs = startMs;
  return {
    nextDueMs: () => dueMs,
    advance: () => {
      count += 1;
      // From the start each time, so that rounding errors do not add up.
      dueMs = arrivals === 'constant' ? startMs + count * gapMs : dueMs - Math.log(1 - random()) * gapMs;
    },
  };
}
