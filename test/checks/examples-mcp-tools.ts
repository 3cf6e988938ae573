import type { Asked, JsonAnswer } from '../../src/checks/define-check.ts';
import type { JsonObject } from '../../src/json/json.ts';
import {
  call,
  containing,
  type Example,
  fails,
  type Given,
  notApplicable,
  passes,
  undecided,
} from './example.ts';
import {
  called,
  error,
  heard,
  listed,
  ok,
  request,
  returned,
  SESSION,
  STATELESS,
  tool,
  tools,
} from './messages.ts';

const SUM = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
const text = (words: string): JsonObject => ({ type: 'text', text: words });

/** An answer to tools/list, as another step sees it. */
const page = (result: JsonObject, key = 'list#0'): JsonAnswer => ({
  exchange: heard(request('tools/list'), [ok(result)], { key }),
  value: ok(result),
  call: null,
});
/** Calls of a tool that the server lists. */
const onListed = (...calls: readonly Asked[]): Given => ({
  asked: [...(tools(tool()).asked ?? []), ...calls],
});
const refusal = (answered: JsonObject): JsonAnswer => ({
  exchange: heard(request('tools/list', { cursor: 'none' }), [answered], { key: 'unknown#0' }),
  value: answered,
  call: null,
});

/** Calls of a step, with their answers: the time is that of their start. */
const calls = (
  step: string,
  caseId: string | null,
  atMs: number,
  ...made: readonly (readonly [name: string, says: string])[]
): readonly Asked[] =>
  made.map(([functionName, says], index) => {
    const value = ok({ content: [{ type: 'text', text: says }] });
    const sent = request('tools/call', { name: functionName, arguments: {} });
    const exchange = heard(sent, [value], { key: `${step}[${functionName}]#${index}` });
    return {
      call: call({ functionName, input: {} }),
      item: undefined,
      caseId,
      exchange: { ...exchange, timing: { ...exchange.timing, startedAtMs: atMs + index } },
    };
  });
/** The resources are listed before and after a call of the tool "add", of which this is listed. */
const newResource = (more: JsonObject): Given => {
  const resources = [{ uri: 'note://1', name: 'a' }];
  const listing = (result: JsonObject): JsonAnswer => ({
    ...page(result),
    exchange: heard(request('resources/list'), [ok(result)]),
  });
  return {
    options: { of: 'resources' },
    used: {
      first: [listing({ resources })],
      again: [listing({ resources: [...resources, { uri: 'note://2', name: 'b' }] })],
    },
    exchanges: [...(tools(tool(more)).asked ?? []), called(ok({ content: [] }))].map(
      ({ exchange }) => exchange,
    ),
  };
};

/** `read` is called around three rounds of calls, and twice more after pauses of a second. */
const around = (reads: readonly string[], annotated: readonly string[] = ['find'], callsMs = 10): Given => {
  const read = (index: number, atMs: number): readonly Asked[] => {
    const says = reads[index];
    return says === undefined ? [] : calls(`reads-${index}`, null, atMs, ['read', says]);
  };
  const rounds = [1, 2, 3].flatMap((round) => [
    ...calls(
      'called',
      String(round),
      (round - 1) * callsMs + 1,
      ...annotated.map((name) => [name, 'found'] as const),
    ),
    ...read(round, round * callsMs),
  ]);
  return {
    asked: [...read(0, 0), ...rounds, ...read(4, 3 * callsMs + 1000), ...read(5, 3 * callsMs + 2000)],
  };
};
const NOTES = ['a', 'a b', 'a b b', 'a b b b', 'a b b b', 'a b b b'];

