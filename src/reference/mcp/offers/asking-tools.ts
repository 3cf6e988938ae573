import { isJsonObject, type JsonObject, type ObjectSchema, validateInput } from '../../validate-input.ts';
import type { Caller } from '../protocol/caller.ts';
import type { Tool } from '../protocol/catalog.ts';
import type { Question } from '../protocol/questions.ts';

const annotations = { readOnlyHint: true, openWorldHint: false };

const askingTool = (
  listed: { readonly name: string; readonly description: string; readonly inputSchema: ObjectSchema },
  returns: ObjectSchema['properties'],
  run: (input: JsonObject, caller: Caller) => Promise<JsonObject>,
): Tool => {
  const outputSchema = { type: 'object', properties: returns, required: Object.keys(returns) };
  return {
    listed: { ...listed, outputSchema, annotations },
    validate: (input) => validateInput(listed.inputSchema, input),
    run: async (input, caller) => {
      const result = await run(input, caller);
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
    },
  };
};

const withoutInput: ObjectSchema = { type: 'object', properties: {}, required: [] };

const nameSchema = {
  type: 'object',
  properties: { name: { type: 'string', description: 'Who is greeted.' } },
  required: ['name'],
} as const satisfies ObjectSchema;

const greetUser = askingTool(
  {
    name: 'greet-user',
    description: 'Asks the user for a name, and greets. Without a name, it greets nobody in particular.',
    inputSchema: withoutInput,
  },
  { greeting: { type: 'string', description: 'The whole greeting.' } },
  async (_input, caller) => {
    const question: Question = {
      method: 'elicitation/create',
      params: { message: 'What is your name?', requestedSchema: nameSchema },
    };
    if (!caller.canAnswer(question)) return { greeting: 'Hello!' };
    const { user } = await caller.ask({ user: question });
    const given = user?.action === 'accept' && isJsonObject(user.content) ? user.content : {};
    // What a client sends may differ from what it was asked for.
    return validateInput(nameSchema, given) === undefined
      ? { greeting: `Hello, ${String(given.name)}!` }
      : { greeting: 'Hello!' };
  },
);

const showSpecification = askingTool(
  {
    name: 'show-specification',
    description:
      'Asks the user to open the specification of the protocol, and tells whether the user agreed.',
    inputSchema: withoutInput,
  },
  { agreed: { type: 'boolean', description: 'Whether the user agreed to open the page.' } },
  async (_input, caller) => {
    const question: Question = {
      method: 'elicitation/create',
      params: {
        mode: 'url',
        message: 'Open the specification of the Model Context Protocol.',
        url: 'https://modelcontextprotocol.io/specification',
      },
    };
    if (!caller.canAnswer(question)) return { agreed: false };
    const { page } = await caller.ask({ page: question });
    return { agreed: page?.action === 'accept' };
  },
);

const listRoots = askingTool(
  {
    name: 'list-roots',
    description: 'Lists the folders that the client works on.',
    inputSchema: withoutInput,
  },
  { roots: { type: 'array', items: { type: 'string' }, description: 'The addresses of the folders.' } },
  async (_input, caller) => {
    const question: Question = { method: 'roots/list', params: {} };
    // A client that cannot be asked works on no folder that it could name.
    if (!caller.canAnswer(question)) return { roots: [] };
    const { client } = await caller.ask({ client: question });
    const roots = Array.isArray(client?.roots) ? client.roots : [];
    return { roots: roots.map((root: JsonObject) => String(root.uri)) };
  },
);

const summarize = askingTool(
  {
    name: 'summarize',
    description:
      'Summarizes a text in one sentence, with the model of the client. Fails if the client has none.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The text to summarize.' } },
      required: ['text'],
    },
  },
  { summary: { type: 'string', description: 'The sentence of the model.' } },
  async ({ text }, caller) => {
    const { model } = await caller.ask({
      model: {
        method: 'sampling/createMessage',
        params: {
          messages: [
            { role: 'user', content: { type: 'text', text: `Summarize in one sentence: ${String(text)}` } },
          ],
          maxTokens: 100,
        },
      },
    });
    const [content] = [model?.content].flat();
    return { summary: isJsonObject(content) ? String(content.text ?? '') : '' };
  },
);

/** They ask the client for what only it has. The first three do without, if it cannot be asked. */
export const askingTools: readonly Tool[] = [greetUser, showSpecification, listRoots, summarize];
