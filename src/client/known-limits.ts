import type { LimitLeft } from '../model/rate-limit-fields.ts';

/** The known rate limits. The requests of one subject share a limit. */
export interface KnownLimits {
  /** How long to wait before the next call; 0 if it may be sent now. */
  waitMs(subject: string, nowMs: number): number;
  /** Counts a call that is about to be sent. */
  take(subject: string, nowMs: number): void;
  note(subject: string, left: LimitLeft, nowMs: number): void;
}

interface Known {
  readonly remaining: number;
  readonly resetsAtMs: number;
}

const MAX_SUBJECTS = 1000;
/** Answers report the end of a window in whole seconds, so those of the same window may differ by this much. */
const SAME_WINDOW_MS = 1500;

export function createKnownLimits(): KnownLimits {
  const known = new Map<string, Known>();
  const current = (subject: string, nowMs: number): Known | null => {
    const limit = known.get(subject);
    if (limit === undefined || limit.resetsAtMs > nowMs) return limit ?? null;
    known.delete(subject);
    return null;
  };
  const keep = (subject: string, limit: Known): void => {
    known.delete(subject);
    known.set(subject, limit);
    const [oldest] = known.keys();
    if (known.size > MAX_SUBJECTS && oldest !== undefined) known.delete(oldest);
  };
  return {
    waitMs: (subject, nowMs) => {
      const limit = current(subject, nowMs);
      return limit === null || limit.remaining > 0 ? 0 : limit.resetsAtMs - nowMs;
    },
    take: (subject, nowMs) => {
      const limit = current(subject, nowMs);
      if (limit !== null) keep(subject, { ...limit, remaining: Math.max(0, limit.remaining - 1) });
    },
    note: (subject, { remaining, resetMs }, nowMs) => {
      if (resetMs === null) return;
      const resetsAtMs = nowMs + resetMs;
      const before = current(subject, nowMs);
      // Answers may arrive out of order; within a window, the remaining number never grows.
      const same = before !== null && Math.abs(before.resetsAtMs - resetsAtMs) <= SAME_WINDOW_MS;
      keep(subject, {
        resetsAtMs: same ? Math.max(before.resetsAtMs, resetsAtMs) : resetsAtMs,
        remaining: same ? Math.min(before.remaining, remaining) : remaining,
      });
    },
  };
}
