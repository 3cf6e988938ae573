import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { packageRoot } from '../../suite/product-files.ts';
import { BEATS, CURRENT_CHECK, SHARED_PLACES, type StartCheck } from './check-messages.ts';

/** Several times the memory that the largest accepted answers need. */
export const DEFAULT_HEAP_MB = 256;

export type ThreadEnd =
  | { readonly kind: 'out-of-memory' }
  | { readonly kind: 'error'; readonly error: unknown }
  /** It answered nobody for too long. */
  | { readonly kind: 'blocked' };

export interface CheckThread {
  start(message: StartCheck): void;
  /** Calls the listener when the thread ends by itself, or because it was blocked. Returns what removes the listener. */
  onEnd(listener: (end: ThreadEnd) => void): () => void;
  /** The check whose code runs, or ran last. */
  currentCheck(): number;
  /** Grows while the thread answers. */
  beats(): number;
  /** The share of the time since the last call in which the thread did not wait for events. */
  utilization(): number;
  /** How long its event loop was busy: about the CPU time of its checks. */
  busyMs(): number;
  /** Whether the thread keeps the process alive. */
  keepAlive(does: boolean): void;
  /** Ends it, and whatever runs in it. */
  end(reason?: ThreadEnd): Promise<void>;
}

let spare: CheckThread | null = null;

/** Starts the thread of the next check in advance, while other work is done. */
export function startSpareThread(): void {
  spare ??= startThread(DEFAULT_HEAP_MB);
  // An unused thread must not keep the process alive.
  spare.keepAlive(false);
}

/** The thread that was started in advance, or a new one. */
export function takeThread(heapMb: number): CheckThread {
  if (spare === null || heapMb !== DEFAULT_HEAP_MB) return startThread(heapMb);
  const thread = spare;
  spare = null;
  thread.keepAlive(true);
  return thread;
}

/** @param youngMb the memory of young objects, besides `heapMb`; undefined: the default of Node.js */
export function startThread(heapMb: number, youngMb?: number): CheckThread {
  const memory = new SharedArrayBuffer(SHARED_PLACES * Int32Array.BYTES_PER_ELEMENT);
  const state = new Int32Array(memory);
  const worker = new Worker(path.join(packageRoot(), 'dist', 'check-worker.js'), {
    workerData: memory,
    resourceLimits: {
      maxOldGenerationSizeMb: heapMb,
      ...(youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb }),
    },
  });
  let measured = worker.performance.eventLoopUtilization();
  const listeners = new Set<(end: ThreadEnd) => void>();
  let ended: ThreadEnd | null = null;
  let busyMs = 0;
  /** A thread that has ended shows nothing any more. */
  const readBusy = (): number => {
    busyMs = Math.max(busyMs, worker.performance.eventLoopUtilization().active);
    return busyMs;
  };
  const settle = (end: ThreadEnd): void => {
    if (ended !== null) return;
    ended = end;
    for (const listener of listeners) listener(end);
  };
  worker.once('error', (error: Error & { code?: string }) =>
    settle(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { kind: 'out-of-memory' } : { kind: 'error', error }),
  );
  worker.once('exit', (code) =>
    settle({ kind: 'error', error: new Error(`the thread of the check ended with code ${code}`) }),
  );
  return {
    start: (message) => worker.postMessage(message, [message.channel, message.partial]),
    onEnd: (listener) => {
      if (ended !== null) listener(ended);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    currentCheck: () => Atomics.load(state, CURRENT_CHECK),
    beats: () => Atomics.load(state, BEATS),
    utilization: () => {
      const before = measured;
      measured = worker.performance.eventLoopUtilization();
      return worker.performance.eventLoopUtilization(measured, before).utilization;
    },
    busyMs: readBusy,
    keepAlive: (does) => (does ? worker.ref() : worker.unref()),
    end: async (reason) => {
      if (reason !== undefined) settle(reason);
      readBusy();
      await worker.terminate();
    },
  };
}
