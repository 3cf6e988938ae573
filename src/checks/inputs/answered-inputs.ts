import { isJsonObject, type Json, type JsonObject, ownProperty, showJson } from '../../json/json.ts';
import { isExplored, isGuess, isUnchosen, type PlannedCall } from '../../model/call.ts';
import type { Answer, Exchange, UnansweredExchange } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import type { SchemaEvaluator, SchemaProblem } from '../../model/schema-evaluator.ts';
import { isMessage, toolOutcome } from '../../wires/mcp/answer.ts';
import { type Asked, defineCheck, judgeEach } from '../define-check.ts';
import { describesError, isDescribedError } from '../errors/error-answer.ts';
import { declaredResult } from '../execute/declared-results.ts';
import { describeAnswer, isServed, statusOf } from '../json/answers.ts';
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

function judgeAnswerToValid(exchange: Exchange, call: PlannedCall): Finding {
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
function receivedOf(answer: Answer): string {
  const { value } = jsonBody(answer);
  const shown = value === undefined ? 'a body that is not JSON' : showJson(value);
  return isMessage(answer) ? shown : `${statusOf(answer)} with ${shown}`;
}

export const sequenceAnswered = defineCheck(
  'exchange',
  'sequence-answered',
  'in a sequence of calls, a valid input is answered with a JSON object whose result matches returns, and with no 5xx but 500 and EXECUTION_ERROR',
  ({ exchange, call, item, schemas }) => {
    if (call?.inputSource !== 'in-sequence') return inapplicable('the call is not part of a sequence');
    const answered = judgeAnswerToValid(exchange, call);
    if (answered.outcome === 'failed') return { ...answered, message: answered.message + afterWhat(call) };
    if (answered.outcome !== 'passed' || exchange.kind === 'unanswered') return answered;
    return judgeResult(exchange, item, call, schemas);
  },
);

function judgeResult(
  answer: Answer,
  item: Json | undefined,
  call: PlannedCall,
  schemas: SchemaEvaluator,
): Finding {
  const { result, pointer: place, name, declaredBy } = declaredResult(answer);
  const problem = problemOf(result, ownProperty(item, 'returns'), schemas);
  if (problem === null) return passed;
  const { pointer, ...evidence } = problem;
  return failed({
    message: `the ${name} of "${call.functionName}" is not what ${declaredBy} declares${afterWhat(call)}`,
    ...evidence,
    pointer: place + pointer,
  });
}

function afterWhat({ after = [] }: PlannedCall): string {
  const names = after.map(({ functionName }) => `"${functionName}"`);
  if (names.length === 0) return '';
  return ` after ${[names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ')}`;
}

/**
 * Of other inputs, and of an answer that describes no error, other rows report the status. A function for which
 * exploring found a crash has that finding, with the smallest input.
 */
export const guessesAnswered = defineCheck(
  'step',
  'guesses-answered',
  'a call with a guessed valid input, or without input, that ends in 500 has EXECUTION_ERROR',
  ({ asked, form }) => {
    const explored = new Set(asked.filter(isCrashWhileExploring).map(({ call }) => call?.functionName));
    const isLeft = ({ call, item }: Asked): boolean =>
      call?.form === form &&
      ownProperty(item, 'name') === call.functionName &&
      !explored.has(call.functionName);
    const judged = asked.filter(isLeft).flatMap(judgeGuess);
    if (judged.length === 0) return inapplicable('no such call ends in 500');
    return judgeEach(judged, (finding) => (finding.outcome === 'failed' ? finding : passed));
  },
  { isIncidental: () => true },
);

function isCrashWhileExploring({ exchange, call }: Asked): boolean {
  return (
    call !== null &&
    isExplored(call.inputSource) &&
    exchange.kind !== 'unanswered' &&
    judgeAnswerToValid(exchange, call).outcome === 'failed'
  );
}

/** With 502 to 504 it says that something behind it is away, which a guess may have caused. */
function judgeGuess({ exchange, call }: Asked): readonly Finding[] {
  if (call === null || exchange.kind === 'unanswered' || statusOf(exchange) !== SERVER_ERROR) return [];
  if (!isGuess(call.inputSource) && !isUnchosen(call.inputSource)) return [];
  if (!isDescribedError(exchange)) return [];
  const finding = judgeAnswerToValid(exchange, call);
  return [finding.outcome === 'failed' ? { ...finding, exchangeKey: exchange.request.key } : finding];
}

function refusalOf(exchange: Exchange): string {
  return isMessage(exchange)
    ? 'a result with isError, or an error of the protocol'
    : 'an error with error.code and error.message';
}

export const invalidInputRefused = defineCheck(
  'exchange',
  'invalid-input-refused',
  'a generated input that the declared parameters do not allow is refused with a described error',
  ({ exchange, call, item, schemas }) => {
    if (call?.inputSource !== 'explored-invalid')
      return inapplicable('the input is not a generated invalid one');
    if (exchange.kind === 'unanswered')
      return noAnswerFinding(exchange.reason, {
        expected: refusalOf(exchange),
        exchangeKey: exchange.request.key,
      });
    if (refusesTheCaller(exchange)) return inapplicable('the answer says nothing about the input');
    const { value } = jsonBody(exchange);
    const received = receivedOf(exchange);
    const rule = brokenRule(item, call.input ?? {}, schemas);
    const of = `"${call.functionName}"`;
    if (isServed(exchange))
      return failed({
        message: `${of} accepts an input that its ${isMessage(exchange) ? 'inputSchema does' : 'parameters do'} not allow: ${rule}`,
        expected: refusalOf(exchange),
        received,
      });
    const status = statusOf(exchange) ?? 0;
    if (status >= SERVER_ERROR && !describesError(value))
      return failed({
        message: `${of} answers an invalid input with status ${status} and no described error: ${rule}`,
        expected: refusalOf(exchange),
        received,
      });
    return passed;
  },
  { replacedSecret: 'irrelevant' },
);

function brokenRule(item: Json | undefined, input: JsonObject, schemas: SchemaEvaluator): string {
  const problem = problemOf(input, ownProperty(item, 'parameters'), schemas);
  if (problem === null) return 'the input is invalid';
  const { pointer, expected, received } = problem;
  return `${pointer === '' ? 'input' : pointer}: expected ${expected}, received ${received}`;
}

/** What is wrong with a value by a declared schema; null where nothing is, or nothing is known. */
function problemOf(
  value: Json | undefined,
  declared: Json | undefined,
  schemas: SchemaEvaluator,
): SchemaProblem | null {
  if (value === undefined || declared === undefined) return null;
  const schema = schemas.foreign(declared);
  const verdict = schema.kind === 'usable' ? schema.apply(value) : null;
  return verdict?.kind === 'invalid' ? verdict.problem : null;
}
