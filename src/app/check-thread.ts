import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { packageRoot } from '../suite/product-files.ts';

/** Several times the memory that the largest accepted answers need. */
export const DEFAULT_HEAP_MB = 256;

let spare: Worker | null = null;

/** Starts the thread of the next check in advance, while other work is done. */
export function startSpareWorker(): void {
  spare ??= startWorker(DEFAULT_HEAP_MB);
  // An unused thread must not keep the process alive.
  spare.unref();
}

/** The thread that was started in advance, or a new one. */
export function takeWorker(heapMb: number): Worker {
  if (spare === null || heapMb !== DEFAULT_HEAP_MB) return startWorker(heapMb);
  const worker = spare;
  spare = null;
  worker.ref();
  return worker;
}

function startWorker(heapMb: number): Worker {
  return new Worker(path.join(packageRoot(), 'dist', 'check-worker.js'), {
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
}
