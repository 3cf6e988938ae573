import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMcpReferenceServer } from '../../../src/reference/mcp/http.ts';
import type { RunningServer } from '../../../src/reference/server.ts';
import {
  initialize,
  META,
  PREFIX,
  type Reply,
  request,
  SESSIONS,
  type Sent,
  STATELESS,
  stateless,
} from './messages.ts';

let server: RunningServer;

beforeAll(async () => {
  server = await startMcpReferenceServer({});
});
afterAll(() => server.close());

type Headers = Readonly<Record<string, string>>;

const JSON_HEADERS: Headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

interface Answer {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly type: string | undefined;
  readonly text: string;
  readonly reply: Reply | null;
}

async function send(
  method: string,
  headers: Headers,
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  const response = await fetch(server.url, { method, headers, body: body ?? null });
  const text = await response.text();
  const type = response.headers.get('content-type')?.split(';')[0];
  const reply = type === 'application/json' ? (JSON.parse(text) as Reply) : null;
  return { status: response.status, headers: response.headers, type, text, reply };
}

const post = (message: object | string, headers: Headers = {}) =>
  send(
    'POST',
    { ...JSON_HEADERS, ...headers },
    typeof message === 'string' ? message : JSON.stringify(message),
  );

/** Sends a request with the headers that repeat it. */
const postStateless = (message: Sent, headers: Headers = {}) =>
  post(message, {
    'mcp-protocol-version': STATELESS,
    'mcp-method': message.method,
    ...(typeof message.params.name === 'string' && { 'mcp-name': message.params.name }),
    ...headers,
  });

/** The header that names a new session. */
async function openSession(revision = '2025-11-25'): Promise<Headers> {
  const { headers } = await post(initialize(revision));
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
}

const NOTIFICATION = { jsonrpc: '2.0', method: 'notifications/initialized' };

