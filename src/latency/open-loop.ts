import type { Schedule } from './arrivals.ts';
import type { Issue, Loop } from './closed-loop.ts';
import type { Lane, Lanes } from './lanes.ts';
import { type Paced, startPacer } from './pacer.ts';

/** A call that was due while every lane was busy. */
interface Waiting {
  readonly dueMs: number;
  readonly measured: boolean;
}

/**
 * Calls fall due by a schedule, whatever the answers do. A call for which a lane was free when it was due counts from
 * its write, and how late that was is the client's own doing, recorded apart. One for which none was free counts from
 * its due time: to wait for the target is what its callers would have done.
 */
export function createOpenLoop(
  lanes: Lanes,
  issue: Issue,
  schedule: Schedule,
  pacing: 'timer' | 'spin',
  sentLate: (latenessMs: number, nowMs: number) => void,
): Loop {
  const idle: Lane[] = [...lanes.all];
  let waiting: Waiting[] = [];
  let served = 0;
  let over = false;

  /** Counts from `fromMs`, or from the write itself where that is null. */
  const send = (lane: Lane, fromMs: number | null, measured: boolean): number => {
    const index = issue.pick();
    // Not when the turn began: where several are due at once, each write takes time that the next would be charged with.
    const sentMs = performance.now();
    issue.sent(measured, sentMs);
    lanes.send(lane, index, fromMs ?? sentMs, sentMs, measured);
    return sentMs;
  };

  const nextWaiting = (): Waiting | undefined => {
    const first = waiting[served];
    if (first === undefined) return undefined;
    served += 1;
    if (served > 1000 && served * 2 > waiting.length) {
      waiting = waiting.slice(served);
      served = 0;
    }
    return first;
  };

  const sendDue = (dueMs: number, measured: boolean): void => {
    // The lane used last is taken first; the one at the bottom has been free for longest.
    const wasFree = (idle[0]?.freeSinceMs ?? Number.POSITIVE_INFINITY) <= dueMs;
    const lane = idle.pop();
    if (lane === undefined) {
      waiting.push({ dueMs, measured });
      issue.waits(measured, waiting.length - served);
      return;
    }
    const sentMs = send(lane, wasFree ? null : dueMs, measured);
    if (wasFree && measured) sentLate(sentMs - dueMs, sentMs);
  };

  const paced: Paced = {
    nextDueMs: () => {
      over ||= issue.next(schedule.nextDueMs()) === 'over';
      return over ? Number.POSITIVE_INFINITY : schedule.nextDueMs();
    },
    pump: (nowMs) => {
      while (!over && schedule.nextDueMs() <= nowMs) {
        const dueMs = schedule.nextDueMs();
        const next = issue.next(dueMs);
        if (next === 'over') {
          over = true;
          return;
        }
        issue.taken(next === 'measured');
        schedule.advance();
        sendDue(dueMs, next === 'measured');
      }
    },
    nothingUnderWay: () => idle.length === lanes.all.length,
  };

  return {
    start: () => startPacer(pacing, paced),
    free: (lane) => {
      const first = nextWaiting();
      if (first === undefined) idle.push(lane);
      else send(lane, first.dueMs, first.measured);
    },
    isOver: () => over && waiting.length === served,
  };
}
