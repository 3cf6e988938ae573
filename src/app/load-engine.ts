import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { LoadPlan, LoadProgress } from '../latency/run-load.ts';
import {
  abortSignal,
  anyFunction,
  bytes,
  flag,
  type Kinds,
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
} from '../model/arguments.ts';
import { LOAD_MODEL, type LoadRequest, type LoadResult, type PercentileMs } from '../model/load.ts';
import type { TransportOptions } from '../model/load-transport.ts';
import { startBuiltInServer } from '../probe/load/built-in-server.ts';
import { packageRoot } from '../suite/product-files.ts';
import type { FromLoadWorker, LoadJob, ToLoadWorker } from './load-messages.ts';
import { tellListener } from './tell-listener.ts';

/** The load engine in its thread, for one load after the other. */
export interface LoadEngine {
  /**
   * Ends early, with the figures so far, when the signal fires; what `onProgress` throws, or rejects with, ends it and
   * is what it rejects with.
   */
  run(job: LoadJob, watch: LoadWatch): Promise<LoadResult>;
  close(): Promise<void>;
}

export interface LoadWatch {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: LoadProgress) => void;
}

const TRANSPORT = {
  transport: required(oneOf('lean', 'undici')),
  options: required(
    record<TransportOptions>({
      ca: required(orNull(text)),
      publicOnly: required(flag),
      timeoutMs: required(milliseconds),
    }),
  ),
} satisfies Kinds<Pick<LoadJob, 'transport' | 'options'>>;

const LOAD_JOB = {
  ...TRANSPORT,
  plan: required(
    record<LoadPlan>({
      requests: required(
        listOf(
          record<LoadRequest>({
            method: required(text),
            url: required(text),
            headers: required(listOf(listOf(text))),
            body: required(orNull(bytes)),
            weight: required(positive),
          }),
        ),
      ),
      model: required(LOAD_MODEL),
      maxRequests: required(orNull(wholeFrom(1))),
      durationMs: required(orNull(milliseconds)),
      warmUpMs: required(millisecondsFrom(0)),
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

/** As an argument of the library. */
export const ENGINE = required(
  objectWith<LoadEngine>('the engine that startLoadEngine gives', { run: required(anyFunction) }),
);

export function startLoadEngine(): LoadEngine {
  const worker = new Worker(path.join(packageRoot(), 'dist', 'load-worker.js'));
  const tell = (message: ToLoadWorker): void => worker.postMessage(message);
  return {
    run: async (job, watch) => {
      requireArguments('run', { job, watch }, { job: required(record(LOAD_JOB)), watch: WATCH });
      const { signal, onProgress } = watch;
      return new Promise((resolve, reject) => {
        const done = new AbortController();
        let failure: { readonly error: unknown } | null = null;
        // The load that ends is waited for: its result must not be taken for that of the next.
        const onFailure = (error: unknown): void => {
          failure ??= { error };
          tell({ kind: 'interrupt' });
        };
        const onMessage = (message: FromLoadWorker): void => {
          if (message.kind === 'progress') tellListener(onProgress, message.progress, onFailure);
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
        signal.addEventListener('abort', () => tell({ kind: 'interrupt' }), {
          once: true,
          signal: done.signal,
        });
        tell({ kind: 'start', job });
        if (signal.aborted) tell({ kind: 'interrupt' });
      });
    },
    close: async () => void (await worker.terminate()),
  };
}

const OVERHEAD_MS = 300;
/** What the client itself adds to a latency, in milliseconds: that of a server in this process that answers at once. */
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
    {
      engine: ENGINE,
      options: required(record(TRANSPORT)),
      signal: required(abortSignal),
    },
  );
  const { transport, options } = job;
  const server = await startBuiltInServer();
  const plan: LoadPlan = {
    requests: [{ method: 'GET', url: server.url, headers: [], body: null, weight: 1 }],
    model: { kind: 'closed', connections: 1 },
    maxRequests: null,
    durationMs: OVERHEAD_MS,
    warmUpMs: 2 * OVERHEAD_MS,
    requestTimeoutMs: 1000,
    seed: 1,
    stopOnStatuses: [],
    maxWaiting: null,
  };
  try {
    const { series } = await engine.run(
      { plan, transport, options: { ...options, publicOnly: false } },
      { signal },
    );
    const latency = series[0]?.latency;
    return { count: latency?.count ?? 0, percentiles: latency?.percentiles ?? [] };
  } finally {
    server.close();
  }
}
