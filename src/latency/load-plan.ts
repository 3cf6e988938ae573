import type { LoadModel, LoadRequest } from '../model/load.ts';
import type { ThreadTime } from './reliability.ts';

export interface LoadPlan {
  /** One request, or a mix; all of one origin. */
  readonly requests: readonly LoadRequest[];
  readonly model: LoadModel;
  /** Ends the measurement, like `durationMs`; the warm-up is not counted. */
  readonly maxRequests: number | null;
  readonly durationMs: number | null;
  /** Maximum time of the warm-up, which ends as soon as the figures are steady; 0: no warm-up. */
  readonly warmUpMs: number;
  readonly requestTimeoutMs: number;
  readonly seed: number;
  /** Statuses that end the load at once. */
  readonly stopOnStatuses: readonly number[];
  /** Maximum number of calls that wait for a connection before the load ends; null: unlimited. */
  readonly maxWaiting: number | null;
}

export interface LoadProgress {
  readonly phase: 'warm-up' | 'measuring';
  readonly elapsedMs: number;
  /** Calls that ended, and those among them that failed. */
  readonly count: number;
  readonly errors: number;
  readonly underWay: number;
  /** Median of the last complete block. */
  readonly p50Ms: number | null;
}

export interface LoadHooks {
  readonly signal: AbortSignal;
  readonly cores: number;
  /** CPU time of the calling thread; null if the system does not report it. */
  readonly threadTime: () => ThreadTime | null;
  readonly onProgress?: (progress: LoadProgress) => void;
  /** `onStall` is called when the target has answered no call for `afterMs`; the load then ends with the next one that ends. */
  readonly stall?: { readonly afterMs: number; readonly onStall: () => void };
}
