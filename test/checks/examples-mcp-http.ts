import type { Asked } from '../../src/checks/define-check.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import type { Header, SentRequest } from '../../src/model/exchange.ts';
import { type AnswerParts, call, type Example, fails, notApplicable, passes } from './example.ts';
import { asked, error, heard, notification, ok, posted, request } from './messages.ts';

const JSON_TYPE: Header = ['content-type', 'application/json'];
const STREAM: Header = ['content-type', 'text/event-stream'];

/** The answer that opened a session with this id. */
const issuing = (...ids: readonly string[]) =>
  posted(request('initialize'), {
    value: ok({}),
    headers: [JSON_TYPE, ...ids.map((id): Header => ['Mcp-Session-Id', id])],
  });

/** An answer as a stream of events. */
const streamed = (closedBy: 'server' | 'probe', answeredAtMs: number | null = 5) =>
  posted(request(), {
    headers: [STREAM],
    body: { text: `data: ${JSON.stringify(ok())}\n\n` },
    stream: { answeredAtMs, closedBy },
  });

/** A call of a tool whose parameter `region` the header has, and the message that answers it. */
const mirrored = (region: string, value: string, answered: JsonObject): Asked => ({
  exchange: posted(request('tools/call', { name: 'add', arguments: { region } }), {
    value: answered,
    headers: [JSON_TYPE],
    request: { headers: [['mcp-param-region', value]] },
  }),
  call: call({ functionName: 'add', input: { region }, inputSource: 'explored' }),
  item: {
    name: 'add',
    parameters: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  },
});

/** Each conversation is a session with its name as the id; one with an empty name is none. */
const inSession = (conversation: string, parts: Partial<SentRequest> = {}) => ({
  conversation,
  request: {
    ...parts,
    headers: conversation === '' ? [] : [['mcp-session-id', conversation] satisfies Header],
  },
});
const deleted = (status: number, conversation = 'ending') =>
  posted(null, { status, body: { text: '' }, ...inSession(conversation, { method: 'DELETE' }) });
const pinged = (status: number, conversation = 'ending') =>
  posted(request(), {
    status,
    value: status === 200 ? ok() : error(-32000),
    key: 'ping#0',
    ...inSession(conversation),
  });

const mismatch = (value: Json, parts: AnswerParts = {}) => ({
  exchange: posted(request('tools/list'), { status: 400, value, ...parts }),
});

