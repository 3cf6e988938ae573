import { referenceFunctions } from '../functions.ts';
import { isJsonObject, type JsonObject } from '../validate-input.ts';
import { ProtocolError } from './messages.ts';
import { pageOf } from './pages.ts';
import { dotPng, readResource } from './resources.ts';

/** Few, so that clients have more than one page to read. */
const pageSize = 2;

type Prompt = {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: true;
  }[];
};

const prompts: readonly Prompt[] = [
  { name: 'list-functions', description: 'Asks what the functions of this server are good for.' },
  {
    name: 'explain-function',
    description: 'Asks to explain one function.',
    arguments: [{ name: 'function', description: 'The name of the function.', required: true }],
  },
  { name: 'describe-picture', description: 'Asks to describe a picture, with a text to compare it with.' },
];

/** The result of prompts/list. */
export const listPrompts = (params: JsonObject): JsonObject => {
  const { entries, nextCursor } = pageOf(prompts, ({ name }) => name, pageSize, params);
  return { prompts: entries, nextCursor };
};

/** The result of prompts/get. */
export const getPrompt = ({ name, arguments: given = {} }: JsonObject): JsonObject => {
  const prompt = prompts.find((one) => one.name === name);
  if (prompt === undefined) throw new ProtocolError('invalidParams', `Unknown prompt: ${String(name)}`);
  if (!isJsonObject(given)) throw new ProtocolError('invalidParams', 'arguments must be an object.');
  const missing = prompt.arguments?.find((argument) => typeof given[argument.name] !== 'string');
  if (missing !== undefined)
    throw new ProtocolError('invalidParams', `The argument ${missing.name} must be a text.`);
  const messages = contentOf(prompt.name, given).map((content) => ({ role: 'user', content }));
  return { description: prompt.description, messages };
};

const contentOf = (name: string, given: JsonObject): readonly JsonObject[] => {
  switch (name) {
    case 'explain-function':
      return [text(`Explain the function "${String(given.function)}" with an example.`)];
    case 'describe-picture':
      return [
        text('Describe the picture, and compare it with the text.'),
        { type: 'image', data: dotPng, mimeType: 'image/png' },
        ...readResource({ uri: 'reference://about' }).contents.map((resource) => ({
          type: 'resource',
          resource,
        })),
      ];
    default:
      return [
        text(`What are these functions good for? ${referenceFunctions.map((fn) => fn.name).join(', ')}`),
      ];
  }
};

const text = (words: string): JsonObject => ({ type: 'text', text: words });
