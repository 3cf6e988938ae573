import type { LimitLeft } from './rate-limit-fields.ts';

/** What is known of the rate limits of each subject: what asked and was answered under one limit. */
export interface KnownLimits {
  /** How long to wait before the next call; 0 when it may be made. */
  waitMs(subject: string, nowMs: number): number;
  /** Counts a call that is about to be made. */
  take(subject: string, nowMs: number): void;
  note(subject: string, left: LimitLeft, nowMs: number): void;
}

interface Known {
  readonly remaining: number;
  readonly resetsAtMs: number;
}

const MAX_SUBJECTS = 1000;
/** Answers of the same window may differ by so much in when it ends: they tell it in whole seconds. */
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
      // Answers may overtake each other: within a window, what is left never grows.
      const same = before !== null && Math.abs(before.resetsAtMs - resetsAtMs) <= SAME_WINDOW_MS;
      keep(subject, {
        resetsAtMs: same ? Math.max(before.resetsAtMs, resetsAtMs) : resetsAtMs,
        remaining: same ? Math.min(before.remaining, remaining) : remaining,
      });
    },
  };
}
