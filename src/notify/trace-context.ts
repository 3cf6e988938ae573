import { randomBytes } from 'node:crypto';
import { DEFAULT_SAMPLER, isSampled, type Sampler } from './sampler.ts';

/** The span of a caller, from its traceparent. */
export interface ParentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** The trace of a piece of work, and the span that is the parent of its requests. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** The span of the caller; null for a new trace. */
  readonly parentSpanId: string | null;
  /** Whether the spans are exported, here and by those who get the traceparent. */
  readonly isSampled: boolean;
}

const VERSION_00 = '00';
const LENGTH_OF_VERSION_00 = 55;
const SAMPLED_BIT = 1;

/** Null if it is invalid: https://www.w3.org/TR/trace-context/#traceparent-header. Pure. */
export function parentIn(traceparent: string | undefined): ParentSpan | null {
  const [whole, version, traceId, spanId, flags] =
    /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(
      traceparent ?? '',
    ) ?? [];
  if (whole === undefined || traceId === undefined || spanId === undefined) return null;
  // Later versions may have more fields.
  if (version === VERSION_00 && whole.length !== LENGTH_OF_VERSION_00) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags ?? '', 16) & SAMPLED_BIT) !== 0 };
}

/** A span below the parent, or the first one of a new trace. */
export function newSpan(parent: ParentSpan | null, sampler: Sampler): TraceContext {
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
  return {
    traceId,
    spanId: randomBytes(8).toString('hex'),
    parentSpanId: parent?.spanId ?? null,
    isSampled: isSampled(sampler, traceId, parent?.isSampled ?? null),
  };
}

/** Continues the trace of the variable TRACEPARENT if it is valid. */
export function newTrace(traceparent: string | undefined, sampler: Sampler = DEFAULT_SAMPLER): TraceContext {
  return newSpan(parentIn(traceparent), sampler);
}

/** The header of W3C Trace Context. */
export function traceparentOf({ traceId, spanId, isSampled: sampled }: TraceContext): string {
  return `${VERSION_00}-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}
