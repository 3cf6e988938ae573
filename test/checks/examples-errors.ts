import {
  answer,
  call,
  cannotJudge,
  type Example,
  fails,
  noAnswer,
  notApplicable,
  passes,
  undecided,
} from './example.ts';

const error = { code: 'INVALID_INPUT', message: 'The city is missing.' };
const hungUp = noAnswer({ code: 'closed-early', fault: 'server', message: 'closed without an answer' });
const sent = call({ requestId: 'probity-1' });
const tooDeep = { text: `{"error":${'['.repeat(300)}${']'.repeat(300)}}` };

/** Statuses that a proxy may answer in its own form. */
const NOT_THE_SERVERS = [200, 302, 401, 403, 407, 408, 429, 502, 503, 504];

/** Examples of the checks of every error answer of /execute. */
export const examplesOfErrors: readonly Example[] = [
  ...[400, 404, 405, 409, 422, 500, 501].map(
    (status): Example => ({
      check: 'error-body',
      what: `status ${status} with an error body`,
      given: { exchange: answer({ status, value: { error } }) },
      finds: passes,
    }),
  ),
  ...NOT_THE_SERVERS.map(
    (status): Example => ({
      check: 'error-body',
      what: `status ${status}`,
      given: { exchange: answer({ status, body: { text: '<html>' } }) },
      finds: notApplicable('the answer is not an error'),
    }),
  ),
  ...[404, 405, 501].map(
    (status): Example => ({
      check: 'error-body',
      what: `status ${status} of a server without the operation`,
      given: { exchange: answer({ status, value: { detail: 'Not Found' } }) },
      finds: notApplicable('the answer is not an error'),
    }),
  ),
  {
    check: 'error-body',
    what: 'status 404 with a page, to a call that must be refused',
    given: {
      exchange: answer({ status: 404, body: { text: '<h1>Not Found</h1>' } }),
      options: { refused: true },
    },
    finds: fails({ message: 'the answer has status 404, and the body is not JSON' }),
  },
  {
    check: 'error-body',
    what: 'status 404 with an error that is text',
    given: { exchange: answer({ status: 404, value: { error: 'no such city' } }) },
    finds: fails({
      message: 'the answer has status 404, and error is not an object',
      received: '{"error":"no such city"} (object)',
      pointer: '/error',
    }),
  },
  {
    check: 'error-body',
    what: 'a page of HTML',
    given: { exchange: answer({ status: 500, body: { text: '<h1>Oops</h1>' } }) },
    finds: fails({
      message: 'the answer has status 500, and the body is not JSON',
      expected: 'a JSON object with the strings error.code and error.message',
      received: '"<h1>Oops</h1>" (string)',
    }),
  },
  {
    check: 'error-body',
    what: 'an empty body',
    given: { exchange: answer({ status: 500, body: { text: '' } }) },
    finds: fails({ message: 'the answer has status 500, and the body is empty' }),
  },
  {
    check: 'error-body',
    what: 'a list',
    given: { exchange: answer({ status: 400, value: [{ error }] }) },
    finds: fails({ message: 'the answer has status 400, and the body is not an object', pointer: '' }),
  },
  ...(
    [
      ['of FastAPI', 422, { detail: [{ loc: ['body'], msg: 'Field required' }] }],
      ['of NestJS', 400, { statusCode: 400, message: ['city must be a string'] }],
    ] as const
  ).map(
    ([whose, status, value]): Example => ({
      check: 'error-body',
      what: `the framework’s own body, ${whose}`,
      given: { exchange: answer({ status, value }) },
      finds: fails({ message: `the answer has status ${status}, and error is missing` }),
    }),
  ),
  {
    check: 'error-body',
    what: 'a code that is a number and no message',
    given: { exchange: answer({ status: 400, value: { error: { code: -32_602 } } }) },
    finds: fails({
      message: 'the answer has status 400, and error.code is not a string and error.message is missing',
      pointer: '/error/code',
    }),
  },
  {
    check: 'error-body',
    what: 'a message that is null, as of a nil pointer',
    given: { exchange: answer({ status: 400, value: { error: { code: 'A', message: null } } }) },
    finds: fails({
      message: 'the answer has status 400, and error.message is not a string',
      pointer: '/error/message',
    }),
  },
  {
    check: 'error-body',
    what: 'a body too deep for the harness',
    given: { exchange: answer({ status: 500, body: tooDeep }) },
    finds: undecided({ fault: 'harness', received: 'more than 256 levels' }),
  },
  {
    check: 'error-body',
    what: 'no answer',
    given: { exchange: hungUp },
    finds: notApplicable('there is no answer'),
  },
  {
    check: 'error-body',
    what: 'no answer where there must be an error',
    given: { exchange: hungUp, options: { refused: true } },
    finds: cannotJudge('no-answer'),
  },

  {
    check: 'error-request-id',
    what: 'the requestId in the error answer',
    given: { call: sent, exchange: answer({ status: 500, value: { error, requestId: 'probity-1' } }) },
    finds: passes,
  },
  {
    check: 'error-request-id',
    what: 'no requestId, and a body in another form',
    given: { call: sent, exchange: answer({ status: 422, value: { detail: 'no' } }) },
    finds: fails({
      message: 'the answer has no requestId',
      expected: '"probity-1" (string)',
      received: 'nothing',
      pointer: '/requestId',
    }),
  },
  {
    check: 'error-request-id',
    what: 'a requestId of null',
    given: { call: sent, exchange: answer({ status: 400, value: { error, requestId: null } }) },
    finds: fails({ message: 'the requestId is not the one that was sent', received: 'null' }),
  },
  {
    check: 'error-request-id',
    what: 'a page of HTML, which error-body reports',
    given: { call: sent, exchange: answer({ status: 500, body: { text: '<html>' } }) },
    finds: cannotJudge('no-json-object'),
  },
  {
    check: 'error-request-id',
    what: 'an answer that is not an error',
    given: { call: sent, exchange: answer({ value: { result: {} } }) },
    finds: notApplicable('the answer is not an error'),
  },
  {
    check: 'error-request-id',
    what: 'a call without a requestId',
    given: { call: call(), exchange: answer({ status: 400, value: { error } }) },
    finds: notApplicable('the call carried no requestId'),
  },
  {
    check: 'error-request-id',
    what: 'no answer',
    given: { call: sent, exchange: hungUp },
    finds: notApplicable('there is no answer'),
  },
];
