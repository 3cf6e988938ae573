import type { JsonObject } from '../../src/json/json.ts';
import type { Header } from '../../src/model/exchange.ts';
import { type Example, fails, type Given, notApplicable, passes } from './example.ts';
import {
  asked,
  came,
  error,
  heard,
  notification,
  ok,
  posted,
  request,
  returned,
  SESSION,
  STATELESS,
  unasked,
} from './messages.ts';

const STREAM: Header = ['content-type', 'text/event-stream'];

const progressing = (progressToken: string, progress: number): JsonObject =>
  notification('notifications/progress', { progressToken, progress });
const call = (token: string) => request('tools/call', { name: 'add', _meta: { progressToken: token } });
/** Over HTTP, a stream has all that came for a call. */
const streamedCall = (token: string, ...messages: readonly JsonObject[]): Given => {
  const exchange = posted(call(token), {
    headers: [STREAM],
    body: { text: messages.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('') },
  });
  return { ...asked(exchange), exchanges: [exchange] };
};
/** Over standard streams, what is not the answer is heard beside it. */
const pipedCall = (token: string, ...messages: readonly JsonObject[]): Given => {
  const exchange = heard(call(token), [ok()]);
  return { ...asked(exchange), exchanges: [exchange], conversations: unasked(...messages) };
};

const issuing = (...ids: readonly string[]): Given =>
  asked(
    ...ids.map((id, index) =>
      posted(request('initialize'), {
        value: ok(),
        key: `open#${index}`,
        headers: [
          ['content-type', 'application/json'],
          ['mcp-session-id', id],
        ],
      }),
    ),
  );

const events = (session: string, ids: readonly string[], key = 'step#0') =>
  posted(request(), {
    key,
    headers: [STREAM],
    body: { text: ids.map((id) => `id: ${id}\ndata: ${JSON.stringify(ok())}\n\n`).join('') },
    request: { headers: [['mcp-session-id', session]] },
  });

const meta = (key: string, value: JsonObject | string = {}): Given => came(ok({ _meta: { [key]: value } }));
const icon = (src: string): Given => came(ok({ tools: [{ name: 'a', icons: [{ src }] }] }));
const extending = (...names: readonly string[]): Given => ({
  ...came(ok()),
  opened: {
    ...STATELESS,
    capabilities: { extensions: Object.fromEntries(names.map((name) => [name, {}])) },
  },
});
const pages = (...scopes: readonly string[]): Given =>
  asked(
    ...scopes.map((cacheScope, index) =>
      heard(request('tools/list'), [ok({ tools: [], cacheScope })], { key: `list#${index}` }),
    ),
  );
const MALFORMED = { what: 'a text that is not JSON', code: -32_700 };
const cancelling = (requestId: number, ...before: readonly JsonObject[]): Given => {
  const exchanges = before.map((one) => heard(one, [ok()]));
  return {
    ...asked(...exchanges),
    exchanges,
    conversations: unasked(notification('notifications/cancelled', { requestId })),
  };
};

const LISTEN = request('subscriptions/listen', { notifications: { toolsListChanged: true } });
const CHANGING = { ...STATELESS, capabilities: { tools: { listChanged: true } } };
const tagged = (id: number | null, more: JsonObject = {}): JsonObject => ({
  _meta: id === null ? {} : { 'io.modelcontextprotocol/subscriptionId': id },
  ...more,
});
const listening = (notifications: JsonObject, id = 1): Given => ({
  exchange: heard(LISTEN, [
    notification('notifications/subscriptions/acknowledged', tagged(id, { notifications })),
  ]),
  opened: CHANGING,
});
const telling = (id: number | null, method: string): Given => {
  const exchange = heard(LISTEN, [ok()]);
  return {
    ...asked(exchange),
    exchanges: [exchange],
    conversations: unasked(notification(method, tagged(id))),
  };
};

