import type { Json, JsonObject } from '../../src/json/json.ts';
import { type Example, fails, type Given, notApplicable, passes, undecided } from './example.ts';
import {
  asked,
  called,
  error,
  heard,
  notification,
  ok,
  posted,
  request,
  SESSION,
  unasked,
} from './messages.ts';

const offered = (method: string, item: Json, answered: JsonObject, key = 'step#0') => ({
  exchange: heard(request(method), [answered], { key }),
  call: null,
  item,
});

const prompt = (name: string, answered: JsonObject, madeUp = false) =>
  offered('prompts/get', { name, madeUp }, answered, `${name}#0`);
const resource = (uri: string, answered: JsonObject) => offered('resources/read', { uri }, answered);
const UNKNOWN = { what: 'a resource that does not exist', code: -32602 };
const SERVED = ok({ messages: [] });

const contents = (...items: readonly JsonObject[]): Given =>
  asked(heard(request('resources/read'), [ok({ contents: items })]));
const resources = (...uris: readonly string[]): Given =>
  asked(heard(request('resources/list'), [ok({ resources: uris.map((uri) => ({ uri, name: uri })) })]));
const templates = (...uris: readonly string[]): Given =>
  asked(
    heard(request('resources/templates/list'), [
      ok({ resourceTemplates: uris.map((uriTemplate) => ({ uriTemplate, name: 'a' })) }),
    ]),
  );
const completed = (count: number) =>
  heard(request('completion/complete'), [
    ok({ completion: { values: Array.from({ length: count }, () => 'a') } }),
  ]);
const blob = (text: string): JsonObject => ({ uri: 'file:///a', blob: text });

