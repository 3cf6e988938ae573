import type { ClientFigures, LoadError, LoadModel, LoadResult, Percentile } from './load.ts';

/** How fast one operation answered, in milliseconds from the request's start to the answer's last byte. */
export interface ResponseTimes {
  readonly operation: 'health' | 'capabilities' | 'search' | 'details' | 'test' | 'execute' | 'other';
  readonly function?: string;
  readonly count: number;
  readonly errors: number;
  readonly minMs?: number;
  readonly meanMs?: number;
  readonly p50Ms?: number;
  readonly p90Ms?: number;
  readonly p95Ms?: number;
  readonly p99Ms?: number;
  readonly 'p99.9Ms'?: number;
  readonly maxMs?: number;
  /** 95 % confidence intervals by order statistics, for each percentile that is given. */
  readonly intervals: Readonly<Partial<Record<Percentile, readonly [number, number]>>>;
}

/** The response times of timed calls, with the data behind the figures. */
export interface Measurement extends ResponseTimes {
  /** Names the step and the item that were measured. */
  readonly key: string;
  /** Calls whose time counts: those that were answered, and those that timed out. */
  readonly samples: number;
  readonly load: {
    readonly model: LoadModel;
    readonly transport: LoadResult['transport'];
    /** The number of planned calls. */
    readonly planned: number;
    /** Number of measurements, including repetitions of unreliable ones. */
    readonly attempts: number;
    /** Why it ended before all planned calls were sent. */
    readonly stoppedBy: string | null;
  };
  readonly throughputPerSecond: number;
  /** Null if nothing was measured. */
  readonly client: ClientFigures | null;
  /** HdrHistogram V2, compressed, as base64: integer microseconds. Null if no call was answered. */
  readonly histogram: string | null;
  /** Why the figures are unreliable; unreliable figures are not judged. */
  readonly unreliable: readonly string[];
  readonly errorKinds: readonly LoadError[];
}

/** The slow answers: the 95th percentile, or the slowest call where there are too few calls for it. */
export function slowOf({
  p95Ms,
  maxMs,
}: ResponseTimes): { readonly name: 'p95' | 'max'; readonly ms: number } | null {
  if (p95Ms !== undefined) return { name: 'p95', ms: p95Ms };
  return maxMs === undefined ? null : { name: 'max', ms: maxMs };
}

/** Calls without an answer have no figures and come last. */
export function slowestFirst<Times extends ResponseTimes>(all: readonly Times[]): readonly Times[] {
  const slowMs = (times: Times): number => slowOf(times)?.ms ?? times.p50Ms ?? -1;
  return all.toSorted((left, right) => slowMs(right) - slowMs(left));
}

export function isMeasurement(times: ResponseTimes): times is Measurement {
  return 'load' in times;
}

/** The name of an operation, as `--operation` takes it: `health`, `execute:add`. */
export function callName({
  operation,
  function: name,
}: {
  readonly operation: string;
  readonly function?: string;
}): string {
  return name === undefined ? operation : `${operation}:${name}`;
}

export interface OperationError extends LoadError {
  readonly operation: string;
}
