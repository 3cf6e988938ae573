import { ownProperty, showJson } from '../../json/json.ts';
import { failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { answered } from '../transport/answered.ts';

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

export const neverEnded = defineCheck(
  'step',
  'never-ended',
  'no process of the server ended by itself during the run; with `spoilt`, those of the conversation that is spoilt on purpose, and otherwise all others',
  ({ conversations, options }) => {
    const gone = conversations.find(
      ({ name, ended }) => ended?.by === 'server' && SPOILT.test(name) === (options.spoilt === true),
    );
    if (gone === undefined) return passed;
    const lines = gone.stderr.trim().split('\n').slice(-MAX_LINES).join('\n');
    return failed({
      message: 'the server ended while the check was talking to it',
      expected: 'a server that goes on, whatever it is sent',
      received: `${gone.ended?.reason}${lines === '' ? '' : `; the last lines of its standard error:\n${lines}`}`,
    });
  },
  {
    options: {
      spoilt: { doc: 'true: the conversation in which a text that is not JSON was sent.', required: false },
    },
  },
);

/** Also when it was started again. */
const SPOILT = /^spoilt(-again-\d+)?$/;

const MAX_LINES = 5;