export const examplesOfTools: readonly Example[] = [
  ...(
    [
      ['once', { a: { type: 'string', 'x-mcp-header': 'Region' } }, null],
      ['of an integer that may be null', { a: { type: ['integer', 'null'], 'x-mcp-header': 'N' } }, null],
      ['of listed texts without a type', { a: { enum: ['x', 'y'], 'x-mcp-header': 'X-1' } }, null],
      [
        'of a property of a property',
        { a: { type: 'object', properties: { b: { type: 'boolean', 'x-mcp-header': 'B' } } } },
        null,
      ],
      ['with a blank', { a: { type: 'string', 'x-mcp-header': 'a b' } }, '/a/x-mcp-header'],
      ['that is empty', { a: { type: 'string', 'x-mcp-header': '' } }, '/a/x-mcp-header'],
      ['that is no text', { a: { type: 'string', 'x-mcp-header': true } }, '/a/x-mcp-header'],
      ['of a number', { a: { type: 'number', 'x-mcp-header': 'A' } }, '/a'],
      ['of a list', { a: { type: 'array', 'x-mcp-header': 'A' } }, '/a'],
      ['of anything', { a: { 'x-mcp-header': 'A' } }, '/a'],
      [
        'twice, in another case',
        { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
        '/b/x-mcp-header',
      ],
    ] as const
  ).map(
    ([what, properties, at]): Example => ({
      check: 'parameter-headers-valid',
      what: `a header ${what}`,
      given: tools(tool({ inputSchema: { type: 'object', properties } })),
      finds: at === null ? passes : fails({ pointer: `/result/tools/0/inputSchema/properties${at}` }),
    }),
  ),
  {
    check: 'parameter-headers-valid',
    what: 'a header of an item of a list',
    given: tools(
      tool({
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } },
        },
      }),
    ),
    finds: fails({ expected: 'a property that properties alone lead to' }),
  },
  {
    check: 'parameter-headers-valid',
    what: 'no header',
    given: tools(tool()),
    finds: notApplicable('no tool has a parameter that a header repeats'),
  },
  {
    check: 'list-pages',
    what: 'two pages',
    given: listed({ tools: [], nextCursor: 'a' }, { tools: [] }),
    finds: passes,
  },
  {
    check: 'list-pages',
    what: 'the same cursor twice',
    given: listed({ nextCursor: 'a' }, { nextCursor: 'a' }),
    finds: fails({ pointer: '/result/nextCursor', exchangeKey: 'list#1' }),
  },
  {
    check: 'list-pages',
    what: 'a number as cursor',
    given: listed({ nextCursor: 1 }),
    finds: fails({ message: 'nextCursor is not a string' }),
  },
  {
    check: 'list-pages',
    what: 'a refused cursor',
    given: {
      asked: [
        ...(listed({ nextCursor: 'a' }).asked ?? []),
        {
          exchange: heard(request('tools/list', { cursor: 'a' }), [error(-32602, 'no such page')]),
          call: null,
          item: undefined,
        },
      ],
    },
    finds: fails({
      message: 'tools/list refuses a cursor that the server returned',
      received: 'the error -32602: no such page',
    }),
  },
  {
    check: 'list-pages',
    what: 'too many pages',
    given: listed({ nextCursor: 'a' }),
    finds: fails({ message: 'tools/list does not end' }),
  },
  {
    check: 'list-pages',
    what: 'no answer',
    given: {},
    finds: notApplicable('the list was not read'),
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
    given: listed({ tools: [tool()] }, { tools: [tool()] }),
    finds: fails({ pointer: '/result/tools/0/name', exchangeKey: 'list#1' }),
  },
  {
    check: 'tool-names-unique',
    what: 'a page that is returned twice, which another row judges',
    given: listed({ tools: [tool()], nextCursor: 'a' }, { tools: [tool()], nextCursor: 'a' }),
    finds: passes,
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
    finds: fails({ message: 'inputSchema of the tool "add" is missing', pointer: '/result/tools/0' }),
  },
  {
    check: 'tool-schemas',
    what: 'a schema for texts',
    given: {
      ...tools(tool({ outputSchema: { type: 'string' } })),
      options: { in: 'outputSchema' },
      opened: SESSION,
    },
    finds: fails({ pointer: '/result/tools/0/outputSchema' }),
  },
  {
    check: 'tool-schemas',
    what: 'a schema for texts, which the stateless revision allows',
    given: {
      ...tools(tool({ outputSchema: { type: 'string' } })),
      options: { in: 'outputSchema' },
      opened: STATELESS,
    },
    finds: passes,
  },
  {
    check: 'tool-schemas',
    what: 'an input schema for texts, which no revision allows',
    given: {
      ...tools(tool({ inputSchema: { type: 'string' } })),
      options: { in: 'inputSchema' },
      opened: STATELESS,
    },
    finds: fails({ message: 'inputSchema of the tool "add" is not a schema for objects' }),
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
    given: tools(tool(), tool({ annotations: { readOnlyHint: true, destructiveHint: true } })),
    finds: fails({ pointer: '/result/tools/1/annotations' }),
  },
  {
    check: 'hints-agree',
    what: 'no hints',
    given: tools(tool()),
    finds: notApplicable('no tool has annotations'),
  },
  {
    check: 'tools-announced',
    what: 'tools of a server with the capability',
    given: { exchange: page({ tools: [tool()] }).exchange, opened: SESSION },
    finds: passes,
  },
  {
    check: 'tools-announced',
    what: 'tools of a server without it',
    given: {
      exchange: page({ tools: [tool()] }).exchange,
      opened: { ...SESSION, capabilities: { logging: {} } },
    },
    finds: fails({ received: '{"logging":{}}', pointer: '/result/tools' }),
  },
  {
    check: 'tools-announced',
    what: 'no tools',
    given: { exchange: page({ tools: [] }).exchange, opened: { ...SESSION, capabilities: {} } },
    finds: notApplicable('the server lists no tools'),
  },
  {
    check: 'unknown-cursor',
    what: 'the error for invalid parameters',
    given: { used: { pages: [page({ nextCursor: 'a' })], unknown: [refusal(error(-32602))] } },
    finds: passes,
  },
  {
    check: 'unknown-cursor',
    what: 'the first page again',
    given: { used: { pages: [page({ nextCursor: 'a' })], unknown: [refusal(ok({ tools: [] }))] } },
    finds: fails({ received: 'a result', exchangeKey: 'unknown#0' }),
  },
  {
    check: 'unknown-cursor',
    what: 'another error',
    given: { used: { pages: [page({ nextCursor: 'a' })], unknown: [refusal(error(-32603))] } },
    finds: fails({ received: 'the error -32603: x' }),
  },
  {
    check: 'unknown-cursor',
    what: 'a list of one page, of which a cursor may be ignored',
    given: { used: { pages: [page({ tools: [] })], unknown: [refusal(ok({ tools: [] }))] } },
    finds: notApplicable('the list has one page'),
  },
  {
    check: 'list-stable',
    what: 'the same tools in another order',
    given: {
      used: {
        first: [page({ tools: [tool(), tool({ name: 'b' })] })],
        again: [page({ tools: [tool({ name: 'b' }), tool()] }, 'again#0')],
      },
    },
    finds: passes,
  },
  {
    check: 'list-stable',
    what: 'another tool',
    given: {
      used: {
        first: [page({ tools: [tool()] })],
        again: [page({ tools: [tool({ name: 'b' })] }, 'again#0')],
      },
    },
    finds: fails({
      message: 'two reads of tools/list have different tools',
      expected: 'add',
      received: 'b',
      exchangeKey: 'again#0',
    }),
  },
  {
    check: 'list-stable',
    what: 'another order, where the order counts',
    given: {
      options: { order: true },
      used: {
        first: [page({ tools: [tool(), tool({ name: 'b' })] })],
        again: [page({ tools: [tool({ name: 'b' }), tool()] }, 'again#0')],
      },
    },
    finds: fails({ message: 'two reads of tools/list have another order', received: 'b, add' }),
  },
  {
    check: 'list-stable',
    what: 'other tools, where the order counts',
    given: {
      options: { order: true },
      used: { first: [page({ tools: [tool()] })], again: [page({ tools: [tool({ name: 'b' })] })] },
    },
    finds: notApplicable('the lists have different tools'),
  },
  {
    check: 'list-stable',
    what: 'one read',
    given: { used: { first: [page({ tools: [tool()] })], again: [] } },
    finds: notApplicable('the list was not read twice'),
  },
  {
    check: 'list-stable',
    what: 'a resource more, after a call of a tool that may have created it',
    given: newResource({}),
    finds: notApplicable('a tool that may change things was called between two reads of resources/list'),
  },
  {
    check: 'list-stable',
    what: 'a resource more, after a call of a tool that only reads',
    given: newResource({ annotations: { readOnlyHint: true } }),
    finds: fails({ message: 'two reads of resources/list have different resources' }),
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
      exchangeKey: 'reads-3[read]#0',
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
    given: around(['a', 'b', 'b', 'b', 'b', 'b']),
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
    what: 'answers that change after each call, without pauses',
    given: around(NOTES.slice(0, 4)),
    finds: undecided({ message: containing('too long beside the pauses') }),
  },
  {
    check: 'nothing-changed',
    what: 'a number of calls',
    given: around(['calls: 2', 'calls: 3', 'calls: 4.5', 'calls: -5e1']),
    finds: passes,
  },
  {
    check: 'nothing-changed',
    what: 'a list of numbers',
    given: around(['[1]', '[1,2]', '[1,2,3]', '[1,2,3,4]']),
    finds: passes,
  },
  {
    check: 'nothing-changed',
    what: 'a list of calls',
    given: around(['', 'sha256', 'sha256 sha256', 'sha256 sha256 sha256'], ['sha256']),
    finds: passes,
  },
  {
    check: 'nothing-changed',
    what: 'another answer that has the name of the function as a part of a word only',
    given: around(['finds', 'finds a', 'finds a b', 'finds a b c', 'finds a b c', 'finds a b c']),
    finds: fails({ exchangeKey: 'reads-3[read]#0' }),
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
    what: 'a request for input, which has no content',
    given: returned([{ content: [] }, { resultType: 'input_required', requestState: 'a' }]),
    finds: passes,
  },
  {
    check: 'content-valid',
    what: 'content of every type',
    given: returned([
      {
        content: [
          text('a'),
          { type: 'image', data: '', mimeType: 'image/png' },
          { type: 'audio', data: '', mimeType: 'audio/wav' },
          { type: 'resource_link', uri: 'file:///a', name: 'a' },
          { type: 'resource', resource: { uri: 'file:///a', blob: '' } },
          { type: 'later' },
        ],
      },
    ]),
    finds: passes,
  },
  ...(
    [
      ['no content', {}, 'content, a list', '/result'],
      ['a text as content', { content: 'a' }, 'content, a list', '/result/content'],
      ['an item without a type', { content: [{}] }, 'an object with a type', '/result/content/0'],
      [
        'an image without data',
        { content: [{ type: 'image', mimeType: 'x' }] },
        'image content with the string data',
        '/result/content/0',
      ],
      [
        'a resource without text',
        { content: [{ type: 'resource', resource: { uri: 'x' } }] },
        'a resource with a uri, and a text or a blob',
        '/result/content/0',
      ],
    ] as const
  ).map(
    ([what, result, expected, pointer]): Example => ({
      check: 'content-valid',
      what,
      given: returned([result]),
      finds: fails({ expected, pointer }),
    }),
  ),
  {
    check: 'content-valid',
    what: 'the same mistake in two calls, once',
    given: returned([{}, {}]),
    finds: fails({ exchangeKey: 'call#0' }),
  },
  {
    check: 'content-valid',
    what: 'no result',
    given: { asked: [called(error(-32603))] },
    finds: notApplicable('no call was answered with a result'),
  },
  { check: 'error-flag', what: 'true', given: returned([{ isError: true }]), finds: passes },
  {
    check: 'error-flag',
    what: 'a text',
    given: returned([{ isError: 'false' }]),
    finds: fails({ pointer: '/result/isError', exchangeKey: 'call#0' }),
  },
  {
    check: 'structured-content',
    what: 'what the schema declares, and errors without any',
    given: returned([{ content: [], structuredContent: { sum: 3 } }, { isError: true }], SUM),
    finds: passes,
  },
  {
    check: 'structured-content',
    what: 'a text for a number',
    given: returned([{ structuredContent: { sum: '3' } }], SUM),
    finds: fails({ pointer: '/result/structuredContent/sum' }),
  },
  {
    check: 'structured-content',
    what: 'what a schema cannot be applied to',
    given: returned([{ structuredContent: { sum: 'ab' } }], {
      type: 'object',
      properties: { sum: { type: 'string', pattern: '(a)\\1' } },
    }),
    finds: undecided({ pointer: '/result/structuredContent' }),
  },
  {
    check: 'structured-content',
    what: 'a failure beside such a result',
    given: returned([{ structuredContent: { sum: 'ab' } }, { structuredContent: { sum: 3 } }], {
      type: 'object',
      properties: { sum: { type: 'string', pattern: '(a)\\1' } },
    }),
    finds: fails({ pointer: '/result/structuredContent/sum' }),
  },
  {
    check: 'structured-content',
    what: 'none',
    given: returned([{ content: [] }], SUM),
    finds: fails({ expected: 'structuredContent, an object', pointer: '/result' }),
  },
  {
    check: 'structured-content',
    what: 'a number, which the stateless revision allows',
    given: { ...returned([{ structuredContent: 3 }], { type: 'number' }), opened: STATELESS },
    finds: passes,
  },
  {
    check: 'structured-content',
    what: 'a number, which the revisions with sessions do not allow',
    given: { ...returned([{ structuredContent: 3 }]), opened: SESSION },
    finds: fails({ expected: 'structuredContent, an object', received: '3 (number)' }),
  },
  {
    check: 'structured-content',
    what: 'nothing declared',
    given: returned([{ content: [] }]),
    finds: notApplicable('no call returned what a tool declares'),
  },
  {
    check: 'text-agrees',
    what: 'the same JSON in another order',
    given: returned([{ content: [text('{"b":2,"a":1}')], structuredContent: { a: 1, b: 2 } }]),
    finds: passes,
  },
  {
    check: 'text-agrees',
    what: 'other words',
    given: returned([{ content: [text('a sum')], structuredContent: { sum: 3 } }]),
    finds: fails({ pointer: '/result/content' }),
  },
  {
    check: 'errors-in-results',
    what: 'a failed tool, an invalid input, and a client without a capability',
    given: onListed(
      called(ok({ isError: true })),
      called(error(-32602, 'a must be a number')),
      called(error(-32021, 'no elicitation')),
    ),
    finds: passes,
  },
  {
    check: 'errors-in-results',
    what: 'an internal error of the protocol',
    given: onListed(called(ok({})), called(error(-32603, 'x'), undefined, 'call#1')),
    finds: fails({ pointer: '/error', received: 'the error -32603: x', exchangeKey: 'call#1' }),
  },
  {
    check: 'errors-in-results',
    what: 'a call of a tool that the server does not have',
    given: { asked: [called(error(-32603))] },
    finds: notApplicable('no tool was called'),
  },
];
