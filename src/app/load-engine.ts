import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { LoadPlan, LoadProgress } from '../latency/run-load.ts';
import {
  abortSignal,
  anyObject,
  type Kinds,
  oneOf,
  record,
  requireArguments,
  required,
} from '../model/arguments.ts';
import type { LoadResult, PercentileMs } from '../model/load.ts';
import { startBuiltInServer } from '../probe/load/built-in-server.ts';
import { packageRoot } from '../suite/product-files.ts';
import type { FromLoadWorker, LoadJob, ToLoadWorker } from './load-messages.ts';

/** The load engine in its thread, for one load after the other. */
export interface LoadEngine {
  /** Ends early, with the figures so far, when the signal fires. */
  run(job: LoadJob, watch: LoadWatch): Promise<LoadResult>;
  close(): Promise<void>;
}

export interface LoadWatch {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: LoadProgress) => void;
}

export function startLoadEngine(): LoadEngine {
  const worker = new Worker(path.join(packageRoot(), 'dist', 'load-worker.js'));
  const tell = (message: ToLoadWorker): void => worker.postMessage(message);
  return {
    run: (job, { signal, onProgress }) =>
      new Promise((resolve, reject) => {
        const done = new AbortController();
        const onMessage = (message: FromLoadWorker): void => {
          if (message.kind === 'progress') onProgress?.(message.progress);
          else {
            done.abort();
            resolve(message.result);
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
      }),
    close: async () => void (await worker.terminate()),
  };
}

const OVERHEAD_MS = 300;
/** What the client itself adds to a latency, in milliseconds: that of a server in this process that answers at once. */
export interface ClientOverhead {
  readonly count: number;
  readonly percentiles: readonly PercentileMs[];
}

const OVERHEAD_OPTIONS = {
  transport: required(oneOf('lean', 'undici')),
  options: required(anyObject),
} satisfies Kinds<Pick<LoadJob, 'transport' | 'options'>>;

export async function measureOverhead(
  engine: LoadEngine,
  job: Pick<LoadJob, 'transport' | 'options'>,
  signal: AbortSignal,
): Promise<ClientOverhead> {
  requireArguments(
    'measureOverhead',
    { engine, options: job, signal },
    {
      engine: required(anyObject),
      options: required(record(OVERHEAD_OPTIONS)),
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
