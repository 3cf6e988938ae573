import { showJson } from '../../model/json.ts';
import { failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { describesError, isErrorAnswer } from './error-answer.ts';

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
