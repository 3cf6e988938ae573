import { milliseconds, millisecondsFrom, orNull, required, wholeFrom } from '../../model/arguments.ts';
import type { CallPhases, PreparedCall } from '../../model/bench.ts';
import type { Kinds } from '../../model/kind.ts';
import {
  LOAD_MODEL,
  type LoadModel,
  type LoadResult,
  type LoadTransport,
  type TransportOptions,
} from '../../model/load.ts';
import type { RunSettings } from '../../model/report.ts';
import type { LoadWatch } from './load-engine.ts';

/** One load of a prepared target. */
export interface LoadOrder {
  readonly model: LoadModel;
  readonly durationMs: number | null;
  readonly maxRequests: number | null;
  readonly warmUpMs: number;
}

export const LOAD_ORDER = {
  model: required(LOAD_MODEL),
  durationMs: required(orNull(milliseconds)),
  maxRequests: required(orNull(wholeFrom(1))),
  warmUpMs: required(millisecondsFrom(0)),
} satisfies Kinds<LoadOrder>;

/** A target that answered each of the calls once and is ready for a load. */
export interface Bench {
  readonly targetUrl: string;
  readonly settings: RunSettings;
  readonly calls: readonly PreparedCall[];
  readonly transport: LoadTransport['name'];
  readonly transportOptions: TransportOptions;
  /** The parts of the first call's time, each measured over a new connection. */
  readonly phases: readonly CallPhases[];
  run(order: LoadOrder, watch: LoadWatch): Promise<LoadResult>;
  /** Ends what was opened for the load. */
  close(): Promise<void>;
}
