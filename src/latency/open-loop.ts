import type { Schedule } from './arrivals.ts';
import type { CallSource } from './call-source.ts';
import type { Loop } from './closed-loop.ts';
import type { Connection, Connections } from './connections.ts';
import { type Paced, startPacer } from './pacer.ts';

/** A call that was due while every connection was busy. */
interface Waiting {
  readonly dueMs: number;
  readonly measured: boolean;
}

/**
 * Calls are due by a schedule, whatever the answers do. A call for which a connection was free when it was due counts
 * from its write, and how late that was is the client's lateness, recorded apart. One for which none was free counts
 * from its due time: its caller would have waited for the target as well.
 */
export function createOpenLoop(
  connections: Connections,
  source: CallSource,
  schedule: Schedule,
  pacing: 'timer' | 'spin',
  sentLate: (latenessMs: number, nowMs: number) => void,
): Loop {
  const idle: Connection[] = [...connections.all];
  let waiting: Waiting[] = [];
  let taken = 0;
  let over = false;

  /** Counts from `fromMs`, or from the write itself where that is null. */
  const send = (connection: Connection, fromMs: number | null, measured: boolean): number => {
    const index = source.pick();
    // Not when the turn began: where several are due at once, each write takes time that would count for the next.
    const sentMs = performance.now();
    source.sent(measured, sentMs);
    connections.send(connection, index, fromMs ?? sentMs, sentMs, measured);
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
    // The connection used last is taken first; the one at the bottom has been free for longest.
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
    start: () => startPacer(pacing, paced),
    free: (connection) => {
      const first = nextWaiting();
      if (first === undefined) idle.push(connection);
      else send(connection, first.dueMs, first.measured);
    },
    isOver: () => over && waiting.length === taken,
  };
}
