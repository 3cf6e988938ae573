import type { LoadModel, LoadRequest } from '../model/load.ts';
import type { ThreadTime } from './client-monitor.ts';

export interface LoadPlan {
  /** One, or a mix; all of one origin. */
  readonly requests: readonly LoadRequest[];
  readonly model: LoadModel;
  /** What ends measuring, whichever comes first; the warm-up is not counted. */
  readonly maxRequests: number | null;
  readonly durationMs: number | null;
  /** The longest that the warm-up may take; it ends as soon as the figures are steady. None when it is 0. */
  readonly warmUpMs: number;
  readonly requestTimeoutMs: number;
  readonly seed: number;
  /** Statuses at which the target is left alone at once. */
  readonly stopOnStatuses: readonly number[];
  /** Most calls that may wait for a connection before the load is given up; null: any number. */
  readonly maxWaiting: number | null;
}

export interface LoadProgress {
  readonly phase: 'warm-up' | 'measuring';
  readonly elapsedMs: number;
  /** Calls that ended, and those among them that failed. */
  readonly count: number;
  readonly errors: number;
  readonly underWay: number;
  /** Median of the last block that is whole. */
  readonly p50Ms: number | null;
}

export interface LoadHooks {
  readonly signal: AbortSignal;
  readonly cores: number;
  /** Of the thread that this runs in; null where the system does not tell. */
  readonly threadTime: () => ThreadTime | null;
  readonly onProgress?: (progress: LoadProgress) => void;
}
