import type { PlannedCall } from '../../model/call.ts';
import { type Exchange, isSuccess } from '../../model/exchange.ts';
import { isJsonObject, ownProperty, showJson } from '../../model/json.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { noAnswerFinding } from '../transport-advice.ts';
import { refusesTheCaller } from './explored-calls.ts';

const SERVER_ERROR = 500;
const EXPECTED = 'a result, a refusal with a 4xx, or 500 with error.code EXECUTION_ERROR';

export const validInputAnswered = defineCheck(
  'exchange',
  'valid-input-answered',
  'a generated valid input is answered with a JSON object, and with no 5xx but 500 and EXECUTION_ERROR',
  ({ exchange, call }) =>
    call?.inputSource === 'explored'
      ? judgeAnswerToValid(exchange, call)
      : inapplicable('the input is not a generated valid one'),
);

export function judgeAnswerToValid(exchange: Exchange, call: PlannedCall): Finding {
  if (exchange.kind === 'unanswered')
    return noAnswerFinding(exchange.reason, { expected: EXPECTED, exchangeKey: exchange.request.key });
  if (refusesTheCaller(exchange)) return inapplicable('the answer says nothing about the input');
  const { status } = exchange.response;
  const { value, problem } = jsonBody(exchange);
  if (problem?.serversFault === false)
    return undecided({ message: problem.message, expected: EXPECTED, received: problem.received });
  const received = `${status} with ${value === undefined ? 'a body that is not JSON' : showJson(value)}`;
  const code = ownProperty(ownProperty(value, 'error'), 'code');
  const isExecutionError = status === SERVER_ERROR && code === 'EXECUTION_ERROR';
  const message = `"${call.functionName}" answers a valid input with status ${status}`;
  if (status >= SERVER_ERROR && !isExecutionError) return failed({ message, expected: EXPECTED, received });
  if (isSuccess(status) && !isJsonObject(value))
    return failed({ message: `${message} and no JSON object`, expected: EXPECTED, received });
  return passed;
}
