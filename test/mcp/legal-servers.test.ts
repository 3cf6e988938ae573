import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { capabilitiesInFormB } from '../../src/gateway/describe-tools.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { bridgeTo, httpBridge } from './bridges.ts';
import type { HttpSubjectOptions } from './http-subject.ts';

const initialized = (result: JsonObject): NonNullable<HttpSubjectOptions['change']> => {
  return (message, { method }) =>
    method === 'initialize'
      ? { ...message, result: { ...(message.result as JsonObject), ...result } }
      : message;
};

describe('a bridge', () => {
  it.each([
    ['https://example.com', 403],
    ['null', 403],
    ['http://localhost:3000', 200],
  ])('answers a page of %s with %i', async (origin, status) => {
    const { bridge } = await httpBridge();
    await bridge.first;
    const answer = await fetch(`${bridge.url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ function: 'greet', parameters: { name: 'x' } }),
    });
    expect(answer.status).toBe(status);
  });

  it('does not blame the server for a message that is longer than it reads', async () => {
    const server = `
      const { createInterface } = require('node:readline');
      const capabilities = { tools: {} };
      const serverInfo = { name: 'long', version: '1' };
      createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        const first = { protocolVersion: '2025-11-25', capabilities, serverInfo };
        const result = method === 'initialize' ? first : { text: 'x'.repeat(${17 * 1024 * 1024}) };
        if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      });`;
    const bridge = await bridgeTo([process.execPath, '--eval', server]);
    expect(await bridge.get('/capabilities')).toMatchObject({
      status: 502,
      body: { error: { code: 'ANSWER_TOO_LARGE' } },
    });
    expect(bridge.lost).toEqual([]);
  });
});

describe('a server without the capability tools', () => {
  const change: NonNullable<HttpSubjectOptions['change']> = (message, request) =>
    request.method === 'tools/list'
      ? { jsonrpc: '2.0', id: request.id, error: { code: -32601, message: 'Method not found' } }
      : initialized({ capabilities: { prompts: {} } })(message, request);

  it('has no functions', async () => {
    const { bridge } = await httpBridge({ change });
    const { status, body } = await bridge.get('/capabilities');
    expect(status).toBe(200);
    expect(body.functions).toEqual([]);
  });
});

describe('a tool with an outputSchema without properties', () => {
  it('declares an object', () => {
    const tool = { name: 'any', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } };
    const declared = (one: JsonObject) => capabilitiesInFormB([one], null).functions;
    expect(declared(tool)).toMatchObject([{ returns: { type: 'object', properties: {} } }]);
    const composed = { ...tool, outputSchema: { type: 'object', anyOf: [{ required: ['a'] }] } };
    expect(declared(composed)).toMatchObject([{ returns: { properties: {} } }]);
  });
});

describe('values that may be secret', () => {
  const KEY = '123456789012';
  const server = (answer: string, noise = ''): readonly [string, string, string] => [
    process.execPath,
    '--eval',
    `const { createInterface } = require('node:readline');
     process.stdout.write(${JSON.stringify(noise)});
     const tools = [{ name: 'get', inputSchema: { type: 'object' } }];
     const first = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
     createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, method } = JSON.parse(line);
       const results = { initialize: first, 'tools/list': { tools }, 'tools/call': ${answer} };
       const result = results[method] ?? {};
       if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
     });`,
  ];
  const bridgeWithKey = (command: readonly [string, string, string]) => {
    vi.stubEnv('LEGAL_KEY', KEY);
    onTestFinished(() => void vi.unstubAllEnvs());
    return bridgeTo(command, {}, { env: ['LEGAL_KEY'] });
  };

  it('are replaced in numbers too, which leaves JSON', async () => {
    const bridge = await bridgeWithKey(server(`{ content: [], structuredContent: { project: ${KEY} } }`));
    const { body } = await bridge.call('get');
    expect(body.result).toEqual({ project: '$LEGAL_KEY' });
  });
});
