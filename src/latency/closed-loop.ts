import type { CallSource } from './call-source.ts';
import type { Connection, Connections } from './connections.ts';

/** Sends the calls of a load over its connections. */
export interface Loop {
  start(nowMs: number): void;
  free(connection: Connection, nowMs: number, failed: boolean): void;
  /** Whether all calls were sent. */
  isOver(): boolean;
}

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1000;

/**
 * Each connection sends its next request after its answer; after failures it pauses, longer each time. With `spins` the
 * thread stays awake: over a single connection, waking it up takes longer than the call.
 */
export function createClosedLoop(connections: Connections, source: CallSource, spins = false): Loop {
  const pausesMs = new Map<Connection, number>();
  let over = false;
  const send = (connection: Connection, nowMs: number): void => {
    const next = source.next(nowMs);
    if (next === 'over') {
      over = true;
      return;
    }
    source.taken(next === 'measured');
    source.sent(next === 'measured', nowMs);
    const index = source.pick();
    // The time between the last answer and this write is the client's, and is long if the thread lost the CPU.
    const sentMs = performance.now();
    connections.send(connection, index, sentMs, sentMs, next === 'measured');
  };
  const spin = (): void => {
    if (source.next(performance.now()) !== 'over') setImmediate(spin);
  };
  return {
    start: (nowMs) => {
      for (const connection of connections.all) send(connection, nowMs);
      if (spins) spin();
    },
    free: (connection, nowMs, failed) => {
      if (!failed) {
        if (pausesMs.size > 0) pausesMs.delete(connection);
        return send(connection, nowMs);
      }
      const pauseMs = pausesMs.get(connection) ?? FIRST_PAUSE_MS;
      pausesMs.set(connection, Math.min(2 * pauseMs, MAX_PAUSE_MS));
      setTimeout(() => send(connection, performance.now()), pauseMs);
    },
    isOver: () => over,
  };
}
