import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { createSchemaEvaluator } from '../../../src/checks/json/schema-evaluator.ts';
import type { Json, JsonObject } from '../../../src/json/json.ts';
import { problemsOfMessage } from '../../../src/wires/mcp/message-schema.ts';

const schemas = createSchemaEvaluator();
const problems = (message: Json, version: string, answered: string) =>
  problemsOfMessage({ message, version, answered }, schemas);

describe('the messages of a server of the official SDK', () => {
  const handler = createMcpHandler(sdkServer);
  const REQUESTS: readonly (readonly [string, JsonObject])[] = [
    ['tools/list', {}],
    ['tools/call', { name: 'add', arguments: { a: 1 } }],
    ['tools/call', { name: 'add', arguments: { a: 'one' } }],
    ['tools/call', { name: 'unknown', arguments: {} }],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'file:///a' }],
    ['resources/read', { uri: 'file:///unknown' }],
    ['prompts/list', {}],
    ['prompts/get', { name: 'greet', arguments: {} }],
    ['probity/unknown', {}],
  ];

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('are valid in %s', async (version) => {
    const client = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    for (const [method, params] of [['initialize', client] as const, ...REQUESTS, ['ping', {}] as const]) {
      const message = await answerTo(method, params, {});
      expect(problems(message, version, method), JSON.stringify(message)).toEqual([]);
    }
  });

  it('are valid in 2026-07-28', async () => {
    const version = '2026-07-28';
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    for (const [method, params] of [['server/discover', {}] as const, ...REQUESTS]) {
      const name = params.name ?? params.uri;
      const headers = { 'mcp-protocol-version': version, 'mcp-method': method };
      const named = typeof name === 'string' ? { ...headers, 'mcp-name': name } : headers;
      const message = await answerTo(method, { ...params, _meta }, named);
      expect(problems(message, version, method), JSON.stringify(message)).toEqual([]);
    }
    const other = { ..._meta, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' };
    const refused = await answerTo(
      'tools/list',
      { _meta: other },
      { 'mcp-protocol-version': '2030-01-01', 'mcp-method': 'tools/list' },
    );
    expect(refused).toMatchObject({ error: { code: -32022 } });
    expect(problems(refused, version, 'tools/list')).toEqual([]);
  });

  async function answerTo(
    method: string,
    params: JsonObject,
    headers: Readonly<Record<string, string>>,
  ): Promise<Json> {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const text = await (await handler.fetch(request)).text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Json;
  }
});

function sdkServer(): McpServer {
  const server = new McpServer({ name: 'sdk', version: '1.0.0', title: 'SDK' });
  const schema = (name: string) => ({
    type: 'object' as const,
    properties: { [name]: { type: 'number' as const } },
    required: [name],
  });
  server.registerTool(
    'add',
    {
      ...{ title: 'Adds', description: 'Adds one.', annotations: { readOnlyHint: true } },
      ...{
        inputSchema: fromJsonSchema<{ a: number }>(schema('a')),
        outputSchema: fromJsonSchema<{ sum: number }>(schema('sum')),
      },
    },
    ({ a }) => ({
      structuredContent: { sum: a + 1 },
      content: [
        { type: 'text', text: JSON.stringify({ sum: a + 1 }) },
        { type: 'image', data: 'AA==', mimeType: 'image/png', annotations: { priority: 1 } },
        { type: 'resource', resource: { uri: 'file:///a', blob: 'AA==' } },
      ],
    }),
  );
  server.registerResource('a', 'file:///a', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, text: 'a' }],
  }));
  server.registerPrompt('greet', { description: 'Greets.' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
  }));
  return server;
}
