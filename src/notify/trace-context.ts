import { randomBytes } from 'node:crypto';

/** The trace of a run, and the span that is the parent of its requests. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** The span of the caller; null for a new trace. */
  readonly parentSpanId: string | null;
}

/** Continues the trace of the variable TRACEPARENT if it is valid. */
export function newTrace(traceparent: string | undefined): TraceContext {
  const [, traceId, parentSpanId] =
    /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/.exec(
      traceparent ?? '',
    ) ?? [];
  return {
    traceId: traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    parentSpanId: parentSpanId ?? null,
  };
}

/** The header of W3C Trace Context: sampled, because the run exports its spans. */
export function traceparentOf({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}