/** Examples of the checks of prompts, resources, completion and logging. */
export const examplesOfOffers: readonly Example[] = [
  {
    check: 'prompts-served',
    what: 'prompts that are served, or need other arguments',
    given: { asked: [prompt('a', error(-32602), true), prompt('b', SERVED)] },
    finds: passes,
  },
  {
    check: 'prompts-served',
    what: 'a request for input, which shows that the server has the prompt',
    given: { asked: [prompt('a', ok({ resultType: 'input_required' }))] },
    finds: passes,
  },
  {
    check: 'prompts-served',
    what: 'a prompt without required arguments that is refused as invalid, beside one that is served',
    given: { asked: [prompt('a', SERVED), prompt('b', error(-32602, 'Unknown prompt'))] },
    finds: fails({
      message: 'the listed prompt "b" is refused',
      expected: 'a result',
      received: 'the error -32602: Unknown prompt',
      exchangeKey: 'b#0',
    }),
  },
  {
    check: 'prompts-served',
    what: 'made-up arguments that are refused',
    given: { asked: [prompt('a', error(-32602), true)] },
    finds: undecided({ message: 'the listed prompt "a" is refused', exchangeKey: 'a#0' }),
  },
  {
    check: 'prompts-served',
    what: 'a failure of the server',
    given: { asked: [prompt('a', error(-32603))] },
    finds: undecided({ message: 'the listed prompt "a" is refused' }),
  },
  {
    check: 'prompts-served',
    what: 'no prompt',
    given: { asked: [] },
    finds: notApplicable('no prompt was requested'),
  },
  {
    check: 'resources-served',
    what: 'a resource that is read, beside one that needs a network',
    given: { asked: [resource('a:1', error(-32603)), resource('a:2', ok({ contents: [] }))] },
    finds: passes,
  },
  {
    check: 'resources-served',
    what: 'a listed resource that is unknown',
    given: { asked: [resource('a:1', error(-32002))] },
    finds: fails({ message: 'the listed resource "a:1" is refused', received: 'the error -32002: x' }),
  },
  {
    check: 'resources-served',
    what: 'no resource',
    given: { asked: [] },
    finds: notApplicable('no resource was read'),
  },
  {
    check: 'capability-served',
    what: 'a result',
    given: asked(heard(request('logging/setLevel'), [ok({})])),
    finds: passes,
  },
  {
    check: 'capability-served',
    what: 'an unknown method',
    given: asked(heard(request('logging/setLevel'), [error(-32601)])),
    finds: fails({
      message: 'logging/setLevel, which a capability of the server offers, is refused',
      received: 'the error -32601: x',
    }),
  },
  {
    check: 'capability-served',
    what: 'made-up values that are refused',
    given: asked(heard(request('completion/complete'), [error(-32602)])),
    finds: passes,
  },
  {
    check: 'capability-served',
    what: 'a certainly valid request that is refused as invalid',
    given: { ...asked(heard(request('logging/setLevel'), [error(-32602)])), options: { valid: true } },
    finds: fails({ received: 'the error -32602: x' }),
  },
  {
    check: 'capability-served',
    what: 'a certainly valid request during which the server failed',
    given: { ...asked(heard(request('logging/setLevel'), [error(-32603)])), options: { valid: true } },
    finds: undecided({ received: 'the error -32603: x' }),
  },
  {
    check: 'resource-uris',
    what: 'addresses of common schemes',
    given: resources(
      'file:///a%20b/c.txt',
      'https://example.com/?a=1#b',
      'urn:isbn:0451450523',
      'x-note://[::1]:80/~a,b;c',
      'memo:',
      'file:///app/[id]/page.tsx',
    ),
    finds: passes,
  },
  ...['notes.txt', 'file:///my notes.txt', 'file:///Zürich', 'a:100%', 'a:#b#c', '1a:b', ''].map(
    (uri): Example => ({
      check: 'resource-uris',
      what: `no URI: ${JSON.stringify(uri)}`,
      given: resources('a:b', uri),
      finds: fails({
        message: 'a listed uri is not valid',
        expected: 'a URI of RFC 3986, with a scheme',
        pointer: '/result/resources/1/uri',
        exchangeKey: 'step#0',
      }),
    }),
  ),
  {
    check: 'resource-uris',
    what: 'no resources',
    given: resources(),
    finds: notApplicable('the server lists no resources'),
  },
  {
    check: 'resource-templates',
    what: 'templates of every level',
    given: templates(
      'file:///{path}',
      '{+base}/index{#part}',
      'a:{x,y}{/list*}{?q,lang:2}{&more}{;v}{.ext}',
      'a:plain',
      'a:{user.name}{%C3%BC}',
      'a:ü',
    ),
    finds: passes,
  },
  ...['a:{', 'a:}', 'a:{}', 'a:{b', 'a:{{b}}', 'a:{b c}', 'a:{user-id}', 'a: b', 'a:{x*y}', 'a:%zz'].map(
    (uri): Example => ({
      check: 'resource-templates',
      what: `no template: ${uri}`,
      given: templates(uri),
      finds: fails({
        message: 'a listed uriTemplate is not valid',
        pointer: '/result/resourceTemplates/0/uriTemplate',
      }),
    }),
  ),
  {
    check: 'refused-with-code',
    what: 'the error',
    given: { exchange: heard(request('resources/read'), [error(-32602)]), options: UNKNOWN },
    finds: passes,
  },
  {
    check: 'refused-with-code',
    what: 'contents of a server whose template fits every address',
    given: {
      exchange: heard(request('resources/read'), [ok({ contents: [{ uri: 'a:b', text: '' }] })]),
      options: UNKNOWN,
    },
    finds: notApplicable('the server has contents for the address that was made up'),
  },
  {
    check: 'refused-with-code',
    what: 'empty contents',
    given: {
      exchange: heard(request('resources/read'), [ok({ contents: [] })]),
      options: UNKNOWN,
    },
    finds: fails({
      message: 'a resource that does not exist is not refused with the error -32602',
      expected: 'the error -32602',
      received: 'a result',
    }),
  },
  {
    check: 'refused-with-code',
    what: 'another error',
    given: { exchange: heard(request('resources/read'), [error(0)]), options: { ...UNKNOWN, code: -32002 } },
    finds: fails({ expected: 'the error -32002', received: 'the error 0: x' }),
  },
  {
    check: 'refused-with-code',
    what: 'a client that may not use the method',
    given: { exchange: posted(request('resources/read'), { status: 403 }), options: UNKNOWN },
    finds: undecided({
      message: 'the server does not let this client use resources/read',
      received: 'status 403: {}',
    }),
  },
  {
    check: 'list-answered',
    what: 'a list without entries',
    given: {
      exchange: heard(request('prompts/list'), [ok({ prompts: [] })]),
      options: { member: 'prompts' },
    },
    finds: passes,
  },
  {
    check: 'list-answered',
    what: 'an error',
    given: {
      exchange: heard(request('prompts/list'), [error(-32601)]),
      options: { member: 'prompts' },
    },
    finds: fails({
      message: 'the server does not answer prompts/list with a list',
      expected: 'a result with prompts, a list',
      received: 'the error -32601: x',
    }),
  },
  {
    check: 'list-answered',
    what: 'another member',
    given: {
      exchange: heard(request('prompts/list'), [ok({ prompts: {} })]),
      options: { member: 'prompts' },
    },
    finds: fails({ received: '{} (object)', pointer: '/result' }),
  },
  {
    check: 'completion-values',
    what: 'a hundred values',
    given: { exchange: completed(100) },
    finds: passes,
  },
  {
    check: 'completion-values',
    what: 'one more',
    given: { exchange: completed(101) },
    finds: fails({ received: '101 values', pointer: '/result/completion/values' }),
  },
  {
    check: 'completion-values',
    what: 'an error',
    given: { exchange: heard(request('completion/complete'), [error(-32602)]) },
    finds: notApplicable('the completion was answered with an error'),
  },
  {
    check: 'logging-announced',
    what: 'a log message of a server with the capability',
    given: {
      ...asked(heard(request('tools/call'), [notification('notifications/message'), ok({})])),
      opened: { ...SESSION, capabilities: { logging: {} } },
    },
    finds: passes,
  },
  {
    check: 'logging-announced',
    what: 'a log message of a server without it',
    given: {
      ...asked(heard(request('tools/call'), [notification('notifications/message'), ok({})])),
      opened: SESSION,
    },
    finds: fails({ expected: 'logging in capabilities', received: '{"tools":{}}', exchangeKey: 'step#0' }),
  },
  {
    check: 'logging-announced',
    what: 'a log message that nobody waited for, after a call',
    given: {
      ...asked(heard(request('tools/call'), [ok({})], { key: 'call#0' })),
      conversations: unasked(notification('notifications/message')),
      opened: SESSION,
    },
    finds: fails({ expected: 'logging in capabilities', exchangeKey: 'call#0', isUnasked: true }),
  },
  {
    check: 'logging-announced',
    what: 'no log message',
    given: {
      ...asked(heard(request('tools/call'), [ok({})])),
      conversations: unasked(notification('notifications/tools/list_changed')),
      opened: SESSION,
    },
    finds: notApplicable('the server sends no log messages'),
  },
  {
    check: 'binary-data',
    what: 'base64 with and without padding, with line ends, and for addresses',
    given: contents(blob('TQ=='), blob('TQ'), blob('TWFu\r\nTWFu'), blob('-_-_'), blob('')),
    finds: passes,
  },
  {
    check: 'binary-data',
    what: 'a type with parameters, and no type',
    given: contents({ ...blob('TQ=='), mimeType: 'text/x-rust; charset=utf-8' }, blob('TQ==')),
    finds: passes,
  },
  {
    check: 'binary-data',
    what: 'an image of a tool that is an address',
    given: {
      asked: [
        called(
          ok({ content: [{ type: 'image', data: 'data:image/png;base64,TQ==', mimeType: 'image/png' }] }),
        ),
      ],
    },
    finds: fails({
      message: 'a result of tools/call has binary data that clients cannot read',
      expected: 'base64',
      pointer: '/result/content/0/data',
      exchangeKey: 'call#0',
    }),
  },
  ...['T', 'TQ=', 'TQ==TQ==', 'Zürich'].map(
    (text): Example => ({
      check: 'binary-data',
      what: `a blob that does not decode: ${text}`,
      given: contents(blob(text)),
      finds: fails({ expected: 'base64', pointer: '/result/contents/0/blob' }),
    }),
  ),
  {
    check: 'binary-data',
    what: 'a word as the type of a sound in a prompt',
    given: asked(
      heard(request('prompts/get'), [
        ok({ messages: [{ role: 'user', content: { type: 'audio', data: 'TQ==', mimeType: 'wav' } }] }),
      ]),
    ),
    finds: fails({
      expected: 'a MIME type, such as image/png',
      received: '"wav" (string)',
      pointer: '/result/messages/0/content/mimeType',
    }),
  },
  {
    check: 'binary-data',
    what: 'texts alone',
    given: contents({ uri: 'file:///a', text: 'a' }),
    finds: notApplicable('no result has an image, audio or a blob'),
  },
];
