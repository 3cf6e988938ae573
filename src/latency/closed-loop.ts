import type { Lane, Lanes } from './lanes.ts';

/** What decides whether calls go on being sent. */
export interface Issue {
  /** Whether a call that falls due then is to be sent at all, and whether it counts. */
  next(dueMs: number): 'measured' | 'unmeasured' | 'over';
  taken(measured: boolean): void;
  sent(measured: boolean, nowMs: number): void;
  /** A call that is due finds every connection busy; so many wait now. */
  waits(measured: boolean, waiting: number): void;
  /** Place of the next request of the mix. */
  pick(): number;
}

/** What drives the lanes. */
export interface Loop {
  start(nowMs: number): void;
  free(lane: Lane, nowMs: number, failed: boolean): void;
  /** Whether something is still to be sent. */
  isOver(): boolean;
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 1000;

/**
 * Each lane sends its next request when it has its answer; after failures it pauses, longer and longer. One that `looks`
 * keeps its thread awake in the meantime: over a single connection, to be woken takes longer than to ask.
 */
export function createClosedLoop(lanes: Lanes, issue: Issue, looks = false): Loop {
  const pausesMs = new Map<Lane, number>();
  let over = false;
  const send = (lane: Lane, nowMs: number): void => {
    const next = issue.next(nowMs);
    if (next === 'over') {
      over = true;
      return;
    }
    issue.taken(next === 'measured');
    issue.sent(next === 'measured', nowMs);
    const index = issue.pick();
    // What was done since the last answer is our own time, and after a pause of the CPU it is not little.
    const sentMs = performance.now();
    lanes.send(lane, index, sentMs, sentMs, next === 'measured');
  };
  const look = (): void => {
    if (issue.next(performance.now()) !== 'over') setImmediate(look);
  };
  return {
    start: (nowMs) => {
      for (const lane of lanes.all) send(lane, nowMs);
      if (looks) look();
    },
    free: (lane, nowMs, failed) => {
      if (!failed) {
        if (pausesMs.size > 0) pausesMs.delete(lane);
        return send(lane, nowMs);
      }
      const pauseMs = pausesMs.get(lane) ?? FIRST_PAUSE_MS;
      pausesMs.set(lane, Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
      setTimeout(() => send(lane, performance.now()), pauseMs);
    },
    isOver: () => over,
  };
}
