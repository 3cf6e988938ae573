import { setMaxListeners } from 'node:events';
import pLimit, { type LimitFunction } from 'p-limit';
import { record, requireArguments, wholeFrom } from '../../model/arguments.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { RecordOf } from '../../model/kind.ts';
import type { Clock } from '../../model/probe.ts';
import { REUSED, type TestResult } from '../../model/report.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { isLoopback } from '../../text/loopback.ts';
import type { CheckInput } from '../check-input.ts';
import { CHECK_ARGUMENTS, type CheckOptions } from '../check-options.ts';
import { Check, INTERRUPTED, runInWorker, type WorkerOutcome } from './run-in-worker.ts';
import { CURRENT_CHECK, SharedWorkers } from './sharing.ts';
import { type CheckLock, type TimedTarget, timingLock } from './timing-lock.ts';
import { DEFAULT_HEAP_MB, keepWorker, takeWorker } from './worker.ts';

/**
 * Checks a server and returns the test result (specification, section 2.3). Prints and writes nothing. The check runs
 * in a separate thread, so that it ends at its deadline and its memory limit whatever the target sends. A stopped check
 * reports its findings so far, and the rest is undecided. Of checks that run at once, none works while another one times
 * its target, and the deadline does not count that wait. A target that hangs meanwhile does not keep the others waiting.
 *
 * @param url the server's base address, `{server_url}`: http or https, without /health
 * @throws OptionError when an option is unknown, is of the wrong kind, or cannot be used
 * @throws TargetError when the address cannot be a target
 * @throws whatever `onProgress` throws or rejects with, which ends the check
 */
export async function checkServer(url: string, options: CheckOptions = {}): Promise<TestResult> {
  requireArguments('checkServer', { url, options }, CHECK_ARGUMENTS);
  return servers.check(url, options);
}

const OPTIONS = {
  /** Maximum number of threads that checks share; 1 by default. */
  threads: wholeFrom(1),
  /** Maximum number of checks at once that have a thread of their own; by default that of shared threads. */
  ownThreads: wholeFrom(1),
  /** Maximum number of checks at once in a thread; 16 by default. */
  checksPerThread: wholeFrom(1),
};

export type CheckPoolOptions = RecordOf<typeof OPTIONS>;

/** Checks many servers at once in few threads, because a check mostly waits. */
export interface CheckPool {
  /**
   * Checks a server like `checkServer`, as soon as there is a place; the deadline does not count that wait. Checks
   * without timing share a thread. A check that times its target, has a separate memory limit, or needs more than its
   * share has a dedicated thread.
   *
   * @throws what `checkServer` throws
   */
  check(url: string, options?: CheckOptions): Promise<TestResult>;
  /**
   * How long the threads were busy until now: about the CPU time of all checks, in milliseconds. That of a thread with
   * one check is added when it ends.
   */
  busyMs(): number;
  /** Interrupts the checks, waits for their results, and ends the threads. Later checks are interrupted at once. */
  close(): Promise<void>;
}

const DEFAULT_CHECKS_PER_THREAD = 16;

/** @throws OptionError when an option is unknown or of the wrong kind */
export function createCheckPool(options: CheckPoolOptions = {}): CheckPool {
  requireArguments('createCheckPool', { options }, { options: record(OPTIONS) });
  const { threads = 1, ownThreads = threads, checksPerThread = DEFAULT_CHECKS_PER_THREAD } = options;
  const shared = checksPerThread > 1 ? new SharedWorkers({ threads, checksPerThread }) : null;
  const pool = new WorkerPool(ownThreads, shared);
  return {
    check: async (url, given = {}) => {
      requireArguments('check', { url, options: given }, CHECK_ARGUMENTS);
      return pool.check(url, given);
    },
    busyMs: () => pool.busyMs(),
    close: () => pool.close(),
  };
}

/** After that, a check is taken to be the cause of the end of its workers, although it seems to be another one. */
const MAX_SHARED_WORKERS = 3;

/** The limit of requests within any second counts those of the worker before, too. */
const MOVING_MS = 1000;

/**
 * Runs each check in a worker, as soon as there may be another one: an untimed check in a shared worker (sharing.ts), any
 * other one in its own, which the next check uses again if it finished. Checks begin, and time their targets, when the
 * lock of the process lets them (timing-lock.ts). `runInWorker` follows a check in its worker (check-worker.ts) until it
 * finishes or must be stopped; what a stopped check found is reported too (report-stopped.ts).
 */
export class WorkerPool {
  readonly #shared: SharedWorkers | null;
  readonly #inOwn: LimitFunction;
  readonly #running = new Set<Promise<TestResult>>();
  readonly #closing = new AbortController();
  #busyMs = 0;

