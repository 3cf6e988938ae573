import { setTimeout as wait } from 'node:timers/promises';

/** Clock and randomness as an argument, so that tests need not wait. */
export interface ClientClock {
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** Resolves after the wait, or earlier when the signal fires. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export const systemClock: ClientClock = {
  // Wall-clock time that never jumps.
  nowMs: () => Math.round(performance.timeOrigin + performance.now()),
  sleep: async (durationMs, signal) => {
    // Timers may fire slightly early.
    await wait(durationMs + 2, undefined, { signal }).catch(() => undefined);
  },
  random: () => Math.random(),
};
