import { describeExpectation, judgeNodes } from '../checks/json/nodes.ts';
import { noAnswerFinding } from '../checks/transport-advice.ts';
import { type Answer, type AnsweredExchange, headerValue, type TransportFailure } from '../model/exchange.ts';
import { type Finding, failed, passed, undecided } from '../model/judgement.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import type { AssertionOf } from '../model/suite.ts';

const GONE_ADVICE =
  'The server was down before this request, or refuses this client: check the request before it.';

/** `isLost`: the server was down before the request. */
export function judgeNoAnswer(reason: TransportFailure, isLost: boolean): Finding {
  if (!isLost) return noAnswerFinding(reason);
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
  if (expectation.kind === 'absent') {
    return value === undefined
      ? passed
      : failed({
          message: `the header ${name} is present`,
          expected: 'no such header',
          received: JSON.stringify(value),
        });
  }
  if (value === undefined)
    return failed({
      message: `the header ${name} is missing`,
      expected: describeExpectation(expectation),
      received: 'no such header',
    });
  return judgeNodes([{ value, pointer: '' }], `the header ${name}`, expectation, schemas);
}
