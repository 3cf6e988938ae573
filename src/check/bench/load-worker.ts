import { availableParallelism } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { runLoad } from '../../latency/run-load.ts';
import type { LoadTransport } from '../../model/load.ts';
import { createLeanTransport } from '../../probe/load/lean-transport.ts';
import { threadTime } from '../../run/timing/thread-time.ts';
import type { FromLoadWorker, LoadJob, ToLoadWorker } from './load-engine.ts';

/** The load engine in a dedicated thread, started by startLoadEngine, where nothing else in the process delays it. */
let interrupt = new AbortController();

parentPort?.on('message', (message: ToLoadWorker) => {
  if (message.kind === 'interrupt') interrupt.abort();
  else void work(message.job);
});

async function work(job: LoadJob): Promise<void> {
  interrupt = new AbortController();
  const result = await runLoad(job.plan, await transportOf(job), {
    signal: interrupt.signal,
    cores: availableParallelism(),
    threadTime,
    onProgress: (progress) => post({ kind: 'progress', progress }),
  });
  post({ kind: 'finished', result });
}

async function transportOf({ transport, options }: LoadJob): Promise<LoadTransport> {
  if (transport === 'lean') return createLeanTransport(options);
  const { createUndiciTransport } = await import('../../probe/load/undici-transport.ts');
  return createUndiciTransport(options);
}

function post(message: FromLoadWorker): void {
  parentPort?.postMessage(message);
}
