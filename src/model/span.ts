/**
 * A part of the time of a check: a phase of it, or a wait, for what its kind says. Phases follow each other; several
 * waits may be under way at once.
 */
export interface Span {
  readonly kind: 'phase' | WaitKind;
  /** What happens in a phase; what a wait is for, such as the key of a request. */
  readonly name: string;
  /** Unix time in milliseconds, with fractions. */
  readonly startedAtMs: number;
  readonly durationMs: number;
}

/** Ordered: where waits overlap, the time counts for the first one. `server`: until a started server is ready, or has ended. */
export const WAIT_KINDS = ['timed-calls', 'answer', 'server', 'timing-lock', 'rate-limit', 'pause'] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** Does the work, and records it as a span when it ends. */
export type RecordSpan = <T>(kind: Span['kind'], name: string, work: () => Promise<T>) => Promise<T>;

export const recordNothing: RecordSpan = (_kind, _name, work) => work();

/** @param nowMs Unix time in milliseconds, with fractions */
export function spanRecorder(onSpan: (span: Span) => void, nowMs: () => number): RecordSpan {
  return async (kind, name, work) => {
    const startedAtMs = nowMs();
    try {
      return await work();
    } finally {
      onSpan({ kind, name, startedAtMs, durationMs: nowMs() - startedAtMs });
    }
  };
}
