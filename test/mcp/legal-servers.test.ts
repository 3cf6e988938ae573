import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listIn } from '../../src/checks/mcp/relayed.ts';
import { createCallRecord } from '../../src/mcp/call-record.ts';
import { descriptorInFormB } from '../../src/mcp/describe-tools.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { bridgeTo, httpBridge, type TestedBridge } from './bridges.ts';
import type { HttpSubjectOptions } from './http-subject.ts';

async function relayed(
  { url }: TestedBridge,
  body: JsonObject,
  contentType = 'application/json',
): Promise<{ status: number; body: JsonObject }> {
  const answer = await fetch(`${url}/messages`, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as JsonObject };
}

const INITIALIZE = {
  session: 's',
  send: [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    },
  ],
};

const initialized = (result: JsonObject): NonNullable<HttpSubjectOptions['change']> => {
  return (message, { method }) =>
    method === 'initialize'
      ? { ...message, result: { ...(message.result as JsonObject), ...result } }
      : message;
};

describe('POST /messages', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    'refuses %s, which web pages of other sites may send',
    async (contentType) => {
      const { server, bridge } = await httpBridge();
      await bridge.first;
      const answer = await relayed(bridge, INITIALIZE, contentType);
      expect(answer).toMatchObject({ status: 415, body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } } });
      expect(server.opened()).toBe(1);
    },
  );

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

  it('returns the answer after more notifications than it keeps', async () => {
    const note = `data: {"jsonrpc":"2.0","method":"note","params":{"text":"${'x'.repeat(500_000)}"}}\n\n`;
    const { bridge } = await httpBridge({
      intercept: () => ({
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: `${note.repeat(5)}data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n`,
      }),
    });
    const { body } = await relayed(bridge, INITIALIZE);
    expect(body).toMatchObject({ answers: [{ id: 1 }] });
    expect(listIn(body, 'others')).toHaveLength(2);
  });

  it('follows an endpoint that moved on the same origin', async () => {
    const { bridge } = await httpBridge({
      intercept: ({ url }) => (url === '/mcp' ? { status: 307, headers: { location: '/mcp/' } } : null),
    });
    const { body } = await relayed(bridge, INITIALIZE);
    expect(body).toMatchObject({ replies: [{ status: 200 }], answers: [{ id: 1, result: {} }] });
  });

  it('does not follow a redirect to another origin', async () => {
    const { bridge } = await httpBridge({
      intercept: () => ({ status: 307, headers: { location: 'http://localhost:9/mcp' } }),
    });
    const { body } = await relayed(bridge, INITIALIZE);
    expect(body).toMatchObject({ replies: [{ status: 307 }], answers: [] });
  });

  it('continues a stream that the server closed before its answer', async () => {
    const resumed: (string | undefined)[] = [];
    const { bridge } = await httpBridge({
      intercept: ({ method, headers }) => {
        const events = { status: 200, headers: { 'content-type': 'text/event-stream' } };
        if (method !== 'GET') return { ...events, body: 'id: a1\nretry: 10\ndata:\n\n' };
        resumed.push(headers['last-event-id']?.toString());
        return { ...events, body: 'id: a2\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n' };
      },
    });
    const { body } = await relayed(bridge, INITIALIZE);
    expect(body).toMatchObject({ noise: [], answers: [{ id: 1, result: {} }], answered: true });
    // The bridge continues its own stream too.
    expect(new Set(resumed)).toEqual(new Set(['a1']));
  });

  it('says that a line is longer than it reads', async () => {
    const long = `process.stdout.write('x'.repeat(${5 * 1024 * 1024}) + '\\n'); process.stdin.resume();`;
    const bridge = await bridgeTo([process.execPath, '--eval', long]);
    expect(await relayed(bridge, INITIALIZE)).toMatchObject({
      status: 502,
      body: { error: { code: 'ANSWER_TOO_LARGE' } },
    });
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

  it('ignores events of other types', async () => {
    const answer = '{"jsonrpc":"2.0","id":1,"result":{}}';
    const { bridge } = await httpBridge({
      intercept: () => ({
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: `event: ping\ndata: 2026-01-01\n\ndata: ${answer}\n\n`,
      }),
    });
    const { body } = await relayed(bridge, INITIALIZE);
    expect(body).toMatchObject({ noise: [], answers: [{ id: 1, result: {} }] });
  });

  it.each([
    ['2025-03-26', false],
    ['2025-06-18', true],
  ])(
    'reports for version %s whether it has the header MCP-Protocol-Version',
    async (protocolVersion, has) => {
      const { bridge } = await httpBridge({ change: initialized({ protocolVersion }) });
      const { body } = await relayed(bridge, INITIALIZE);
      expect(body.versionHeader === true).toBe(has);
    },
  );
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
    expect(listIn(body, 'functions')).toEqual([]);
  });
});

describe('a tool with an outputSchema without properties', () => {
  it('declares an object', () => {
    const tool = { name: 'any', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } };
    expect(descriptorInFormB(tool)).toMatchObject({ returns: { type: 'object', properties: {} } });
    const composed = { ...tool, outputSchema: { type: 'object', anyOf: [{ required: ['a'] }] } };
    expect(descriptorInFormB(composed)).toMatchObject({ returns: { properties: {} } });
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

  it('are replaced in numbers too, which leaves JSON, and are named in a header', async () => {
    const bridge = await bridgeWithKey(server(`{ content: [], structuredContent: { project: ${KEY} } }`));
    const { body, headers } = await bridge.call('get');
    expect(body.result).toEqual({ project: '$LEGAL_KEY' });
    expect(headers.get('probity-replaced')).toBe('LEGAL_KEY');
    expect((await bridge.get('/health')).headers.get('probity-replaced')).toBeNull();
  });

  it('are replaced before a line is cut', async () => {
    const bridge = await bridgeWithKey(server('{ content: [] }', `${'x'.repeat(494)}${KEY}\n`));
    const { body } = await relayed(bridge, INITIALIZE);
    expect(body.noise).toEqual([`${'x'.repeat(494)}$LEGAL`]);
  });
});

describe('the record of a bridge', () => {
  it('says that lists of tools are missing', () => {
    const record = createCallRecord();
    for (let index = 0; index < 6; index += 1) record.addTools([{ name: `tool ${index}` }]);
    expect(record.shown()).toMatchObject({ omitted: 1 });
  });
});
