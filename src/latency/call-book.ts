import type { LoadError, LoadSeries } from '../model/load.ts';
import type { LoadFailure } from '../model/load-transport.ts';
import type { Lane } from './lanes.ts';
import { createSampleRecorder, type SampleRecorder } from './sample-recorder.ts';

/** Keeps what became of the calls of a load, for each request of the mix. */
export interface CallBook {
  answered(lane: Lane, status: number, nowMs: number): void;
  failed(lane: Lane, failure: LoadFailure, nowMs: number): void;
  /** Calls that ended, and those among them that failed. */
  ended(): number;
  errors(): number;
  /** Medians of the blocks so far, of all requests together. */
  blockMediansUs(): readonly number[];
  series(): readonly LoadSeries[];
}

/** A redirect is no answer: nobody follows it here. */
export function isServed(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Enough to tell what is wrong; a target that words each failure in its own way cannot fill the memory. */
const MAX_KINDS_OF_ERROR = 50;

export function createCallBook(requestCount: number, blockMs: number): CallBook {
  const recorders = Array.from({ length: requestCount }, () => createSampleRecorder({ blockMs }));
  // Blocks of single requests of a mix would tell nothing of the whole.
  const together: SampleRecorder =
    requestCount === 1 && recorders[0] !== undefined ? recorders[0] : createSampleRecorder({ blockMs });
  const errors = Array.from({ length: requestCount }, () => new Map<string, LoadError>());
  const counts = Array.from({ length: requestCount }, () => 0);
  let ended = 0;
  let failed = 0;

  const record = (lane: Lane, nowMs: number): void => {
    const latencyUs = (nowMs - lane.countsFromMs) * 1000;
    const own = recorders[lane.index];
    own?.record(latencyUs, nowMs);
    if (own !== together) together.record(latencyUs, nowMs);
  };
  const end = (lane: Lane): void => {
    ended += 1;
    counts[lane.index] = (counts[lane.index] ?? 0) + 1;
  };
  const countError = (lane: Lane, error: Omit<LoadError, 'count'>): void => {
    failed += 1;
    const own = errors[lane.index];
    const key = `${error.code} ${error.message}`;
    const kept = own === undefined || own.has(key) || own.size < MAX_KINDS_OF_ERROR;
    const name = kept ? key : 'other';
    const told = kept ? error : { code: 'other', message: 'failures of further kinds' };
    own?.set(name, { ...told, count: (own.get(name)?.count ?? 0) + 1 });
  };

  return {
    answered: (lane, status, nowMs) => {
      end(lane);
      if (isServed(status)) record(lane, nowMs);
      else countError(lane, { code: `HTTP_${status}`, message: `status ${status}`, status });
    },
    failed: (lane, failure, nowMs) => {
      end(lane);
      countError(lane, failure);
      // Whoever waits in vain waits all the same: without these the slowest calls would be missing.
      if (failure.code === 'timeout') record(lane, nowMs);
    },
    ended: () => ended,
    errors: () => failed,
    blockMediansUs: () => together.blockMediansUs(),
    series: () =>
      recorders.map((recorder, index) => ({
        latency: recorder.summary(),
        count: counts[index] ?? 0,
        errors: [...(errors[index]?.values() ?? [])],
      })),
  };
}
