import { ownProperty } from '../model/json.ts';
import { type Finding, failed, inapplicable, inconclusive, passed } from '../model/judgement.ts';
import { defineCheck, type JsonAnswer } from './define-check.ts';

/** A counter of whole seconds may be off by just under one at either end; so may one that is refreshed every second. */
const ROUNDING_SECONDS = 1;
/** A counter with a fraction that is read late cannot lose as much; one of minutes or hours loses more. */
const FRACTION_ROUNDING_SECONDS = 0.1;
const RATE_TOLERANCE = 0.25;
const LEAST_APART_SECONDS = 1;

export const uptimeInSeconds = defineCheck(
  'repetitions',
  'uptime-in-seconds',
  'uptime advances at about the rate of the clock, in seconds',
  ({ answers }) => {
    const first = uptimeAt(answers[0]);
    const last = uptimeAt(answers.at(-1));
    if (first === undefined || last === undefined || answers.length < 2) {
      return inconclusive({
        message: 'fewer than two reads of /health gave an uptime',
        expected: 'two reads',
        received: `${answers.length}`,
      });
    }
    if (last.uptime < first.uptime)
      return inapplicable('uptime went back between the reads: see health/uptime-monotonic');
    return judgeAdvance(first, last);
  },
);

interface UptimeRead {
  readonly uptime: number;
  readonly sentSeconds: number;
  readonly receivedSeconds: number;
  readonly key: string;
}

function uptimeAt(answer: JsonAnswer | undefined): UptimeRead | undefined {
  const uptime = answer === undefined ? undefined : ownProperty(answer.value, 'uptime');
  if (answer === undefined || typeof uptime !== 'number' || !Number.isFinite(uptime)) return undefined;
  const { timing, request } = answer.exchange;
  const sentSeconds = timing.startedAtMs / 1000;
  return { uptime, sentSeconds, receivedSeconds: sentSeconds + timing.durationMs / 1000, key: request.key };
}

function judgeAdvance(first: UptimeRead, last: UptimeRead): Finding {
  const leastSeconds = last.sentSeconds - first.receivedSeconds;
  const mostSeconds = last.receivedSeconds - first.sentSeconds;
  const advanced = last.uptime - first.uptime;
  const span = `${leastSeconds.toFixed(1)} s to ${mostSeconds.toFixed(1)} s`;
  if (leastSeconds <= LEAST_APART_SECONDS) {
    return inconclusive({
      message: 'the two reads were too close together to tell',
      expected: 'reads more than 1 s apart',
      received: span,
    });
  }
  const whole = Number.isInteger(first.uptime) && Number.isInteger(last.uptime);
  const lossSeconds = whole ? ROUNDING_SECONDS : FRACTION_ROUNDING_SECONDS;
  const tooSlow = advanced < leastSeconds * (1 - RATE_TOLERANCE) - lossSeconds || advanced === 0;
  const tooFast = advanced > mostSeconds * (1 + RATE_TOLERANCE) + ROUNDING_SECONDS;
  if (!tooSlow && !tooFast) return passed;
  return failed({
    message:
      advanced === 0
        ? 'uptime stood still between two reads'
        : `uptime ran too ${tooFast ? 'fast' : 'slow'} for a counter of seconds`,
    expected: `an advance of about the time that passed: ${span}`,
    received: `${first.uptime}, then ${last.uptime}: an advance of ${Number(advanced.toFixed(3))}`,
    pointer: '/uptime',
    exchangeKey: last.key,
    ...(tooFast
      ? {
          advice:
            'Report seconds, not milliseconds: divide by 1000, or use a source that counts seconds, such as process.uptime().',
        }
      : {}),
  });
}
