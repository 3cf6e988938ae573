import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../model/probe.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (durationMs, signal) => {
    // An abort ends the wait early; whoever waits looks at the signal next.
    await wait(durationMs, undefined, { signal }).catch(() => undefined);
  },
};
