import type { LoadPlan, LoadProgress } from '../latency/run-load.ts';
import type { LoadResult } from '../model/load.ts';
import type { LoadTransport, TransportOptions } from '../model/load-transport.ts';

export interface LoadJob {
  readonly plan: LoadPlan;
  readonly transport: LoadTransport['name'];
  readonly options: TransportOptions;
}

export type ToLoadWorker = { readonly kind: 'start'; readonly job: LoadJob } | { readonly kind: 'interrupt' };

export type FromLoadWorker =
  | { readonly kind: 'progress'; readonly progress: LoadProgress }
  | { readonly kind: 'finished'; readonly result: LoadResult };