  constructor(ownThreads: number, shared: SharedWorkers | null = null) {
    this.#shared = shared;
    this.#inOwn = pLimit(ownThreads);
    // Each check listens to it.
    setMaxListeners(0, this.#closing.signal);
  }

  /** @param clock for the deadline, and for the time limit after an interruption */
  async check(url: string, options: CheckOptions = {}, clock: Clock = systemClock): Promise<TestResult> {
    const signals = [this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])];
    const checked = this.#run(new Check(url, options, AbortSignal.any(signals), clock), options);
    this.#running.add(checked);
    return checked.finally(() => this.#running.delete(checked));
  }

  busyMs(): number {
    return this.#busyMs + (this.#shared?.busyMs ?? 0);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    await this.#shared?.close();
  }

  async #run(check: Check, { latency, maxHeapMb, mcp, answered = [] }: CheckOptions): Promise<TestResult> {
    // Timing needs a quiet thread, a memory limit is that of a thread, and a process belongs to its thread.
    const mayShare = latency?.off === true && maxHeapMb === undefined && mcp === undefined;
    let outcome =
      this.#shared === null || !mayShare ? null : await this.#inSharedWorkers(check, this.#shared);
    outcome ??= await this.#inOwn(() => this.#inOwnWorker(check, maxHeapMb ?? DEFAULT_HEAP_MB));
    if (outcome.kind === 'finished') return withAnswered(outcome.result, answered);
    if (outcome.kind === 'left') throw outcome.error;
    const { reportStopped } = await import('./report-stopped.ts');
    return reportStopped(check, outcome);
  }

  /** Null if the check needs a dedicated worker. */
  async #inSharedWorkers(check: Check, workers: SharedWorkers): Promise<WorkerOutcome | null> {
    for (let count = 1; count <= MAX_SHARED_WORKERS; count += 1) {
      let isCause = false;
      const outcome = await workers.run(async ({ worker, memory }) => {
        if (check.signal.aborted) return INTERRUPTED;
        const ran = await runInWorker(check, worker, null);
        isCause = ran.kind === 'left' && (ran.error === null || memory[CURRENT_CHECK] === check.id);
        return ran;
      });
      if (outcome.kind !== 'left') return outcome;
      await check.clock.sleep(MOVING_MS, check.signal);
      if (isCause) break;
    }
    return null;
  }

  async #inOwnWorker(check: Check, heapMb: number): Promise<WorkerOutcome> {
    const lock = timingLock.join(timedTarget(check.input));
    check.signal.addEventListener('abort', lock.leave, { once: true });
    try {
      if (!check.signal.aborted) await lock.begin();
      // Many checks may wait for their beginning when they are interrupted.
      return check.signal.aborted ? INTERRUPTED : await this.#inFreeWorker(check, heapMb, lock);
    } finally {
      check.signal.removeEventListener('abort', lock.leave);
      lock.leave();
    }
  }

  async #inFreeWorker(check: Check, heapMb: number, lock: CheckLock): Promise<WorkerOutcome> {
    const worker = takeWorker(heapMb);
    const before = worker.performance.eventLoopUtilization();
    let isReusable = false;
    try {
      const outcome = await runInWorker(check, worker, lock);
      isReusable = outcome.kind === 'finished';
      return outcome.kind === 'left' && isOutOfMemory(outcome.error)
        ? { kind: 'stopped', because: `it needed more than ${heapMb} MB of memory`, advice: MEMORY_ADVICE }
        : outcome;
    } finally {
      // A worker that has ended shows 0.
      this.#busyMs += Math.max(0, worker.performance.eventLoopUtilization(before).active);
      if (isReusable) keepWorker(worker);
      // Wait for its end, so that two workers do not use their memory at the same time.
      else await worker.terminate();
    }
  }
}

/** For single checks: as many at once as there are. */
const servers = new WorkerPool(Number.POSITIVE_INFINITY);

/** Says which answers are older than the check. */
function withAnswered(result: TestResult, answered: readonly Exchange[]): TestResult {
  const known = new Set(answered.map(({ request }) => request.key));
  const startedMs = Date.parse(result.startedAt);
  const count = result.exchanges.filter(
    ({ request, timing }) => known.has(request.key) && timing.startedAtMs < startedMs,
  ).length;
  if (count === 0) return result;
  const text = `${count} of ${result.exchanges.length} answers are of an earlier check, and were not asked for again`;
  return { ...result, facts: [{ name: REUSED, text }, ...result.facts] };
}

const MEMORY_ADVICE =
  'Check what the target sends: very large answers and schemas need much memory. A program can set a higher limit with maxHeapMb.';

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function timedTarget({ targetUrl, settings, mcp }: CheckInput): TimedTarget {
  const hostname = mcp?.command === undefined ? new URL(targetUrl).hostname : null;
  const host = hostname === null || isLoopback(hostname) ? null : hostname;
  return { host, callsPerSecond: settings.requestsPerSecond };
}