/** A call that was cancelled, in one piece with a ping that is answered after 30 ms, and when the call is answered. */
const cancelled = (answeredAtMs: number | null, endedAtMs = 1000): Given => {
  const piece = [
    request('tools/call', { name: 'add' }, 'x'),
    notification('notifications/cancelled', { requestId: 'x' }),
    request(),
  ];
  const exchange = heard(piece.map((one) => JSON.stringify(one)).join('\n'), [ok()]);
  const { asked: before = [] } = returned([{ content: [] }]);
  return {
    asked: [...before, { exchange, call: null, item: undefined }],
    conversations: unasked(...(answeredAtMs === null ? [] : [ok({}, 'x')])).map((one) => ({
      ...one,
      unasked: one.unasked.map((heardOne) => ({ ...heardOne, atMs: answeredAtMs ?? 0 })),
      ended: { by: 'probe', reason: 'over', atMs: endedAtMs },
    })),
  };
};
const BATCH = JSON.stringify([request('ping', {}, 'a'), request('ping', {}, 'b')]);
const USERS = 'root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1::/:/bin/false\n';
const readOfUsers = (uri: string) =>
  heard(request('resources/read', { uri }), [ok({ contents: [{ uri, text: USERS }] })]);
const offering = (uriTemplate: string) =>
  heard(request('resources/templates/list'), [ok({ resourceTemplates: [{ name: 'files', uriTemplate }] })]);

