import { dotPng } from '../../src/reference/mcp/offers/resources.ts';
import type { Catalog, List, Prompt, Resource, Template } from '../../src/reference/mcp/protocol/catalog.ts';
import type { JsonObject } from '../../src/reference/validate-input.ts';
import { askingFixtures } from './asking-fixtures.ts';
import { image, plainTools, text } from './plain-fixtures.ts';

/** What the official suite expects a server to offer: names, arguments and contents are those of its scenarios. */

const ask = (words: string, content: JsonObject): JsonObject => ({
  messages: [
    { role: 'user', content },
    { role: 'user', content: text(words) },
  ],
});

const prompts: readonly Prompt[] = [
  {
    listed: { name: 'test_simple_prompt', description: 'Has no arguments.' },
    run: () => ({
      messages: [{ role: 'user', content: text('This is a simple prompt for testing.') }],
    }),
  },
  {
    listed: {
      name: 'test_prompt_with_arguments',
      description: 'Has two arguments.',
      arguments: ['arg1', 'arg2'].map((name) => ({ name, description: 'A text.', required: true })),
    },
    completions: { arg1: ['paris', 'park', 'party'] },
    run: ({ arg1, arg2 }) => ({
      messages: [
        {
          role: 'user',
          content: text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`),
        },
      ],
    }),
  },
  {
    listed: {
      name: 'test_prompt_with_embedded_resource',
      description: 'Embeds a resource.',
      arguments: [{ name: 'resourceUri', description: 'The address of the resource.', required: true }],
    },
    run: ({ resourceUri }) =>
      ask('Please process the embedded resource above.', {
        type: 'resource',
        resource: {
          uri: resourceUri,
          mimeType: 'text/plain',
          text: 'Embedded resource content for testing.',
        },
      }),
  },
  {
    listed: { name: 'test_prompt_with_image', description: 'Has an image.' },
    run: () => ask('Please analyze the image above.', image),
  },
  {
    listed: { name: 'test_input_required_result_prompt', description: 'Asks the user.' },
    run: async (_given, caller) => {
      const requestedSchema = {
        type: 'object',
        properties: { context: { type: 'string' } },
        required: ['context'],
      };
      const { user_context: given } = await caller.ask({
        user_context: {
          method: 'elicitation/create',
          params: { message: 'What context should the prompt use?', requestedSchema },
        },
      });
      return { messages: [{ role: 'user', content: text(`Context: ${JSON.stringify(given)}`) }] };
    },
  },
];

const watchedUri = 'test://watched-resource';

const resources: readonly Resource[] = [
  {
    listed: { uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' },
    read: () => ({ mimeType: 'text/plain', text: 'This is the content of the static text resource.' }),
  },
  {
    listed: { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png' },
    read: () => ({ mimeType: 'image/png', blob: dotPng }),
  },
  {
    listed: { uri: watchedUri, name: 'watched-resource', mimeType: 'text/plain' },
    read: () => ({ mimeType: 'text/plain', text: 'Watched resource content' }),
  },
];

const idIn = (uri: string): string | undefined => /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];

const templates: readonly Template[] = [
  {
    listed: { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
    has: (uri) => idIn(uri) !== undefined,
    read: (uri) => {
      const id = idIn(uri);
      const data = { id, templateTest: true, data: `Data for ID: ${id}` };
      return { mimeType: 'application/json', text: JSON.stringify(data) };
    },
  },
];

/** A new one for each server: it has the watchers of its clients. */
export const fixtures = (): Catalog => {
  const watching = new Map<() => void, string>();
  const announce = (list: List): void => {
    for (const [changed, watched] of watching) if (watched === list) changed();
  };
  return {
    identity: { name: 'probity-fixtures', version: '1.0.0' },
    tools: [...plainTools(announce), ...askingFixtures],
    prompts,
    resources,
    templates,
    pageSizes: { tools: 100, prompts: 100, resources: 100 },
    watch: (subject, changed) => {
      if (typeof subject === 'string') {
        const own = (): void => changed();
        watching.set(own, subject);
        return () => watching.delete(own);
      }
      if (subject.uri !== watchedUri) return () => undefined;
      const timer = setInterval(changed, 3_000);
      return () => clearInterval(timer);
    },
  };
};
