import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { LoadPlan, LoadProgress } from '../../latency/load-plan.ts';
import {
  abortSignal,
  anyFunction,
  bytes,
  flag,
  listOf,
  milliseconds,
  millisecondsFrom,
  objectWith,
  oneOf,
  orNull,
  positive,
  record,
  requireArguments,
  required,
  text,
  wholeFrom,
} from '../../model/arguments.ts';
import type { CallPhases, PreparedCall } from '../../model/bench.ts';
import type { Kinds, RecordOf } from '../../model/kind.ts';
import {
  LOAD_MODEL,
  type LoadResult,
  type LoadTransport,
  type PercentileMs,
  type TransportOptions,
} from '../../model/load.ts';
import type { RunSettings } from '../../model/report.ts';
import { loadBuiltInServer } from '../../run/timing/built-in-load.ts';
import { packageRoot } from '../../suite/product-files.ts';
import { notifyListener } from '../notify-listener.ts';

export interface LoadJob {
  readonly plan: LoadPlan;
  readonly transport: LoadTransport['name'];
  readonly options: TransportOptions;
}

export type ToLoadWorker = { readonly kind: 'start'; readonly job: LoadJob } | { readonly kind: 'interrupt' };

export type FromLoadWorker =
  | { readonly kind: 'progress'; readonly progress: LoadProgress }
  | { readonly kind: 'finished'; readonly result: LoadResult };

/** The load engine in its thread, for one load at a time. */
export interface LoadEngine {
  /**
   * When the signal fires, ends early with the figures so far. An error of `onProgress` ends the load, which rejects
   * with it.
   */
  run(job: LoadJob, watch: LoadWatch): Promise<LoadResult>;
  close(): Promise<void>;
}

export interface LoadWatch {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: LoadProgress) => void;
}

export const LOAD_ORDER = {
  model: required(LOAD_MODEL),
  durationMs: required(orNull(milliseconds)),
  maxRequests: required(orNull(wholeFrom(1))),
  warmUpMs: required(millisecondsFrom(0)),
};

/** One load of a prepared target. */
export type LoadOrder = RecordOf<typeof LOAD_ORDER>;

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

const TRANSPORT = {
  transport: required(oneOf('lean', 'undici')),
  options: required(
    record({
      ca: required(orNull(text)),
      publicOnly: required(flag),
      timeoutMs: required(milliseconds),
    }),
  ),
} satisfies Kinds<Pick<LoadJob, 'transport' | 'options'>>;

const LOAD_JOB = {
  ...TRANSPORT,
  plan: required(
    record({
      requests: required(
        listOf(
          record({
            method: required(text),
            url: required(text),
            headers: required(listOf(listOf(text))),
            body: required(orNull(bytes)),
            weight: required(positive),
          }),
        ),
      ),
      ...LOAD_ORDER,
      requestTimeoutMs: required(milliseconds),
      seed: required(wholeFrom(0)),
      stopOnStatuses: required(listOf(wholeFrom(0))),
      maxWaiting: required(orNull(wholeFrom(0))),
    }),
  ),
} satisfies Kinds<LoadJob>;

const WATCH = required(
  objectWith<LoadWatch>('an object with the signal that ends the load', {
    signal: required(abortSignal),
    onProgress: anyFunction,
  }),
);

/** Its validation as an argument of the library. */
export const ENGINE = required(
  objectWith<LoadEngine>('the engine from startLoadEngine', { run: required(anyFunction) }),
);

export function startLoadEngine(): LoadEngine {
  const worker = new Worker(path.join(packageRoot(), 'dist', 'load-worker.js'));
  const send = (message: ToLoadWorker): void => worker.postMessage(message);
  return {
    run: async (job, watch) => {
      requireArguments('run', { job, watch }, { job: required(record(LOAD_JOB)), watch: WATCH });
      const { signal, onProgress } = watch;
      return new Promise((resolve, reject) => {
        const done = new AbortController();
        let failure: { readonly error: unknown } | null = null;
        // Waits for the load to end, so that the next load does not get its result.
        const onFailure = (error: unknown): void => {
          failure ??= { error };
          send({ kind: 'interrupt' });
        };
        const onMessage = (message: FromLoadWorker): void => {
          if (message.kind === 'progress') notifyListener(onProgress, message.progress, onFailure);
          else {
            done.abort();
            if (failure === null) resolve(message.result);
            else reject(failure.error);
          }
        };
        const onError = (error: unknown): void => {
          done.abort();
          reject(error);
        };
        const onExit = (code: number): void =>
          onError(new Error(`the thread of the load ended with code ${code}`));
        worker.on('message', onMessage).on('error', onError).on('exit', onExit);
        done.signal.addEventListener('abort', () =>
          worker.off('message', onMessage).off('error', onError).off('exit', onExit),
        );
        signal.addEventListener('abort', () => send({ kind: 'interrupt' }), {
          once: true,
          signal: done.signal,
        });
        send({ kind: 'start', job });
        if (signal.aborted) send({ kind: 'interrupt' });
      });
    },
    close: async () => void (await worker.terminate()),
  };
}

const OVERHEAD_MS = 300;
const OVERHEAD_TIMEOUT_MS = 1000;

/** The client's own latency in milliseconds, measured with a server in this process that answers at once. */
export interface ClientOverhead {
  readonly count: number;
  readonly percentiles: readonly PercentileMs[];
}

export async function measureOverhead(
  engine: LoadEngine,
  job: Pick<LoadJob, 'transport' | 'options'>,
  signal: AbortSignal,
): Promise<ClientOverhead> {
  requireArguments(
    'measureOverhead',
    { engine, options: job, signal },
    { engine: ENGINE, options: required(record(TRANSPORT)), signal: required(abortSignal) },
  );
  const { transport, options } = job;
  const { series } = await loadBuiltInServer(
    {
      maxRequests: null,
      durationMs: OVERHEAD_MS,
      warmUpMs: 2 * OVERHEAD_MS,
      requestTimeoutMs: OVERHEAD_TIMEOUT_MS,
    },
    (plan) => engine.run({ plan, transport, options: { ...options, publicOnly: false } }, { signal }),
  );
  const latency = series[0]?.latency;
  return { count: latency?.count ?? 0, percentiles: latency?.percentiles ?? [] };
}
