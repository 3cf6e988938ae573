import { oneOf, positive, required, variantOf, wholeFrom } from './arguments.ts';
import type { Header } from './exchange.ts';

/** The due times of an open loop: evenly spaced, or random like independent callers. */
export type Arrivals = 'constant' | 'poisson';

/**
 * The load model. Closed: each connection sends its next request after its answer, which shows capacity and service
 * time. Open: requests are due on a schedule, independent of the answers, which shows how long callers wait.
 */
export type LoadModel =
  | { readonly kind: 'closed'; readonly connections: number }
  | {
      readonly kind: 'open';
      readonly ratePerSecond: number;
      readonly arrivals: Arrivals;
      /** Maximum number of connections. Calls that are due while all are busy wait, and the wait counts. */
      readonly maxConnections: number;
    };

export const LOAD_MODEL = variantOf<LoadModel>({
  closed: { connections: required(wholeFrom(1)) },
  open: {
    ratePerSecond: required(positive),
    arrivals: required(oneOf('constant', 'poisson')),
    maxConnections: required(wholeFrom(1)),
  },
});

/** A request that is sent repeatedly, complete with its secrets. */
export interface LoadRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | null;
  /** Its share among the requests of a mix. */
  readonly weight: number;
}

/** A percentile of the latency, with its 95 % confidence interval, in milliseconds. */
export interface PercentileMs {
  readonly percentile: Percentile;
  readonly valueMs: number;
  readonly intervalMs: readonly [low: number, high: number];
}

export interface LatencySummary {
  readonly count: number;
  readonly minMs: number;
  readonly meanMs: number;
  readonly maxMs: number;
  /** The percentiles with enough samples. */
  readonly percentiles: readonly PercentileMs[];
  /** HdrHistogram V2, compressed, as base64: integer microseconds, three significant digits. */
  readonly histogram: string;
}

export interface LoadError {
  /** `HTTP_503`, `timeout`, `connection-reset`, … */
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly count: number;
}

/** The outcome of one request of the mix. Null if no call was answered. */
export interface LoadSeries {
  readonly latency: LatencySummary | null;
  readonly count: number;
  readonly errors: readonly LoadError[];
}

/**
 * How the engine waits for due times. `timer`: with timers only. `spin`: by polling during the last two milliseconds,
 * or all the time in a closed loop over one connection. `none`: any other closed loop only waits for answers.
 */
export type Pacing = 'none' | 'timer' | 'spin';

/** Data on the client's own performance, on which the reliability of the figures depends. */
export interface ClientFigures {
  readonly pacing: Pacing;
  /** Delay of the client's writes; null in a closed loop. */
  readonly latenessMs: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number } | null;
  readonly loopDelayP99Ms: number;
  /** Share of the time that the engine's thread was busy, 0 to 1. */
  readonly loopUtilisation: number;
  /** Share of the time that the engine's thread waited for a CPU; null if unknown. */
  readonly waitedForCpu: number | null;
  /** Share of the due requests that were sent in time; null in a closed loop. */
  readonly achievedShare: number | null;
  /** Share of the due requests that waited for a connection; null in a closed loop. */
  readonly waitedForConnection: number | null;
  readonly cpuMicrosecondsPerRequest: number;
}

export interface LoadResult {
  readonly model: LoadModel;
  readonly transport: 'lean' | 'undici' | 'message';
  /** Unix time in milliseconds at which measuring began, after the warm-up. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly warmUp: { readonly count: number; readonly durationMs: number; readonly steady: boolean };
  readonly series: readonly LoadSeries[];
  readonly throughputPerSecond: number;
  readonly client: ClientFigures;
  /** It was ended because more calls waited for a connection than the plan allows. */
  readonly fellBehind: boolean;
  /** Why it ended early; null if it did not. */
  readonly stoppedBy: string | null;
  /** Why the figures are unreliable; empty if they are reliable. */
  readonly doubts: readonly string[];
}

export function percentileMs(latency: LatencySummary | null | undefined, wanted: Percentile): number | null {
  return latency?.percentiles.find(({ percentile }) => percentile === wanted)?.valueMs ?? null;
}

export function failedCalls({ errors }: Pick<LoadSeries, 'errors'>): number {
  return errors.reduce((sum, { count }) => sum + count, 0);
}

export const PERCENTILES = ['p50', 'p90', 'p95', 'p99', 'p99.9'] as const;
export type Percentile = (typeof PERCENTILES)[number];

export interface LoadFailure {
  /** As in a TransportFailure, such as `connection-reset`. */
  readonly code: string;
  readonly message: string;
}

/** Called with the outcome of the request in flight on a connection. */
export interface LoadListener {
  /** `atMs` is when its last bytes arrived, before parsing; monotonic milliseconds. */
  onAnswer(status: number, atMs: number): void;
  onFailure(failure: LoadFailure): void;
}

/** Sends one request at a time over one connection, and reopens it if the target closed it. */
export interface LoadConnection {
  /** Connects before the first request. It also resolves on failure, which the first request then reports. */
  open(): Promise<void>;
  /**
   * Sends the request with this index in the plan; `nowMs` is the monotonic time. The listener is called once, after
   * this returns.
   */
  send(index: number, nowMs: number): void;
  /** Cancels the request in flight and its connection, without calling the listener. */
  drop(): void;
}

export interface LoadTransport {
  readonly name: 'lean' | 'undici' | 'message';
  connect(requests: readonly LoadRequest[], listener: LoadListener): LoadConnection;
}

export interface TransportOptions {
  /** Trusted authorities as PEM; null: those that Node.js trusts. */
  readonly ca: string | null;
  readonly publicOnly: boolean;
  /** Time-out for connecting; the caller limits the time of a call. */
  readonly timeoutMs: number;
}
