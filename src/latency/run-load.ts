import { isSuccess } from '../model/exchange.ts';
import {
  type LatencySummary,
  type LoadModel,
  type LoadResult,
  type Pacing,
  percentileMs,
} from '../model/load.ts';
import type { LoadTransport } from '../model/load-transport.ts';
import { createSchedule } from './arrivals.ts';
import { type CallBook, createCallBook } from './call-book.ts';
import { createCallSource, createSpan, throughputOf } from './call-source.ts';
import { createClosedLoop, type Loop } from './closed-loop.ts';
import { type Connection, type ConnectionListener, createConnections } from './connections.ts';
import type { LoadHooks, LoadPlan } from './load-plan.ts';
import { createOpenLoop } from './open-loop.ts';
import { choosePacing } from './pacer.ts';
import { createRandom } from './random.ts';
import { startClientMonitor, unreliableBecause } from './reliability.ts';
import { createSampleRecorder } from './sample-recorder.ts';

const BLOCK_MS = 1000;
const WARM_UP_BLOCK_MS = 200;
const STEADY_WITHIN = 0.05;
const POLL_MS = 100;
/** Time for calls in flight to end after the user interrupts a load. */
const INTERRUPTED_DRAIN_MS = 200;
const INTERRUPTED = 'it was interrupted';
const STALLED = 'a call took so long that other targets were timed meanwhile';
const MAX_FAILURES_IN_A_ROW = 100;
/** Enough for calls of 0.1 s. */
const CONNECTIONS_PER_RATE = 0.1;

/** Sends a load and measures the answers, in the calling thread. Rejects only on a defect of the harness. */
export async function runLoad(
  plan: LoadPlan,
  transport: LoadTransport,
  hooks: LoadHooks,
): Promise<LoadResult> {
  const { model, requests } = plan;
  const warmUp = createCallBook(requests.length, WARM_UP_BLOCK_MS);
  const measured = createCallBook(requests.length, BLOCK_MS);
  const lateness = createSampleRecorder({ blockMs: BLOCK_MS });
  const span = createSpan();
  let loop: Loop | null = null;
  let failuresInARow = 0;
  let stoppedBy: string | null = null;
  let settle: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const settleIfOver = (): void => {
    if (stoppedBy !== null || (loop?.isOver() === true && connections.busyCount() === 0)) settle();
  };
  const stop = (because: string): void => {
    stoppedBy ??= because;
    settle();
  };

  const stall =
    hooks.stall === undefined
      ? null
      : watchStalls(hooks.stall, () => loop === null || connections.busyCount() > 0);
  const bookOf = (connection: Connection): CallBook => (connection.measured ? measured : warmUp);
  const listener: ConnectionListener = {
    answered: (connection, status, nowMs) => {
      failuresInARow = 0;
      if (connection.measured) {
        span.lastEndMs = nowMs;
        if (nowMs <= span.endMs && isSuccess(status)) span.answeredInTime += 1;
      }
      bookOf(connection).answered(connection, status, nowMs, loop?.heldUpMs(connection, nowMs) ?? 0);
      if (stall?.isOver() === true) stop(STALLED);
      stall?.answered(nowMs);
      if (plan.stopOnStatuses.includes(status)) stop(`the target answered ${status}`);
    },
    failed: (connection, failure, nowMs) => {
      failuresInARow += 1;
      if (connection.measured) span.lastEndMs = nowMs;
      bookOf(connection).failed(connection, failure, nowMs);
      if (stall?.isOver() === true) stop(STALLED);
      if (failuresInARow >= MAX_FAILURES_IN_A_ROW)
        stop(`${failuresInARow} calls in a row got no answer: ${failure.message}`);
    },
    free: (connection, nowMs, failed) => {
      if (stoppedBy === null) loop?.free(connection, nowMs, failed);
      settleIfOver();
    },
  };
  const connections = createConnections(
    model.kind === 'closed' ? model.connections : model.maxConnections,
    requests,
    transport,
    plan.requestTimeoutMs,
    listener,
  );
  const pacing = pacingOf(model, hooks.cores);
  const random = createRandom(plan.seed);
  const source = createCallSource(plan, span, random, () => stoppedBy !== null, stop);
  await Promise.race([connections.open(connectionsAtStart(model)), aborted(hooks.signal)]);
  const startMs = performance.now();
  loop =
    model.kind === 'closed'
      ? createClosedLoop(connections, source, { spins: pacing === 'spin', cores: hooks.cores })
      : createOpenLoop(
          connections,
          source,
          createSchedule(model.ratePerSecond, model.arrivals, startMs, random),
          choosePacing(hooks.cores),
          (latenessMs, nowMs) => lateness.record(latenessMs * 1000, nowMs),
        );

  let monitor = startClientMonitor(hooks.threadTime);
  let startedAtMs = Date.now();
  let steady = false;
  const measure = (fromMs: number): void => {
    span.fromMs = fromMs;
    span.endMs = Math.min(span.endMs, fromMs + (plan.durationMs ?? Infinity));
    const scheduledMs =
      model.kind === 'open' ? ((plan.maxRequests ?? Infinity) * 1000) / model.ratePerSecond : Infinity;
    span.timeMs = Math.min(span.endMs, fromMs + scheduledMs);
    startedAtMs = Date.now();
    monitor.stop(0);
    monitor = startClientMonitor(hooks.threadTime);
  };
  const onAbort = (): void => {
    span.endMs = performance.now();
    setTimeout(() => stop(INTERRUPTED), INTERRUPTED_DRAIN_MS);
  };
  hooks.signal.addEventListener('abort', onAbort, { once: true });
  if (hooks.signal.aborted) onAbort();
  if (plan.warmUpMs === 0) measure(startMs);
  const polling = setInterval(() => {
    const nowMs = performance.now();
    const warmingUp = span.fromMs === Infinity;
    if (warmingUp) {
      steady = isSteady(warmUp.blockMediansUs());
      if (steady || nowMs - startMs >= plan.warmUpMs) measure(nowMs);
    }
    const book = warmingUp ? warmUp : measured;
    hooks.onProgress?.({
      phase: warmingUp ? 'warm-up' : 'measuring',
      elapsedMs: nowMs - (warmingUp ? startMs : span.fromMs),
      count: book.ended(),
      errors: book.errors(),
      underWay: connections.busyCount(),
      p50Ms: lastMedianMs(book.blockMediansUs()),
    });
    settleIfOver();
  }, POLL_MS);
  loop.start(startMs);
  await settled;
  clearInterval(polling);
  stall?.close();
  hooks.signal.removeEventListener('abort', onAbort);
  connections.close();

  const toMs = Math.max(span.lastEndMs, Math.min(span.endMs, performance.now()));
  const durationMs = span.fromMs === Infinity ? 0 : toMs - span.fromMs;
  const series = measured.series();
  const late = lateness.summary();
  const client = {
    pacing,
    latenessMs: late === null ? null : latenessOf(late),
    ...monitor.stop(measured.ended()),
    achievedShare: model.kind === 'open' && span.issued > 0 ? span.sentInTime / span.issued : null,
    waitedForConnection: model.kind === 'open' && span.issued > 0 ? span.waited / span.issued : null,
  } as const;
  return {
    model,
    transport: transport.name,
    startedAtMs,
    durationMs,
    warmUp: {
      count: warmUp.ended(),
      durationMs: Math.min(span.fromMs, toMs) - startMs,
      steady,
    },
    series,
    throughputPerSecond: throughputOf(span),
    client,
    doubts: unreliableBecause(model, client, percentileMs(series[0]?.latency, 'p50')),
    fellBehind: span.fellBehind,
    stoppedBy: stoppedBy ?? (hooks.signal.aborted ? INTERRUPTED : null),
  };
}

