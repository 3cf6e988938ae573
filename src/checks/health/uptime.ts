import { ownProperty } from '../../json/json.ts';
import type { ClockSetMs } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { defineCheck, type JsonAnswer } from '../define-check.ts';

/** An uptime, and the times between which the server reported it. */
export interface UptimeRead {
  readonly uptime: number;
  readonly sentSeconds: number;
  readonly receivedSeconds: number;
  /** By how much the time of day of the harness had been set ahead. */
  readonly clockSetMs: ClockSetMs;
  readonly key: string;
}

const NOT_SET: ClockSetMs = { atStart: 0, atEnd: 0 };

/** The uptimes in the order in which they were requested. */
export function uptimeReads(answers: readonly JsonAnswer[]): readonly UptimeRead[] {
  return answers
    .flatMap(({ exchange, value }): readonly UptimeRead[] => {
      const uptime = ownProperty(value, 'uptime');
      if (typeof uptime !== 'number' || !Number.isFinite(uptime)) return [];
      const { startedAtMs, durationMs, clockSetMs = NOT_SET } = exchange.timing;
      return [
        {
          uptime,
          sentSeconds: startedAtMs / 1000,
          receivedSeconds: (startedAtMs + durationMs) / 1000,
          clockSetMs,
          key: exchange.request.key,
        },
      ];
    })
    .sort((left, right) => left.sentSeconds - right.sentSeconds);
}

/** By how much the time of day may have been set between two answers; it may have been set during either exchange. */
function setBetween(first: UptimeRead, last: UptimeRead) {
  const from = Object.values(first.clockSetMs);
  const to = Object.values(last.clockSetMs);
  return {
    backSeconds: Math.max(0, Math.max(...from) - Math.min(...to)) / 1000,
    aheadSeconds: Math.max(0, Math.max(...to) - Math.min(...from)) / 1000,
  };
}

/**
 * The time between two reads: by uptime, and its minimum and maximum by the clocks. If the time of day was set meanwhile,
 * or the machine slept, both are right: a server may count by either of them.
 */
export function passedBetween(first: UptimeRead, last: UptimeRead) {
  const { backSeconds, aheadSeconds } = setBetween(first, last);
  return {
    advanced: last.uptime - first.uptime,
    minSeconds: last.sentSeconds - first.receivedSeconds - backSeconds,
    maxSeconds: last.receivedSeconds - first.sentSeconds + aheadSeconds,
    isWhole: Number.isInteger(first.uptime) && Number.isInteger(last.uptime),
  };
}

export const uptimeNeverBack = defineCheck(
  'repetitions',
  'uptime-never-back',
  'uptime never goes back during the run',
  ({ answers }) => {
    const reads = uptimeReads(answers);
    const at = reads.findIndex((read, index) => read.uptime < (reads[index - 1] ?? read).uptime);
    const [earlier, later] = [reads[at - 1], reads[at]];
    if (earlier === undefined || later === undefined) return passed;
    const { backSeconds } = setBetween(earlier, later);
    if (earlier.uptime - later.uptime <= backSeconds)
      return undecided({
        message: 'uptime went back, and so did the clock of the harness: the server may have the same clock',
        expected: `${earlier.uptime} or more`,
        received: `${later.uptime}, after the clock was set back by ${backSeconds.toFixed(1)} s`,
        pointer: '/uptime',
        exchangeKey: later.key,
      });
    return failed({
      message: 'uptime went back: the server seems to have restarted during the run',
      expected: `${earlier.uptime} or more`,
      received: `${later.uptime}`,
      pointer: '/uptime',
      exchangeKey: later.key,
    });
  },
);

/** A counter of whole seconds, or one refreshed every second, may be off by almost a second at either read. */
const ROUNDING_SECONDS = 1;
/** A counter of seconds with a fraction loses less; a counter of minutes or hours loses more. */
const FRACTION_ROUNDING_SECONDS = 0.1;
const RATE_TOLERANCE = 0.25;
const MIN_APART_SECONDS = 1;
/** Enough to see a counter with a fraction run at the rate of the clock. */
const CLEAR_SECONDS = 0.2;
const YEAR_SECONDS = 365.25 * 86_400;
/** No process runs longer. */
const MAX_UPTIME_SECONDS = 20 * YEAR_SECONDS;
/** Slow reads cannot explain a rate that is off by more than this factor. */
const UNIT_TOLERANCE = 3;

const UNITS = [
  { name: 'seconds', perSecond: 1, divisor: '1' },
  { name: 'milliseconds', perSecond: 1e3, divisor: '1000' },
  { name: 'microseconds', perSecond: 1e6, divisor: '1,000,000' },
  { name: 'nanoseconds', perSecond: 1e9, divisor: '1,000,000,000' },
] as const;

