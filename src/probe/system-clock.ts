import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../model/probe.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (durationMs, signal) => {
    // An abort ends the wait early; callers check the signal afterwards.
    await wait(durationMs, undefined, { signal }).catch(() => undefined);
  },
};
