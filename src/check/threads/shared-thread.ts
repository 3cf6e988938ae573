import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Exchange } from '../../model/exchange.ts';
import type { Clock, Probe } from '../../model/probe.ts';
import type { ForeignSchema, SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { CURRENT_CHECK } from './check-messages.ts';

/** The share of one check in a thread with others. A check that needs more continues in a thread of its own. */
const SHARE = {
  cpuMs: 2000,
  /** Without a pause; the thread answers nobody meanwhile. */
  atOnceMs: 500,
  /** Of all answers. Decoded, they need several times as much. */
  keptCharacters: 2 * 1024 * 1024,
} as const;

/** Judging pauses after this time. */
const SLICE_MS = 5;

/** Ends the code of a check that left the thread. */
export class LeftThread extends Error {
  override readonly name = 'LeftThread';
}

export interface SharingCheck {
  readonly clock: Clock;
  readonly within: {
    readonly probe: (usual: Probe) => Probe;
    readonly schemas: (usual: SchemaEvaluator) => SchemaEvaluator;
  };
  readonly pause: () => Promise<void> | null;
  /** Ends the check: nothing is sent any more, and its code does not run again. */
  leave(): void;
}

export interface SharingOptions {
  readonly check: number;
  /** The memory in which the thread says which check runs. */
  readonly state: Int32Array;
  readonly onCalling: (key: string) => void;
  /** An answer that the check did not get, because it left. */
  readonly onLateAnswer: (exchange: Exchange) => void;
  /** It left because it needs more than its share, and no request is in flight. */
  readonly onExceeded: () => void;
}

/** The check that runs, or ran last, and the time when it began. */
let running: { readonly use: { cpuMs: number }; readonly since: BusyTime } | null = null;
/** The same on the monotonic clock, which takes less time to read. */
let runsSinceMs = 0;

/** Node.js does not know the CPU time of a thread. It is at most both of these. */
interface BusyTime {
  /** How long the thread did not wait for events, which is longer on a busy machine. */
  readonly activeMs: number;
  /** The CPU time of all threads. */
  readonly processMs: number;
}

function busyTime(): BusyTime {
  const { user, system } = process.cpuUsage();
  return {
    activeMs: performance.eventLoopUtilization().active,
    processMs: (user + system) / 1000,
  };
}

function cpuMsBetween(since: BusyTime, until: BusyTime): number {
  return Math.min(until.activeMs - since.activeMs, until.processMs - since.processMs);
}

/** One slice of judging in each turn of the event loop, however many checks are judged. */
let lastSlice: Promise<void> = Promise.resolve();

/** Keeps a check to its share of the thread. All its code runs after it started, waited, or received an answer. */
export function shareThread(options: SharingOptions): SharingCheck {
  const { check, state, onCalling, onLateAnswer, onExceeded } = options;
  const use = { cpuMs: 0 };
  let keptCharacters = 0;
  let inFlight = 0;
  let isGone = false;
  let standing: 'stays' | 'exceeds' | 'left' = 'stays';
  let closeProbe: () => void = () => undefined;

  const enter = (): void => {
    const now = busyTime();
    if (running !== null) running.use.cpuMs += cpuMsBetween(running.since, now);
    running = { use, since: now };
    runsSinceMs = performance.now();
    Atomics.store(state, CURRENT_CHECK, check);
  };
  const ranSince = (ms: number): boolean =>
    performance.now() - runsSinceMs > ms &&
    running?.use === use &&
    cpuMsBetween(running.since, busyTime()) > ms;
  /** Once it stays no longer: when the last request in flight was answered. */
  const go = (): void => {
    if (inFlight > 0 || isGone) return;
    isGone = true;
    closeProbe();
    if (standing === 'exceeds') onExceeded();
  };
  const mayStay = (): boolean => {
    if (standing !== 'stays') return false;
    const exceeds =
      use.cpuMs > SHARE.cpuMs || keptCharacters > SHARE.keptCharacters || ranSince(SHARE.atOnceMs);
    if (exceeds) standing = 'exceeds';
    return !exceeds;
  };
  const requireShare = (): void => {
    if (mayStay()) return;
    go();
    throw new LeftThread();
  };

  const sharing = (usual: Probe): Probe => {
    closeProbe = () => usual.close();
    return {
      ...usual,
      send: async (request) => {
        if (standing !== 'stays') return never();
        if (!('method' in request) || request.method !== 'GET') onCalling(request.key);
        inFlight += 1;
        const exchange = await usual.send(request);
        inFlight -= 1;
        keptCharacters += bodyCharacters(exchange);
        enter();
        if (mayStay()) return exchange;
        onLateAnswer(exchange);
        go();
        return never();
      },
    };
  };

  enter();
  return {
    clock: {
      ...systemClock,
      sleep: async (durationMs, signal) => {
        await systemClock.sleep(durationMs, signal);
        if (standing !== 'stays') return never();
        enter();
      },
    },
    within: { probe: sharing, schemas: (usual) => withTick(usual, requireShare) },
    pause: () => {
      if (!mayStay()) {
        go();
        return never();
      }
      if (!ranSince(SLICE_MS)) return null;
      lastSlice = lastSlice.then(() => nextTurn());
      return lastSlice.then(() => (standing === 'stays' ? enter() : never()));
    },
    leave: () => {
      standing = 'left';
      go();
    },
  };
}

/** The code that waits for it is released with the check. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

function withTick(usual: SchemaEvaluator, tick: () => void): SchemaEvaluator {
  const ticking = (schema: ForeignSchema): ForeignSchema => {
    if (schema.kind !== 'usable') return schema;
    const { apply } = schema;
    return {
      ...schema,
      apply: (value) => {
        tick();
        return apply(value);
      },
    };
  };
  return {
    apply: (schema, value) => {
      tick();
      return usual.apply(schema, value);
    },
    foreign: (schema) => {
      tick();
      return ticking(usual.foreign(schema));
    },
  };
}

export function bodyCharacters(exchange: Exchange): number {
  const received =
    exchange.kind === 'answered'
      ? [exchange.response.body]
      : (exchange.heard ?? []).map(({ bytes }) => bytes);
  return received.reduce((sum, bytes) => sum + ('text' in bytes ? bytes.text : bytes.base64).length, 0);
}
