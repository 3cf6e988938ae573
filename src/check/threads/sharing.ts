import type { EventLoopUtilization } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { bodyCharacters } from '../../model/exchange.ts';
import type { Clock, Probe } from '../../model/probe.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { CpuMeter } from './cpu-meter.ts';
import { startWorker } from './worker.ts';
import type { PartOfCheck } from './worker-messages.ts';

/*
 * Untimed checks of a pool share workers. Of twelve at once, each takes half the CPU time that it takes in a worker of its
 * own (0.51 and 0.53 in pairs; 515 to 578 ms instead of 1,040 to 1,150), because the code is compiled once.
 *
 * `SharedWorkers` finds a worker for a check, and ends a worker that does not answer. In the worker, a `Share` measures
 * what one check uses. A check that uses more than its share leaves; so do all checks of a worker that ended. The pool
 * continues them in another worker with the answers that they received, so that no call is sent twice.
 */

/** What a worker needs for itself, and for each check within its share. */
const HEAP_MB = 256;
const HEAP_MB_PER_CHECK = 32;
/** With less, the answers of many checks at once are copied again and again before they can be released. */
const YOUNG_MB = 192;

/** More checks begin only in a worker that has time for them, a few in each tick, whose effect the next one shows. */
const MIN_CHECKS = 8;
const BUSY = 0.9;
const MAX_BEGUN_IN_TICK = 4;
const TICK_MS = 250;

/**
 * A worker that does not answer for so long is ended. Only time counts in which the process had a processor: a suspended
 * one, or one on a busy machine, answers nobody either.
 */
const MAX_SILENT_MS = 2000;

/** In the memory that a worker shares with the main thread: a count while it answers, and the check whose code runs. */
export const HEARTBEAT = 0;
export const CURRENT_CHECK = 1;

export interface SharedWorker {
  readonly worker: Worker;
  readonly memory: Int32Array;
  checks: number;
  /** How many checks may begin in it before the next tick, besides the first ones. */
  room: number;
  used: EventLoopUtilization;
  silentMs: number;
}

export interface SharingLimits {
  readonly threads: number;
  readonly checksPerThread: number;
  /** Of a worker; by default in proportion to its checks. */
  readonly heapMb?: number;
}

export class SharedWorkers {
  /** How long the event loops were busy: about the CPU time of the checks. */
  busyMs = 0;
  readonly #limits: SharingLimits;
  readonly #workers = new Set<SharedWorker>();
  readonly #waiting: ((shared: SharedWorker) => void)[] = [];
  readonly #timer = setInterval(() => this.#onTick(), TICK_MS).unref();
  #cpu = process.cpuUsage();

  constructor(limits: SharingLimits) {
    this.#limits = limits;
  }

  /** Runs work in a worker, as soon as there is room. */
  async run<T>(work: (shared: SharedWorker) => Promise<T>): Promise<T> {
    const shared = await new Promise<SharedWorker>((resolve) => {
      this.#waiting.push(resolve);
      this.#admit();
    });
    shared.worker.ref();
    try {
      return await work(shared);
    } finally {
      shared.checks -= 1;
      if (shared.checks === 0) shared.worker.unref();
      this.#admit();
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#workers].map(({ worker }) => worker.terminate()));
  }

  #admit(): void {
    while (this.#waiting.length > 0) {
      const shared = this.#withRoom();
      if (shared === null) return;
      if (shared.checks >= MIN_CHECKS) shared.room -= 1;
      shared.checks += 1;
      this.#waiting.shift()?.(shared);
    }
  }

