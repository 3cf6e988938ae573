import { setTimeout as wait } from 'node:timers/promises';
import type { Timing } from '../model/exchange.ts';
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

/** Two clocks cannot be read at the same moment, and the time of day is corrected little by little. */
const MIN_SET_MS = 50;

/**
 * The clock of one run. Its Unix time begins with the time of day and goes on at the rate of the monotonic clock:
 * otherwise, the uptime of a server would seem to go wrong whenever somebody sets the clock of this machine.
 */
export function steadyClock(clock: Clock): Clock {
  const originMs = clock.nowMs() - clock.monotonicMs();
  const nowMs = (): number => originMs + clock.monotonicMs();
  return { ...clock, nowMs: () => Math.floor(nowMs()), setMs: () => clock.nowMs() - nowMs() };
}

/** Call it at the start of an exchange, and the function that it returns at the end. */
export function watchClock({ setMs }: Clock): () => Pick<Timing, 'clockSetMs'> {
  const aheadMs = (): number => Math.round(setMs?.() ?? 0);
  const atStart = aheadMs();
  return () => {
    const atEnd = aheadMs();
    return Math.max(Math.abs(atStart), Math.abs(atEnd)) < MIN_SET_MS
      ? {}
      : { clockSetMs: { atStart, atEnd } };
  };
}
