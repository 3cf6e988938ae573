import type { CallSource } from './call-source.ts';
import type { Connection, Connections } from './connections.ts';

/** Sends the calls of a load over its connections. */
export interface Loop {
  start(nowMs: number): void;
  free(connection: Connection, nowMs: number, failed: boolean): void;
  /** For how long the client may have held up the call that ends now: its write, or the reading of its answer. */
  heldUpMs(connection: Connection, nowMs: number): number;
  isOver(): boolean;
}

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1000;
/** About the time that the system needs to wake up a sleeping thread. */
const AWAKE_MS = 0.05;

/**
 * Each connection sends its next request after its answer; after failures it pauses, longer each time.
 *
 * All answers that have arrived are read before the next requests are written: a write takes several times longer than
 * a read, and would count as the time of the answers after it. With more than one core, the thread then stays awake for
 * a moment, because waking it up would delay the target's write; with `spins` it stays awake throughout, because over a
 * single connection it takes longer than the call.
 */
export function createClosedLoop(
  connections: Connections,
  source: CallSource,
  { spins, cores }: { readonly spins: boolean; readonly cores: number },
): Loop {
  const pausesMs = new Map<Connection, number>();
  const ready: Connection[] = [];
  const awakeMs = cores > 1 ? AWAKE_MS : 0;
  let lastFreeMs = 0;
  let turning = false;
  let over = false;

  const take = (connection: Connection, nowMs: number): void => {
    const next = source.next(nowMs);
    if (next === 'over') {
      over = true;
      return;
    }
    source.taken(next === 'measured');
    connection.measured = next === 'measured';
    ready.push(connection);
    lastFreeMs = nowMs;
    if (turning) return;
    turning = true;
    setImmediate(turn);
  };
  const turn = (): void => {
    if (source.isStopped()) return;
    for (const connection of ready) {
      const index = source.pick();
      // The time between the last answer and this write is the client's, and is long if the thread lost the CPU.
      const sentMs = performance.now();
      source.sent(connection.measured, sentMs);
      connections.send(connection, index, sentMs, sentMs, connection.measured);
    }
    ready.length = 0;
    const nowMs = performance.now();
    turning = spins ? source.next(nowMs) !== 'over' : nowMs - lastFreeMs < awakeMs;
    if (turning) setImmediate(turn);
  };
  return {
    start: (nowMs) => {
      for (const connection of connections.all) take(connection, nowMs);
    },
    free: (connection, nowMs, failed) => {
      if (!failed) {
        if (pausesMs.size > 0) pausesMs.delete(connection);
        return take(connection, nowMs);
      }
      const pauseMs = pausesMs.get(connection) ?? FIRST_PAUSE_MS;
      pausesMs.set(connection, Math.min(2 * pauseMs, MAX_PAUSE_MS));
      setTimeout(() => take(connection, performance.now()), pauseMs);
    },
    // A closed loop shows what a client gets from the target, with the time that a client takes.
    heldUpMs: () => 0,
    isOver: () => over && ready.length === 0,
  };
}
