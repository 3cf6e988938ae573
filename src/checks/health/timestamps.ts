import { ownProperty, ownText, showJson } from '../../json/json.ts';
import type { Answer } from '../../model/exchange.ts';
import { type Finding, failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { type Iso8601DateTime, parseIso8601 } from '../iso8601.ts';

export const timestampIso8601 = defineCheck(
  'json',
  'timestamp-iso8601',
  'timestamp is an ISO 8601 date and time',
  ({ value }) => {
    const timestamp = ownProperty(value, 'timestamp');
    if (typeof timestamp === 'string' && parseIso8601(timestamp) !== undefined) return passed;
    return failed({
      message:
        timestamp === undefined ? 'timestamp is missing' : 'timestamp is not an ISO 8601 date and time',
      expected: 'a date and time such as "2026-01-31T12:00:00Z" (string)',
      received: showJson(timestamp),
      pointer: '/timestamp',
    });
  },
);

export const timestampZone = defineCheck(
  'json',
  'timestamp-zone',
  'timestamp carries Z or an offset',
  ({ value }) => {
    const { offsetMinutes = null } = parseIso8601(ownText(value, 'timestamp') ?? '') ?? {};
    if (offsetMinutes !== null) return passed;
    return failed({
      message: 'timestamp does not say in which time zone it is',
      expected: 'a time that ends in Z or an offset such as +02:00',
      received: showJson(ownProperty(value, 'timestamp')),
      pointer: '/timestamp',
    });
  },
);

const TOLERANCE_MS = 60_000;
const APART_MS = 1000;
const ZONE_STEP_MS = 15 * 60_000;
const WESTMOST_ZONE_MS = -12 * 3_600_000;
const EASTMOST_ZONE_MS = 14 * 3_600_000;

export const timestampCurrent = defineCheck(
  'repetitions',
  'timestamp-current',
  'timestamp is the current time: close to the clock of the harness, and advancing',
  ({ answers }) => {
    const read = answers.flatMap(({ exchange, value }) => {
      const text = ownText(value, 'timestamp') ?? '';
      const parsed = parseIso8601(text);
      return parsed === undefined ? [] : [{ exchange, text, offMs: offsetMs(parsed, exchange) }];
    });
    const off = read.find(({ offMs }) => offMs > TOLERANCE_MS);
    if (off === undefined) return frozen(read);
    return failed({
      message: `timestamp is ${Math.round(off.offMs / 1000)} s away from the time at which it was read`,
      expected: `within 60 s of ${new Date(off.exchange.timing.startedAtMs).toISOString()}`,
      received: showJson(off.text),
      pointer: '/timestamp',
      exchangeKey: off.exchange.request.key,
    });
  },
  // Whole seconds may be the same in reads that are close together, or not.
  {
    isSettledBy: (answers) =>
      answers.some(({ value }) => /[.,](?!000)\d{3}/.test(ownText(value, 'timestamp') ?? '')),
  },
);

function frozen(read: readonly { exchange: Answer; text: string }[]): Finding {
  const [first] = read;
  const last = read.at(-1);
  if (first === undefined || last === undefined || first === last) {
    return undecided({
      message: 'only one read of /health gave a timestamp',
      expected: 'two reads',
      received: `${read.length}`,
    });
  }
  const { startedAtMs, durationMs } = first.exchange.timing;
  const apartMs = last.exchange.timing.startedAtMs - (startedAtMs + durationMs);
  if (first.text !== last.text) return passed;
  if (apartMs <= APART_MS) {
    return undecided({
      message: 'the two reads were too close together to compare',
      expected: 'reads more than 1 s apart',
      received: `${apartMs} ms`,
    });
  }
  return failed({
    message: `timestamp did not change between two reads ${(apartMs / 1000).toFixed(1)} s apart`,
    expected: 'the time of each check',
    received: `${showJson(first.text)} both times`,
    pointer: '/timestamp',
    exchangeKey: last.exchange.request.key,
  });
}

/** How far the timestamp is outside the time of the exchange. */
function offsetMs(parsed: Iso8601DateTime, { timing }: Answer): number {
  const { startedAtMs, durationMs, clockSetMs } = timing;
  const outside = (atMs: number): number => Math.max(0, startedAtMs - atMs, atMs - startedAtMs - durationMs);
  // If the clock was set, the server may have its own, or have read this one before or after that.
  const setMs = [0, ...Object.values(clockSetMs ?? {})];
  const away = (atMs: number): number => Math.min(...setMs.map((aheadMs) => outside(atMs - aheadMs)));
  if (parsed.offsetMinutes !== null) return away(parsed.localMs - parsed.offsetMinutes * 60_000);
  // Without a zone, any zone in use may be meant. Another requirement reports the missing zone.
  let least = Number.POSITIVE_INFINITY;
  for (let zoneMs = WESTMOST_ZONE_MS; zoneMs <= EASTMOST_ZONE_MS; zoneMs += ZONE_STEP_MS) {
    least = Math.min(least, away(parsed.localMs - zoneMs));
  }
  return least;
}
