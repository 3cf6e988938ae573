import { Readable } from 'node:stream';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { referenceFunctions } from '../../../src/reference/functions.ts';
import { askingTools } from '../../../src/reference/mcp/offers/asking-tools.ts';
import { referenceCatalog } from '../../../src/reference/mcp/offers/reference-catalog.ts';
import { answerStateless } from '../../../src/reference/mcp/stateless.ts';
import { serveStreams } from '../../../src/reference/mcp/stdio.ts';
import {
  ERAS,
  initialize,
  META,
  opening,
  PREFIX,
  type Reply,
  request,
  requestOf,
  SESSIONS,
  STATELESS,
  stateless,
} from './messages.ts';

/** The lines that the server writes when these lines are its whole input. */
async function linesFor(...input: readonly (object | string | Buffer)[]): Promise<readonly string[]> {
  const lines = input.map((line) => {
    if (Buffer.isBuffer(line)) return line;
    return Buffer.from(typeof line === 'string' ? line : JSON.stringify(line));
  });
  return linesForBytes(Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])));
}

async function linesForBytes(bytes: Buffer, chunkBytes = bytes.length): Promise<readonly string[]> {
  let written = '';
  const output = { write: (text: string) => (written += text) };
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  await serveStreams(Readable.from(chunks), output);
  expect(written === '' || written.endsWith('\n')).toBe(true);
  return written.split('\n').slice(0, -1);
}

/** The messages that it writes, by their ids. */
async function repliesTo(
  ...input: readonly (object | string | Buffer)[]
): Promise<ReadonlyMap<unknown, Reply>> {
  const replies = (await linesFor(...input)).map((line): Reply => JSON.parse(line));
  const byId = new Map(replies.map((reply) => [reply.id, reply]));
  expect(byId.size).toBe(replies.length);
  return byId;
}

interface Tool {
  readonly name: string;
  readonly inputSchema: { readonly examples: readonly object[] };
  readonly outputSchema: { readonly required: readonly string[] };
}

const toolsIn = (reply: Reply | undefined): readonly Tool[] =>
  (reply?.result?.tools ?? []) as readonly Tool[];

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};

const ajv = new Ajv2020({ keywords: ['x-mcp-header'] });