describe('the MCP reference server over HTTP', () => {
  it.each(SESSIONS)('serves a session of revision %s until it ends', async (revision) => {
    const opened = await post(initialize(revision));
    expect(opened).toMatchObject({ status: 200, reply: { id: 0, result: { protocolVersion: revision } } });
    const id = opened.headers.get('mcp-session-id') ?? '';
    expect(id).toMatch(/^[\x21-\x7e]{30,}$/);
    const session = { 'mcp-session-id': id, 'mcp-protocol-version': revision };
    expect(await post(NOTIFICATION, session)).toMatchObject({ status: 202, text: '' });
    const called = await post(request(1, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } }), session);
    expect(called).toMatchObject({
      status: 200,
      type: 'application/json',
      reply: { id: 1, result: { structuredContent: { sum: 3 } } },
    });
    expect(await post(request(2, 'nope'), session)).toMatchObject({
      status: 200,
      reply: { id: 2, error: { code: -32601 } },
    });
    expect(await post({ jsonrpc: '2.0', id: 3, result: {} }, session)).toMatchObject({
      status: 202,
      text: '',
    });
    expect(await send('DELETE', session)).toMatchObject({ status: 204, text: '' });
    expect(await post(request(4, 'ping'), session)).toMatchObject({ status: 404, reply: { id: 4 } });
    expect(await post(NOTIFICATION, session)).toMatchObject({ status: 404, reply: null });
    expect(await send('DELETE', session)).toMatchObject({ status: 404 });
  });

  it('keeps sessions apart', async () => {
    const [older, newer] = await Promise.all([openSession('2024-11-05'), openSession('2025-11-25')]);
    const invalid = request(1, 'tools/call', { name: 'add' });
    expect((await post(invalid, older)).reply?.error).toMatchObject({ code: -32602 });
    expect((await post(invalid, newer)).reply?.result).toMatchObject({ isError: true });
    await send('DELETE', older);
    expect(await post(request(2, 'ping'), newer)).toMatchObject({ status: 200 });
  });

  it('refuses what is in no session with 400, and in an unknown one with 404', async () => {
    for (const message of [request(1, 'ping'), request(1, 'tools/list'), request(1, 'nope')]) {
      expect(await post(message)).toMatchObject({ status: 400, reply: { id: 1, error: { code: -32602 } } });
      expect(await post(message, { 'mcp-session-id': 'unknown' })).toMatchObject({
        status: 404,
        reply: { id: 1, error: { code: -32600 } },
      });
    }
    expect(await post(NOTIFICATION)).toMatchObject({ status: 400, reply: null });
    expect(await send('DELETE', {})).toMatchObject({ status: 400 });
    expect(await send('DELETE', { 'mcp-session-id': 'unknown' })).toMatchObject({ status: 404 });
  });

  it('opens no session for an invalid initialize', async () => {
    const { status, headers, reply } = await post(initialize(7));
    expect([status, reply?.error?.code]).toEqual([200, -32602]);
    expect(headers.has('mcp-session-id')).toBe(false);
  });

  it('ends the session that was not used for the longest time', async () => {
    const first = await openSession();
    const second = await openSession();
    expect(await post(request(1, 'ping'), first)).toMatchObject({ status: 200 });
    for (let count = 0; count < 99; count += 1) await openSession();
    expect(await post(request(1, 'ping'), first)).toMatchObject({ status: 200 });
    expect(await post(request(1, 'ping'), second)).toMatchObject({ status: 404 });
  });

  it('answers a cancelled request with a stream without events', async () => {
    const wait = request(1, 'tools/call', { name: 'wait', arguments: { durationMs: 200 } });
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    // One body, so that the notification cannot come too late.
    const answer = await post([wait, cancel], await openSession('2025-03-26'));
    expect(answer).toMatchObject({ status: 200, type: 'text/event-stream', text: '' });
  });

  it('answers batches in the one revision that has them', async () => {
    const session = await openSession('2025-03-26');
    const both = await post([request(1, 'ping'), request(2, 'ping')], session);
    expect(both).toMatchObject({ status: 200, reply: [{ id: 1 }, { id: 2 }] });
    expect(await post([NOTIFICATION], session)).toMatchObject({ status: 202, text: '' });
    expect(await post([request(1, 'ping')], await openSession())).toMatchObject({
      status: 400,
      reply: { id: null, error: { code: -32600 } },
    });
    expect(await post([request(1, 'ping')])).toMatchObject({ status: 400 });
    expect(await post([request(1, 'ping')], { 'mcp-protocol-version': STATELESS })).toMatchObject({
      status: 400,
    });
  });

  it.each(['https://example.com', 'null', 'http://127.0.0.1.example.com', ''])(
    'refuses pages of the origin "%s"',
    async (origin) => {
      const refused = await post(initialize('2025-11-25'), { origin });
      expect(refused).toMatchObject({ status: 403, reply: null });
      expect(await postStateless(stateless(1, 'tools/list'), { origin })).toMatchObject({ status: 403 });
      expect(await send('GET', { origin })).toMatchObject({ status: 403 });
    },
  );

  it.each(['http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:80'])(
    'serves pages of the origin %s',
    async (origin) => {
      expect(await post(initialize('2025-11-25'), { origin })).toMatchObject({ status: 200 });
    },
  );

  it.each(['PUT', 'HEAD', 'OPTIONS'])('answers %s with 405', async (method) => {
    const { status, headers } = await send(method, { accept: 'text/event-stream' });
    expect([status, headers.get('allow')]).toEqual([405, 'POST, GET, DELETE']);
  });

  it.each(['GET', 'DELETE'])('answers %s of the revision without sessions with 405', async (method) => {
    const version = { 'mcp-protocol-version': STATELESS };
    const { status, headers } = await send(method, version);
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('is at one path only', async () => {
    for (const path of ['/', '/mcp/', '/mcp/x', '/health'])
      expect((await fetch(new URL(path, server.url))).status).toBe(404);
    expect((await fetch(`${server.url}?x=1`, { method: 'DELETE' })).status).toBe(400);
  });

  it('refuses other media types, and clients that do not accept JSON', async () => {
    const hello = JSON.stringify(initialize('2025-11-25'));
    expect(await send('POST', { 'content-type': 'text/plain' }, hello)).toMatchObject({ status: 415 });
    const { accept: _, ...withoutAccept } = JSON_HEADERS;
    for (const accept of ['text/event-stream', 'text/html, image/*'])
      expect(await post(hello, { accept })).toMatchObject({ status: 406 });
    for (const accept of ['*/*', 'application/*;q=0.5', 'text/html, Application/JSON; q=0.9'])
      expect(await post(hello, { accept })).toMatchObject({ status: 200 });
    expect(await send('POST', withoutAccept, hello)).toMatchObject({ status: 200 });
    expect(await post(hello, { 'content-type': 'Application/JSON; charset=utf-8' })).toMatchObject({
      status: 200,
    });
  });

  it.each([
    ['{', -32700],
    ['', -32700],
    [new Uint8Array([0x22, 0xff, 0x22]), -32700],
    ['7', -32600],
    ['{"jsonrpc":"2.0","method":"ping","id":null}', -32600],
  ])('answers the body %j with 400 and an error without an id', async (body, code) => {
    for (const headers of [{}, { 'mcp-protocol-version': STATELESS }]) {
      const answer = await send('POST', { ...JSON_HEADERS, ...headers }, body);
      expect(answer).toMatchObject({ status: 400, reply: { jsonrpc: '2.0', id: null, error: { code } } });
    }
  });

  it('refuses a body that is too large', async () => {
    const large = request(1, 'ping', { text: 'x'.repeat(5_000_000) });
    expect(await post(large, await openSession())).toMatchObject({ status: 413, reply: null });
  });

  it('returns ids as they were written', async () => {
    const session = await openSession();
    for (const id of ['12345678901234567890123', '-9007199254740993', '"é"', '0']) {
      const { text } = await post(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`, session);
      expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
    }
  });

  it('refuses unknown versions in the header, and knows those of sessions', async () => {
    const session = await openSession('2025-11-25');
    for (const version of ['1999-01-01', '']) {
      const headers = { ...session, 'mcp-protocol-version': version };
      expect(await post(request(1, 'ping'), headers)).toMatchObject({ status: 400, reply: { id: 1 } });
      expect(await post(NOTIFICATION, headers)).toMatchObject({ status: 400, reply: null });
      expect(await send('DELETE', headers)).toMatchObject({ status: 400 });
    }
    expect(
      await post(request(1, 'ping'), { ...session, 'mcp-protocol-version': '2025-06-18' }),
    ).toMatchObject({ status: 200 });
  });

  describe('stateless', () => {
    it('serves requests without a session, and ignores the id of one', async () => {
      for (const headers of [{}, await openSession(), { 'mcp-session-id': 'unknown' }]) {
        const answers = [
          await postStateless(stateless(1, 'server/discover'), headers),
          await postStateless(stateless(1, 'tools/list'), headers),
          await postStateless(
            stateless(1, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } }),
            headers,
          ),
        ];
        for (const answer of answers) {
          expect(answer).toMatchObject({
            status: 200,
            type: 'application/json',
            reply: { id: 1, result: { resultType: 'complete' } },
          });
          expect(answer.headers.has('mcp-session-id')).toBe(false);
        }
      }
    });

    it('accepts notifications, and refuses responses', async () => {
      const headers = { 'mcp-protocol-version': STATELESS };
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
      for (const message of [NOTIFICATION, cancel])
        expect(await post(message, headers)).toMatchObject({ status: 202, text: '' });
      expect(await post({ jsonrpc: '2.0', id: 1, result: {} }, headers)).toMatchObject({ status: 400 });
    });

    it('refuses a request whose _meta lacks what it needs with 400', async () => {
      const metas = [
        {},
        { [`${PREFIX}protocolVersion`]: STATELESS },
        { [`${PREFIX}clientCapabilities`]: {} },
        { ...META, [`${PREFIX}protocolVersion`]: 7 },
      ];
      for (const _meta of metas)
        expect(await postStateless(request(1, 'tools/list', { _meta }))).toMatchObject({
          status: 400,
          reply: { id: 1, error: { code: -32602 } },
        });
      expect(await postStateless(request(1, 'tools/list'))).toMatchObject({
        status: 400,
        reply: { error: { code: -32602 } },
      });
    });

    it('refuses other versions with 400, and names those it knows', async () => {
      for (const requested of ['1999-01-01', '2025-11-25']) {
        const _meta = { ...META, [`${PREFIX}protocolVersion`]: requested };
        const headers = { 'mcp-protocol-version': requested };
        expect(await post(request(1, 'tools/list', { _meta }), headers)).toMatchObject({
          status: 400,
          reply: { id: 1, error: { code: -32022, data: { requested, supported: [STATELESS, ...SESSIONS] } } },
        });
      }
    });

    it.each<[string, Headers]>([
      ['another version', { 'mcp-protocol-version': '2025-11-25' }],
      ['another method', { 'mcp-method': 'tools/list' }],
      ['a method in other letters', { 'mcp-method': 'Tools/Call' }],
      ['another name', { 'mcp-name': 'divide' }],
      ['another encoded name', { 'mcp-name': '=?base64?ZGl2aWRl?=' }],
      ['a name whose encoding is not closed', { 'mcp-name': '=?base64?YWRk' }],
    ])('refuses a header with %s', async (_, headers) => {
      const call = stateless(1, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
      expect(await postStateless(call, headers)).toMatchObject({
        status: 400,
        reply: { id: 1, error: { code: -32020 } },
      });
    });

    it.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])(
      'refuses a request without %s',
      async (missing) => {
        const all: Headers = {
          'mcp-protocol-version': STATELESS,
          'mcp-method': 'tools/call',
          'mcp-name': 'add',
        };
        const headers = Object.fromEntries(Object.entries(all).filter(([name]) => name !== missing));
        const call = stateless(1, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
        expect(await post(call, headers)).toMatchObject({
          status: 400,
          reply: { id: 1, error: { code: -32020 } },
        });
        expect(await post(call, all)).toMatchObject({ status: 200 });
      },
    );

    it.each<[string | undefined, string | undefined, boolean]>([
      ['fr', 'fr', true],
      ['fr', '=?base64?ZnI=?=', true],
      [undefined, undefined, true],
      ['fr', undefined, false],
      ['fr', 'de', false],
      ['fr', '', false],
      ['fr', '=?base64?ZnI?=', false],
      ['fr', '=?base64?Zn!I=?=', false],
      [undefined, 'fr', false],
    ])('serves the parameter %j with the header %j: %s', async (language, header, isServed) => {
      const call = stateless(1, 'tools/call', { name: 'greet', arguments: { name: 'Ada', language } });
      const headers: Headers = header === undefined ? {} : { 'mcp-param-language': header };
      expect(await postStateless(call, headers)).toMatchObject(
        isServed
          ? { status: 200, reply: { result: { resultType: 'complete' } } }
          : { status: 400, reply: { id: 1, error: { code: -32020 } } },
      );
    });

    it('decodes names that no header can hold', async () => {
      const encoded = (name: string) => `=?base64?${Buffer.from(name).toString('base64')}?=`;
      expect(
        await postStateless(stateless(1, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } }), {
          'mcp-name': encoded('add'),
        }),
      ).toMatchObject({ status: 200, reply: { result: { structuredContent: { sum: 3 } } } });
      const unknown = stateless(1, 'tools/call', { name: 'größe 世界' });
      expect(await postStateless(unknown, { 'mcp-name': encoded('größe 世界') })).toMatchObject({
        status: 200,
        reply: { error: { code: -32602, message: 'Unknown tool: größe 世界' } },
      });
      // The bytes of ISO 8859-1: the same text, but no header may contain them.
      const latin1 = stateless(1, 'tools/call', { name: 'größe' });
      expect(await postStateless(latin1)).toMatchObject({ status: 400, reply: { error: { code: -32020 } } });
    });

    it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'nope'])(
      'answers the unknown method %s with 404',
      async (method) => {
        expect(await postStateless(stateless(1, method))).toMatchObject({
          status: 404,
          reply: { id: 1, error: { code: -32601 } },
        });
      },
    );

    it('still serves after a client went away', async () => {
      const wait = stateless(1, 'tools/call', { name: 'wait', arguments: { durationMs: 200 } });
      const headers = {
        ...JSON_HEADERS,
        'mcp-protocol-version': STATELESS,
        'mcp-method': 'tools/call',
        'mcp-name': 'wait',
      };
      const leaving = http.request(server.url, { method: 'POST', headers }).on('error', () => undefined);
      leaving.end(JSON.stringify(wait), () => leaving.destroy());
      await new Promise((resolve) => leaving.once('close', resolve));
      expect(await postStateless(stateless(2, 'tools/list'))).toMatchObject({ status: 200 });
    });
  });
});
