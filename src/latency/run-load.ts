import { isSuccess } from '../model/exchange.ts';
import {
  type LatencySummary,
  type LoadModel,
  type LoadRequest,
  type LoadResult,
  type Pacing,
  percentileMs,
} from '../model/load.ts';
import type { LoadTransport } from '../model/load-transport.ts';
import { createSchedule } from './arrivals.ts';
import { createCallBook } from './call-book.ts';
import { startClientMonitor, type ThreadTime } from './client-monitor.ts';
import { createClosedLoop, type Issue, type Loop } from './closed-loop.ts';
import { type ConnectionListener, createConnections } from './connections.ts';
import { createMix } from './mix.ts';
import { createOpenLoop } from './open-loop.ts';
import { choosePacing } from './pacer.ts';
import { createRandom } from './random.ts';
import { unreliableBecause } from './reliability.ts';
import { createSampleRecorder } from './sample-recorder.ts';

export interface LoadPlan {
  /** One, or a mix; all of one origin. */
  readonly requests: readonly LoadRequest[];
  readonly model: LoadModel;
  /** What ends measuring, whichever comes first; the warm-up is not counted. */
  readonly maxRequests: number | null;
  readonly durationMs: number | null;
  /** The longest that the warm-up may take; it ends as soon as the figures are steady. None when it is 0. */
  readonly warmUpMs: number;
  readonly requestTimeoutMs: number;
  readonly seed: number;
  /** Statuses at which the target is left alone at once. */
  readonly stopOnStatuses: readonly number[];
  /** Most calls that may wait for a connection before the load is given up; null: any number. */
  readonly maxWaiting: number | null;
}

export interface LoadProgress {
  readonly phase: 'warm-up' | 'measuring';
  readonly elapsedMs: number;
  /** Calls that ended, and those among them that failed. */
  readonly count: number;
  readonly errors: number;
  readonly underWay: number;
  /** Median of the last block that is whole. */
  readonly p50Ms: number | null;
}

export interface LoadHooks {
  readonly signal: AbortSignal;
  readonly cores: number;
  /** Of the thread that this runs in; null where the system does not tell. */
  readonly threadTime: () => ThreadTime | null;
  readonly onProgress?: (progress: LoadProgress) => void;
}

const BLOCK_MS = 1000;
const WARM_UP_BLOCK_MS = 200;
const STEADY_WITHIN = 0.05;
const LOOK_MS = 100;
/** For what is under way when the user ends a load. */
const INTERRUPTED_DRAIN_MS = 200;
const INTERRUPTED = 'it was interrupted';
/** A target that never answers is not asked for ever. */
const MAX_FAILURES_IN_A_ROW = 100;
/** Enough for calls of a tenth of a second. */
const CONNECTIONS_PER_RATE = 0.1;

/** When measuring begins and ends, and what was sent of it. */
interface Span {
  fromMs: number;
  /** Nothing that falls due later is sent. */
  endMs: number;
  /** By then everything that fell due should have been sent. */
  timeMs: number;
  issued: number;
  sentInTime: number;
  waited: number;
  answeredInTime: number;
  lastEndMs: number;
  fellBehind: boolean;
}

