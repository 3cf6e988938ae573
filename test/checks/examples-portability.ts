import type { JsonObject } from '../../src/json/json.ts';
import { answer, type Example, fails, type Given, notApplicable, passes, undecided } from './example.ts';
import { asked, heard, ok, request } from './messages.ts';

const options = { profile: 'openai' };
const input = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const weather = (inputSchema: JsonObject, name = 'weather'): JsonObject => ({ name, inputSchema });

const tools = (...listed: readonly JsonObject[]): Given => ({
  ...asked(heard(request('tools/list'), [ok({ tools: [weather(input({}), 'first'), ...listed] })])),
  options,
});
const capabilities = (...functions: readonly JsonObject[]): Given => {
  const read = { method: 'GET', url: 'http://target.example/capabilities' };
  const exchange = answer({ key: 'read#0', value: { functions }, request: read });
  return { asked: [{ exchange, call: null, item: undefined }], options, form: 'B' };
};

/** Examples of the checks of what clients see. */
export const examplesOfPortability: readonly Example[] = [
  {
    check: 'portable-definitions',
    what: 'a tool that the provider accepts',
    given: tools(weather(input({ days: { type: 'array', items: {} } }))),
    finds: passes,
  },
  {
    check: 'portable-definitions',
    what: 'a tool that the provider refuses, at its place in the answer',
    given: tools(weather(input({ days: { type: 'array' } }))),
    finds: fails({
      message: 'OpenAI functions: "days" is an array without "items"',
      expected: 'A schema of an array says in items what it contains.',
      received: '"days" is an array without "items"',
      pointer: '/result/tools/1/inputSchema/properties/days',
      exchangeKey: 'step#0',
      function: 'weather',
      advice:
        'Add "items", such as { "type": "string" }. The API refuses the whole request, so that the model gets no function of any server. Read: https://github.com/apify/apify-mcp-server/issues/36',
    }),
  },
  {
    check: 'portable-definitions',
    what: 'a tool with two mistakes of one kind, and one of another',
    given: tools(weather(input({ a: { type: 'array' }, b: { type: 'array' } }), 'get weather')),
    finds: [
      ...fails({ pointer: '/result/tools/1/name', function: 'get weather' }),
      ...fails({ message: 'OpenAI functions: "a" is an array without "items"; 1 more place like it' }),
    ],
  },
  {
    check: 'portable-definitions',
    what: 'too many tools',
    given: {
      ...tools(...Array.from({ length: 128 }, (_, index) => weather(input({}), `tool_${index}`))),
      options: { profile: 'vscode' },
    },
    finds: [
      ...fails({ pointer: '/result/tools', received: 'there are 129 functions, and 128 are accepted' }),
      ...Array.from({ length: 129 }, () => ({
        outcome: 'failed' as const,
        received: 'it has no description',
      })),
    ],
  },
  {
    check: 'portable-definitions',
    what: 'a function of form B',
    given: capabilities({ name: 'weather', parameters: input({ days: { type: 'array' } }), returns: {} }),
    finds: fails({
      pointer: '/functions/0/parameters/properties/days',
      exchangeKey: 'read#0',
      function: 'weather',
    }),
  },
  {
    check: 'portable-definitions',
    what: 'a function of form A, of which only the name is known',
    given: { ...capabilities({ name: 'get weather', inputs: ['a b'], outputs: [] }), form: 'A' },
    finds: fails({ pointer: '/functions/0/name' }),
  },
  {
    check: 'portable-definitions',
    what: 'a schema that is too large to be read whole',
    given: tools(weather(input({ any: { anyOf: Array.from({ length: 20_001 }, () => ({})) } }))),
    finds: undecided({ pointer: '/result/tools/1' }),
  },
  {
    check: 'portable-definitions',
    what: 'no function',
    given: capabilities(),
    finds: notApplicable('the server lists no functions'),
  },
];
