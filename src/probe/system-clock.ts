import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../model/probe.ts';

/** As Unix time in milliseconds, with fractions. */
export const processStartMs = performance.timeOrigin;

/** Unix time in milliseconds, with fractions. All threads of the process have the same. */
export const preciseNowMs = (): number => processStartMs + performance.now();

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (durationMs, signal) => {
    // An abort ends the wait early; callers check the signal afterwards.
    await wait(durationMs, undefined, { signal }).catch(() => undefined);
  },
};
