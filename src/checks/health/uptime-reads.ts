import { ownProperty } from '../../model/json.ts';
import type { JsonAnswer } from '../define-check.ts';

/** An uptime, and the times between which the server reported it. */
export interface UptimeRead {
  readonly uptime: number;
  readonly sentSeconds: number;
  readonly receivedSeconds: number;
  readonly key: string;
}

/** The uptimes in the order in which they were requested. */
export function uptimeReads(answers: readonly JsonAnswer[]): readonly UptimeRead[] {
  return answers
    .flatMap(({ exchange, value }): readonly UptimeRead[] => {
      const uptime = ownProperty(value, 'uptime');
      if (typeof uptime !== 'number' || !Number.isFinite(uptime)) return [];
      const { startedAtMs, durationMs } = exchange.timing;
      const receivedSeconds = (startedAtMs + durationMs) / 1000;
      return [{ uptime, sentSeconds: startedAtMs / 1000, receivedSeconds, key: exchange.request.key }];
    })
    .sort((left, right) => left.sentSeconds - right.sentSeconds);
}

/** The time between two reads: by uptime, and its minimum and maximum by the clock. */
export function passedBetween(first: UptimeRead, last: UptimeRead) {
  return {
    advanced: last.uptime - first.uptime,
    minSeconds: last.sentSeconds - first.receivedSeconds,
    maxSeconds: last.receivedSeconds - first.sentSeconds,
    isWhole: Number.isInteger(first.uptime) && Number.isInteger(last.uptime),
  };
}
