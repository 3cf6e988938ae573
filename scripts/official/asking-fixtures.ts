import type { Tool } from '../../src/reference/mcp/protocol/catalog.ts';
import type { Question, Questions } from '../../src/reference/mcp/protocol/questions.ts';
import type { JsonObject } from '../../src/reference/validate-input.ts';
import { text, tool } from './plain-fixtures.ts';

const form = (message: string, properties: JsonObject, required: readonly string[] = []): Question => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties, required } },
});
const sample = (words: string): Question => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text(words) }], maxTokens: 100 },
});
const roots: Question = { method: 'roots/list', params: {} };
const name = form('What is your name?', { name: { type: 'string' } }, ['name']);
const confirm = form('Please confirm', { ok: { type: 'boolean' } }, ['ok']);

/** A tool that asks all this at once, and returns the answers as text. */
const asking = (toolName: string, questions: Questions, words = ''): Tool =>
  tool(toolName, 'Asks the client.', async (_input, caller) => [
    text(words + JSON.stringify(await caller.ask(questions))),
  ]);

const options = ['option1', 'option2', 'option3'];
const titled = (...titles: readonly string[]): readonly JsonObject[] =>
  titles.map((title, index) => ({ const: `value${index + 1}`, title }));

const enums = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: options } },
  titledMulti: {
    type: 'array',
    minItems: 1,
    maxItems: 3,
    items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') },
  },
};

const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

export const askingFixtures: readonly Tool[] = [
  tool(
    'test_sampling',
    'Asks the model of the client.',
    async ({ prompt }, caller) => {
      const { model } = await caller.ask({ model: sample(String(prompt)) });
      return [text(`LLM response: ${JSON.stringify(model?.content)}`)];
    },
    {
      type: 'object',
      properties: { prompt: { type: 'string', description: 'A question.' } },
      required: ['prompt'],
    },
  ),
  tool(
    'test_elicitation',
    'Asks the user.',
    async ({ message }, caller) => {
      const { user } = await caller.ask({
        user: form(String(message), { response: { type: 'string' } }, ['response']),
      });
      return [
        text(`User response: action=${String(user?.action)}, content=${JSON.stringify(user?.content)}`),
      ];
    },
    {
      type: 'object',
      properties: { message: { type: 'string', description: 'A question.' } },
      required: ['message'],
    },
  ),
  asking('test_elicitation_sep1034_defaults', { user: form('Please review the fields', defaults) }),
  asking('test_elicitation_sep1330_enums', { user: form('Please select options', enums) }),
  asking('test_missing_capability', { model: sample('Anything') }),
  tool('test_streaming_elicitation', 'Reports progress, and asks the user.', async (_input, caller) => {
    caller.reportProgress(50, 100, 'Half of the work is done.');
    return [text(JSON.stringify(await caller.ask({ user_name: name })))];
  }),
  asking('test_input_required_result_elicitation', { user_name: name }),
  asking('test_input_required_result_sampling', {
    capital_question: sample('What is the capital of France?'),
  }),
  asking('test_input_required_result_list_roots', { client_roots: roots }),
  asking('test_input_required_result_request_state', { confirm }, 'state-ok: '),
  asking('test_input_required_result_multiple_inputs', {
    user_name: name,
    greeting: sample('Generate a greeting'),
    client_roots: roots,
  }),
  tool('test_input_required_result_multi_round', 'Asks twice.', async (_input, caller) => {
    const { step1 } = await caller.ask({ step1: name });
    const color = form('What is your favorite color?', { color: { type: 'string' } }, ['color']);
    const { step2 } = await caller.ask({ step2: color });
    return [text(JSON.stringify([step1, step2]))];
  }),
  asking('test_input_required_result_tampered_state', { confirm }, 'integrity-ok: '),
  tool(
    'test_input_required_result_capabilities',
    'Asks what the client can answer.',
    async (_input, caller) => {
      const all: Questions = { elicit_input: name, sample_input: sample('Sample request') };
      const possible = Object.entries(all).filter(([, question]) => caller.canAnswer(question));
      return [text(JSON.stringify(await caller.ask(Object.fromEntries(possible))))];
    },
  ),
];
