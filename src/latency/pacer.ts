import type { LoadModel, Pacing } from '../model/load.ts';

/** A pacer calls `pump` as close to each due time as it can. */
export interface Paced {
  /** Monotonic milliseconds; Infinity when nothing further will be due. */
  nextDueMs(): number;
  pump(nowMs: number): void;
  nothingUnderWay(): boolean;
}

/** A timer of Node fires up to 2 ms late. */
const TIMER_SLACK_MS = 2;
/** The system wakes a sleeping thread up to 0.15 ms late. */
const WAKING_MS = 0.15;
/**
 * The pause between two readings of the connections. Each turn of the event loop makes objects: without a pause, the
 * garbage collector stops the thread about 25 times a second, and calls of that moment seem slower.
 */
const READING_EVERY_MS = 0.02;

/**
 * With one core, spinning takes the time that the target needs, so only timers are used. With more, the last two
 * milliseconds before a due time are spent reading the connections, so that no answer waits to be seen, or, while no
 * answer is expected, asleep until just before.
 */
export function choosePacing(cores: number): Exclude<Pacing, 'none'> {
  return cores < 2 ? 'timer' : 'spin';
}

/** A closed loop has no due times; with one connection and more than one core it spins. */
export function pacingOf(model: LoadModel, cores: number): Pacing {
  if (model.kind === 'open') return choosePacing(cores);
  return model.connections === 1 && cores > 1 ? 'spin' : 'none';
}

const untouched = new Int32Array(1);
const LOADS_PER_LOOK = 500;

/** Reads the clock rarely, because each time that it returns is an object too. */
function wait(untilMs: number): void {
  while (performance.now() < untilMs)
    for (let load = 0; load < LOADS_PER_LOOK; load += 1) Atomics.load(untouched, 0);
}

/** Tells how well the calling thread sees the connections. */
export interface Pacer {
  /**
   * When an answer that is read now came at the earliest: after the reading before. Infinity while the system wakes the
   * thread for each answer, because then nothing tells how late.
   */
  unreadSinceMs(): number;
}

export function startPacer(pacing: Exclude<Pacing, 'none'>, paced: Paced): Pacer {
  let turnedMs = Number.POSITIVE_INFINITY;
  let turnedBeforeMs = Number.POSITIVE_INFINITY;
  const asleep = (): void => {
    turnedMs = Number.POSITIVE_INFINITY;
    turnedBeforeMs = Number.POSITIVE_INFINITY;
  };
  const sleeping = new Int32Array(new SharedArrayBuffer(4));
  const later = (gapMs: number): void => {
    if (pacing === 'timer') sleep(Math.max(0, gapMs));
    else if (gapMs > TIMER_SLACK_MS) sleep(Math.floor(gapMs - TIMER_SLACK_MS / 2 - 0.5));
    else if (gapMs > 0 && paced.nothingUnderWay()) sleepUntil(performance.now() + gapMs);
    else {
      wait(performance.now() + Math.min(gapMs, READING_EVERY_MS));
      setImmediate(turn);
    }
  };
  const sleep = (forMs: number): void => {
    asleep();
    setTimeout(turn, forMs);
  };
  const sleepUntil = (dueMs: number): void => {
    asleep();
    const restMs = dueMs - performance.now() - WAKING_MS;
    if (restMs > 0) Atomics.wait(sleeping, 0, 0, restMs);
    wait(dueMs);
    paced.pump(performance.now());
    setImmediate(turn);
  };
  const turn = (): void => {
    const nowMs = performance.now();
    turnedBeforeMs = turnedMs;
    turnedMs = nowMs;
    paced.pump(nowMs);
    const dueMs = paced.nextDueMs();
    if (dueMs === Number.POSITIVE_INFINITY) asleep();
    else later(dueMs - performance.now());
  };
  turn();
  return { unreadSinceMs: () => turnedBeforeMs };
}