describe('the MCP reference server on standard streams', () => {
  describe('opens a session', () => {
    it.each(SESSIONS)('in revision %s, which it knows', async (revision) => {
      const replies = await repliesTo(initialize(revision));
      expect(replies.get(0)?.result).toEqual({
        protocolVersion: revision,
        capabilities: CAPABILITIES,
        serverInfo: { name: 'probity-reference', version: '1.0.0' },
      });
    });

    it.each(['1999-01-01', STATELESS, ''])('in its newest revision when asked for "%s"', async (revision) => {
      const replies = await repliesTo(initialize(revision));
      expect(replies.get(0)?.result?.protocolVersion).toBe('2025-11-25');
    });

    it('only with a version, and before every request but ping', async () => {
      const replies = await repliesTo(
        initialize(1),
        request(1, 'ping'),
        request(2, 'tools/list'),
        request(3, 'server/discover'),
      );
      expect(replies.get(1)?.result).toEqual({});
      for (const id of [0, 2, 3]) expect(replies.get(id)?.error?.code).toBe(-32602);
    });
  });

  describe.each(ERAS)('in revision %s', (revision) => {
    const ask = requestOf(revision);
    const added = revision === STATELESS ? ['_meta', 'cacheScope', 'resultType', 'ttlMs'] : [];

    const pages = async (): Promise<readonly Reply[]> => {
      const found: Reply[] = [];
      let cursor: unknown;
      do {
        const params = cursor === undefined ? {} : { cursor };
        const reply = (await repliesTo(...opening(revision), ask(1, 'tools/list', params))).get(1);
        if (reply !== undefined) found.push(reply);
        cursor = reply?.result?.nextCursor;
      } while (cursor !== undefined);
      return found;
    };

    it('lists its tools in three pages', async () => {
      const found = await pages();
      const last = [...added, 'tools'].sort();
      const others = [...last, 'nextCursor'].sort();
      expect(found.map(({ result }) => Object.keys(result ?? {}).sort())).toEqual([others, others, last]);
      expect(found.flatMap(toolsIn).map(({ name }) => name)).toEqual([
        ...referenceFunctions.map(({ name }) => name),
        ...askingTools.map(({ listed }) => listed.name),
      ]);
    });

    it.each(['x', '', 7, null])('refuses the unknown cursor %j', async (cursor) => {
      const replies = await repliesTo(...opening(revision), ask(1, 'tools/list', { cursor }));
      expect(replies.get(1)?.error?.code).toBe(-32602);
    });

    it.each([
      ['prompts/list', 'prompts', 'name', ['list-functions', 'explain-function', 'describe-picture']],
      [
        'resources/list',
        'resources',
        'uri',
        ['reference://about', 'reference://dot.png', 'reference://clock'],
      ],
      ['resources/templates/list', 'resourceTemplates', 'name', ['function']],
    ])('lists all pages of %s', async (method, member, key, expected) => {
      const found: unknown[] = [];
      let cursor: unknown;
      do {
        const params = cursor === undefined ? {} : { cursor };
        const { result } = (await repliesTo(...opening(revision), ask(1, method, params))).get(1) ?? {};
        const entries = result?.[member] as readonly Readonly<Record<string, unknown>>[];
        found.push(...entries.map((entry) => entry[key]));
        cursor = result?.nextCursor;
      } while (cursor !== undefined);
      expect(found).toEqual(expected);
    });

    it('returns prompts, reads resources, and completes names', async () => {
      const replies = await repliesTo(
        ...opening(revision),
        ask(1, 'prompts/get', { name: 'explain-function', arguments: { function: 'add' } }),
        ask(2, 'prompts/get', { name: 'describe-picture' }),
        ask(3, 'resources/read', { uri: 'reference://functions/add' }),
        ask(4, 'completion/complete', {
          ref: { type: 'ref/resource', uri: 'reference://functions/{name}' },
          argument: { name: 'name', value: 'ad' },
        }),
        ask(5, 'prompts/get', { name: 'explain-function' }),
        ask(6, 'resources/read', { uri: 'reference://functions/../about' }),
      );
      const content = { type: 'text', text: 'Explain the function "add" with an example.' };
      expect(replies.get(1)?.result?.messages).toEqual([{ role: 'user', content }]);
      expect(replies.get(2)?.result?.messages).toMatchObject([
        { content: { type: 'text' } },
        { content: { type: 'image', mimeType: 'image/png' } },
        { content: { type: 'resource', resource: { uri: 'reference://about' } } },
      ]);
      expect(replies.get(3)?.result?.contents).toEqual([
        expect.objectContaining({ uri: 'reference://functions/add', mimeType: 'application/json' }),
      ]);
      expect(replies.get(4)?.result?.completion).toEqual({ values: ['add'], total: 1, hasMore: false });
      expect(replies.get(5)?.error?.code).toBe(-32602);
      expect(replies.get(6)?.error?.code).toBe(revision === STATELESS ? -32602 : -32002);
    });

    it('answers the examples of each tool with results of its schema', async () => {
      const calls = (await pages()).flatMap(toolsIn).flatMap(({ name, inputSchema, outputSchema }) => {
        const { examples } = referenceFunctions.find((fn) => fn.name === name) ?? {};
        expect(inputSchema.examples).toEqual(examples?.map(({ input }) => input));
        expect(outputSchema.required).not.toEqual([]);
        return (examples ?? []).map((example) => ({ name, inputSchema, outputSchema, ...example }));
      });
      const replies = await repliesTo(
        ...opening(revision),
        ...calls.map(({ name, input }, index) => ask(1 + index, 'tools/call', { name, arguments: input })),
      );
      for (const [index, { input, output, inputSchema, outputSchema }] of calls.entries()) {
        const { structuredContent, content, isError } = replies.get(1 + index)?.result ?? {};
        expect(isError).toBeUndefined();
        expect(ajv.validate(inputSchema, input)).toBe(true);
        expect(ajv.validate(outputSchema, structuredContent)).toBe(true);
        expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
        expect(structuredContent).toEqual(output ?? expect.any(Object));
      }
    });

    it('refuses unknown tools and malformed calls', async () => {
      const calls = [
        { name: 'nope', arguments: {} },
        { name: 'constructor' },
        { name: 7 },
        {},
        { name: 'add', arguments: [1, 2] },
        { name: 'add', arguments: null },
      ];
      const replies = await repliesTo(
        ...opening(revision),
        ...calls.map((call, index) => ask(1 + index, 'tools/call', call)),
      );
      for (const index of calls.keys()) expect(replies.get(1 + index)?.error?.code).toBe(-32602);
    });

    it('reports an invalid input where the revision wants it, and a failure in a result', async () => {
      const replies = await repliesTo(
        ...opening(revision),
        ask(1, 'tools/call', { name: 'add', arguments: { a: 1 } }),
        ask(2, 'tools/call', { name: 'greet' }),
        ask(3, 'tools/call', { name: 'divide', arguments: { dividend: 1, divisor: 0 } }),
      );
      const invalid = [replies.get(1), replies.get(2)];
      if (revision < '2025-11-25') {
        expect(invalid.map((reply) => reply?.error)).toEqual([
          { code: -32602, message: 'b is required.' },
          { code: -32602, message: 'name is required.' },
        ]);
      } else {
        expect(invalid.map((reply) => reply?.result)).toMatchObject([
          { isError: true, content: [{ type: 'text', text: 'b is required.' }] },
          { isError: true, content: [{ type: 'text', text: 'name is required.' }] },
        ]);
      }
      expect(replies.get(3)?.result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('nothing can be divided by 0') }],
      });
    });

    it('refuses unknown methods, and those of other revisions', async () => {
      const others = revision === STATELESS ? ['initialize', 'ping'] : ['server/discover'];
      const methods = ['nope', 'toString', 'tasks/list', ...others];
      const replies = await repliesTo(
        ...opening(revision),
        ...methods.map((method, index) => ask(1 + index, method)),
      );
      for (const index of methods.keys()) expect(replies.get(1 + index)?.error?.code).toBe(-32601);
    });

    it('does not answer a cancelled request', async () => {
      const wait = { name: 'wait', arguments: { durationMs: 200 } };
      const replies = await repliesTo(
        ...opening(revision),
        ask(1, 'tools/call', wait),
        ask(2, 'tools/call', wait),
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } },
        ask(3, 'tools/list'),
      );
      expect([...replies.keys()].filter((id) => id !== 0)).toEqual([3, 2]);
      expect(replies.get(2)?.result?.structuredContent).toEqual({ waitedMs: 200 });
    });

    it('answers requests while another one waits, and all of them before it ends', async () => {
      const replies = await repliesTo(
        ...opening(revision),
        ask(1, 'tools/call', { name: 'wait', arguments: { durationMs: 100 } }),
        ask(2, 'tools/list'),
      );
      expect([...replies.keys()].filter((id) => id !== 0)).toEqual([2, 1]);
    });
  });

  describe('stateless', () => {
    it('describes itself, with results that may be kept', async () => {
      const replies = await repliesTo(
        stateless(1, 'server/discover'),
        stateless(2, 'tools/list'),
        stateless(3, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } }),
      );
      const result = {
        resultType: 'complete',
        _meta: { [`${PREFIX}serverInfo`]: { name: 'probity-reference', version: '1.0.0' } },
      };
      const kept = { ...result, ttlMs: expect.any(Number), cacheScope: 'public' };
      expect(replies.get(1)?.result).toEqual({
        ...kept,
        supportedVersions: [STATELESS, ...SESSIONS],
        capabilities: CAPABILITIES,
      });
      expect(replies.get(2)?.result).toMatchObject(kept);
      expect(replies.get(3)?.result).toEqual({
        ...result,
        content: [{ type: 'text', text: '{"sum":3}' }],
        structuredContent: { sum: 3 },
      });
    });

    it('refuses a request whose _meta lacks what it needs, also in a session', async () => {
      const { [`${PREFIX}protocolVersion`]: version, [`${PREFIX}clientCapabilities`]: capabilities } = META;
      const metas = [
        { [`${PREFIX}protocolVersion`]: version },
        { [`${PREFIX}clientCapabilities`]: capabilities },
        { [`${PREFIX}clientInfo`]: { name: 'test', version: '1' } },
        { [`${PREFIX}protocolVersion`]: 7, [`${PREFIX}clientCapabilities`]: {} },
        { [`${PREFIX}protocolVersion`]: version, [`${PREFIX}clientCapabilities`]: [] },
      ];
      const asked = metas.map((_meta, index) => request(1 + index, 'tools/list', { _meta }));
      for (const revision of [STATELESS, '2025-11-25']) {
        const replies = await repliesTo(...opening(revision), ...asked);
        for (const { id } of asked) expect(replies.get(id)?.error?.code).toBe(-32602);
      }
    });

    it('refuses other versions, and names those it knows', async () => {
      const replies = await repliesTo(
        ...['1999-01-01', '2025-11-25'].map((version, index) =>
          stateless(index, 'tools/list', { _meta: { ...META, [`${PREFIX}protocolVersion`]: version } }),
        ),
      );
      expect([0, 1].map((id) => replies.get(id)?.error)).toMatchObject(
        ['1999-01-01', '2025-11-25'].map((requested) => ({
          code: -32022,
          data: { requested, supported: [STATELESS, ...SESSIONS] },
        })),
      );
    });

    it('answers beside a session, with other members of _meta', async () => {
      const replies = await repliesTo(
        ...opening('2024-11-05'),
        stateless(1, 'tools/list', { _meta: { ...META, traceparent: '00-x' } }),
        request(2, 'tools/list', { _meta: { progressToken: 1 } }),
      );
      expect(replies.get(1)?.result?.resultType).toBe('complete');
      expect(replies.get(2)?.result).not.toHaveProperty('resultType');
    });

    it('stops a function when its request is cancelled', async () => {
      const params = { _meta: META, name: 'wait', arguments: { durationMs: 200 } };
      const signal = AbortSignal.abort();
      const outlet = { isOpen: false, send: () => undefined, disconnect: () => undefined };
      const { text: answer } = await answerStateless(
        referenceCatalog,
        { kind: 'request', id: '1', method: 'tools/call', params },
        { outlet, signal, closing: signal },
      );
      expect(JSON.parse(answer).result).not.toHaveProperty('structuredContent');
    });
  });

  it('returns ids as they were written', async () => {
    const ids = [
      ...['0', '-7', '9007199254740993', '-123456789012345678901234567890', '1e30'],
      ...['""', '"1"', '"é\\u2028\\"\\\\"', '"12345678901234567890"', `"${'x'.repeat(5000)}"`],
    ];
    const lines = await linesFor(...ids.map((id) => `{"id": ${id}, "method":"ping","jsonrpc":"2.0"}`));
    expect(lines).toEqual(
      ids.map((id) => `{"jsonrpc":"2.0","id":${id.replace('\\u2028', '\u2028')},"result":{}}`),
    );
  });

  it('returns long progress tokens and ids of subscriptions as they were written', async () => {
    const long = '123456789012345678901';
    const _meta = { ...META, progressToken: 0 };
    const wait = request(1, 'tools/call', { name: 'wait', arguments: { durationMs: 2 }, _meta });
    const listen = stateless(1, 'subscriptions/listen', { notifications: {} });
    const lines = await linesFor(
      JSON.stringify(wait).replace('"progressToken":0', `"progressToken":${long}`),
      JSON.stringify(listen).replace('"id":1', `"id":${long}`),
    );
    expect(lines.filter((line) => line.includes(`"progressToken":${long}`))).toHaveLength(2);
    expect(lines.filter((line) => line.includes(`subscriptionId":${long}`))).toHaveLength(3);
  });

  it('tells long ids apart when one is cancelled', async () => {
    const wait = (id: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"wait","arguments":{"durationMs":100}}}`;
    const lines = await linesFor(
      ...opening('2025-11-25'),
      wait('9007199254740992'),
      wait('9007199254740993'),
      wait('"9007199254740993"'),
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}',
    );
    expect(lines.slice(1).map((line) => /"id":(.+?),/.exec(line)?.[1])).toEqual([
      '9007199254740992',
      '"9007199254740993"',
    ]);
  });

  it.each([
    ['{"jsonrpc":"2.0"', -32700],
    ['nonsense', -32700],
    [Buffer.from('{"jsonrpc":"2.0","id":"\xff","method":"ping"}', 'latin1'), -32700],
    ['7', -32600],
    ['null', -32600],
    ['[]', -32600],
    ['{}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1e999,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","method":7}', -32600],
  ])('answers %s with an error whose id is null, and goes on', async (line, code) => {
    const [refused, answered] = await linesFor(line, request(1, 'ping'));
    expect(JSON.parse(refused ?? '')).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
    expect(JSON.parse(answered ?? '')).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  it('refuses invalid requests with their ids', async () => {
    const replies = await repliesTo(
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":2,"method":7}',
      '{"jsonrpc":"2.0","id":"3","method":"ping","params":[]}',
      '{"jsonrpc":"2.0","id":4}',
      '{"id":5,"method":"ping"}',
    );
    expect([...replies]).toMatchObject(
      [1, 2, '3', 4, 5].map((id) => [id, { jsonrpc: '2.0', error: { code: -32600 } }]),
    );
  });

  it('answers neither notifications nor responses', async () => {
    const lines = await linesFor(
      ...opening('2025-11-25').slice(1),
      { jsonrpc: '2.0', method: 'notifications/nope', params: [] },
      { jsonrpc: '2.0', method: 'tools/list', params: { _meta: META } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } },
      { jsonrpc: '2.0', method: 'notifications/cancelled' },
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, error: { code: 1, message: '' } },
    );
    expect(lines).toEqual([]);
  });

  it('answers batches in the one revision that has them', async () => {
    const batch = [
      request(1, 'ping'),
      { jsonrpc: '2.0', method: 'notifications/nope' },
      request(2, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } }),
      { ...request(3, 'ping'), id: 1.5 },
      [],
    ];
    const [, answers, ...more] = await linesFor(
      ...opening('2025-03-26'),
      batch,
      [{ jsonrpc: '2.0', method: 'notifications/nope' }],
      `[${JSON.stringify(request(1, 'ping'))},{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}]`,
    );
    expect(more).toEqual([
      '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}]',
    ]);
    expect(JSON.parse(answers ?? '')).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: { structuredContent: { sum: 3 } } },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
    ]);
    const [, refused, ...none] = await linesFor(...opening('2025-06-18'), batch);
    expect(JSON.parse(refused ?? '')).toMatchObject({ id: null, error: { code: -32600 } });
    expect(none).toEqual([]);
  });

  it.each([undefined, 1, 7])('reads lines with other ends, in pieces of %s bytes', async (chunkBytes) => {
    const asked = [1, 2, 3].map((id) => JSON.stringify(request(id, 'ping', { text: 'ä€😀' })));
    const input = `\n\r\n${asked[0]}\r\n  ${asked[1]}  \n\n${asked[2]}`;
    const lines = await linesForBytes(Buffer.from(input), chunkBytes);
    expect(lines.map((line): Reply => JSON.parse(line).id)).toEqual([1, 2, 3]);
  });

  it('reads a long line', async () => {
    const long = JSON.stringify(request(1, 'ping', { text: 'ä'.repeat(1_000_000) }));
    const lines = await linesForBytes(Buffer.from(`${long}\n`), 65_536);
    expect(lines).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}']);
  });
});