export const uptimeInSeconds = defineCheck(
  'repetitions',
  'uptime-in-seconds',
  'uptime is the seconds since the start: it advances at about the rate of the clock, and is not a Unix time',
  ({ answers }) => {
    const [first] = uptimeReads(answers.slice(0, 1));
    const [last] = uptimeReads(answers.slice(-1));
    const apart = first !== undefined && last !== undefined && answers.length > 1;
    const advance = apart && last.uptime >= first.uptime ? advanceBetween(first, last) : null;
    const known = last ?? first;
    // One read is enough to recognise a value that is not an uptime.
    const epoch = known === undefined ? null : judgeUnixTime(known, advance);
    if (epoch !== null) return epoch;
    if (known !== undefined && known.uptime > MAX_UPTIME_SECONDS && !(advance?.isTooFast ?? false))
      return failed({
        message: 'uptime is longer than any process has been running, if it is in seconds',
        expected: 'the seconds since the server was started',
        received: `${known.uptime}: ${Math.floor(known.uptime / YEAR_SECONDS)} years`,
        pointer: '/uptime',
        exchangeKey: known.key,
      });
    if (!apart) {
      return undecided({
        message: 'fewer than two reads of /health gave an uptime',
        expected: 'two reads',
        received: `${answers.length}`,
      });
    }
    if (advance === null) return inapplicable('uptime went back between the reads');
    return judgeAdvance(first, last, advance);
  },
  {
    // A counter of tenths or hundredths may show too little of what passed.
    isSettledBy: (answers) => {
      const reads = uptimeReads(answers);
      const [first, last] = [reads[0], reads.at(-1)];
      const isFine = reads.some(({ uptime }) => /\.\d{3}/.test(String(uptime)));
      return first !== undefined && last !== undefined && isFine && advanceBetween(first, last).isSeenToRun;
    },
  },
);

type Advance = ReturnType<typeof advanceBetween>;

function advanceBetween(first: UptimeRead, last: UptimeRead) {
  const { advanced, minSeconds, maxSeconds, isWhole } = passedBetween(first, last);
  const isApart = minSeconds > MIN_APART_SECONDS;
  const lossSeconds = isWhole ? ROUNDING_SECONDS : FRACTION_ROUNDING_SECONDS;
  return {
    advanced,
    minSeconds,
    maxSeconds,
    isSeenToRun:
      !isWhole &&
      minSeconds > CLEAR_SECONDS &&
      advanced >= minSeconds * (1 - RATE_TOLERANCE) &&
      advanced <= maxSeconds * (1 + RATE_TOLERANCE),
    isTooSlow: isApart && (advanced < minSeconds * (1 - RATE_TOLERANCE) - lossSeconds || advanced === 0),
    isTooFast: isApart && advanced > maxSeconds * (1 + RATE_TOLERANCE) + ROUNDING_SECONDS,
  };
}

function judgeUnixTime(read: UptimeRead, advance: Advance | null): Finding | null {
  const unit = UNITS.find(
    ({ perSecond }) => Math.abs(read.uptime / perSecond - read.receivedSeconds) < YEAR_SECONDS,
  );
  // A counter of a finer unit may reach such numbers; its rate distinguishes it from a Unix time.
  if (unit === undefined || (advance !== null && !fitsUnit(advance, unit.perSecond))) return null;
  return failed({
    message: `uptime is a Unix time in ${unit.name}, not the time since the start`,
    expected: 'the seconds since the server was started',
    received: `${read.uptime}, which is ${new Date((read.uptime / unit.perSecond) * 1000).toISOString()}`,
    pointer: '/uptime',
    exchangeKey: read.key,
    advice:
      'Subtract the time of the start from the time of the answer, and report the difference in seconds; or use a source that counts from the start, such as process.uptime() in Node.',
  });
}

/** The time of the start, which does not advance, is also a Unix time. */
function fitsUnit({ advanced, minSeconds, maxSeconds }: Advance, perSecond: number): boolean {
  if (advanced === 0 || minSeconds <= MIN_APART_SECONDS) return true;
  return (
    advanced > (minSeconds * perSecond) / UNIT_TOLERANCE && advanced < maxSeconds * perSecond * UNIT_TOLERANCE
  );
}

function judgeAdvance(first: UptimeRead, last: UptimeRead, advance: Advance): Finding {
  const { advanced, minSeconds, maxSeconds, isTooSlow, isTooFast } = advance;
  const span = `${minSeconds.toFixed(1)} s to ${maxSeconds.toFixed(1)} s`;
  if (minSeconds <= MIN_APART_SECONDS) {
    if (advance.isSeenToRun) return passed;
    return undecided({
      message:
        setBetween(first, last).backSeconds > 0
          ? 'the clock of the harness was set back between the two reads'
          : 'the two reads were too close together to compare',
      expected: 'reads more than 1 s apart',
      received: span,
    });
  }
  if (!isTooSlow && !isTooFast) return passed;
  return failed({
    message:
      advanced === 0
        ? 'uptime did not advance between two reads'
        : `uptime ran too ${isTooFast ? 'fast' : 'slow'} for a counter of seconds`,
    expected: `an advance of about the time that passed: ${span}`,
    received: `${first.uptime}, then ${last.uptime}: an advance of ${Number(advanced.toFixed(3))}`,
    pointer: '/uptime',
    exchangeKey: last.key,
    advice: isTooFast ? adviceFor(advance) : undefined,
  });
}

function adviceFor(advance: Advance): string {
  const unit = UNITS.find(({ perSecond }) => perSecond > 1 && fitsUnit(advance, perSecond));
  const source = 'or use a source that counts seconds, such as process.uptime() in Node';
  return unit === undefined
    ? `Report the seconds since the start: keep the time of the start and subtract it, ${source}.`
    : `Report seconds, not ${unit.name}: divide by ${unit.divisor}, ${source}.`;
}
