import { isJsonObject, type Json, ownProperty, showJson } from '../../json/json.ts';
import { type AnsweredExchange, isSuccess } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import {
  describesError,
  isErrorAnswer,
  MAY_BE_REFUSED,
  NO_ERROR_ANSWER,
  unansweredFinding,
} from './error-answer.ts';

const EXPECTED = 'a JSON object with the strings error.code and error.message';

/** Judges exchanges, not answers, so that a failed or undecided status does not hide an invalid body. */
export const errorBody = defineCheck(
  'exchange',
  'error-body',
  'an error answer has the strings error.code and error.message, whatever caused it',
  ({ exchange, options }) => {
    if (exchange.kind !== 'answered') return unansweredFinding(options);
    return isErrorAnswer(exchange, options)
      ? judgeBody(exchange)
      : inapplicable('the answer is not an error');
  },
  { ...MAY_BE_REFUSED, reasons: NO_ERROR_ANSWER },
);

function judgeBody(exchange: AnsweredExchange): Finding {
  const { status } = exchange.response;
  const { value, problem } = jsonBody(exchange);
  if (value === undefined)
    return (problem.serversFault ? failed : undecided)({
      message: `the answer has status ${status}, and ${problem.message}`,
      expected: EXPECTED,
      received: problem.received,
    });
  if (describesError(value)) return passed;
  const { words, pointer } = faultOf(value);
  return failed({
    message: `the answer has status ${status}, and ${words}`,
    expected: EXPECTED,
    received: showJson(value),
    pointer,
  });
}

function faultOf(body: Json): { readonly words: string; readonly pointer: string } {
  if (!isJsonObject(body)) return { words: 'the body is not an object', pointer: '' };
  const error = ownProperty(body, 'error');
  if (error === undefined) return { words: 'error is missing', pointer: '' };
  if (!isJsonObject(error)) return { words: 'error is not an object', pointer: '/error' };
  const names = ['code', 'message'].filter((name) => typeof ownProperty(error, name) !== 'string');
  const [first = 'code'] = names;
  const words = names.map((name) => {
    const state = ownProperty(error, name) === undefined ? 'is missing' : 'is not a string';
    return `error.${name} ${state}`;
  });
  return { words: words.join(' and '), pointer: `/error/${first}` };
}

export const errorNotResult = defineCheck(
  'answer',
  'error-not-result',
  'the call is refused with an error status, not answered with a result',
  ({ exchange }) => {
    const { status } = exchange.response;
    const { value, problem } = jsonBody(exchange);
    const described = describesError(value);
    const refused = status >= 400 && status <= 500;
    // The body of a refusal is judged by the check error-body.
    if (refused && (described || isErrorAnswer(exchange))) return passed;
    const expected = 'a 4xx status or 500, with error.code and error.message';
    if (isSuccess(status))
      return failed({
        message: described
          ? 'the error has a success status'
          : 'the invalid call was answered as if it were valid',
        expected,
        received: `${status} with ${value === undefined ? problem.received : showJson(value)}`,
      });
    if (refused && problem?.serversFault === false)
      return undecided({
        message: problem.message,
        expected,
        received: `${status} with ${problem.received}`,
      });
    return failed({
      message: refused
        ? 'the refusal has no error body'
        : 'the invalid call was not refused with a 4xx status or 500',
      expected,
      received: `${status} with ${value === undefined ? 'a body that is not JSON' : showJson(value)}`,
    });
  },
);

export const requestIdEchoed = defineCheck(
  'json',
  'request-id-echoed',
  'form B: requestId is returned exactly as it was sent',
  ({ value, call }) =>
    call === null || call.requestId === null
      ? inapplicable('the call carried no requestId')
      : judgeRequestId(value, call.requestId),
);

export const errorRequestId = defineCheck(
  'exchange',
  'error-request-id',
  'form B: an error answer has the requestId that was sent, whatever caused it',
  ({ exchange, call, options }) => {
    if (exchange.kind !== 'answered') return unansweredFinding(options);
    if (call === null || call.requestId === null) return inapplicable('the call carried no requestId');
    if (!isErrorAnswer(exchange, options)) return inapplicable('the answer is not an error');
    const { value } = jsonBody(exchange);
    return isJsonObject(value) ? judgeRequestId(value, call.requestId) : cannotJudge('no-json-object');
  },
  {
    ...MAY_BE_REFUSED,
    reasons: { ...NO_ERROR_ANSWER, 'no-json-object': 'the body of the error answer is not a JSON object' },
  },
);

/** Whether an answer holds the requestId that was sent, exactly. */
function judgeRequestId(answer: Json, sent: string): Finding {
  const received = ownProperty(answer, 'requestId');
  if (received === sent) return passed;
  return failed({
    message:
      typeof received === 'string'
        ? `the requestId differs from the one that was sent, ${firstDifference(sent, received)}`
        : received === undefined
          ? 'the answer has no requestId'
          : 'the requestId is not the one that was sent',
    expected: showJson(sent),
    received: showJson(received),
    pointer: '/requestId',
  });
}

/** Where two texts differ: long or similar texts cannot be compared by eye. */
function firstDifference(sent: string, received: string): string {
  const [before, after] = [[...sent], [...received]];
  const index = before.findIndex((character, at) => character !== after[at]);
  const at = index === -1 ? before.length : index;
  return `from character ${at + 1} on: ${codePoint(before[at])} was sent, ${codePoint(after[at])} was received`;
}

function codePoint(character: string | undefined): string {
  if (character === undefined) return 'nothing more';
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
