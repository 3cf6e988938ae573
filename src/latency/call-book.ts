import { isSuccess } from '../model/exchange.ts';
import type { LoadError, LoadSeries } from '../model/load.ts';
import type { LoadFailure } from '../model/load-transport.ts';
import type { Connection } from './connections.ts';
import { createSampleRecorder, type SampleRecorder } from './sample-recorder.ts';

export interface CallBook {
  /** @param heldUpMs for how long the client may have held up the call */
  answered(connection: Connection, status: number, nowMs: number, heldUpMs: number): void;
  failed(connection: Connection, failure: LoadFailure, nowMs: number): void;
  /** Calls that ended, and those among them that failed. */
  ended(): number;
  errors(): number;
  /** Medians of the blocks so far, of all requests together. */
  blockMediansUs(): readonly number[];
  series(): readonly LoadSeries[];
}

/** Limits the memory if a target sends a different message for each failure. */
const MAX_KINDS_OF_ERROR = 50;

export function createCallBook(requestCount: number, blockMs: number): CallBook {
  const recorders = Array.from({ length: requestCount }, () => createSampleRecorder({ blockMs }));
  // The blocks of one request do not represent the whole mix.
  const together: SampleRecorder =
    requestCount === 1 && recorders[0] !== undefined ? recorders[0] : createSampleRecorder({ blockMs });
  const errors = Array.from({ length: requestCount }, () => new Map<string, LoadError>());
  const counts = Array.from({ length: requestCount }, () => 0);
  let ended = 0;
  let failed = 0;

  const record = (connection: Connection, nowMs: number, heldUpMs: number): void => {
    const latencyUs = (nowMs - connection.countsFromMs) * 1000;
    const recorder = recorders[connection.index];
    recorder?.record(latencyUs, nowMs, heldUpMs * 1000);
    if (recorder !== together) together.record(latencyUs, nowMs);
  };
  const end = (connection: Connection): void => {
    ended += 1;
    counts[connection.index] = (counts[connection.index] ?? 0) + 1;
  };
  const countError = (connection: Connection, error: Omit<LoadError, 'count'>): void => {
    failed += 1;
    const kinds = errors[connection.index];
    const key = `${error.code} ${error.message}`;
    const kept = kinds === undefined || kinds.has(key) || kinds.size < MAX_KINDS_OF_ERROR;
    const name = kept ? key : 'other';
    const shown = kept ? error : { code: 'other', message: 'other failures' };
    kinds?.set(name, { ...shown, count: (kinds.get(name)?.count ?? 0) + 1 });
  };

  return {
    answered: (connection, status, nowMs, heldUpMs) => {
      end(connection);
      if (isSuccess(status)) record(connection, nowMs, heldUpMs);
      else countError(connection, { code: `HTTP_${status}`, message: `status ${status}`, status });
    },
    failed: (connection, failure, nowMs) => {
      end(connection);
      countError(connection, failure);
      // A caller waits for the time-out as well: without these the slowest calls would be missing.
      if (failure.code === 'timeout') record(connection, nowMs, 0);
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
