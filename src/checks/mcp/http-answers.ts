import { canonicalJson, type Json, ownProperty } from '../../json/json.ts';
import { isInvalid } from '../../model/call.ts';
import {
  type AnsweredExchange,
  headerValue,
  isEventStream,
  isSuccess,
  mediaTypeOf,
} from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { bufferFrom } from '../../model/sent.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { mirroredHeaders, mirroredParameters, SESSION_ID } from '../../wires/mcp/http-headers.ts';
import { eventIdsIn } from '../../wires/mcp/messages.ts';
import { type Asked, defineCheck, judgeFirst } from '../define-check.ts';
import { answersIn, describeAnswer } from '../json/answers.ts';
import { answersOf } from './received.ts';

export const noBody = defineCheck('answer', 'no-body', 'the answer has no body', ({ exchange }) => {
  if (exchange.response.status !== 202) return inapplicable('the notification was not accepted');
  const bytes = bufferFrom(exchange.response.body).byteLength;
  if (bytes === 0) return passed;
  return failed({
    message: 'the answer to a notification has a body',
    expected: 'an empty body',
    received: `${bytes} bytes`,
  });
});

export const streamOr405 = defineCheck(
  'answer',
  'stream-or-405',
  'GET opens a stream of events, or is answered with 405',
  ({ exchange }) => {
    const { status, headers } = exchange.response;
    if (status === 405 || (status === 200 && isEventStream(headers))) return passed;
    return failed({
      message: 'the server answers GET neither with a stream nor with status 405',
      expected: 'status 405, or 200 with Content-Type: text/event-stream',
      received: `status ${status}, ${headerValue(headers, 'content-type') ?? 'no Content-Type'}`,
    });
  },
);

/** Requests that got an answer in JSON-RPC, over HTTP. */
function answeredRequests(asked: readonly Asked[]): readonly AnsweredExchange[] {
  return answersIn(asked).filter(
    (exchange) => (exchange.request.message?.awaited ?? null) !== null && isSuccess(exchange.response.status),
  );
}

export const messageMediaType = defineCheck(
  'step',
  'message-media-type',
  'each request that is answered with a message gets application/json or text/event-stream',
  ({ asked }) =>
    judgeFirst(
      answeredRequests(asked),
      'no request was answered over HTTP',
      ({ response }) => !['application/json', 'text/event-stream'].includes(mediaTypeOf(response.headers)),
      ({ request, response }) => ({
        message: 'the answer to a request has neither of the two media types',
        expected: 'application/json or text/event-stream',
        received: headerValue(response.headers, 'content-type') ?? 'no Content-Type',
        exchangeKey: request.key,
      }),
    ),
  { breaksAlone: true },
);

export const streamEnds = defineCheck(
  'step',
  'stream-ends',
  'a stream of events is closed after the answer to its request',
  ({ asked }) =>
    judgeFirst(
      // A stream that a GET resumes may stay open.
      answeredRequests(asked).filter(
        (exchange) =>
          exchange.stream?.answeredAtMs != null &&
          exchange.stream.resumed === undefined &&
          // A subscription is acknowledged long before it is answered.
          answeringMessage(exchange) !== undefined,
      ),
      'the server does not answer with a stream',
      ({ stream }) => stream?.closedBy === 'probe',
      ({ request }) => ({
        message: 'the stream stays open after the answer',
        expected: 'the end of the stream',
        received: 'a stream that was open a second later',
        exchangeKey: request.key,
      }),
    ),
);

export const unbuffered = defineCheck(
  'step',
  'stream-unbuffered',
  'a stream of events tells proxies not to buffer it',
  ({ asked }) =>
    judgeFirst(
      answeredRequests(asked).filter(({ response }) => isEventStream(response.headers)),
      'the server does not answer with a stream',
      ({ response }) => headerValue(response.headers, 'x-accel-buffering')?.toLowerCase() !== 'no',
      ({ request, response }) => ({
        message: 'a stream of events does not tell proxies not to buffer it',
        expected: 'X-Accel-Buffering: no',
        received: headerValue(response.headers, 'x-accel-buffering') ?? 'no X-Accel-Buffering',
        exchangeKey: request.key,
      }),
    ),
);

export const eventIds = defineCheck(
  'step',
  'event-ids',
  'no two events of a session have the same id',
  ({ asked }) => {
    const seen = new Map<string, string>();
    const identified = answersOf(asked).flatMap((exchange) => {
      if (exchange.kind !== 'answered') return [];
      const { headers, body } = exchange.response;
      const session = headerValue(headers, SESSION_ID) ?? headerValue(exchange.request.headers, SESSION_ID);
      // Without a session, a server cannot know which streams are those of one client.
      if (session === undefined || !isEventStream(headers)) return [];
      return eventIdsIn(bufferFrom(body)).map((id) => ({ id, session, exchangeKey: exchange.request.key }));
    });
    return judgeFirst(
      identified,
      'no event has an id',
      ({ id, session, exchangeKey }) => {
        const key = JSON.stringify([session, id]);
        const isAgain = seen.has(key);
        seen.set(key, exchangeKey);
        return isAgain;
      },
      ({ id, exchangeKey }) => ({
        message: 'two events of a session have the same id',
        expected: 'an id that no other event of the session has, in whichever stream',
        received: `the id ${JSON.stringify(id)} again`,
        exchangeKey,
      }),
    );
  },
  { breaksAlone: true },
);

/** The headers of a request are not those that its body asks for (revision 2026-07-28). */
const HEADER_MISMATCH = -32_020;

export const headersAccepted = defineCheck(
  'step',
  'headers-accepted',
  'no call whose headers repeat its parameters as they are is refused with the error -32020',
  ({ asked }) => {
    const right = asked.flatMap(({ exchange, call, item }) => {
      const parameters = mirroredParameters(ownProperty(item, 'parameters'));
      if (exchange.kind !== 'answered' || call === null || parameters.length === 0) return [];
      // Half a character has no bytes that a header could repeat.
      if (isInvalid(call.inputSource) || /\\ud[89a-f]/i.test(JSON.stringify(call.input))) return [];
      const expected = mirroredHeaders(parameters, call.input ?? {});
      const sent = exchange.request.headers.filter(([name]) => name.startsWith('mcp-param-'));
      return canonicalJson(sent.toSorted()) === canonicalJson(expected.toSorted()) ? [exchange] : [];
    });
    return judgeFirst(
      right,
      'no tool has a parameter that a header repeats',
      (exchange) => refusedWith(exchange) === HEADER_MISMATCH,
      (exchange) => ({
        message: 'a call is refused as if its headers contradicted its parameters, which they repeat',
        expected: 'any answer but the error -32020',
        received: describeAnswer(exchange),
        advice:
          'Decode a value that starts with `=?base64?` and ends with `?=`, compare numbers as numbers, and expect no header for a parameter that is null or absent.',
        exchangeKey: exchange.request.key,
      }),
    );
  },
  { breaksAlone: true, isIncidental: () => true },
);

function refusedWith(exchange: AnsweredExchange): Json | undefined {
  const message = answeringMessage(exchange)?.message;
  return message?.kind === 'error' ? message.code : undefined;
}

export const headerMismatch = defineCheck(
  'answer',
  'header-mismatch',
  'a header that contradicts the body is refused with the error -32020',
  ({ exchange }) => {
    if (refusedWith(exchange) === HEADER_MISMATCH) return passed;
    return failed({
      message: 'a header that contradicts the body is not refused with the error -32020',
      expected: 'the error -32020',
      received: describeAnswer(exchange),
    });
  },
);
