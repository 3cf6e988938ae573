import { ownProperty, showJson } from '../../json/json.ts';
import { failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { answered } from '../transport/answers.ts';

/** Closing the connection on a request that is too large is allowed: the server does not hang. */
const CLOSED_CODES = new Set(['connection-reset', 'closed-early']);

export const answeredOrClosed = defineCheck(
  'exchange',
  'answered-or-closed',
  'the request gets an answer, or the connection is closed',
  (context) => {
    const { exchange } = context;
    if (exchange.kind === 'unanswered' && CLOSED_CODES.has(exchange.reason.code)) return passed;
    return answered.judge(context);
  },
);

const SERVER_ERROR = 500;

export const onlyDeclaredFailure = defineCheck(
  'answer',
  'only-declared-failure',
  'no 5xx status, unless it is 500 with error.code EXECUTION_ERROR',
  ({ exchange }) => {
    const { status } = exchange.response;
    if (status < SERVER_ERROR) return passed;
    const { value, problem } = jsonBody(exchange);
    const code = ownProperty(ownProperty(value, 'error'), 'code');
    if (status === SERVER_ERROR && code === 'EXECUTION_ERROR') return passed;
    const expected = 'a status below 500, or 500 with error.code EXECUTION_ERROR';
    if (status === SERVER_ERROR && problem?.serversFault === false)
      return undecided({ message: problem.message, expected, received: problem.received });
    return failed({
      message: `the status is ${status}, and the answer does not say that the function failed`,
      expected,
      received: `${status} with ${value === undefined ? 'a body that is not JSON' : showJson(value)}`,
    });
  },
);
