import type { JsonAnswer } from '../../src/checks/define-check.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import {
  answer,
  call,
  containing,
  type Example,
  fails,
  type Given,
  notApplicable,
  passes,
  undecided,
} from './example.ts';

const relayed = (value: JsonObject): Given => ({
  value: { transport: 'stdio', sent: [], answers: [], others: [], noise: [], ...value },
});
const answers = (...messages: readonly Json[]): Given => relayed({ answers: messages });
const ok = (id: Json, result: Json = {}): JsonObject => ({ jsonrpc: '2.0', id, result });
const request = (id: Json): JsonObject => ({ jsonrpc: '2.0', id, method: 'ping' });
const tools = (...listed: readonly Json[]): Given => answers(ok(1, { tools: listed }));
const tool = (more: JsonObject = {}): JsonObject => ({
  name: 'add',
  inputSchema: { type: 'object' },
  ...more,
});
const SUM = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
const recorded = (calls: readonly Json[], outputSchema: JsonObject | null = null): Given => ({
  value: { toolLists: [[tool(outputSchema === null ? {} : { outputSchema })]], calls, omitted: 0 },
});
const returned = (result: JsonObject): JsonObject => ({ requestId: 'r', tool: 'add', result });
/** Calls of a step, with their answers: the time is that of their start. */
const calls = (
  step: string,
  atMs: number,
  ...made: readonly (readonly [name: string, says: string])[]
): readonly JsonAnswer[] =>
  made.map(([functionName, says], index) => {
    const value = { result: { content: [{ type: 'text', text: says }] } };
    const exchange = answer({ key: `${step}[${functionName}]#${index}`, value });
    return {
      call: call({ functionName, input: {} }),
      value,
      exchange: { ...exchange, timing: { ...exchange.timing, startedAtMs: atMs + index } },
    };
  });
/** `read` is called six times, a second apart at first, and `annotated` before the last three of them. */
const around = (reads: readonly string[], annotated: readonly string[] = ['find'], callsMs = 10): Given => {
  const called = (atMs: number): readonly JsonAnswer[] =>
    calls('called', atMs, ...annotated.map((name) => [name, 'found'] as const));
  const read = (index: number, atMs: number): readonly JsonAnswer[] => {
    const says = reads[index];
    return says === undefined ? [] : calls(`reads-${index}`, atMs, ['read', says]);
  };
  const startMs = (index: number): number => 2000 + index * callsMs;
  return {
    used: {
      read1: read(0, 0),
      read2: read(1, 1000),
      read3: read(2, 2000),
      called2: called(2001),
      read4: read(3, startMs(1)),
      called3: called(startMs(1) + 1),
      read5: read(4, startMs(2)),
      called4: called(startMs(2) + 1),
      read6: read(5, startMs(3)),
    },
  };
};
const NOTES = ['a', 'a', 'a', 'a b', 'a b b', 'a b b b'];
const text = (words: string): JsonObject => ({ type: 'text', text: words });

const record = (calls: readonly Json[], listed: readonly Json[] = [tool()]) => ({
  exchange: answer({
    key: 'recorded#0',
    value: { toolLists: [listed], calls, omitted: 0 },
    request: {
      method: 'POST',
      url: 'http://target.example/messages',
      body: { text: '{"recorded":true}' },
    },
  }),
  call: null,
  item: undefined,
});
const executed = (status: number, value: Json) => ({
  exchange: answer({
    key: 'call#0',
    status,
    value,
    request: {
      method: 'POST',
      url: 'http://target.example/execute',
      body: { text: '{"function":"add","parameters":{},"requestId":"r"}' },
    },
  }),
  call: null,
  item: undefined,
});
const listing = (functions: Json) => ({
  exchange: answer({
    key: 'list#0',
    value: { functions },
    request: { url: 'http://target.example/capabilities' },
  }),
  call: null,
  item: undefined,
});
const same = returned({ content: [], structuredContent: { sum: 3 } });
const descriptor = { name: 'add', parameters: { type: 'object', properties: {} }, returns: {} };

