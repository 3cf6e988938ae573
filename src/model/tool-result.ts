import type { JsonObject } from '../json/json.ts';

/**
 * What a call of a tool without an output schema returns: its structured content if it gives some, otherwise
 * `{ content }` with the items of the tool (Model Context Protocol, server features, tools).
 */
export const CONTENT_RESULT: JsonObject = {
  type: 'object',
  description: 'The structured content of the tool; without any, its content.',
  properties: {
    content: {
      type: 'array',
      description: 'Texts, images, sounds, links and embedded resources, in the order of the tool.',
      items: {
        type: 'object',
        properties: {
          type: { type: 'string', description: 'text, image, audio, resource_link or resource.' },
        },
        required: ['type'],
      },
    },
  },
};
