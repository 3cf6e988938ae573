import type { PlannedCall } from '../../model/call.ts';
import type { Answer, Exchange, UnansweredExchange } from '../../model/exchange.ts';
import { isJsonObject, ownProperty, showJson } from '../../model/json.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { isMessage, toolOutcome } from '../../wires/mcp/answer.ts';
import { describeAnswer, isServed, statusOf } from '../answers.ts';
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
  if (exchange.kind === 'unanswered' && isMessage(exchange) && exchange.reason.code === 'timeout')
    return takesLonger(exchange, call);
  if (exchange.kind === 'unanswered')
    return noAnswerFinding(exchange.reason, { expected: EXPECTED, exchangeKey: exchange.request.key });
  if (refusesTheCaller(exchange)) return inapplicable('the answer says nothing about the input');
  if (isMessage(exchange)) return judgeMessage(exchange, call);
  const status = statusOf(exchange) ?? 0;
  const { value, problem } = jsonBody(exchange);
  if (problem?.serversFault === false)
    return undecided({ message: problem.message, expected: EXPECTED, received: problem.received });
  const received = receivedOf(exchange);
  const code = ownProperty(ownProperty(value, 'error'), 'code');
  const isExecutionError = status === SERVER_ERROR && code === 'EXECUTION_ERROR';
  const message = `"${call.functionName}" answers a valid input with status ${status}`;
  if (status >= SERVER_ERROR && !isExecutionError) return failed({ message, expected: EXPECTED, received });
  if (isServed(exchange) && !isJsonObject(value))
    return failed({ message: `${message} and no JSON object`, expected: EXPECTED, received });
  return passed;
}

/** The Model Context Protocol sets no time, and the input may be what makes the call long. */
function takesLonger({ reason, request }: UnansweredExchange, { functionName }: PlannedCall): Finding {
  return undecided({
    because: 'not-exercised',
    fault: 'harness',
    message: `"${functionName}" takes longer than a call may: ${reason.message}`,
    expected: 'an answer',
    received: `none: ${reason.code}`,
    advice: 'Give requests more time with --timeout.',
    exchangeKey: request.key,
  });
}

/** Any answer of the protocol will do: a result, a refusal, or the wish for more input. */
function judgeMessage(answer: Answer, { functionName }: PlannedCall): Finding {
  const outcome = toolOutcome(answer);
  if (outcome.kind !== 'unreadable') return passed;
  const { problem } = jsonBody(answer);
  return (problem?.serversFault === false ? undecided : failed)({
    message: `"${functionName}" answers a valid input with nothing that can be read: ${outcome.problem}`,
    expected: 'a result, or an error of JSON-RPC',
    received: problem?.received ?? describeAnswer(answer),
  });
}

/** The whole answer, for a finding. */
export function receivedOf(answer: Answer): string {
  const { value } = jsonBody(answer);
  const shown = value === undefined ? 'a body that is not JSON' : showJson(value);
  return isMessage(answer) ? shown : `${statusOf(answer)} with ${shown}`;
}
