import { isSuccess } from '../model/exchange.ts';
import {
  type LatencySummary,
  type LoadFailure,
  type LoadResult,
  type LoadTransport,
  percentileMs,
} from '../model/load.ts';
import { CallBook } from './call-book.ts';
import { createCallSource, createSpan, throughputOf } from './call-source.ts';
import { createClosedLoop, type Loop } from './closed-loop.ts';
import {
  type Connection,
  type ConnectionListener,
  type Connections,
  connectionsAtStart,
  createConnections,
  watchStalls,
} from './connections.ts';
import type { LoadHooks, LoadPlan } from './load-plan.ts';
import { createOpenLoop, createSchedule } from './open-loop.ts';
import { choosePacing, pacingOf } from './pacer.ts';
import { createRandom } from './random.ts';
import { startClientMonitor, unreliableBecause } from './reliability.ts';
import { SampleRecorder } from './sample-recorder.ts';

const BLOCK_MS = 1000;
const WARM_UP_BLOCK_MS = 200;
const STEADY_WITHIN = 0.05;
const POLL_MS = 100;
/** Time for calls in flight to end after the user interrupts a load. */
const INTERRUPTED_DRAIN_MS = 200;
const INTERRUPTED = 'it was interrupted';
const STALLED = 'a call took so long that other targets were timed meanwhile';
const MAX_FAILURES_IN_A_ROW = 100;

/**
 * Sends a load and measures the answers, in the calling thread. Rejects only on a defect of the harness. Instead of
 * autocannon, because its calls wait for those before them: here each call of a constant rate has a due time, from which
 * it is measured. `npm run bench -- peers` compares the figures.
 */
export async function runLoad(
  plan: LoadPlan,
  transport: LoadTransport,
  hooks: LoadHooks,
): Promise<LoadResult> {
  return new Load(plan, transport, hooks).run();
}

class Load implements ConnectionListener {
  readonly #plan: LoadPlan;
  readonly #hooks: LoadHooks;
  readonly #transport: LoadTransport['name'];
  readonly #warmUp: CallBook;
  readonly #measured: CallBook;
  readonly #lateness = new SampleRecorder(BLOCK_MS);
  readonly #span = createSpan();
  readonly #connections: Connections;
  readonly #stall: ReturnType<typeof watchStalls> | null;
  readonly #settled: Promise<void>;
  #settle: () => void = () => undefined;
  #loop: Loop | null = null;
  #monitor: ReturnType<typeof startClientMonitor>;
  #startMs = 0;
  #startedAtMs = 0;
  #steady = false;
  #failuresInARow = 0;
  #stoppedBy: string | null = null;

  constructor(plan: LoadPlan, transport: LoadTransport, hooks: LoadHooks) {
    const { model, requests } = plan;
    this.#plan = plan;
    this.#hooks = hooks;
    this.#transport = transport.name;
    this.#warmUp = new CallBook(requests.length, WARM_UP_BLOCK_MS);
    this.#measured = new CallBook(requests.length, BLOCK_MS);
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const isWaiting = (): boolean => this.#loop === null || this.#connections.busyCount() > 0;
    this.#stall = hooks.stall === undefined ? null : watchStalls(hooks.stall, isWaiting);
    const count = model.kind === 'closed' ? model.connections : model.maxConnections;
    this.#connections = createConnections(count, requests, transport, plan.requestTimeoutMs, this);
    this.#monitor = startClientMonitor(hooks.threadTime);
  }

