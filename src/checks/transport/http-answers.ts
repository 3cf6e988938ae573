import { showJson } from '../../json/json.ts';
import { BARE_LF, headerValues } from '../../model/exchange.ts';
import { failed, passed, undecided } from '../../model/judgement.ts';
import { answersIn, NO_ANSWER } from '../answers.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';

export const connectionReused = defineCheck(
  'step',
  'connection-reused',
  'the connection stays open for the next request',
  ({ asked }) => {
    const [, second] = answersIn(asked);
    if (second === undefined || second.connection.reused) return passed;
    return failed({
      message: 'each request needs a new connection',
      expected: 'the second request on the connection of the first',
      received: 'a new connection',
      exchangeKey: second.request.key,
    });
  },
);

export const crlfLineEnds = defineCheck(
  'step',
  'crlf-line-ends',
  'the status line and the headers of every answer end their lines in CRLF',
  ({ asked }) => {
    const answers = answersIn(asked);
    if (answers.length === 0) return cannotJudge('no-answer');
    const odd = answers.filter(({ response }) => response.oddities.includes(BARE_LF));
    const [first] = odd;
    if (first === undefined) return passed;
    return failed({
      message: 'lines of the status line and the headers end in LF alone',
      expected: 'CRLF at the end of every line',
      received: `LF alone in ${odd.length} of ${answers.length} answers`,
      exchangeKey: first.request.key,
    });
  },
  NO_ANSWER,
);

export const jsonContentType = defineCheck(
  'answer',
  'json-content-type',
  'Content-Type is application/json',
  ({ exchange }) => {
    const values = headerValues(exchange.response.headers, 'content-type');
    const others = values.filter((value) => !isJson(value));
    const [first] = values;
    // If two headers differ, some clients use the first and some the last.
    if (first !== undefined && others.length === 0) return passed;
    const received = others.length < values.length ? values.join(' and ') : first;
    return failed({
      message:
        received === undefined
          ? 'the answer has no Content-Type'
          : 'the Content-Type is not application/json',
      expected: 'Content-Type: application/json, with or without parameters',
      received: received === undefined ? 'no such header' : showJson(received),
    });
  },
);

function isJson(value: string): boolean {
  return value.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

export const jsonObject = defineCheck(
  'answer',
  'json-object',
  'the body is one JSON object, UTF-8, no BOM, no key twice',
  ({ exchange }) => {
    const { problem } = jsonBody(exchange);
    if (problem === null) return passed;
    const { message, received, pointer, advice, serversFault } = problem;
    const expected = 'one JSON object in UTF-8';
    return (serversFault ? failed : undecided)({ message, expected, received, pointer, advice });
  },
  { establishes: 'json-object' },
);
