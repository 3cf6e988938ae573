import { setTimeout as delay } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FunctionFailure } from '../../src/reference/define-function.ts';
import { dotPng } from '../../src/reference/mcp/offers/resources.ts';
import type { Caller } from '../../src/reference/mcp/protocol/caller.ts';
import type { List, Tool } from '../../src/reference/mcp/protocol/catalog.ts';
import type { JsonObject } from '../../src/reference/validate-input.ts';

export const text = (words: string): JsonObject => ({ type: 'text', text: words });
export const image: JsonObject = { type: 'image', data: dotPng, mimeType: 'image/png' };
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const ajv = new Ajv2020({ keywords: ['x-mcp-header', '$anchor'], strictRequired: false, strictTypes: false });

type Run = (input: JsonObject, caller: Caller) => readonly JsonObject[] | Promise<readonly JsonObject[]>;

/** A tool whose result is this content. */
export const tool = (
  name: string,
  description: string,
  run: Run,
  inputSchema: JsonObject = { type: 'object', properties: {} },
): Tool => ({
  listed: { name, description, inputSchema },
  validate: (input) => (ajv.validate(inputSchema, input) ? undefined : ajv.errorsText()),
  run: async (input, caller) => ({ content: await run(input, caller) }),
});

/** It is only listed, so its schema has everything that a list could lose. */
const wholeSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: {
        street: { type: 'string', description: 'A text.' },
        city: { type: 'string', description: 'A text.' },
      },
    },
  },
  properties: {
    name: { type: 'string', description: 'A text.' },
    address: { $ref: '#/$defs/address', description: 'A place.' },
    contactMethod: { type: 'string', description: 'A way to write.', enum: ['phone', 'email'] },
    phone: { type: 'string', description: 'A text.' },
    email: { type: 'string', description: 'A text.' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const mirroredSchema = {
  type: 'object',
  properties: {
    region: { type: 'string', description: 'A region.', 'x-mcp-header': 'Region' },
    priority: { type: 'integer', description: 'A number.', 'x-mcp-header': 'Priority' },
    verbose: { type: 'boolean', description: 'A choice.', 'x-mcp-header': 'Verbose' },
  },
};

/** Tools that ask nothing. `announce` tells the clients that a list has changed. */
export const plainTools = (announce: (list: List) => void): readonly Tool[] => [
  tool('test_simple_text', 'Returns a text.', () => [text('This is a simple text response for testing.')]),
  tool('test_image_content', 'Returns an image.', () => [image]),
  tool('test_audio_content', 'Returns a sound.', () => [{ type: 'audio', data: wav, mimeType: 'audio/wav' }]),
  tool('test_embedded_resource', 'Returns a resource.', () => [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ]),
  tool('test_multiple_content_types', 'Returns a text, an image and a resource.', () => [
    text('Multiple content types test:'),
    image,
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      },
    },
  ]),
  tool('test_tool_with_logging', 'Logs three messages.', async (_input, caller) => {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      caller.log('info', words);
      await delay(50);
    }
    return [text('Tool with logging executed successfully')];
  }),
  tool('test_tool_with_progress', 'Reports progress three times.', async (_input, caller) => {
    for (const done of [0, 50, 100]) {
      caller.reportProgress(done, 100, `Completed step ${done} of 100`);
      await delay(50);
    }
    return [text('The work is done.')];
  }),
  tool('test_error_handling', 'Fails.', () => {
    throw new FunctionFailure('This tool intentionally returns an error for testing');
  }),
  tool('test_reconnection', 'Closes the connection, not the stream.', async (_input, caller) => {
    caller.disconnect();
    await delay(100);
    return [text('The client has connected again.')];
  }),
  tool('test_logging_tool', 'Logs a message.', (_input, caller) => {
    caller.log('info', 'The tool was called.');
    return [text('Logging evaluated')];
  }),
  tool('test_trigger_tool_change', 'Announces that the list of tools has changed.', () => {
    announce('tools');
    return [text('Announced')];
  }),
  tool('test_trigger_prompt_change', 'Announces that the list of prompts has changed.', () => {
    announce('prompts');
    return [text('Announced')];
  }),
  tool('json_schema_2020_12_tool', 'Has a schema with many keywords.', () => [text('Called')], wholeSchema),
  tool(
    'test_mirrored_parameters',
    'Has parameters that headers repeat.',
    () => [text('Called')],
    mirroredSchema,
  ),
];
