import { referenceFunctions } from '../../functions.ts';
import type { JsonObject } from '../../validate-input.ts';
import type { Prompt } from '../protocol/catalog.ts';
import { about, dotPng } from './resources.ts';

const names = referenceFunctions.map(({ name }) => name);

const text = (words: string): JsonObject => ({ type: 'text', text: words });

const resultWith = (description: string, ...contents: readonly JsonObject[]): JsonObject => ({
  description,
  messages: contents.map((content) => ({ role: 'user', content })),
});

const listFunctions = {
  name: 'list-functions',
  description: 'Asks what the functions of this server are good for.',
};
const explainFunction = {
  name: 'explain-function',
  description: 'Asks to explain one function.',
  arguments: [{ name: 'function', description: 'The name of the function.', required: true }],
};
const describePicture = {
  name: 'describe-picture',
  description: 'Asks to describe a picture, with a text to compare it with.',
};

export const referencePrompts: readonly Prompt[] = [
  {
    listed: listFunctions,
    run: () =>
      resultWith(listFunctions.description, text(`What are these functions good for? ${names.join(', ')}`)),
  },
  {
    listed: explainFunction,
    completions: { function: names },
    run: (given) =>
      resultWith(
        explainFunction.description,
        text(`Explain the function "${String(given.function)}" with an example.`),
      ),
  },
  {
    listed: describePicture,
    run: () =>
      resultWith(
        describePicture.description,
        text('Describe the picture, and compare it with the text.'),
        { type: 'image', data: dotPng, mimeType: 'image/png' },
        { type: 'resource', resource: about },
      ),
  },
];