/** Examples of the checks of Streamable HTTP. */
export const examplesOfMcpHttp: readonly Example[] = [
  { check: 'session-id-visible', what: 'letters', given: { exchange: issuing('a-1~!') }, finds: passes },
  {
    check: 'session-id-visible',
    what: 'a blank',
    given: { exchange: issuing('a 1') },
    finds: fails({ received: '"a 1" (string)' }),
  },
  {
    check: 'session-id-visible',
    what: 'no id',
    given: { exchange: issuing() },
    finds: notApplicable('the server issues no session ids'),
  },
  { check: 'no-session-id', what: 'no id', given: { exchange: issuing() }, finds: passes },
  {
    check: 'no-session-id',
    what: 'an id',
    given: { exchange: issuing('a') },
    finds: fails({ expected: 'no Mcp-Session-Id', received: '"a" (string)' }),
  },
  {
    check: 'no-body',
    what: 'nothing',
    given: { exchange: posted(notification('notifications/x'), { status: 202, body: { text: '' } }) },
    finds: passes,
  },
  {
    check: 'no-body',
    what: 'an object',
    given: { exchange: posted(notification('notifications/x'), { status: 202, value: {} }) },
    finds: fails({ received: '2 bytes' }),
  },
  {
    check: 'no-body',
    what: 'a refusal',
    given: { exchange: posted(notification('notifications/x'), { status: 400, value: error(-32600) }) },
    finds: notApplicable('the notification was not accepted'),
  },
  {
    check: 'stream-or-405',
    what: 'status 405',
    given: { exchange: posted(null, { status: 405, request: { method: 'GET' } }) },
    finds: passes,
  },
  {
    check: 'stream-or-405',
    what: 'a stream',
    given: { exchange: posted(null, { headers: [['Content-Type', 'text/event-stream; charset=utf-8']] }) },
    finds: passes,
  },
  {
    check: 'stream-or-405',
    what: 'a page',
    given: { exchange: posted(null, { headers: [['content-type', 'text/html']] }) },
    finds: fails({ received: 'status 200, text/html' }),
  },
  {
    check: 'message-media-type',
    what: 'both types, and a refusal of another',
    given: asked(
      posted(request(), { value: ok(), headers: [['content-type', 'Application/JSON; charset=utf-8']] }),
      streamed('server'),
      posted(request(), { status: 500, headers: [['content-type', 'text/html']] }),
    ),
    finds: passes,
  },
  {
    check: 'message-media-type',
    what: 'no type',
    given: asked(posted(request(), { value: ok(), headers: [] })),
    finds: fails({ received: 'no Content-Type', exchangeKey: 'step#0' }),
  },
  {
    check: 'message-media-type',
    what: 'a notification',
    given: asked(posted(notification('notifications/x'), { status: 202, headers: [], body: { text: '' } })),
    finds: notApplicable('no request was answered over HTTP'),
  },
  { check: 'stream-ends', what: 'a stream that ends', given: asked(streamed('server')), finds: passes },
  {
    check: 'stream-ends',
    what: 'a stream that stays open',
    given: asked(streamed('server'), streamed('probe')),
    finds: fails({ message: 'the stream stays open after the answer', exchangeKey: 'step#0' }),
  },
  {
    check: 'stream-ends',
    what: 'a stream without the answer, and an answer without a stream',
    given: asked(streamed('probe', null), posted(request(), { value: ok() }), heard(request(), [ok()])),
    finds: notApplicable('the server does not answer with a stream'),
  },
  {
    check: 'session-ended',
    what: 'status 404 after DELETE',
    given: asked(deleted(200), pinged(404)),
    finds: passes,
  },
  {
    check: 'session-ended',
    what: 'an answer after DELETE',
    given: asked(pinged(200, 'main'), deleted(204), pinged(200, 'main'), pinged(200)),
    finds: fails({ received: 'status 200', exchangeKey: 'ping#0' }),
  },
  {
    check: 'session-ended',
    what: 'a DELETE to a server without sessions',
    given: asked(deleted(200, ''), pinged(200, '')),
    finds: notApplicable('no session was ended with DELETE'),
  },
  {
    check: 'session-ended',
    what: 'a refused DELETE',
    given: asked(deleted(405), pinged(200)),
    finds: notApplicable('no session was ended with DELETE'),
  },
  { check: 'header-mismatch', what: 'its error', given: mismatch(error(-32020)), finds: passes },
  {
    check: 'headers-accepted',
    what: 'a call whose headers repeat its parameters, and is answered',
    given: { asked: [mirrored('Zürich', '=?base64?WsO8cmljaA==?=', ok({}))] },
    finds: passes,
  },
  {
    check: 'headers-accepted',
    what: 'such a call that is refused as if they did not',
    given: { asked: [mirrored('Zürich', '=?base64?WsO8cmljaA==?=', error(-32020))] },
    finds: fails({ received: 'the error -32020: x' }),
  },
  {
    check: 'headers-accepted',
    what: 'a call whose header has another value, which is refused',
    given: { asked: [mirrored('Zürich', 'Bern', error(-32020))] },
    finds: notApplicable('no tool has a parameter that a header repeats'),
  },
  {
    check: 'headers-accepted',
    what: 'half a character, which no header can repeat',
    given: { asked: [mirrored('\ud800', '=?base64?77+9?=', error(-32020))] },
    finds: notApplicable('no tool has a parameter that a header repeats'),
  },
  {
    check: 'header-mismatch',
    what: 'its error, without the id of a request that was not read',
    given: mismatch(error(-32020, 'x', null)),
    finds: passes,
  },
  {
    check: 'header-mismatch',
    what: 'another error',
    given: mismatch(error(-32600)),
    finds: fails({ expected: 'the error -32020', received: 'the error -32600: x' }),
  },
  {
    check: 'header-mismatch',
    what: 'a result',
    given: mismatch(ok({ tools: [] }), { status: 200 }),
    finds: fails({ received: 'a result' }),
  },
];