  /** The worker with the fewest checks, which is a new one until all are used; null while all are busy. */
  #withRoom(): SharedWorker | null {
    const [fewest] = [...this.#workers].toSorted((one, other) => one.checks - other.checks);
    if (fewest === undefined || (fewest.checks > 0 && this.#workers.size < this.#limits.threads))
      return this.#start();
    const { checks, room } = fewest;
    return checks < this.#limits.checksPerThread && (checks < MIN_CHECKS || room > 0) ? fewest : null;
  }

  #start(): SharedWorker {
    const memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
    const { checksPerThread, heapMb = HEAP_MB + checksPerThread * HEAP_MB_PER_CHECK } = this.#limits;
    const worker = startWorker(
      { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
      memory,
    );
    const used = worker.performance.eventLoopUtilization();
    const state = { memory: new Int32Array(memory), checks: 0, room: MAX_BEGUN_IN_TICK, silentMs: 0 };
    const shared: SharedWorker = { worker, used, ...state };
    this.#workers.add(shared);
    worker.once('exit', () => this.#workers.delete(shared));
    return shared;
  }

  #onTick(): void {
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#cpu = process.cpuUsage();
    const ranMs = Math.min(TICK_MS, (user + system) / 1000);
    for (const shared of this.#workers) {
      const { active, utilization } = shared.worker.performance.eventLoopUtilization(shared.used);
      shared.used = shared.worker.performance.eventLoopUtilization();
      // Of a worker that has just ended, all of them are 0.
      this.busyMs += Math.max(0, active);
      shared.room = utilization < BUSY ? MAX_BEGUN_IN_TICK : 0;
      const heartbeats = Atomics.exchange(shared.memory, HEARTBEAT, 0);
      shared.silentMs = shared.checks === 0 || heartbeats > 0 ? 0 : shared.silentMs + ranMs;
      if (shared.silentMs >= MAX_SILENT_MS) void shared.worker.terminate();
    }
    this.#admit();
  }
}

const MAX_CPU_MS = 2000;
/** Without a pause; the thread answers nobody meanwhile. */
const MAX_AT_ONCE_MS = 500;
/** Of all answers. Decoded, they need several times as much. */
const MAX_KEPT_CHARACTERS = 2 * 1024 * 1024;

/** Judging pauses after this time. */
const SLICE_MS = 5;

/** One slice of judging in each turn of the event loop, however many checks are judged. */
let lastSlice: Promise<void> = Promise.resolve();

interface ShareOptions {
  readonly id: number;
  readonly memory: Int32Array;
  /** Receives calls that are about to be sent, and answers that the check did not get because it left. */
  readonly keep: (part: PartOfCheck) => void;
  /** Called when the check left because it needs more than its share, and no request is in flight. */
  readonly onExceeded: () => void;
}

/** What a check may use of its thread. All its code runs after it started, waited, or received an answer. */
export class Share {
  readonly #options: ShareOptions;
  readonly #cpu = new CpuMeter();
  #keptCharacters = 0;
  #inFlight = 0;
  #state: 'within' | 'exceeded' | 'left' | 'gone' = 'within';
  #closeProbe: () => void = () => undefined;

  constructor(options: ShareOptions) {
    this.#options = options;
    this.#enter();
  }

  readonly clock: Clock = {
    ...systemClock,
    sleep: async (durationMs, signal) => {
      await systemClock.sleep(durationMs, signal);
      return this.#state === 'within' ? this.#enter() : never();
    },
  };

  probe(usual: Probe): Probe {
    this.#closeProbe = () => usual.close();
    const send: Probe['send'] = async (request) => {
      if (this.#state !== 'within') return never();
      if (!('method' in request) || request.method !== 'GET')
        this.#options.keep({ kind: 'calling', key: request.key });
      this.#inFlight += 1;
      const exchange = await usual.send(request);
      this.#keptCharacters += bodyCharacters(exchange);
      this.#enter();
      const stays = this.mayStay();
      if (!stays) this.#options.keep({ kind: 'exchange', exchange });
      this.#inFlight -= 1;
      if (stays) return exchange;
      this.#go();
      return never();
    };
    return { ...usual, send };
  }

  /** Whether the check goes on. If it needs more than its share, it leaves. */
  mayStay(): boolean {
    const exceeds = this.#cpu.totalMs > MAX_CPU_MS || this.#keptCharacters > MAX_KEPT_CHARACTERS;
    if (this.#state === 'within' && !exceeds && !this.#cpu.ranFor(MAX_AT_ONCE_MS)) return true;
    if (this.#state === 'within') this.#state = 'exceeded';
    this.#go();
    return false;
  }

  /** Called often while the check is judged; the rest waits for the promise, if there is one. */
  pause(): Promise<void> | null {
    if (!this.mayStay()) return never();
    if (!this.#cpu.ranFor(SLICE_MS)) return null;
    lastSlice = lastSlice.then(() => nextTurn());
    return lastSlice.then(() => (this.#state === 'within' ? this.#enter() : never()));
  }

  /** Ends the check: nothing is sent any more, and its code does not run again. */
  leave(): void {
    if (this.#state !== 'gone') this.#state = 'left';
    this.#go();
  }

  #enter(): void {
    this.#cpu.begin();
    Atomics.store(this.#options.memory, CURRENT_CHECK, this.#options.id);
  }

  /** Ends the check when the last request in flight was answered. */
  #go(): void {
    if (this.#inFlight > 0 || this.#state === 'gone') return;
    const hasExceeded = this.#state === 'exceeded';
    this.#state = 'gone';
    this.#closeProbe();
    if (hasExceeded) this.#options.onExceeded();
  }
}

/** Code that waits for it is released with the check. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
