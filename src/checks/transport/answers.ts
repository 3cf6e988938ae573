import { showJson } from '../../json/json.ts';
import type { PlannedCall } from '../../model/call.ts';
import {
  type Answer,
  headerValues,
  isSuccess,
  type UnansweredExchange,
  urlOf,
} from '../../model/exchange.ts';
import { failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { isRateLimited } from '../../model/rate-limit.ts';
import { BARE_LF } from '../../model/sent.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { answersIn, describeAnswer, NO_ANSWER } from '../json/answers.ts';
import { jsonBody } from '../json/json-body.ts';
import { noAnswerFinding } from '../transport-advice.ts';

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

const PERHAPS_TLS =
  'If the server speaks TLS on this port, the address must begin with https. Otherwise look in its log: it accepted the connection and closed it without an answer.';

function adviceFor(exchange: UnansweredExchange, call: PlannedCall | null): string | null {
  const { reason, timing } = exchange;
  if (reason.code === 'closed-early' && timing.firstByteMs === null && urlOf(exchange).startsWith('http:'))
    return PERHAPS_TLS;
  if (reason.code !== 'no-valid-input' || call === null) return null;
  const example = call.form === 'mcp' ? 'examples to the inputSchema' : 'an example to the descriptor';
  return `Add ${example}, or an input under samples: ${JSON.stringify(call.functionName)} in probity.config.yaml.`;
}

/** A request of the Model Context Protocol is answered with a message, whatever else HTTP says. */
function lacksMessage(exchange: Answer): boolean {
  const isAwaited = (exchange.request.message?.awaited ?? null) !== null;
  const isRefused = exchange.kind === 'answered' && !isSuccess(exchange.response.status);
  return isAwaited && !isRefused && answeringMessage(exchange) === undefined;
}

export const answered = defineCheck(
  'exchange',
  'answered',
  'the request gets an answer',
  ({ exchange, call }) => {
    if (exchange.kind !== 'unanswered') {
      if (!lacksMessage(exchange)) return passed;
      return failed({
        message: 'no message answers the request',
        expected: 'a message of JSON-RPC with the id of the request',
        received: describeAnswer(exchange),
      });
    }
    const { reason, request } = exchange;
    if (reason.code === 'not-sent') return inapplicable(reason.message);
    const advice = adviceFor(exchange, call);
    return noAnswerFinding(reason, { exchangeKey: request.key, ...(advice !== null && { advice }) });
  },
  { establishes: 'answer' },
);

const OK = 200;
/** They refuse the client, which other assertions report. */
const TURNED_AWAY: ReadonlySet<number> = new Set([401, 403]);

/** A server whose health fails now and then is seen here, before any invalid request can be blamed for it. */
export const furtherReadsAnswered = defineCheck(
  'exchange',
  'further-reads-answered',
  'a read that is made for another purpose is answered with status 200 too',
  ({ exchange }) => {
    if (exchange.kind !== 'answered') return inapplicable('there is no answer');
    const { status } = exchange.response;
    if (isRateLimited(exchange) || TURNED_AWAY.has(status)) return inapplicable('the client is refused');
    if (status === OK) return passed;
    return failed({
      message: `one of several reads is answered with status ${status}`,
      expected: 'status 200 for each read',
      received: `status ${status}`,
    });
  },
  { isIncidental: () => true },
);
