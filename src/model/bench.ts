import type { Exchange } from './exchange.ts';
import type { LoadRequest, Percentile, PercentileMs } from './load.ts';

export interface BenchFigures {
  /** The client's own latency, measured with a server in the same process that answers at once. */
  readonly overhead: { readonly count: number; readonly percentiles: readonly PercentileMs[] };
  /** Of calls that each open a connection; null if none could be timed. */
  readonly phases: Phases | null;
  readonly warmUp: { readonly count: number; readonly durationMs: number; readonly steady: boolean };
  readonly ramp?: Ramp;
  readonly against?: Against;
  readonly baseline?: Baseline;
}

/** Medians, in milliseconds. */
export interface Phases extends CallPhases {
  readonly calls: number;
}

export interface Ramp {
  readonly lowPerSecond: number;
  readonly highPerSecond: number;
  readonly maxP99Ms: number;
  readonly maxErrorShare: number;
  readonly steps: readonly RampStep[];
  readonly heldPerSecond: number | null;
  readonly brokePerSecond: number | null;
  readonly stoppedBy: string | null;
}

export interface RampStep {
  readonly ratePerSecond: number;
  readonly holds: boolean;
  readonly count: number;
  readonly errors: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** Share of the due requests that were sent in time. */
  readonly achievedShare: number;
  readonly because: string | null;
}

export type Comparison = 'better' | 'worse' | 'no-difference-shown';

/** Alternate short runs of two targets. */
export interface Against {
  readonly url: string;
  readonly runsOfEach: number;
  /** Medians, run by run: of this target, and of the other. */
  readonly p50Ms: readonly (readonly [own: number, other: number])[];
  /** Of the other target, compared with this one. */
  readonly outcome: Comparison;
  readonly p50: FigureComparison;
  /** Null if not every run has it. */
  readonly p99: FigureComparison | null;
  readonly doubts: readonly string[];
}

export interface FigureComparison {
  /** The other target over this one; null if there is nothing to compare. */
  readonly ratio: number | null;
  readonly intervalRatio: readonly [low: number, high: number] | null;
  readonly pValue: number | null;
  readonly outcome: Comparison;
  /** Why no difference is shown. */
  readonly because: string | null;
}

/** This result compared with a saved one. */
export interface Baseline {
  readonly id: string;
  readonly startedAt: string;
  readonly rows: readonly BaselineRow[];
  /** Why some of it, or all, was not compared. */
  readonly notes: readonly string[];
}

/** A call of two runs, compared by the fastest tenth of its times or, with few samples, by the faster half. */
export interface ComparedCall {
  readonly operation: string;
  readonly function?: string;
  readonly fastest: 'tenth' | 'half';
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly outcome: Comparison;
}

export interface BaselineRow extends ComparedCall {
  /** Not judged, because other work on the machine moves them between two runs. */
  readonly percentiles: readonly {
    readonly percentile: Percentile;
    readonly beforeMs: number;
    readonly afterMs: number;
  }[];
}

/** Times of the parts of a call over a separate connection, in milliseconds. */
export interface CallPhases {
  /** Null for an IP address, which needs no DNS lookup. */
  readonly lookupMs: number | null;
  readonly connectMs: number;
  /** Null without TLS. */
  readonly tlsMs: number | null;
  /** From the last byte of the request to the first byte of the answer. */
  readonly firstByteMs: number;
  readonly downloadMs: number;
}

/** A call of a load: an operation of the contract or a function, with its share of the mix. */
export interface WantedCall {
  readonly operation: 'health' | 'capabilities' | 'execute';
  readonly functionName: string | null;
  readonly weight: number;
}

export interface PreparedCall extends WantedCall {
  readonly request: LoadRequest;
  /** The single call that verified that it is answered. */
  readonly exchange: Exchange;
}
