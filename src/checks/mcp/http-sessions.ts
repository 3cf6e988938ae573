import { showJson } from '../../json/json.ts';
import { type AnsweredExchange, headerValue, isSuccess } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import { SESSION_ID } from '../../wires/mcp/http-headers.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { answersIn } from '../json/answers.ts';
import { methodOf } from './received.ts';

export const sessionIdVisible = defineCheck(
  'answer',
  'session-id-visible',
  'the id of a session is of visible ASCII characters',
  ({ exchange }) => {
    const id = headerValue(exchange.response.headers, SESSION_ID);
    if (id === undefined) return inapplicable('the server issues no session ids');
    if (/^[\x21-\x7E]+$/.test(id)) return passed;
    return failed({
      message: 'the session id is not of visible ASCII characters',
      expected: 'characters from ! to ~',
      received: showJson(id),
    });
  },
);

export const noSessionId = defineCheck(
  'answer',
  'no-session-id',
  'no session id is issued',
  ({ exchange }) => {
    const id = headerValue(exchange.response.headers, SESSION_ID);
    if (id === undefined) return passed;
    return failed({
      message: 'the server issues a session id, which this revision does not have',
      expected: 'no Mcp-Session-Id',
      received: showJson(id),
    });
  },
);

/** Fewer letters and digits than that have less than 64 bits. */
const MIN_LENGTH = 11;
/** Counters of other clients may have moved on between two sessions. */
const NEAR = 1000;

export const sessionIdsUnguessable = defineCheck(
  'step',
  'session-ids-unguessable',
  'each session has an id of its own, which is long enough and is no counter',
  ({ asked }) => {
    const issued = answersIn(asked).flatMap((exchange) => {
      const id = headerValue(exchange.response.headers, SESSION_ID);
      return methodOf(exchange) !== 'initialize' || id === undefined ? [] : [{ id, exchange }];
    });
    if (issued.length === 0) return inapplicable('the server issues no session ids');
    return judgeEach(issued, ({ id, exchange }) => {
      const earlier = issued.slice(
        0,
        issued.findIndex((one) => one.exchange === exchange),
      );
      const problem = idProblem(
        id,
        earlier.map((one) => one.id),
      );
      if (problem === null) return passed;
      return failed({
        message: `${problem}, so that others can guess it`,
        expected: 'a random id, such as a UUID',
        received: showJson(id),
        exchangeKey: exchange.request.key,
      });
    });
  },
);

function idProblem(id: string, earlier: readonly string[]): string | null {
  if (earlier.includes(id)) return 'two sessions have the same id';
  if (id.length < MIN_LENGTH) return `the id of a session has only ${id.length} characters`;
  return earlier.some((other) => isNextOf(id, other)) ? 'the id of a session is a counter' : null;
}

/** Whether two ids differ only in one decimal number, and that by little. */
function isNextOf(id: string, other: string): boolean {
  const [parts, others] = [id, other].map((text) => text.split(/(\d+)/));
  if (parts === undefined || others === undefined || parts.length !== others.length) return false;
  const different = parts.flatMap((part, index) => {
    const beside = others[index] ?? '';
    return part === beside ? [] : [Math.abs(Number(part) - Number(beside))];
  });
  const [distance = Number.NaN] = different;
  return different.length === 1 && distance <= NEAR;
}

export const sessionEnded = defineCheck(
  'step',
  'session-ended',
  'a request in a session that was ended with DELETE is answered with 404',
  ({ asked }) => {
    const answers = answersIn(asked).filter(isMessage);
    const next = answers.flatMap((ended, index) => {
      if (ended.request.method !== 'DELETE' || !isSuccess(ended.response.status)) return [];
      const id = sentSessionId(ended);
      // What opened the conversation may be listed later: its requests have no id yet, and its notification has no answer.
      const isNext = (one: AnsweredExchange): boolean =>
        (one.request.message?.awaited ?? null) !== null && sentSessionId(one) === id;
      // Without an id, no session was ended.
      return id === undefined ? [] : (answers.slice(index + 1).find(isNext) ?? []);
    });
    if (next.length === 0) return inapplicable('no session was ended with DELETE');
    return judgeEach(next, ({ request, response: { status } }) => {
      if (status === 404) return passed;
      return failed({
        message: `the server answers a request in an ended session with status ${status}`,
        expected: 'status 404',
        received: `status ${status}`,
        exchangeKey: request.key,
      });
    });
  },
);

function sentSessionId({ request }: AnsweredExchange): string | undefined {
  return headerValue(request.headers, SESSION_ID);
}