export const examplesOfMcp: readonly Example[] = [
  {
    check: 'valid-messages',
    what: 'answers, errors and notifications',
    given: relayed({
      answers: [ok(1), { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'no JSON' } }],
      others: [{ jsonrpc: '2.0', method: 'notifications/message', params: {} }],
    }),
    finds: passes,
  },
  {
    check: 'valid-messages',
    what: 'no message',
    given: answers(),
    finds: notApplicable('the server sent no message'),
  },
  ...(
    [
      ['an older version', { ...ok(1), jsonrpc: '1.0' }, '/jsonrpc', '"2.0"'],
      [
        'a result and an error',
        { ...ok(1), error: { code: 1, message: 'x' } },
        '/error',
        'no error beside a result',
      ],
      ['neither', { jsonrpc: '2.0', id: 1 }, '', 'a method, a result or an error'],
      ['a list as result', ok(1, []), '/result', 'an object'],
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
      given: answers(message),
      finds: fails({
        message: 'the answer to a request is not valid by JSON-RPC',
        expected,
        pointer: `/answers/0${pointer}`,
      }),
    }),
  ),
  {
    check: 'valid-messages',
    what: 'each tool and each notification that its version of the protocol refuses',
    given: relayed({
      learned: { protocolVersion: '2025-11-25' },
      sent: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      answers: [ok(1, { tools: [tool({ title: null }), tool(), tool({ icons: [{}] })] })],
      others: [{ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'warn', data: 1 } }],
    }),
    finds: fails(
      {
        message: 'the answer to tools/list is not valid by version 2025-11-25 of the protocol',
        pointer: '/answers/0/result/tools/0/title',
      },
      { pointer: '/answers/0/result/tools/2/icons/0' },
      {
        message: 'the message notifications/message is not valid by version 2025-11-25 of the protocol',
        pointer: '/others/0/params/level',
      },
    ),
  },
  {
    check: 'valid-messages',
    what: 'what an older version allows',
    given: relayed({
      learned: { protocolVersion: '2024-11-05' },
      sent: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      answers: [ok(1, { tools: [tool({ title: null })] })],
    }),
    finds: passes,
  },
  {
    check: 'valid-messages',
    what: 'a property of a tool that is no schema by the protocol, although JSON Schema allows it',
    given: relayed({
      learned: { protocolVersion: '2025-11-25' },
      sent: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      answers: [ok(1, { tools: [tool({ inputSchema: { type: 'object', properties: { a: true } } })] })],
    }),
    finds: fails({
      pointer: '/answers/0/result/tools/0/inputSchema/properties/a',
      expected: 'an object',
      received: 'true (boolean)',
    }),
  },
  {
    check: 'valid-messages',
    what: 'nothing that other checks find',
    given: relayed({
      learned: { protocolVersion: '2025-11-25' },
      sent: [
        { jsonrpc: '2.0', id: 1, method: 'initialize' },
        { jsonrpc: '2.0', id: 2, method: 'tools/list' },
        { jsonrpc: '2.0', id: 3, method: 'tools/list' },
      ],
      answers: [
        ok(1, { protocolVersion: '2025-11-25', capabilities: [], serverInfo: { name: 'a' } }),
        ok(2, { tools: [{ name: 'a' }, tool({ annotations: { title: 5 } }), tool({ outputSchema: {} })] }),
        ok(3, { tools: [], nextCursor: null }),
        ok(null),
      ],
    }),
    finds: passes,
  },
  {
    check: 'valid-messages',
    what: 'the first recorded result of each tool that its version of the protocol refuses',
    given: {
      value: {
        protocolVersion: '2025-11-25',
        calls: [
          returned({ content: [{ type: 'text', text: 'a', annotations: { priority: 5 } }] }),
          returned({ content: [{ type: 'video' }] }),
          returned({ content: [{ type: 'text' }], isError: 'no', structuredContent: [] }),
        ],
      },
    },
    finds: fails({
      message: 'a result of the tool "add" is not valid by version 2025-11-25 of the protocol',
      pointer: '/calls/0/result/content/0/annotations/priority',
    }),
  },
  {
    check: 'ids-returned',
    what: 'each id once, and an error without an id for a text that is no message',
    given: relayed({
      sent: [request(1), request('b'), '{"broken'],
      answers: [ok('b'), { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'x' } }, ok(1)],
    }),
    finds: passes,
  },
  {
    check: 'ids-returned',
    what: 'an error without an id for a request in which no message was sent',
    given: relayed({
      sent: [],
      answers: [{ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'x' } }],
    }),
    finds: passes,
  },
  {
    check: 'ids-returned',
    what: 'a number as text',
    given: relayed({ sent: [request(1)], answers: [ok('1')] }),
    finds: fails({ message: 'an answer has an id that no request had', pointer: '/answers/0/id' }),
  },
  {
    check: 'ids-returned',
    what: 'the same answer twice',
    given: relayed({ sent: [request(1)], answers: [ok(1), ok(1)] }),
    finds: fails({ message: 'a request was answered twice', pointer: '/answers/1/id' }),
  },
  {
    check: 'ids-returned',
    what: 'an answer to a notification',
    given: relayed({ sent: [{ jsonrpc: '2.0', method: 'notifications/x' }], answers: [ok(null)] }),
    finds: fails({ expected: 'no answer to a notification' }),
  },
  {
    check: 'ids-returned',
    what: 'no answer',
    given: answers(),
    finds: notApplicable('the server sent no answer'),
  },
  { check: 'only-messages', what: 'nothing else', given: answers(ok(1)), finds: passes },
  {
    check: 'only-messages',
    what: 'a line of a log',
    given: relayed({ noise: ['starting'] }),
    finds: fails({ message: 'standard output has a line that is not a message', pointer: '/noise/0' }),
  },
  {
    check: 'only-messages',
    what: 'an event with a word',
    given: relayed({ transport: 'streamable HTTP', noise: ['ready'] }),
    finds: fails({ message: 'an answer has a body or an event that is not a message' }),
  },
  {
    check: 'tool-pages',
    what: 'two pages',
    given: answers(ok(1, { tools: [], nextCursor: 'a' }), ok(2, { tools: [] })),
    finds: passes,
  },
  {
    check: 'tool-pages',
    what: 'the same cursor twice',
    given: answers(ok(1, { nextCursor: 'a' }), ok(2, { nextCursor: 'a' })),
    finds: fails({ pointer: '/answers/1/result/nextCursor' }),
  },
  {
    check: 'tool-pages',
    what: 'a number as cursor',
    given: answers(ok(1, { nextCursor: 1 })),
    finds: fails({ message: 'nextCursor is not a string' }),
  },
  {
    check: 'tool-pages',
    what: 'a refused cursor',
    given: answers(ok(1, { nextCursor: 'a' }), {
      jsonrpc: '2.0',
      id: 2,
      error: { code: -32602, message: 'x' },
    }),
    finds: fails({ message: 'a cursor that the server returned is refused' }),
  },
  {
    check: 'tool-pages',
    what: 'too many pages',
    given: answers(ok(1, { nextCursor: 'a' })),
    finds: fails({ message: 'the list of tools does not end' }),
  },
  {
    check: 'tool-pages',
    what: 'no answer',
    given: answers(),
    finds: notApplicable('tools/list was not answered'),
  },
  {
    check: 'tool-names-unique',
    what: 'two names',
    given: tools(tool(), tool({ name: 'other' })),
    finds: passes,
  },
  {
    check: 'tool-names-unique',
    what: 'one name on two pages',
    given: answers(ok(1, { tools: [tool()] }), ok(2, { tools: [tool()] })),
    finds: fails({ pointer: '/answers/1/result/tools/0/name' }),
  },
  {
    check: 'tool-names-unique',
    what: 'no tools',
    given: tools(),
    finds: notApplicable('the server lists no tools'),
  },
  {
    check: 'tool-schemas',
    what: 'a schema for objects',
    given: { ...tools(tool()), options: { in: 'inputSchema' } },
    finds: passes,
  },
  {
    check: 'tool-schemas',
    what: 'no schema',
    given: { ...tools({ name: 'add' }), options: { in: 'inputSchema' } },
    finds: fails({ message: 'inputSchema of the tool "add" is missing' }),
  },
  {
    check: 'tool-schemas',
    what: 'a schema for texts',
    given: { ...tools(tool({ outputSchema: { type: 'string' } })), options: { in: 'outputSchema' } },
    finds: fails({ pointer: '/answers/0/result/tools/0/outputSchema' }),
  },
  {
    check: 'tool-schemas',
    what: 'an unknown type',
    given: {
      ...tools(tool({ inputSchema: { type: 'object', properties: { a: { type: 'int' } } } })),
      options: { in: 'inputSchema' },
    },
    finds: fails({ message: 'inputSchema of the tool "add" is not a valid JSON Schema' }),
  },
  {
    check: 'tool-schemas',
    what: 'a schema that is too large',
    given: {
      ...tools(tool({ inputSchema: { type: 'object', description: 'x'.repeat(300_000) } })),
      options: { in: 'inputSchema' },
    },
    finds: undecided({ message: containing('cannot be applied') }),
  },
  {
    check: 'tool-schemas',
    what: 'no output schema',
    given: { ...tools(tool()), options: { in: 'outputSchema' } },
    finds: notApplicable('no tool has an outputSchema'),
  },
  {
    check: 'hints-agree',
    what: 'a tool that only reads',
    given: tools(tool({ annotations: { readOnlyHint: true, destructiveHint: false } })),
    finds: passes,
  },
  {
    check: 'hints-agree',
    what: 'both hints',
    given: tools(tool({ annotations: { readOnlyHint: true, destructiveHint: true } })),
    finds: fails({ pointer: '/answers/0/result/tools/0/annotations' }),
  },
  {
    check: 'hints-agree',
    what: 'no hints',
    given: tools(tool()),
    finds: notApplicable('no tool has annotations'),
  },
  {
    check: 'nothing-changed',
    what: 'the same answers',
    given: around(['a', 'a', 'a', 'a', 'a', 'a']),
    finds: passes,
  },
  {
    check: 'nothing-changed',
    what: 'another answer after each call',
    given: around(NOTES),
    finds: fails({
      message: '"read" answers differently after each call of "find", and never at another time',
      exchangeKey: 'reads-5[read]#0',
      received: containing('a b b b'),
    }),
  },
  {
    check: 'nothing-changed',
    what: 'another answer after each call of two functions',
    given: around(NOTES, ['find', 'look']),
    finds: fails({ message: containing('after each call of one of "find", "look"') }),
  },
  {
    check: 'nothing-changed',
    what: 'an answer that changed once',
    given: around(['a', 'a', 'a', 'b', 'b', 'b']),
    finds: passes,
  },
  {
    check: 'nothing-changed',
    what: 'answers that change by themselves',
    given: around(['a', 'b', 'c', 'd', 'e', 'f']),
    finds: passes,
  },
  {
    check: 'nothing-changed',
    what: 'answers that change after long calls',
    given: around(NOTES, ['find'], 500),
    finds: undecided({ message: containing('too long beside the pauses') }),
  },
  {
    check: 'nothing-changed',
    what: 'a number of calls',
    given: around(['calls: 2', 'calls: 2', 'calls: 2', 'calls: 3', 'calls: 4.5', 'calls: -5e1']),
    finds: passes,
  },
  {
    check: 'nothing-changed',
    what: 'a list of numbers',
    given: around(['[1]', '[1]', '[1]', '[1,2]', '[1,2,3]', '[1,2,3,4]']),
    finds: passes,
  },
  {
    check: 'nothing-changed',
    what: 'a list of calls',
    given: around(['', '', '', 'sha256', 'sha256 sha256', 'sha256 sha256 sha256'], ['sha256']),
    finds: passes,
  },
  {
    check: 'nothing-changed',
    what: 'no annotated function',
    given: around(NOTES, []),
    finds: notApplicable('no function that was called says so of itself'),
  },
  {
    check: 'nothing-changed',
    what: 'no function that reads',
    given: around([]),
    finds: notApplicable('no other function shows what changes'),
  },
  {
    check: 'content-valid',
    what: 'content of every type',
    given: recorded([
      returned({
        content: [
          text('a'),
          { type: 'image', data: '', mimeType: 'image/png' },
          { type: 'audio', data: '', mimeType: 'audio/wav' },
          { type: 'resource_link', uri: 'file:///a', name: 'a' },
          { type: 'resource', resource: { uri: 'file:///a', blob: '' } },
          { type: 'later' },
        ],
      }),
    ]),
    finds: passes,
  },
  ...(
    [
      ['no content', {}, 'content, a list', '/calls/0/result'],
      ['a text as content', { content: 'a' }, 'content, a list', '/calls/0/result/content'],
      ['an item without a type', { content: [{}] }, 'an object with a type', '/calls/0/result/content/0'],
      [
        'an image without data',
        { content: [{ type: 'image', mimeType: 'x' }] },
        'image content with the string data',
        '/calls/0/result/content/0',
      ],
      [
        'a resource without text',
        { content: [{ type: 'resource', resource: { uri: 'x' } }] },
        'a resource with a uri, and a text or a blob',
        '/calls/0/result/content/0',
      ],
    ] as const
  ).map(
    ([what, result, expected, pointer]): Example => ({
      check: 'content-valid',
      what,
      given: recorded([returned(result)]),
      finds: fails({ expected, pointer }),
    }),
  ),
  {
    check: 'content-valid',
    what: 'the same mistake in two calls, once',
    given: recorded([returned({}), returned({})]),
    finds: fails({ pointer: '/calls/0/result' }),
  },
  {
    check: 'content-valid',
    what: 'no result',
    given: recorded([]),
    finds: notApplicable('no call was answered with a result'),
  },
  { check: 'error-flag', what: 'true', given: recorded([returned({ isError: true })]), finds: passes },
  {
    check: 'error-flag',
    what: 'a text',
    given: recorded([returned({ isError: 'false' })]),
    finds: fails({ pointer: '/calls/0/result/isError' }),
  },
  {
    check: 'structured-content',
    what: 'what the schema declares, and errors without any',
    given: recorded([same, returned({ isError: true })], SUM),
    finds: passes,
  },
  {
    check: 'structured-content',
    what: 'a text for a number',
    given: recorded([returned({ structuredContent: { sum: '3' } })], SUM),
    finds: fails({ pointer: '/calls/0/result/structuredContent/sum' }),
  },
  {
    check: 'structured-content',
    what: 'none',
    given: recorded([returned({ content: [] })], SUM),
    finds: fails({ expected: 'structuredContent, an object', pointer: '/calls/0/result' }),
  },
  {
    check: 'structured-content',
    what: 'nothing declared',
    given: recorded([returned({ content: [] })]),
    finds: notApplicable('no call returned what a tool declares'),
  },
  {
    check: 'text-agrees',
    what: 'the same JSON in another order',
    given: recorded([returned({ content: [text('{"b":2,"a":1}')], structuredContent: { a: 1, b: 2 } })]),
    finds: passes,
  },
  {
    check: 'text-agrees',
    what: 'other words',
    given: recorded([returned({ content: [text('a sum')], structuredContent: { sum: 3 } })]),
    finds: fails({ pointer: '/calls/0/result/content' }),
  },
  {
    check: 'errors-in-results',
    what: 'a failed tool, and an invalid input',
    given: recorded([
      returned({ isError: true }),
      { tool: 'add', fault: 'refused', code: -32602, message: 'a must be a number' },
    ]),
    finds: passes,
  },
  {
    check: 'errors-in-results',
    what: 'an internal error of the protocol',
    given: recorded([{ tool: 'add', fault: 'refused', code: -32603, message: 'x' }]),
    finds: fails({ pointer: '/calls/0' }),
  },
  {
    check: 'errors-in-results',
    what: 'no call',
    given: recorded([]),
    finds: notApplicable('no tool was called'),
  },
  {
    check: 'relayed-unchanged',
    what: 'the same result and the same tool',
    given: {
      asked: [record([same]), executed(200, { requestId: 'r', result: { sum: 3 } }), listing([descriptor])],
    },
    finds: passes,
  },
  ...(
    [
      [
        'another result',
        [record([same]), executed(200, { requestId: 'r', result: { sum: 4 } })],
        'the result of a call',
      ],
      [
        'a failure of a call that succeeded',
        [record([same]), executed(500, { requestId: 'r', error: { code: 'EXECUTION_ERROR', message: 'x' } })],
        'a call',
      ],
      [
        'another id',
        [record([same]), executed(200, { requestId: 'q', result: { sum: 3 } })],
        'the id of a call',
      ],
      [
        'an answer without a call',
        [record([]), executed(200, { requestId: 'r', result: { sum: 3 } })],
        'a call that the server never got',
      ],
      ['a missing tool', [record([]), listing([])], 'the list of functions'],
      [
        'a record that cannot be read',
        [
          {
            ...record([]),
            exchange: {
              ...record([]).exchange,
              response: { ...record([]).exchange.response, status: 500, body: { text: '{}' } },
            },
          },
        ],
        'nothing that could be compared',
      ],
    ] as const
  ).map(
    ([what, asked, changed]): Example => ({
      check: 'relayed-unchanged',
      what,
      given: { asked },
      finds: fails({ message: `the bridge changed ${changed}`, fault: 'bridge' }),
    }),
  ),
  {
    check: 'relayed-unchanged',
    what: 'nothing asked',
    given: { asked: [] },
    finds: undecided({ message: 'the bridge answered nothing' }),
  },
];
