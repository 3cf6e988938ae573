import { urlOf } from '../../model/exchange.ts';
import { failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck, type JsonAnswer } from '../define-check.ts';
import { passedBetween, type UptimeRead, uptimeReads } from '../health/uptime.ts';

/** A counter of whole seconds may show one more or one less than have passed. */
const ROUNDING_SECONDS = 1;
const FRACTION_ROUNDING_SECONDS = 0.1;
const RATE_TOLERANCE = 0.1;
/** Reads of whole numbers that are closer together cannot distinguish seconds from milliseconds. */
const MIN_APART_SECONDS = 1;

export const noRestart = defineCheck(
  'repetitions',
  'no-restart',
  'uptime shows no restart of the server since the answers under `use: { earlier: … }`',
  ({ answers, used }) => {
    const before = uptimeReads(ofHealth(used.earlier ?? []));
    const after = uptimeReads(ofHealth(answers));
    const [highest] = before.toSorted((left, right) => right.uptime - left.uptime);
    const last = after.at(-1);
    // Another requirement reports a missing uptime.
    if (highest === undefined || last === undefined) return passed;
    if (!countsSeconds(before)) {
      if (last.uptime >= highest.uptime) return passed;
      return undecided({
        message: 'uptime went back, but is not known to count seconds: it cannot show a restart',
        expected: `${highest.uptime} or more, as before`,
        received: `${last.uptime}`,
        pointer: '/uptime',
        exchangeKey: last.key,
      });
    }
    const earlier = before.find((read) => startedBetween(read, last));
    // Behind a load balancer each instance has its own uptime; one that keeps running is enough.
    const keepsRunning = after.some((read) => !before.some((other) => startedBetween(other, read)));
    if (earlier === undefined || keepsRunning) return passed;
    const agoSeconds = last.sentSeconds - earlier.sentSeconds;
    return failed({
      message: 'uptime shows that the server was restarted in between',
      expected: `about ${(earlier.uptime + agoSeconds).toFixed(1)}: it was ${earlier.uptime} ${agoSeconds.toFixed(1)} s before`,
      received: `${last.uptime}`,
      pointer: '/uptime',
      exchangeKey: last.key,
    });
  },
);

/**
 * Whether the instance started after the earlier read: its uptime is shorter than the time since that read, and shorter
 * than if the earlier instance had kept running. Another instance that ran all the time has a longer uptime.
 */
function startedBetween(earlier: UptimeRead, read: UptimeRead): boolean {
  const { minSeconds, maxSeconds } = passedBetween(earlier, read);
  const missing = earlier.uptime + minSeconds - read.uptime;
  return (
    read.uptime <= maxSeconds + ROUNDING_SECONDS && missing > ROUNDING_SECONDS + RATE_TOLERANCE * maxSeconds
  );
}

/** Whether any two reads are as far apart by uptime as by the clock; other reads may be of other instances. */
function countsSeconds(reads: readonly UptimeRead[]): boolean {
  return reads.some((first, index) => reads.slice(index + 1).some((second) => isSecondsLater(first, second)));
}

function isSecondsLater(first: UptimeRead, second: UptimeRead): boolean {
  const { advanced, minSeconds, maxSeconds, isWhole } = passedBetween(first, second);
  if (advanced <= 0 || (isWhole && minSeconds < MIN_APART_SECONDS)) return false;
  const rounding = isWhole ? ROUNDING_SECONDS : FRACTION_ROUNDING_SECONDS;
  return advanced >= minSeconds - rounding && advanced <= maxSeconds + rounding;
}

function ofHealth(answers: readonly JsonAnswer[]): readonly JsonAnswer[] {
  return answers.filter(
    ({ exchange, call }) => call === null && new URL(urlOf(exchange)).pathname.endsWith('/health'),
  );
}
