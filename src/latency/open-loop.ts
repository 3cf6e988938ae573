import type { Arrivals } from '../model/load.ts';
import type { CallSource } from './call-source.ts';
import type { Loop } from './closed-loop.ts';
import type { Connection, Connections } from './connections.ts';
import { type Paced, type Pacer, startPacer } from './pacer.ts';

/** A call that was due while every connection was busy. */
interface Waiting {
  readonly dueMs: number;
  readonly measured: boolean;
}

/**
 * Calls are due on a schedule, independent of the answers. If a connection is free when a call is due, its latency
 * counts from its write, and the delay of the write is recorded as the client's lateness. If none is free, it counts
 * from the due time, because a real caller would also wait for the target.
 */
export function createOpenLoop(
  connections: Connections,
  source: CallSource,
  schedule: ReturnType<typeof createSchedule>,
  pacing: 'timer' | 'spin',
  sentLate: (latenessMs: number, nowMs: number) => void,
): Loop {
  const idle: Connection[] = [...connections.all];
  let waiting: Waiting[] = [];
  let taken = 0;
  let over = false;
  let pacer: Pacer | null = null;

  /** The latency counts from `fromMs`, or from the write if it is null. */
  const send = (connection: Connection, fromMs: number | null, measured: boolean): number => {
    const index = source.pick();
    // Read for each call: if several are due at once, the time of each write would count for the next.
    const sentMs = performance.now();
    source.sent(measured, sentMs);
    connections.send(connection, index, fromMs ?? sentMs, sentMs, measured);
    connection.leftMs = performance.now();
    return sentMs;
  };

  const nextWaiting = (): Waiting | undefined => {
    const first = waiting[taken];
    if (first === undefined) return undefined;
    taken += 1;
    if (taken > 1000 && taken * 2 > waiting.length) {
      waiting = waiting.slice(taken);
      taken = 0;
    }
    return first;
  };

  const sendDue = (dueMs: number, measured: boolean): void => {
    // The most recently used connection is taken first, so the first one has been idle for longest.
    const wasFree = (idle[0]?.freeSinceMs ?? Number.POSITIVE_INFINITY) <= dueMs;
    const connection = idle.pop();
    if (connection === undefined) {
      waiting.push({ dueMs, measured });
      source.waits(measured, waiting.length - taken);
      return;
    }
    const sentMs = send(connection, wasFree ? null : dueMs, measured);
    if (wasFree && measured) sentLate(sentMs - dueMs, sentMs);
  };

  const paced: Paced = {
    nextDueMs: () => {
      over ||= source.next(schedule.nextDueMs()) === 'over';
      return over ? Number.POSITIVE_INFINITY : schedule.nextDueMs();
    },
    pump: (nowMs) => {
      while (!over && schedule.nextDueMs() <= nowMs) {
        const dueMs = schedule.nextDueMs();
        const next = source.next(dueMs);
        if (next === 'over') {
          over = true;
          return;
        }
        source.taken(next === 'measured');
        schedule.advance();
        sendDue(dueMs, next === 'measured');
      }
    },
    nothingUnderWay: () => idle.length === connections.all.length,
  };

  return {
    start: () => {
      pacer = startPacer(pacing, paced);
    },
    free: (connection) => {
      const first = nextWaiting();
      if (first === undefined) idle.push(connection);
      else send(connection, first.dueMs, first.measured);
    },
    heldUpMs: (connection, nowMs) =>
      connection.leftMs -
      connection.sentMs +
      Math.max(0, nowMs - Math.max(pacer?.unreadSinceMs() ?? nowMs, connection.leftMs)),
    isOver: () => over && waiting.length === taken,
  };
}

/** The due times of an open loop, on an absolute schedule: a late call does not delay later ones. */
export function createSchedule(
  ratePerSecond: number,
  arrivals: Arrivals,
  startMs: number,
  random: () => number,
) {
  const gapMs = 1000 / ratePerSecond;
  let count = 0;
  let dueMs = startMs;
  return {
    nextDueMs: () => dueMs,
    advance: () => {
      count += 1;
      // From the start each time, so that rounding errors do not add up.
      dueMs = arrivals === 'constant' ? startMs + count * gapMs : dueMs - Math.log(1 - random()) * gapMs;
    },
  };
}