/** Examples of the checks of what servers add to messages, report while they work, and let in. */
export const examplesOfConduct: readonly Example[] = [
  ...['progressToken', 'com.example/tags', 'a', 'com.example/', 'a_b.c-d', ''].map(
    (key): Example => ({
      check: 'meta-keys',
      what: `the key ${JSON.stringify(key)}`,
      given: meta(key),
      finds: passes,
    }),
  ),
  ...['_tags', 'a b', '3com/tags', 'com..example/tags', 'com.example/-a', 'com-/a', 'a/b/c'].map(
    (key): Example => ({
      check: 'meta-keys',
      what: `the key ${JSON.stringify(key)}`,
      given: meta(key),
      finds: fails({
        message: 'a key in _meta is not valid',
        received: `${JSON.stringify(key)} (string)`,
        pointer: '/result/_meta',
        exchangeKey: 'step#0',
      }),
    }),
  ),
  {
    check: 'meta-keys',
    what: 'a member of that name in what a tool returns, or takes',
    given: came(
      ok({
        structuredContent: { _meta: { 'a b': 1 } },
        tools: [{ inputSchema: { properties: { _meta: { 'a b': {} } } } }],
      }),
    ),
    finds: notApplicable('no message has _meta'),
  },
  {
    check: 'meta-keys',
    what: 'a trace context',
    given: {
      ...meta('traceparent', '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01'),
      opened: STATELESS,
    },
    finds: passes,
  },
  {
    check: 'meta-keys',
    what: 'another text as trace context',
    given: { ...meta('traceparent', 'abc'), opened: STATELESS },
    finds: fails({ message: 'traceparent in _meta is no trace context', received: '"abc" (string)' }),
  },
  {
    check: 'meta-keys',
    what: 'such a text before the key was reserved',
    given: { ...meta('traceparent', 'abc'), opened: SESSION },
    finds: passes,
  },
  ...['https://example.com/a.png', 'data:image/png;base64,iVBORw0KGgo='].map(
    (src): Example => ({ check: 'icon-addresses', what: src, given: icon(src), finds: passes }),
  ),
  {
    check: 'icon-addresses',
    what: 'an icon over http',
    given: icon('http://example.com/a.png'),
    finds: fails({ pointer: '/result/tools/0/icons/0/src', received: '"http://example.com/a.png" (string)' }),
  },
  {
    check: 'icon-addresses',
    what: 'no icon',
    given: came(ok()),
    finds: notApplicable('nothing has an icon'),
  },
  {
    check: 'extension-ids',
    what: 'names with a prefix',
    given: extending('io.modelcontextprotocol/ui', 'com.example/a-b'),
    finds: passes,
  },
  {
    check: 'extension-ids',
    what: 'a name without one',
    given: extending('com.example/a', 'ui'),
    finds: fails({ message: 'an extension has a name without a valid prefix', received: '"ui" (string)' }),
  },
  {
    check: 'extension-ids',
    what: 'no extension',
    given: extending(),
    finds: notApplicable('the server announces no extensions'),
  },
  {
    check: 'progress',
    what: 'progress that increases, in the stream of its call',
    given: streamedCall('a', progressing('a', 1), progressing('a', 2.5), ok()),
    finds: passes,
  },
  {
    check: 'progress',
    what: 'progress beside the call',
    given: pipedCall('a', progressing('a', 1), progressing('a', 2)),
    finds: passes,
  },
  {
    check: 'progress',
    what: 'progress of a call that was timed, and is not kept',
    given: pipedCall('a', progressing('probity-12', 1)),
    finds: passes,
  },
  {
    check: 'progress',
    what: 'progress that stands still',
    given: pipedCall('a', progressing('a', 2), progressing('a', 2)),
    finds: fails({
      message: 'progress does not increase from one notification to the next',
      expected: 'more than 2',
      exchangeKey: 'step#0',
    }),
  },
  {
    check: 'progress',
    what: 'a token that nobody gave',
    given: pipedCall('a', progressing('b', 1)),
    finds: fails({ message: 'a progress notification has a token that no request gave' }),
  },
  {
    check: 'progress',
    what: 'progress after the answer',
    given: streamedCall('a', ok(), progressing('a', 1)),
    finds: fails({ message: 'progress is reported after the request was answered', exchangeKey: 'step#0' }),
  },
  {
    check: 'progress',
    what: 'no progress',
    given: came(ok()),
    finds: notApplicable('the server reports no progress'),
  },
  {
    check: 'server-cancellations',
    what: 'a subscription that the server ends',
    given: cancelling(1, request('subscriptions/listen')),
    finds: passes,
  },
  {
    check: 'server-cancellations',
    what: 'a call that the server ends',
    given: cancelling(1, request('tools/call')),
    finds: fails({ pointer: '/params/requestId' }),
  },
  {
    check: 'malformed-code',
    what: 'the code',
    given: { exchange: heard('{"broken', [error(-32_700, 'x', null)]), options: MALFORMED },
    finds: passes,
  },
  {
    check: 'malformed-code',
    what: 'another code',
    given: { exchange: heard('{"broken', [error(-32_603, 'x', null)]), options: MALFORMED },
    finds: fails({
      message: 'a text that is not JSON is answered with another error than -32700',
      pointer: '/error/code',
    }),
  },
  {
    check: 'malformed-code',
    what: 'no answer',
    given: { exchange: heard('{"broken', [], { end: 'silent' }), options: MALFORMED },
    finds: notApplicable('it was not answered with an error of JSON-RPC'),
  },
  { check: 'cache-scopes', what: 'pages that agree', given: pages('public', 'public'), finds: passes },
  {
    check: 'cache-scopes',
    what: 'a page for one user only',
    given: pages('public', 'private'),
    finds: fails({
      expected: '"public", as on the first page',
      received: '"private" (string)',
      exchangeKey: 'list#1',
    }),
  },
  {
    check: 'cache-scopes',
    what: 'one page',
    given: pages('public'),
    finds: notApplicable('the list has one page'),
  },
  {
    check: 'session-ids-unguessable',
    what: 'random ids',
    given: issuing('0b5e7c1e-6f0e-4f0e-9d9c-5a1d0d3f1a11', 'd2a4c6f8-1b3d-4e5f-8a9b-0c1d2e3f4a5b'),
    finds: passes,
  },
  {
    check: 'session-ids-unguessable',
    what: 'a counter',
    given: issuing('session-of-user-7', 'session-of-user-9'),
    finds: fails({
      message: 'the id of a session is a counter, so that others can guess it',
      exchangeKey: 'open#1',
    }),
  },
  {
    check: 'session-ids-unguessable',
    what: 'long numbers that are far apart',
    given: issuing('73910284756102938475', '10293847561029384756'),
    finds: passes,
  },
  {
    check: 'session-ids-unguessable',
    what: 'the same id twice',
    given: issuing('0b5e7c1e-6f0e-4f0e', '0b5e7c1e-6f0e-4f0e'),
    finds: fails({ message: 'two sessions have the same id, so that others can guess it' }),
  },
  {
    check: 'session-ids-unguessable',
    what: 'a short id',
    given: issuing('abc'),
    finds: fails({ message: 'the id of a session has only 3 characters, so that others can guess it' }),
  },
  {
    check: 'session-ids-unguessable',
    what: 'no session',
    given: asked(posted(request('initialize'), { value: ok() })),
    finds: notApplicable('the server issues no session ids'),
  },
  {
    check: 'event-ids',
    what: 'the same ids in two sessions',
    given: asked(events('one', ['1', '2']), events('two', ['1'], 'other#0')),
    finds: passes,
  },
  {
    check: 'event-ids',
    what: 'the same id in two streams of a session',
    given: asked(events('one', ['1', '2']), events('one', ['1'], 'other#0')),
    finds: fails({ received: 'the id "1" again', exchangeKey: 'other#0' }),
  },
  {
    check: 'event-ids',
    what: 'a call that is seen twice, because it took the place of a refused one',
    given: asked(events('one', ['1', '2']), events('one', ['1', '2'])),
    finds: passes,
  },
  {
    check: 'event-ids',
    what: 'events without ids',
    given: asked(posted(request(), { headers: [STREAM], body: { text: 'data: {}\n\n' } })),
    finds: notApplicable('no event has an id'),
  },
  {
    check: 'stream-unbuffered',
    what: 'a stream that proxies pass on',
    given: asked(
      posted(request(), { headers: [STREAM, ['X-Accel-Buffering', 'no']], body: { text: 'data: {}\n\n' } }),
    ),
    finds: passes,
  },
  {
    check: 'stream-unbuffered',
    what: 'a stream that says nothing of it',
    given: asked(posted(request(), { headers: [STREAM], body: { text: 'data: {}\n\n' } })),
    finds: fails({ received: 'no X-Accel-Buffering' }),
  },
  {
    check: 'stream-unbuffered',
    what: 'an answer in JSON',
    given: asked(posted(request(), { value: ok() })),
    finds: notApplicable('the server does not answer with a stream'),
  },
  {
    check: 'subscription-acknowledged',
    what: 'an acknowledgement with its id',
    given: listening({ toolsListChanged: true }),
    finds: passes,
  },
  {
    check: 'subscription-acknowledged',
    what: 'an acknowledgement of nothing',
    given: listening({}),
    finds: passes,
  },
  {
    check: 'subscription-acknowledged',
    what: 'an acknowledgement of no address',
    given: listening({ toolsListChanged: true, resourceSubscriptions: [] }),
    finds: passes,
  },
  {
    check: 'subscription-acknowledged',
    what: 'an acknowledgement with another id',
    given: listening({}, 7),
    finds: fails({ pointer: '/params/_meta' }),
  },
  {
    check: 'subscription-acknowledged',
    what: 'an acknowledgement of more',
    given: listening({ promptsListChanged: true }),
    finds: fails({ pointer: '/params/notifications' }),
  },
  {
    check: 'subscription-acknowledged',
    what: 'a refusal of a server that announces changes',
    given: { exchange: heard(LISTEN, [error(-32_601)]), opened: CHANGING },
    finds: fails({ message: 'the server announces changes, and does not acknowledge a subscription' }),
  },
  {
    check: 'subscription-acknowledged',
    what: 'a refusal of a server that announces none',
    given: { exchange: heard(LISTEN, [error(-32_601)]), opened: STATELESS },
    finds: notApplicable('the server announces no changes, and need not know subscriptions'),
  },
  {
    check: 'unrequested-notifications',
    what: 'a change in the subscription that asks for it',
    given: telling(1, 'notifications/tools/list_changed'),
    finds: passes,
  },
  {
    check: 'unrequested-notifications',
    what: 'another change than the subscription asks for',
    given: telling(1, 'notifications/prompts/list_changed'),
    finds: fails({ exchangeKey: 'step#0' }),
  },
  {
    check: 'unrequested-notifications',
    what: 'a change without a subscription',
    given: telling(null, 'notifications/tools/list_changed'),
    finds: fails({ message: 'the server tells of a change outside of a subscription that asks for it' }),
  },
  {
    check: 'unrequested-notifications',
    what: 'a change in a session, which the server also opens',
    given: {
      ...asked(heard(request('initialize'), [ok()], { conversation: 'older' })),
      exchanges: [],
      conversations: unasked(notification('notifications/tools/list_changed')).map((one) => ({
        ...one,
        name: 'older',
      })),
    },
    finds: notApplicable('the server tells of no changes'),
  },
  {
    check: 'unrequested-notifications',
    what: 'no change',
    given: came(ok()),
    finds: notApplicable('the server tells of no changes'),
  },
  {
    check: 'cancelled-unanswered',
    what: 'no answer to the cancelled call',
    given: cancelled(null),
    finds: passes,
  },
  {
    check: 'cancelled-unanswered',
    what: 'an answer after a later message was answered',
    given: cancelled(40),
    finds: fails({ message: 'a call that was cancelled is answered all the same', exchangeKey: 'step#0' }),
  },
  {
    check: 'cancelled-unanswered',
    what: 'an answer before that, when the server may not have read the cancellation',
    given: cancelled(20),
    finds: notApplicable(
      'every call was answered before it could be cancelled, or the run ended too early to tell',
    ),
  },
  {
    check: 'cancelled-unanswered',
    what: 'a run that ended before an answer could come',
    given: cancelled(null, 31),
    finds: notApplicable(
      'every call was answered before it could be cancelled, or the run ended too early to tell',
    ),
  },
  {
    check: 'nothing-outside',
    what: 'an error, and an empty file',
    given: asked(
      heard(request('resources/read'), [error(-32_602)]),
      heard(request('resources/read'), [ok({ contents: [{ uri: 'file:///a', text: '' }] })]),
    ),
    finds: passes,
  },
  ...[{ text: USERS }, { blob: Buffer.from(USERS).toString('base64') }].map(
    (content): Example => ({
      check: 'nothing-outside',
      what: `the file of users as ${Object.keys(content)[0]}`,
      given: asked(heard(request('resources/read'), [ok({ contents: [{ uri: 'file:///a', ...content }] })])),
      finds: fails({ received: 'the lines of /etc/passwd', pointer: '/result/contents' }),
    }),
  ),
  {
    check: 'nothing-outside',
    what: 'the file of users, of a server that offers all files of its machine',
    given: {
      ...asked(readOfUsers('file:///home/../etc/passwd')),
      exchanges: [offering('file:///{+path}'), readOfUsers('file:///etc/passwd')],
    },
    finds: notApplicable('no such address was answered'),
  },
  {
    check: 'nothing-outside',
    what: 'the file of users, of a server whose addresses begin at a folder',
    given: {
      ...asked(readOfUsers('file:///../etc/passwd')),
      exchanges: [
        offering('file:///{+path}'),
        heard(request('resources/read', { uri: 'file:///etc/passwd' }), [error(-32_602)]),
      ],
    },
    finds: fails({ received: 'the lines of /etc/passwd' }),
  },
  {
    check: 'nothing-outside',
    what: 'no answer',
    given: asked(),
    finds: notApplicable('no such address was answered'),
  },
  {
    check: 'batch-answered',
    what: 'answers in a list, in another order',
    given: { exchange: posted(BATCH, { value: [ok({}, 'b'), ok({}, 'a')] }) },
    finds: passes,
  },
  {
    check: 'batch-answered',
    what: 'one answer of two',
    given: { exchange: posted(BATCH, { value: [ok({}, 'a')] }) },
    finds: fails({ received: 'none for ["b"]' }),
  },
  {
    check: 'batch-answered',
    what: 'a refusal',
    given: { exchange: posted(BATCH, { status: 400, value: error(-32_600, 'x', null) }) },
    finds: fails({ message: 'a list of messages is not answered' }),
  },
];
