import { setTimeout as wait } from 'node:timers/promises';

/** Time and chance as an argument, so that tests need not wait. */
export interface ClientClock {
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** Resolves after the wait, or earlier when the signal fires. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export const systemClock: ClientClock = {
  // Of the wall clock's time, but it never jumps.
  nowMs: () => Math.round(performance.timeOrigin + performance.now()),
  sleep: async (durationMs, signal) => {
    // Timers may be early by a little.
    await wait(durationMs + 2, undefined, { signal }).catch(() => undefined);
  },
  random: () => Math.random(),
};
