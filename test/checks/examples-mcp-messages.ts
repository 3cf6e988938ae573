import { expect } from 'vitest';
import type { Asked } from '../../src/checks/define-check.ts';
import type { InputSource } from '../../src/model/call.ts';
import type { Evidence } from '../../src/model/judgement.ts';
import { call, cannotJudge, type Example, fails, notApplicable, passes } from './example.ts';
import {
  asked,
  called,
  came,
  error,
  heard,
  listed,
  notification,
  ok,
  posted,
  request,
  returned,
  SESSION,
  STATELESS,
  tool,
  tools,
  unasked,
} from './messages.ts';

const OLDEST = { ...SESSION, version: '2024-11-05' };

const endedBy = (by: 'server' | 'probe') => ({ by, reason: 'exit code 1', atMs: 30 });
const ended = () => unasked().map((one) => ({ ...one, ended: endedBy('server') }));

/** A call of the tool "add" during which the process ended. */
const lost = ({ inputSource }: { readonly inputSource: InputSource }): Asked => {
  const { request: sent, timing } = heard(request('tools/call', { name: 'add', arguments: {} }), [], {
    key: 'lost#0',
  });
  const reason = { code: 'closed-early', fault: 'server', message: 'the server ended' } as const;
  return {
    exchange: { kind: 'unanswered', request: sent, reason, timing },
    call: call({ functionName: 'add', inputSource }),
    item: tool(),
  };
};