/** No more connections than a low rate needs, because a target may handle one connection at a time. */
function connectionsAtStart(model: LoadModel): number {
  if (model.kind === 'closed') return model.connections;
  return Math.min(model.maxConnections, Math.max(1, Math.ceil(model.ratePerSecond * CONNECTIONS_PER_RATE)));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A closed loop has no due times; with one connection and more than one core it spins. */
function pacingOf(model: LoadModel, cores: number): Pacing {
  if (model.kind === 'open') return choosePacing(cores);
  return model.connections === 1 && cores > 1 ? 'spin' : 'none';
}

/** Whether two successive blocks agree; the first block includes effects of the start. */
function isSteady(mediansUs: readonly number[]): boolean {
  const [before, last] = mediansUs.slice(-2);
  if (before === undefined || last === undefined) return false;
  return Math.abs(last - before) <= STEADY_WITHIN * Math.max(last, before);
}

function lastMedianMs(mediansUs: readonly number[]): number | null {
  const last = mediansUs.at(-1);
  return last === undefined ? null : last / 1000;
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

/** Notices when the target does not answer. */
interface StallWatch {
  answered(nowMs: number): void;
  /** Whether the load must end with the call that ends now, because there was a stall. */
  isOver(): boolean;
  close(): void;
}

const CHECKS_PER_STALL = 10;

/** @param isWaiting whether an answer or a connection is awaited */
function watchStalls(
  { afterMs, onStall }: NonNullable<LoadHooks['stall']>,
  isWaiting: () => boolean,
): StallWatch {
  let sinceMs = performance.now();
  let stalled = false;
  const checking = setInterval(() => {
    const nowMs = performance.now();
    if (!isWaiting()) sinceMs = nowMs;
    if (stalled || nowMs - sinceMs < afterMs) return;
    stalled = true;
    onStall();
  }, afterMs / CHECKS_PER_STALL);
  return {
    answered: (nowMs) => {
      sinceMs = nowMs;
    },
    isOver: () => stalled,
    close: () => clearInterval(checking),
  };
}
