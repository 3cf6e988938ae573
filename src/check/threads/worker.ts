import path from 'node:path';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { packageRoot } from '../../suite/product-files.ts';

/** Several times the memory that the largest accepted answers need. */
export const DEFAULT_HEAP_MB = 256;

/** The memory of a worker without a check is released after this time. */
const MAX_IDLE_MS = 5000;

/** Workers without a check. The next check needs neither a start nor the compilation of the code. */
const idle = new Map<Worker, NodeJS.Timeout>();

/** Starts the worker of the next check in advance, while other work is done. */
export function startSpareWorker(): void {
  if (idleWorker(DEFAULT_HEAP_MB) === undefined) keepWorker(startOwnWorker(DEFAULT_HEAP_MB));
}

/** The worker whose check ended last, or a new one. */
export function takeWorker(heapMb: number): Worker {
  const worker = idleWorker(heapMb);
  if (worker === undefined) return startOwnWorker(heapMb);
  clearTimeout(idle.get(worker));
  idle.delete(worker);
  worker.ref();
  return worker;
}

function idleWorker(heapMb: number): Worker | undefined {
  return [...idle.keys()].findLast((one) => one.resourceLimits?.maxOldGenerationSizeMb === heapMb);
}

/** Keeps a worker whose check finished for the next one. */
export function keepWorker(worker: Worker): void {
  // An unused worker must not keep the process alive.
  worker.unref();
  const end = (): void => {
    idle.delete(worker);
    void worker.terminate();
  };
  idle.set(worker, setTimeout(end, MAX_IDLE_MS).unref());
}

function startOwnWorker(heapMb: number): Worker {
  return startWorker({ maxOldGenerationSizeMb: heapMb });
}

/** @param shared the memory by which checks share the worker; null for a worker of one check at a time */
export function startWorker(resourceLimits: ResourceLimits, shared: SharedArrayBuffer | null = null): Worker {
  const file = path.join(packageRoot(), 'dist', 'check-worker.js');
  const worker = new Worker(file, { workerData: shared, resourceLimits });
  // Each check listens to the end of its worker.
  worker.setMaxListeners(0);
  // The error of an idle one concerns no check, and without a listener it would end the process.
  return worker.on('error', () => undefined);
}
