import type { Connection, Connections } from './connections.ts';

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

/** What drives the connections. */
export interface Loop {
  start(nowMs: number): void;
  free(connection: Connection, nowMs: number, failed: boolean): void;
  /** Whether something is still to be sent. */
  isOver(): boolean;
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 1000;

/**
 * Each connection sends its next request when it has its answer; after failures it pauses, longer and longer. One that `looks`
 * keeps its thread awake in the meantime: over a single connection, to be woken takes longer than to ask.
 */
export function createClosedLoop(connections: Connections, issue: Issue, looks = false): Loop {
  const pausesMs = new Map<Connection, number>();
  let over = false;
  const send = (connection: Connection, nowMs: number): void => {
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
    connections.send(connection, index, sentMs, sentMs, next === 'measured');
  };
  const look = (): void => {
    if (issue.next(performance.now()) !== 'over') setImmediate(look);
  };
  return {
    start: (nowMs) => {
      for (const connection of connections.all) send(connection, nowMs);
      if (looks) look();
    },
    free: (connection, nowMs, failed) => {
      if (!failed) {
        if (pausesMs.size > 0) pausesMs.delete(connection);
        return send(connection, nowMs);
      }
      const pauseMs = pausesMs.get(connection) ?? FIRST_PAUSE_MS;
      pausesMs.set(connection, Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
      setTimeout(() => send(connection, performance.now()), pauseMs);
    },
    isOver: () => over,
  };
}
