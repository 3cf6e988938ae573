import { isSuccess } from '../model/exchange.ts';
import type { LoadError, LoadFailure, LoadSeries } from '../model/load.ts';
import type { Connection } from './connections.ts';
import { SampleRecorder } from './sample-recorder.ts';

/** Limits the memory if a target sends a different message for each failure. */
const MAX_KINDS_OF_ERROR = 50;

/** The results of the calls of a load, for each request of the mix. */
export class CallBook {
  readonly #series: readonly { recorder: SampleRecorder; errors: Map<string, LoadError>; count: number }[];
  readonly #together: SampleRecorder;
  #ended = 0;
  #failed = 0;

  constructor(requestCount: number, blockMs: number) {
    this.#series = Array.from({ length: requestCount }, () => {
      return { recorder: new SampleRecorder(blockMs), errors: new Map(), count: 0 };
    });
    const [only] = this.#series;
    // The blocks of one request do not represent the whole mix.
    this.#together = requestCount === 1 && only !== undefined ? only.recorder : new SampleRecorder(blockMs);
  }

  /** @param heldUpMs for how long the client may have held up the call */
  answered(connection: Connection, status: number, nowMs: number, heldUpMs: number): void {
    this.#count(connection);
    if (isSuccess(status)) this.#record(connection, nowMs, heldUpMs);
    else this.#countError(connection, { code: `HTTP_${status}`, message: `status ${status}`, status });
  }

  failed(connection: Connection, failure: LoadFailure, nowMs: number): void {
    this.#count(connection);
    this.#countError(connection, failure);
    // A caller waits for the time-out as well: without these the slowest calls would be missing.
    if (failure.code === 'timeout') this.#record(connection, nowMs, 0);
  }

  /** Calls that ended, and those among them that failed. */
  get ended(): number {
    return this.#ended;
  }

  get errors(): number {
    return this.#failed;
  }

  /** Medians of the blocks so far, of all requests together. */
  blockMediansUs(): readonly number[] {
    return this.#together.blockMediansUs();
  }

  series(): readonly LoadSeries[] {
    return this.#series.map(({ recorder, errors, count }) => {
      return { latency: recorder.summary(), count, errors: [...errors.values()] };
    });
  }

  #count({ index }: Connection): void {
    this.#ended += 1;
    const own = this.#series[index];
    if (own !== undefined) own.count += 1;
  }

  #record({ index, countsFromMs }: Connection, nowMs: number, heldUpMs: number): void {
    const latencyUs = (nowMs - countsFromMs) * 1000;
    const recorder = this.#series[index]?.recorder;
    recorder?.record(latencyUs, nowMs, heldUpMs * 1000);
    if (recorder !== this.#together) this.#together.record(latencyUs, nowMs);
  }

  #countError({ index }: Connection, error: Omit<LoadError, 'count'>): void {
    this.#failed += 1;
    const kinds = this.#series[index]?.errors;
    const key = `${error.code} ${error.message}`;
    const kept = kinds === undefined || kinds.has(key) || kinds.size < MAX_KINDS_OF_ERROR;
    const name = kept ? key : 'other';
    const shown = kept ? error : { code: 'other', message: 'other failures' };
    kinds?.set(name, { ...shown, count: (kinds.get(name)?.count ?? 0) + 1 });
  }
}
