import { isJsonObject, type Json, ownProperty, showJson } from '../../json/json.ts';
import type { AnsweredExchange } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
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

const OK_FROM = 200;
const OK_BELOW = 300;

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
    if (status >= OK_FROM && status < OK_BELOW) {
      return failed({
        message: described
          ? 'the error has a success status'
          : 'the invalid call was answered as if it were valid',
        expected,
        received: `${status} with ${value === undefined ? (problem?.received ?? 'no body') : showJson(value)}`,
      });
    }
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
