import type { Asked } from '../checks/define-check.ts';
import { describesError, isDescribedError, isRefusal } from '../checks/errors/error-answer.ts';
import { describeStatus } from '../checks/json/answers.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { describeExpectation, judgeNodes } from '../checks/json/nodes.ts';
import { noAnswerFinding } from '../checks/transport-advice.ts';
import { isGuess, needsNoInput } from '../model/call.ts';
import { type Answer, type AnsweredExchange, headerValue, type TransportFailure } from '../model/exchange.ts';
import { type Finding, failed, passed, undecided } from '../model/judgement.ts';
import { TOO_MANY_REQUESTS } from '../model/rate-limit.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import type { AssertionOf, StatusPattern, Step } from '../model/suite.ts';
import { isProvoking } from '../run/steps/step-kinds.ts';
import { bearerIn } from '../wires/mcp/authorization.ts';
import { notJudged } from './not-judged.ts';

export interface StatusContext {
  /** Whether another request of the same operation succeeded, so that a 401 does not just mean a missing key. */
  readonly servedElsewhere: boolean;
  readonly keyGiven: boolean;
  /** Whether calls of a function are limited because it may change something. */
  readonly isRestrained: (functionName: string) => boolean;
  /** What to do about a rate limiter of the target. */
  readonly rateLimitAdvice: string;
}

/** A gateway or the whole server answers these, not a single function. */
const OF_THE_WHOLE_SERVER: ReadonlySet<number> = new Set([502, 503, 504]);

export function judgeStatus(
  { is, not }: AssertionOf<'status'>,
  exchange: AnsweredExchange,
  { call, servedPlainly = null }: Pick<Asked, 'call' | 'servedPlainly'>,
  context: StatusContext,
): Finding {
  const { status } = exchange.response;
  const patterns = is ?? not;
  if (patterns.length === 0) return notJudged('the assertion names no status');
  if (is?.includes(status)) return passed;
  const words = patterns.map(wordsOf).join(' or ');
  const expected = is === null ? `anything but ${words}` : words;
  const received = describeStatus(exchange);
  const turnedAway = judgeTurnedAway(exchange, expected, context);
  if (turnedAway !== null) return turnedAway;
  const named = patterns.some((pattern) => matches(status, pattern));
  if (named === (is !== null)) return passed;
  if (call === null) return failed({ message: `the status is ${status}`, expected, received });
  const notExercised = (words: string, advice: string): Finding => {
    const message = `"${call.functionName}" ${words}`;
    return undecided({ because: 'not-exercised', message, expected, received, advice });
  };
  const name = JSON.stringify(call.functionName);
  if (isGuess(call.inputSource) && isRefusal(exchange)) {
    const key = ' If the server requires a key, set one with --bearer-env or --header.';
    return notExercised(
      'refused an input that was generated from its descriptor',
      `Add an example to the descriptor, or a sample to probity.config.yaml under samples: ${name}.${wantsKey(status) ? key : ''}`,
    );
  }
  if (
    call.inputSource === 'example' &&
    context.isRestrained(call.functionName) &&
    isDescribedError(exchange) &&
    !OF_THE_WHOLE_SERVER.has(status)
  )
    return notExercised(
      'refused the example of its descriptor, which an earlier call may have used up',
      `Restart the server before the check, or set an input that always succeeds under samples: ${name} in probity.config.yaml.`,
    );
  // Earlier calls may have used up, taken or locked what it needs.
  if (servedPlainly === false && isRefusal(exchange))
    return notExercised(
      'was answered once, but refuses further calls',
      `Earlier calls may have used up what it needs. Set several independent inputs under samples: ${name} in probity.config.yaml.`,
    );
  if (needsNoInput(call) && isRefusal(exchange) && describesError(jsonBody(exchange).value))
    return notExercised(
      'takes no input, and refused the call',
      `The function may need another call first. Set a sample in probity.config.yaml under samples: ${name}, or an example in its descriptor.`,
    );
  return failed({ message: `the status is ${status}`, expected, received });
}

/**
 * The finding for an answer that refuses the client (no key, rate limit) instead of judging the request; null for any
 * other.
 */
export function judgeTurnedAway(
  exchange: AnsweredExchange,
  expected: string,
  { keyGiven, servedElsewhere, rateLimitAdvice }: StatusContext,
): Finding | null {
  const { status } = exchange.response;
  const seen = { expected, received: describeStatus(exchange) };
  if (status === TOO_MANY_REQUESTS) {
    const message = 'the target’s rate limiter refused the request, even after waiting';
    return undecided({ because: 'turned-away', message, ...seen, fault: 'server', advice: rateLimitAdvice });
  }
  if (!wantsKey(status) || servedElsewhere) return null;
  return undecided({
    because: 'turned-away',
    message: keyGiven ? 'the target refused the key' : 'the target requires a key',
    ...seen,
    advice: adviceOn(exchange, keyGiven),
  });
}

function adviceOn({ response }: AnsweredExchange, keyGiven: boolean): string {
  const hasLogin = bearerIn(response.headers)?.parameters.has('resource_metadata') === true;
  if (keyGiven)
    return hasLogin
      ? 'Give a token that the target accepts: `probity login URL` gets one.'
      : 'Give a key that the target accepts.';
  return hasLogin
    ? 'Put a token, which `probity login URL` gets, into an environment variable and name it with --bearer-env.'
    : 'Put the key into an environment variable and name it with --bearer-env, or use --header.';
}

export function wantsKey(status: number): boolean {
  return status === 401 || status === 403;
}

function matches(status: number, pattern: StatusPattern): boolean {
  return typeof pattern === 'number' ? status === pattern : Math.floor(status / 100) === Number(pattern[0]);
}

function wordsOf(pattern: StatusPattern): string {
  return typeof pattern === 'number' ? `status ${pattern}` : `a ${pattern} status`;
}

const GONE_ADVICE =
  'The server was down before this request, or refuses this client: check the request before it.';

/** `isLost`: the server was down before the request. */
export function judgeNoAnswer(reason: TransportFailure, isLost: boolean, step: Step): Finding {
  if (!isLost) {
    const finding = noAnswerFinding(reason);
    if (reason.code !== 'connection-refused' || !isProvoking(step)) return finding;
    // A negative step comes only after answers: the server ended since, so the address is right.
    const { advice: _, ...rest } = finding;
    return rest;
  }
  const { outcome: _, ...evidence } = noAnswerFinding(reason, { advice: GONE_ADVICE });
  return undecided(evidence);
}

export function judgeTime({ maxMs }: AssertionOf<'time'>, { timing }: Answer): Finding {
  if (timing.durationMs <= maxMs) return passed;
  return failed({
    message: 'the answer took too long',
    expected: `at most ${maxMs} ms`,
    received: `${timing.durationMs.toFixed(1)} ms`,
  });
}

export function judgeHeader(
  { name, expectation }: AssertionOf<'header'>,
  { response }: AnsweredExchange,
  schemas: SchemaEvaluator,
): Finding | readonly Finding[] {
  const value = headerValue(response.headers, name);
  const none = 'no such header';
  if (expectation.kind === 'absent') {
    const message = `the header ${name} is present`;
    return value === undefined
      ? passed
      : failed({ message, expected: none, received: JSON.stringify(value) });
  }
  if (value === undefined) {
    const expected = describeExpectation(expectation);
    return failed({ message: `the header ${name} is missing`, expected, received: none });
  }
  return judgeNodes([{ value, pointer: '' }], `the header ${name}`, expectation, schemas);
}