/** Offers a load and measures what comes of it, in the thread that it is called in. Rejects only for a defect. */
export async function runLoad(
  plan: LoadPlan,
  transport: LoadTransport,
  hooks: LoadHooks,
): Promise<LoadResult> {
  const { model, requests } = plan;
  const warmUp = createCallBook(requests.length, WARM_UP_BLOCK_MS);
  const measured = createCallBook(requests.length, BLOCK_MS);
  const lateness = createSampleRecorder({ blockMs: BLOCK_MS });
  const span: Span = {
    fromMs: Infinity,
    endMs: Infinity,
    timeMs: Infinity,
    issued: 0,
    sentInTime: 0,
    waited: 0,
    answeredInTime: 0,
    lastEndMs: 0,
    fellBehind: false,
  };
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

  const watch: ConnectionListener = {
    answered: (connection, status, nowMs) => {
      failuresInARow = 0;
      if (connection.measured) {
        span.lastEndMs = nowMs;
        if (nowMs <= span.endMs && isSuccess(status)) span.answeredInTime += 1;
        measured.answered(connection, status, nowMs);
      } else warmUp.answered(connection, status, nowMs);
      if (plan.stopOnStatuses.includes(status)) stop(`the target answered ${status}`);
    },
    failed: (connection, failure, nowMs) => {
      failuresInARow += 1;
      if (connection.measured) {
        span.lastEndMs = nowMs;
        measured.failed(connection, failure, nowMs);
      } else warmUp.failed(connection, failure, nowMs);
      if (failuresInARow >= MAX_FAILURES_IN_A_ROW)
        stop(`${failuresInARow} calls in a row got no answer: ${failure.message}`);
    },
    free: (connection, nowMs, failed) => {
      if (stoppedBy === null) loop?.free(connection, nowMs, failed);
      settleIfOver();
    },
  };
  const connections = createConnections(
    connectionCount(model),
    requests,
    transport,
    plan.requestTimeoutMs,
    watch,
  );
  const pacing = pacingOf(model, hooks.cores);
  const random = createRandom(plan.seed);
  const issue = issueOf(plan, span, random, () => stoppedBy !== null, stop);
  await Promise.race([connections.open(connectionsAtStart(model)), aborted(hooks.signal)]);
  const startMs = performance.now();
  loop =
    model.kind === 'closed'
      ? createClosedLoop(connections, issue, pacing === 'spin')
      : createOpenLoop(
          connections,
          issue,
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
  const looking = setInterval(() => {
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
  }, LOOK_MS);
  loop.start(startMs);
  await settled;
  clearInterval(looking);
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
    doubts: unreliableBecause(model, client, percentileMs(series[0]?.latency ?? null, 'p50')),
    fellBehind: span.fellBehind,
    stoppedBy: stoppedBy ?? (hooks.signal.aborted ? INTERRUPTED : null),
  };
}

/** Of what was answered while the load lasted; what was only drained afterwards says nothing of the rate. */
function throughputOf({ fromMs, endMs, lastEndMs, answeredInTime }: Span): number {
  const durationMs = Math.min(endMs, lastEndMs) - fromMs;
  return durationMs > 0 ? (answeredInTime * 1000) / durationMs : 0;
}

/** More than a low rate needs could be more than a target bears that serves one connection at a time. */
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

/** A closed loop meets no due times; with one connection and a core to spare it stays awake. */
function pacingOf(model: LoadModel, cores: number): Pacing {
  if (model.kind === 'open') return choosePacing(cores);
  return model.connections === 1 && cores > 1 ? 'spin' : 'none';
}

function connectionCount(model: LoadModel): number {
  return model.kind === 'closed' ? model.connections : model.maxConnections;
}

function issueOf(
  plan: LoadPlan,
  span: Span,
  random: () => number,
  isStopped: () => boolean,
  stop: (because: string) => void,
): Issue {
  return {
    next: (dueMs) => {
      if (isStopped() || dueMs >= span.endMs) return 'over';
      if (dueMs < span.fromMs) return 'unmeasured';
      return span.issued >= (plan.maxRequests ?? Infinity) ? 'over' : 'measured';
    },
    taken: (isMeasured) => {
      if (isMeasured) span.issued += 1;
    },
    sent: (isMeasured, nowMs) => {
      if (isMeasured && nowMs <= span.timeMs) span.sentInTime += 1;
    },
    waits: (isMeasured, waiting) => {
      if (isMeasured) span.waited += 1;
      if (plan.maxWaiting === null || waiting <= plan.maxWaiting) return;
      span.fellBehind = true;
      stop('the target fell behind the rate');
    },
    pick: createMix(
      plan.requests.map(({ weight }) => weight),
      random,
    ),
  };
}

/** Two blocks that follow one another and agree; the first holds what only happens at the start. */
function isSteady(mediansUs: readonly number[]): boolean {
  const [before, last] = mediansUs.slice(-2);
  if (before === undefined || last === undefined) return false;
  return Math.abs(last - before) <= STEADY_WITHIN * Math.max(last, before);
}

function lastMedianMs(mediansUs: readonly number[]): number | null {
  const last = mediansUs.at(-1);
  return last === undefined ? null : last / 1000;
}

/** Where there are too few for the 99th percentile, the highest that they carry stands for it. */
function latenessOf(late: LatencySummary): { p50Ms: number; p99Ms: number; maxMs: number } {
  const { maxMs } = late;
  return {
    p50Ms: percentileMs(late, 'p50') ?? maxMs,
    p99Ms: percentileMs(late, 'p99') ?? percentileMs(late, 'p95') ?? percentileMs(late, 'p90') ?? maxMs,
    maxMs,
  };
}
