import { randomBytes } from 'node:crypto';

/** The trace of a piece of work, and the span that is the parent of its requests. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** The span of the caller; null for a new trace. */
  readonly parentSpanId: string | null;
  /** Whether the spans are exported, here and by those who get the traceparent. */
  readonly isSampled: boolean;
}

/** The span of a caller, from its traceparent. */
type ParentSpan = Omit<TraceContext, 'parentSpanId'>;

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

/** Which traces are exported. */
export interface Sampler {
  /** The share of the traces that begin here, or of all. */
  readonly ratio: number;
  /** A trace that was begun elsewhere is exported exactly if its caller exports it. */
  readonly followsParent: boolean;
}

/** What OpenTelemetry does without settings. */
const DEFAULT_SAMPLER: Sampler = { ratio: 1, followsParent: true };

const PARENT_BASED = 'parentbased_';

/** OTEL_TRACES_SAMPLER and its argument. `report` gets what is wrong with them. Pure. */
export function samplerIn(
  environment: Readonly<Record<string, string | undefined>>,
  report: (problem: string) => void,
): Sampler {
  const given = environment.OTEL_TRACES_SAMPLER?.trim() ?? '';
  if (given === '') return DEFAULT_SAMPLER;
  const followsParent = given.startsWith(PARENT_BASED);
  switch (followsParent ? given.slice(PARENT_BASED.length) : given) {
    case 'always_on':
      return { ratio: 1, followsParent };
    case 'always_off':
      return { ratio: 0, followsParent };
    case 'traceidratio':
      return { ratio: ratioIn(environment.OTEL_TRACES_SAMPLER_ARG?.trim() ?? '', report), followsParent };
    default:
      report(
        'OTEL_TRACES_SAMPLER is not always_on, always_off or traceidratio, alone or after parentbased_. It is ignored.',
      );
      return DEFAULT_SAMPLER;
  }
}

function ratioIn(value: string, report: (problem: string) => void): number {
  const ratio = value === '' ? 1 : Number(value);
  if (ratio >= 0 && ratio <= 1) return ratio;
  report('OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1. All traces are exported.');
  return 1;
}

/** Of the random part at the end of a trace id, as many hexadecimal digits as a number holds exactly. */
const RANDOM_DIGITS = 13;

/** `isParentSampled` is null for a new trace. The same for all spans of a trace. Pure. */
export function isSampled(
  { ratio, followsParent }: Sampler,
  traceId: string,
  isParentSampled: boolean | null,
): boolean {
  if (followsParent && isParentSampled !== null) return isParentSampled;
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * 16 ** RANDOM_DIGITS;
}