  async run(): Promise<LoadResult> {
    const { model, warmUpMs } = this.#plan;
    const { signal } = this.#hooks;
    await Promise.race([this.#connections.open(connectionsAtStart(model)), aborted(signal)]);
    this.#startMs = performance.now();
    const loop = this.#createLoop();
    this.#loop = loop;
    this.#startMeasuring(warmUpMs === 0 ? this.#startMs : null);
    const onAbort = (): void => {
      this.#span.endMs = performance.now();
      setTimeout(() => this.#stop(INTERRUPTED), INTERRUPTED_DRAIN_MS);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const polling = setInterval(() => this.#poll(), POLL_MS);
    loop.start(this.#startMs);
    await this.#settled;
    clearInterval(polling);
    this.#stall?.close();
    signal.removeEventListener('abort', onAbort);
    this.#connections.close();
    return this.#result();
  }

  #createLoop(): Loop {
    const { model, seed } = this.#plan;
    const { cores } = this.#hooks;
    const random = createRandom(seed);
    const isStopped = (): boolean => this.#stoppedBy !== null;
    const source = createCallSource(this.#plan, this.#span, random, isStopped, (why) => this.#stop(why));
    if (model.kind === 'closed')
      return createClosedLoop(this.#connections, source, { spins: pacingOf(model, cores) === 'spin', cores });
    const schedule = createSchedule(model.ratePerSecond, model.arrivals, this.#startMs, random);
    return createOpenLoop(this.#connections, source, schedule, choosePacing(cores), (latenessMs, nowMs) =>
      this.#lateness.record(latenessMs * 1000, nowMs),
    );
  }

  /** From this moment on, or with the warm-up before. */
  #startMeasuring(fromMs: number | null): void {
    this.#startedAtMs = Date.now();
    this.#monitor.stop(0);
    this.#monitor = startClientMonitor(this.#hooks.threadTime);
    if (fromMs === null) return;
    const { model, maxRequests, durationMs } = this.#plan;
    const span = this.#span;
    span.fromMs = fromMs;
    span.endMs = Math.min(span.endMs, fromMs + (durationMs ?? Infinity));
    const scheduledMs =
      model.kind === 'open' ? ((maxRequests ?? Infinity) * 1000) / model.ratePerSecond : Infinity;
    span.timeMs = Math.min(span.endMs, fromMs + scheduledMs);
  }

  #poll(): void {
    const nowMs = performance.now();
    const isWarmingUp = this.#span.fromMs === Infinity;
    if (isWarmingUp) {
      this.#steady = isSteady(this.#warmUp.blockMediansUs());
      if (this.#steady || nowMs - this.#startMs >= this.#plan.warmUpMs) this.#startMeasuring(nowMs);
    }
    const book = isWarmingUp ? this.#warmUp : this.#measured;
    const lastUs = book.blockMediansUs().at(-1);
    this.#hooks.onProgress?.({
      phase: isWarmingUp ? 'warm-up' : 'measuring',
      elapsedMs: nowMs - (isWarmingUp ? this.#startMs : this.#span.fromMs),
      count: book.ended,
      errors: book.errors,
      underWay: this.#connections.busyCount(),
      p50Ms: lastUs === undefined ? null : lastUs / 1000,
    });
    this.#settleIfOver();
  }

  #stop(because: string): void {
    this.#stoppedBy ??= because;
    this.#settle();
  }

  #settleIfOver(): void {
    const isOver = this.#loop?.isOver() === true && this.#connections.busyCount() === 0;
    if (this.#stoppedBy !== null || isOver) this.#settle();
  }

  answered(connection: Connection, status: number, nowMs: number): void {
    this.#failuresInARow = 0;
    if (connection.measured) {
      this.#span.lastEndMs = nowMs;
      if (nowMs <= this.#span.endMs && isSuccess(status)) this.#span.answeredInTime += 1;
    }
    const book = connection.measured ? this.#measured : this.#warmUp;
    book.answered(connection, status, nowMs, this.#loop?.heldUpMs(connection, nowMs) ?? 0);
    if (this.#stall?.isOver() === true) this.#stop(STALLED);
    this.#stall?.answered(nowMs);
    if (this.#plan.stopOnStatuses.includes(status)) this.#stop(`the target answered ${status}`);
  }

  failed(connection: Connection, failure: LoadFailure, nowMs: number): void {
    this.#failuresInARow += 1;
    if (connection.measured) this.#span.lastEndMs = nowMs;
    (connection.measured ? this.#measured : this.#warmUp).failed(connection, failure, nowMs);
    if (this.#stall?.isOver() === true) this.#stop(STALLED);
    if (this.#failuresInARow >= MAX_FAILURES_IN_A_ROW)
      this.#stop(`${this.#failuresInARow} calls in a row got no answer: ${failure.message}`);
  }

  free(connection: Connection, nowMs: number, failed: boolean): void {
    if (this.#stoppedBy === null) this.#loop?.free(connection, nowMs, failed);
    this.#settleIfOver();
  }

  #result(): LoadResult {
    const { model } = this.#plan;
    const span = this.#span;
    const toMs = Math.max(span.lastEndMs, Math.min(span.endMs, performance.now()));
    const series = this.#measured.series();
    const late = this.#lateness.summary();
    const isScheduled = model.kind === 'open' && span.issued > 0;
    const client = {
      pacing: pacingOf(model, this.#hooks.cores),
      latenessMs: late === null ? null : latenessOf(late),
      ...this.#monitor.stop(this.#measured.ended),
      achievedShare: isScheduled ? span.sentInTime / span.issued : null,
      waitedForConnection: isScheduled ? span.waited / span.issued : null,
    } as const;
    const warmUpMs = Math.min(span.fromMs, toMs) - this.#startMs;
    return {
      model,
      transport: this.#transport,
      startedAtMs: this.#startedAtMs,
      durationMs: span.fromMs === Infinity ? 0 : toMs - span.fromMs,
      warmUp: { count: this.#warmUp.ended, durationMs: warmUpMs, steady: this.#steady },
      series,
      throughputPerSecond: throughputOf(span),
      client,
      doubts: unreliableBecause(model, client, percentileMs(series[0]?.latency, 'p50')),
      fellBehind: span.fellBehind,
      stoppedBy: this.#stoppedBy ?? (this.#hooks.signal.aborted ? INTERRUPTED : null),
    };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Whether two successive blocks agree; the first block includes effects of the start. */
function isSteady(mediansUs: readonly number[]): boolean {
  const [before, last] = mediansUs.slice(-2);
  if (before === undefined || last === undefined) return false;
  return Math.abs(last - before) <= STEADY_WITHIN * Math.max(last, before);
}

/** With too few samples for p99, the highest available percentile is used. */
function latenessOf(late: LatencySummary): { p50Ms: number; p99Ms: number; maxMs: number } {
  const { maxMs } = late;
  return {
    p50Ms: percentileMs(late, 'p50') ?? maxMs,
    p99Ms: percentileMs(late, 'p99') ?? percentileMs(late, 'p95') ?? percentileMs(late, 'p90') ?? maxMs,
    maxMs,
  };
}