/** Examples of the checks that look at every message of a run. */
export const examplesOfMessages: readonly Example[] = [
  {
    check: 'valid-messages',
    what: 'answers, errors and notifications',
    given: {
      ...asked(
        heard(request(), [ok(), notification('notifications/message')]),
        heard('{"broken', [error(-32700, 'no JSON', null)]),
      ),
      conversations: unasked(notification('notifications/message')),
    },
    finds: passes,
  },
  {
    check: 'valid-messages',
    what: 'a refusal over HTTP that is JSON, and no message',
    given: asked(posted(request(), { status: 404, value: { error: 'not found' } })),
    finds: notApplicable('the server sent no message'),
  },
  {
    check: 'valid-messages',
    what: 'a refusal over HTTP that is a message of an older version',
    given: asked(posted(request(), { status: 404, value: { ...error(-32_601), jsonrpc: '1.0' } })),
    finds: fails({ pointer: '/jsonrpc' }),
  },
  {
    check: 'valid-messages',
    what: 'no message',
    given: came(),
    finds: notApplicable('the server sent no message'),
  },
  ...(
    [
      ['an older version', { ...ok(), jsonrpc: '1.0' }, '/jsonrpc', '"2.0"'],
      [
        'a result and an error',
        { ...ok(), error: { code: 1, message: 'x' } },
        '/error',
        'no error beside a result',
      ],
      ['neither', { jsonrpc: '2.0', id: 1 }, '', 'a method, a result or an error'],
      ['a list as result', ok([]), '/result', 'an object'],
      [
        'an error without a message',
        { jsonrpc: '2.0', id: 1, error: { code: 1 } },
        '/error/message',
        'a string',
      ],
    ] as const
  ).map(
    ([what, message, pointer, expected]): Example => ({
      check: 'valid-messages',
      what,
      given: came(message),
      finds: fails({
        message: 'the answer to ping is not valid by JSON-RPC',
        expected,
        pointer,
        exchangeKey: 'step#0',
      }),
    }),
  ),
  {
    check: 'valid-messages',
    what: 'each tool and each notification that its version of the protocol refuses',
    given: {
      ...tools(tool({ title: null }), tool(), tool({ icons: [{}] })),
      conversations: unasked(notification('notifications/message', { level: 'warn', data: 1 })),
      opened: SESSION,
    },
    finds: fails(
      {
        message: 'the answer to tools/list is not valid by version 2025-11-25 of the protocol',
        pointer: '/result/tools/0/title',
      },
      { pointer: '/result/tools/2/icons/0' },
      {
        message: 'the message notifications/message is not valid by version 2025-11-25 of the protocol',
        pointer: '/params/level',
      },
    ),
  },
  {
    check: 'valid-messages',
    what: 'the same mistake of several tools, once',
    given: { ...tools(tool({ title: null }), tool({ title: null })), opened: SESSION },
    finds: fails({ pointer: '/result/tools/1/title' }),
  },
  {
    check: 'valid-messages',
    what: 'what an older version allows',
    given: { ...tools(tool({ title: null })), opened: OLDEST },
    finds: passes,
  },
  {
    check: 'valid-messages',
    what: 'a property of a tool that is no schema by the protocol, although JSON Schema allows it',
    given: {
      ...tools(tool({ inputSchema: { type: 'object', properties: { a: true } } })),
      opened: SESSION,
    },
    finds: fails({
      pointer: '/result/tools/0/inputSchema/properties/a',
      expected: 'an object',
      received: 'true (boolean)',
    }),
  },
  {
    check: 'valid-messages',
    what: 'nothing that other checks find',
    given: {
      ...asked(
        heard(request('initialize'), [
          ok({ protocolVersion: '2025-11-25', capabilities: [], serverInfo: { name: 'a' } }),
        ]),
        heard(request('tools/list'), [
          ok({ tools: [{ name: 'a' }, tool({ annotations: { title: 5 } }), tool({ outputSchema: {} })] }),
        ]),
        heard(request('tools/list'), [ok({ tools: [], nextCursor: null }), ok({}, null)]),
      ),
      opened: SESSION,
    },
    finds: passes,
  },
  {
    check: 'valid-messages',
    what: 'results that the version of the protocol refuses',
    given: {
      ...returned([
        { content: [{ type: 'text', text: 'a', annotations: { priority: 5 } }] },
        { content: [{ type: 'text' }], isError: 'no', structuredContent: [] },
      ]),
      opened: SESSION,
    },
    finds: fails({
      message: 'a result of the tool "add" is not valid by version 2025-11-25 of the protocol',
      pointer: '/result/content/0/annotations/priority',
      exchangeKey: 'call#0',
    }),
  },
  {
    check: 'valid-messages',
    what: 'a refusal over HTTP, which may be any JSON',
    given: asked(posted(request(), { status: 401, value: { error: 'no token' } })),
    finds: notApplicable('the server sent no message'),
  },
  {
    check: 'message-text',
    what: 'JSON in UTF-8',
    given: came(ok({ text: 'Zürich' })),
    finds: passes,
  },
  {
    check: 'message-text',
    what: 'a key twice',
    given: came('{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}'),
    finds: fails({ pointer: '/result/a', exchangeKey: 'step#0' }),
  },
  {
    check: 'message-text',
    what: 'bytes that are no UTF-8, in what nobody waited for',
    given: {
      ...came(ok()),
      conversations: unasked(
        Buffer.from('{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"\xff"}}', 'latin1'),
      ),
    },
    finds: fails({ expected: 'JSON in UTF-8, each key once' }),
  },
  {
    check: 'message-text',
    what: 'no message',
    given: came('starting'),
    finds: notApplicable('the server sent no message'),
  },
  {
    check: 'ids-returned',
    what: 'each id once, in any order, and an error without an id for a text that is no message',
    given: asked(
      heard(request('ping', {}, 1), [ok({}, 1)]),
      heard('{"broken', [error(-32700, 'x', null)]),
      heard(request('ping', {}, 'b'), [ok({}, 'b')]),
    ),
    finds: passes,
  },
  {
    check: 'ids-returned',
    what: 'an error without an id for a text that is no message, after its time',
    given: {
      ...asked(heard('{"broken', []), heard(request(), [ok()])),
      conversations: unasked(error(-32700, 'x', null)),
    },
    finds: passes,
  },
  {
    check: 'ids-returned',
    what: 'an error without an id for a request that HTTP refuses before it is read',
    given: asked(posted(request(), { status: 400, value: error(-32000, 'x', null) })),
    finds: passes,
  },
  {
    check: 'ids-returned',
    what: 'an error without an id for a request that was read',
    given: asked(heard(request(), [error(-32000, 'x', null)])),
    finds: fails({ message: 'an answer has an id that no request had', received: 'the id null' }),
  },
  {
    check: 'ids-returned',
    what: 'a number as text',
    given: came(ok({}, '1')),
    finds: fails({
      message: 'an answer has an id that no request had',
      expected: 'the id 1 (number)',
      received: 'the id "1" (string)',
      pointer: '/id',
      exchangeKey: 'step#0',
    }),
  },
  {
    check: 'ids-returned',
    what: 'the same answer twice',
    given: came(ok(), ok()),
    finds: fails({ message: 'a request was answered twice', pointer: '/id' }),
  },
  {
    check: 'ids-returned',
    what: 'the same answer again after its time',
    given: { ...came(ok()), conversations: unasked(ok()) },
    finds: fails({ message: 'a request was answered twice', isUnasked: true }),
  },
  {
    check: 'ids-returned',
    what: 'the late answer to a request that belongs to no step',
    given: {
      ...came(ok()),
      exchanges: [heard(request(), [ok()]), heard(request('tools/call', {}, 'slow'), [])],
      conversations: unasked(ok({}, 'slow')),
    },
    finds: passes,
  },
  {
    check: 'ids-returned',
    what: 'an answer after its time, of a server that was started again',
    given: {
      ...asked(heard(request(), [], { conversation: 'main-again-1', end: 'silent' })),
      conversations: unasked(ok()).map((one) => ({ ...one, name: 'main-again-1' })),
    },
    finds: passes,
  },
  {
    check: 'ids-returned',
    what: 'the same id in two conversations',
    given: asked(heard(request(), [ok()]), heard(request(), [ok()], { conversation: 'other' })),
    finds: passes,
  },
  {
    check: 'ids-returned',
    what: 'the answer to another request over HTTP',
    given: asked(
      posted(request('ping', {}, 1), { value: ok({}, 2), key: 'a#0' }),
      posted(request('ping', {}, 2), { value: ok({}, 2), key: 'a#1' }),
    ),
    finds: fails({
      message: 'a request was answered with the id of another one',
      exchangeKey: 'a#0',
    }),
  },
  {
    check: 'ids-returned',
    what: 'an answer to a notification',
    given: asked(heard(notification('notifications/x'), [ok({}, 7)])),
    finds: fails({ expected: 'no answer to a notification' }),
  },
  {
    check: 'ids-returned',
    what: 'an error without an id for a notification',
    given: asked(heard(notification('notifications/x'), [error(-32601, 'x', null)])),
    finds: fails({ received: 'the id null' }),
  },
  {
    check: 'ids-returned',
    what: 'no answer',
    given: came(),
    finds: notApplicable('the server sent no answer'),
  },
  { check: 'only-messages', what: 'nothing else', given: came(ok()), finds: passes },
  {
    check: 'only-messages',
    what: 'a line that is nested deeper than the harness reads',
    given: asked(heard(request(), [`${'['.repeat(300)}${']'.repeat(300)}`])),
    finds: passes,
  },
  {
    check: 'only-messages',
    what: 'a line of a log',
    given: { ...came(ok()), conversations: unasked('starting') },
    finds: fails({
      message: 'standard output has a line that is not one message: the line is not JSON',
      received: 'starting',
    }),
  },
  {
    check: 'only-messages',
    what: 'a line of a log before the answer to a request',
    given: asked(heard(request(), ['called', JSON.stringify(ok())])),
    finds: fails({ received: 'called', exchangeKey: 'step#0' }),
  },
  {
    check: 'only-messages',
    what: 'a line of a log after a notification, while a call may be under way',
    given: asked(heard(notification('notifications/mine'), ['called'])),
    finds: [
      expect.toSatisfy(
        ({ outcome, exchangeKey }: Evidence & { readonly outcome: string }) =>
          outcome === 'failed' && exchangeKey === undefined,
      ),
    ],
  },
  {
    check: 'only-messages',
    what: 'an event with a word',
    given: asked(
      posted(request(), {
        headers: [['content-type', 'text/event-stream']],
        body: { text: `data: ready\n\ndata: ${JSON.stringify(ok())}\n\n` },
      }),
    ),
    finds: fails({
      message: 'an answer has a body or an event that is not one message: the event is not JSON',
    }),
  },
  {
    check: 'only-messages',
    what: 'several messages in a list',
    given: { ...came(JSON.stringify([ok()])), opened: SESSION },
    finds: fails({ received: '[{"jsonrpc":"2.0","id":1,"result":{}}]' }),
  },
  {
    check: 'only-messages',
    what: 'several messages in a list, which one revision had',
    given: { ...came(JSON.stringify([ok()])), opened: { ...SESSION, version: '2025-03-26' } },
    finds: passes,
  },
  {
    check: 'only-messages',
    what: 'a page that refuses a request over HTTP',
    given: asked(posted(request(), { status: 502, body: { text: '<html>' } })),
    finds: notApplicable('the server sent nothing'),
  },
  {
    check: 'version-listed',
    what: 'the revision of the answer',
    given: { value: ok({ supportedVersions: ['2026-07-28'] }), opened: STATELESS },
    finds: passes,
  },
  {
    check: 'version-listed',
    what: 'other revisions only',
    given: { value: ok({ supportedVersions: ['2025-11-25'] }), opened: STATELESS },
    finds: fails({ expected: '2026-07-28 in supportedVersions', pointer: '/result/supportedVersions' }),
  },
  {
    check: 'version-listed',
    what: 'no list',
    given: { value: ok(), opened: STATELESS },
    finds: notApplicable('there is no list of revisions'),
  },
  {
    check: 'version-refused-well',
    what: 'a result and an error',
    given: asked(
      heard(request('initialize'), [ok({ protocolVersion: '2025-11-25' })]),
      heard(request('initialize'), [error(-32602)]),
    ),
    finds: passes,
  },
  {
    check: 'version-refused-well',
    what: 'a page',
    given: asked(posted(request('initialize'), { status: 400, body: { text: 'Bad version' } })),
    finds: fails({ received: 'HTTP status 400: Bad version', exchangeKey: 'step#0' }),
  },
  {
    check: 'version-refused-well',
    what: 'no session',
    given: came(ok()),
    finds: notApplicable('no session was asked for'),
  },
  {
    check: 'versions-named',
    what: 'a list in the data of the error',
    given: {
      exchange: heard(request('initialize'), [
        { jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'x', data: { supported: ['2026-07-28'] } } },
      ]),
    },
    finds: passes,
  },
  {
    check: 'versions-named',
    what: 'a revision in the message of the error',
    given: { exchange: heard(request('initialize'), [error(-32601, 'use 2026-07-28')]) },
    finds: passes,
  },
  {
    check: 'versions-named',
    what: 'an error without any',
    given: { exchange: heard(request('initialize'), [error(-32601, 'unknown method')]) },
    finds: fails({ message: 'the answer to initialize names no revision that the server speaks' }),
  },
  {
    check: 'versions-named',
    what: 'a session',
    given: { exchange: heard(request('initialize'), [ok({ protocolVersion: '2025-11-25' })]) },
    finds: notApplicable('the server opens sessions too'),
  },
  {
    check: 'ends-with-input',
    what: 'a process that ends',
    given: { exchange: heard('', [], { end: 'closed' }) },
    finds: passes,
  },
  {
    check: 'ends-with-input',
    what: 'a process that stays',
    given: { exchange: heard('', [], { end: 'silent' }) },
    finds: fails({ message: 'the server does not end when its standard input is closed' }),
  },
  {
    check: 'ends-with-input',
    what: 'a server over HTTP',
    given: { exchange: posted(null) },
    finds: notApplicable('the server does not speak over standard streams'),
  },
  {
    check: 'never-ended',
    what: 'a process that the check ended',
    given: { conversations: unasked().map((one) => ({ ...one, ended: endedBy('probe') })) },
    finds: passes,
  },
  {
    check: 'never-ended',
    what: 'a process that ended itself, with its last words',
    given: {
      conversations: unasked().map((one) => ({
        ...one,
        stderr: '1\n2\n3\n4\n5\n6\n',
        ended: endedBy('server'),
      })),
    },
    finds: fails({
      received: 'exit code 1; the last lines of its standard error: 2 | 3 | 4 | 5 | 6',
    }),
  },
  {
    check: 'goes-on-when-spoilt',
    what: 'a process that ended when it was sent no JSON',
    given: { conversations: ended().map((one) => ({ ...one, name: 'spoilt-again-1' })) },
    finds: fails({ received: 'exit code 1' }),
  },
  {
    check: 'goes-on-when-spoilt',
    what: 'another process that ended',
    given: { conversations: ended() },
    finds: passes,
  },
  {
    check: 'never-ended',
    what: 'a process that ended during a request that is no valid call, which is shown',
    given: { conversations: ended(), asked: [lost({ inputSource: 'made-wrong' })] },
    finds: fails({ received: 'exit code 1', exchangeKey: 'lost#0' }),
  },
  {
    check: 'never-ended',
    what: 'a process that ended with code 0 and had nothing to answer',
    given: {
      conversations: ended().map((one) => ({
        ...one,
        ended: { ...endedBy('server'), reason: 'exit code 0' },
      })),
    },
    finds: passes,
  },
  {
    check: 'never-ended',
    what: 'a process that ended with code 0 instead of answering',
    given: {
      conversations: ended().map((one) => ({
        ...one,
        ended: { ...endedBy('server'), reason: 'exit code 0' },
      })),
      asked: [lost({ inputSource: 'made-wrong' })],
    },
    finds: fails({ received: 'exit code 0' }),
  },
  {
    check: 'never-ended',
    what: 'a process that ended during a request that was answered when it was asked again',
    given: {
      conversations: ended(),
      asked: [called(ok(), undefined, 'lost#0?2')],
      exchanges: [lost({ inputSource: 'assembled' }).exchange, called(ok(), undefined, 'lost#0?2').exchange],
    },
    finds: fails({
      received: 'exit code 1. It had to answer: tools/call. Asked again alone, each was answered',
    }),
  },
  {
    check: 'never-ended',
    what: 'a process that ended during a valid call',
    given: { conversations: ended(), asked: [lost({ inputSource: 'assembled' })] },
    finds: cannotJudge('valid-call'),
  },
  {
    check: 'never-ended',
    what: 'a process that ended during a generated valid call',
    given: { conversations: ended(), asked: [lost({ inputSource: 'explored' })] },
    finds: cannotJudge('generated-input'),
  },
  {
    check: 'outlives-calls',
    what: 'a process that ended during a valid call of a tool that answers others',
    given: { conversations: ended(), asked: [called(ok()), lost({ inputSource: 'assembled' })] },
    finds: fails({
      message: 'the server ended instead of answering a valid call of "add"',
      received: 'exit code 1',
      exchangeKey: 'lost#0',
    }),
  },
  {
    check: 'outlives-calls',
    what: 'a process that ended during the only call of a tool, which is judged itself',
    given: { conversations: ended(), asked: [lost({ inputSource: 'assembled' })] },
    finds: passes,
  },
  {
    check: 'outlives-calls',
    what: 'a process that ended during a generated call, which is judged itself',
    given: { conversations: ended(), asked: [called(ok()), lost({ inputSource: 'explored' })] },
    finds: passes,
  },
  {
    check: 'outlives-calls',
    what: 'a process that the check ended',
    given: { conversations: unasked(), asked: [called(ok())] },
    finds: notApplicable('no process of the server ended by itself'),
  },
  {
    check: 'outlives-calls',
    what: 'another process that ended',
    given: {
      conversations: ended().map((one) => ({ ...one, name: 'other' })),
      asked: [called(ok()), lost({ inputSource: 'assembled' })],
    },
    finds: passes,
  },
  {
    check: 'input-required',
    what: 'a complete result',
    given: asked(heard(request('tools/call'), [ok({ resultType: 'complete', content: [] })])),
    finds: notApplicable('no result asks for more input'),
  },
  {
    check: 'input-required',
    what: 'a result that is to be asked for again with its state',
    given: asked(heard(request('tools/call'), [ok({ resultType: 'input_required', requestState: 'x' })])),
    finds: passes,
  },
  ...(
    [
      ['no request and no state', 'tools/call', {}, 'inputRequests, requestState, or both'],
      [
        'a request that no client knows',
        'tools/call',
        { inputRequests: { q: { method: 'ping' } } },
        'requests of elicitation/create, sampling/createMessage, roots/list, by name',
      ],
      [
        'requests that are a list',
        'tools/call',
        { inputRequests: [{ method: 'roots/list' }] },
        'requests of elicitation/create, sampling/createMessage, roots/list, by name',
      ],
      [
        'a list that asks for input',
        'tools/list',
        { requestState: 'x' },
        'a complete result: only tools/call, prompts/get, resources/read may ask for input',
      ],
    ] as const
  ).map(
    ([what, method, members, expected]): Example => ({
      check: 'input-required',
      what,
      given: asked(heard(request(method), [ok({ resultType: 'input_required', ...members })])),
      finds: fails({ expected }),
    }),
  ),
  {
    check: 'result-type',
    what: 'a type in every result',
    given: asked(heard(request('tools/list'), [ok({ resultType: 'complete', tools: [] })])),
    finds: passes,
  },
  {
    check: 'result-type',
    what: 'a result without a type',
    given: listed({ tools: [] }),
    finds: fails({ message: 'the result of tools/list has no resultType', exchangeKey: 'list#0' }),
  },
  {
    check: 'result-type',
    what: 'the result of initialize, which is of an earlier revision',
    given: asked(heard(request('initialize'), [ok({})])),
    finds: notApplicable('no request was answered with a result'),
  },
  {
    check: 'cache-fields',
    what: 'a time and a scope',
    given: listed({ tools: [], ttlMs: 0, cacheScope: 'public' }),
    finds: passes,
  },
  ...(
    [
      ['no time', { cacheScope: 'public' }],
      ['half a millisecond', { ttlMs: 0.5, cacheScope: 'public' }],
      ['a negative time', { ttlMs: -1, cacheScope: 'public' }],
      ['no scope', { ttlMs: 1000 }],
      ['an unknown scope', { ttlMs: 1000, cacheScope: 'shared' }],
    ] as const
  ).map(
    ([what, fields]): Example => ({
      check: 'cache-fields',
      what,
      given: listed({ tools: [], ...fields }),
      finds: fails({ message: 'the result of tools/list does not say how it may be kept' }),
    }),
  ),
  {
    check: 'cache-fields',
    what: 'a result that nobody keeps',
    given: { asked: [called(ok({}))] },
    finds: notApplicable('no such request was answered with a result'),
  },
  {
    check: 'server-identified',
    what: 'a name and a version',
    given: listed({
      tools: [],
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'a', version: '1' } },
    }),
    finds: passes,
  },
  {
    check: 'server-identified',
    what: 'a name alone',
    given: listed({ tools: [], _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'a' } } }),
    finds: fails({ message: 'the result of tools/list does not name the server', exchangeKey: 'list#0' }),
  },
  {
    check: 'server-identified',
    what: 'no list',
    given: came(ok()),
    finds: notApplicable('no such request was answered with a result'),
  },
  {
    check: 'no-server-requests',
    what: 'answers and notifications',
    given: came(notification('notifications/message'), ok()),
    finds: passes,
  },
  {
    check: 'no-server-requests',
    what: 'a request before the answer',
    given: came(request('roots/list', {}, 9), ok()),
    finds: fails({ message: 'the server sends a request', exchangeKey: 'step#0' }),
  },
  {
    check: 'no-server-requests',
    what: 'a request that nobody waited for',
    given: { ...came(ok()), conversations: unasked(request('ping', {}, 9)) },
    finds: fails({ message: 'the server sends a request' }),
  },
  {
    check: 'no-unasked-logs',
    what: 'a log message for a request with a level',
    given: asked(
      heard(request('tools/list', { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } }), [
        notification('notifications/message'),
        ok(),
      ]),
    ),
    finds: passes,
  },
  {
    check: 'no-unasked-logs',
    what: 'a log message for a request without a level',
    given: came(notification('notifications/message', { level: 'info', data: 'x' }), ok()),
    finds: fails({ message: 'the server sends a log message that nobody asked for', exchangeKey: 'step#0' }),
  },
  {
    check: 'error-codes',
    what: 'codes that the protocol defines, and those of the server',
    given: asked(
      heard(request(), [error(-32022)]),
      heard(request(), [error(-32601)]),
      heard(request(), [error(-32000)]),
      heard(request(), [error(-32100)]),
      heard(request(), [error(7)]),
    ),
    finds: passes,
  },
  ...[-32002, -32042, -32023, -32099].map(
    (code): Example => ({
      check: 'error-codes',
      what: `the code ${code}`,
      given: came(error(code)),
      finds: fails({ pointer: '/error/code', exchangeKey: 'step#0' }),
    }),
  ),
  {
    check: 'error-codes',
    what: 'a code of an earlier revision, in the answer to initialize',
    given: asked(heard(request('initialize'), [error(-32002)])),
    finds: notApplicable('the server sent no error'),
  },
];
