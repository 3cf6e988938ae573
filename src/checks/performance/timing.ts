import {
  type Evidence,
  type Finding,
  failed,
  inapplicable,
  passed,
  undecided,
} from '../../model/judgement.ts';
import type { LoadError } from '../../model/load.ts';
import type { Measurement } from '../../model/measurement.ts';
import { TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import { defineCheck, type Measured } from '../define-check.ts';

export const claimedTimeKept = defineCheck(
  'measurements',
  'claimed-time-kept',
  'the median of the timed calls is not worse than the response time that the directory shows',
  ({ claimedResponseTimeMs: claimedMs, measured, median }) => {
    if (claimedMs === null) return inapplicable('the configuration has no listing.responseTime');
    const expected = `a median of at most ${claimedMs} ms, as the directory shows`;
    const doubts = [...new Set(measured.flatMap(({ measurement }) => measurement.unreliable))];
    if (doubts.length > 0)
      return undecided({
        message: `the response times cannot be relied on: ${doubts.join('; ')}`,
        expected,
        received: 'figures of an overloaded client',
        advice: 'Run the check again while fewer other checks and programs run.',
      });
    if (median === null)
      return undecided({
        message: 'too few timed calls were answered for a median',
        expected,
        received: `${measured.reduce((sum, { measurement }) => sum + measurement.samples, 0)} samples`,
      });
    if (median.valueMs <= claimedMs) return passed;
    const [lowMs, highMs] = median.intervalMs;
    const evidence = {
      message: 'calls take longer than the directory shows',
      expected,
      received: `${median.valueMs.toFixed(1)} ms (95 % interval ${lowMs.toFixed(1)} to ${highMs.toFixed(1)} ms)`,
    };
    return lowMs <= claimedMs
      ? undecided({ ...evidence, message: `${evidence.message}, but not beyond doubt` })
      : failed(evidence);
  },
);

/** Failures caused by this run or by the network, not by the server. */
const NOT_BY_SERVER: ReadonlySet<string> = new Set([
  'address-refused',
  'body-too-large',
  'deadline',
  'headers-too-large',
  'interrupted',
  'name-lookup-failed',
  'request-refused',
  'slow-upload',
]);

/** A delayed client cannot know whether an answer was late. */
const ONLY_LATE: ReadonlySet<string> = new Set(['timeout', 'connect-timeout', 'tls-timeout']);

const EXPECTED = 'an answer to each, with a status below 400';

export const timedCallsAnswered = defineCheck(
  'measurements',
  'timed-calls-answered',
  'no timed call fails or gets no answer',
  ({ measured, rateLimitAdvice }) =>
    measured.length === 0
      ? inapplicable('nothing was timed')
      : measured.map((one) => judge(one, rateLimitAdvice)),
);

function judge({ measurement, exchange, refusedAfterwards }: Measured, rateLimitAdvice: string): Finding {
  const { errorKinds, operation, unreliable } = measurement;
  const exchangeKey = exchange.request.key;
  const isRefusal = ({ status = 0, code }: LoadError): boolean =>
    operation === 'execute' &&
    (code === 'refused' || (status >= 400 && (status < 500 || refusedAfterwards === true)));
  const ofServer = errorKinds.filter(
    (kind) =>
      kind.status !== TOO_MANY_REQUESTS &&
      !isRefusal(kind) &&
      !NOT_BY_SERVER.has(kind.code) &&
      !(unreliable.length > 0 && ONLY_LATE.has(kind.code)),
  );
  if (ofServer.length > 0)
    return failed({
      message: inWords(ofServer, measurement),
      expected: EXPECTED,
      received: listOf(ofServer),
      exchangeKey,
    });
  if (errorKinds.some(({ status }) => status === TOO_MANY_REQUESTS))
    return timingRefused({
      expected: EXPECTED,
      received: listOf(errorKinds),
      advice: rateLimitAdvice,
      exchangeKey,
    });
  if (errorKinds.some(isRefusal))
    return undecided({
      message: 'the function was answered once, and refused when it was called again with the same input',
      expected: EXPECTED,
      received: listOf(errorKinds),
      advice:
        'If it cannot be called repeatedly, name it in the configuration under mutating: once. Otherwise find out why it refuses the call.',
      exchangeKey,
    });
  if (errorKinds.length > 0 || measurement.count === 0)
    return undecided({
      message: errorKinds.length > 0 ? inWords(errorKinds, measurement) : 'no timed call could be made',
      expected: EXPECTED,
      received: errorKinds.length > 0 ? listOf(errorKinds) : [...unreliable, 'no calls'].join('; '),
      advice: 'Run the check again, with more time and on a machine that has less to do.',
      exchangeKey,
    });
  return passed;
}

function inWords(kinds: readonly LoadError[], { count }: Measurement): string {
  const failures = kinds.reduce((sum, kind) => sum + kind.count, 0);
  return `${failures} of ${count} timed calls failed`;
}

const MAX_KINDS = 5;

function listOf(kinds: readonly LoadError[]): string {
  const shown = kinds
    .slice(0, MAX_KINDS)
    .map(({ code, count }) => `${code} ${count === 1 ? 'once' : `${count} times`}`);
  return kinds.length > MAX_KINDS ? `${shown.join(', ')} and others` : shown.join(', ');
}

export const TIMING_REFUSED = 'the target’s rate limiter ended the timing';

/** The finding for what a rate limiter left without response times. */
export function timingRefused(evidence: Omit<Evidence, 'message' | 'fault'>): Finding {
  return undecided({ ...evidence, because: 'turned-away', message: TIMING_REFUSED, fault: 'server' });
}
