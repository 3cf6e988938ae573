import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKey, revokeKey } from '../../src/accounts/keys.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { requestsUnderWay } from '../held-server.ts';

const READS = 4;
/** A window that does not end during a test. */
const ENDLESS_SECONDS = 1e9;
/** Longer than a parameter of a path may be in Fastify by default, or was here. */
const LONG_ID = 'a'.repeat(5000);

let running: DirectoryUnderTest;
/** A new key for each test, with an unused limit. */
let key: string;
let keyId: string;
const lines: string[] = [];
const log = new EventEmitter();

beforeAll(async () => {
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(...chunk.toString().trim().split('\n'));
      log.emit('line');
      done();
    },
  });
  const limits = { read: { name: 'read', calls: READS, windowSeconds: ENDLESS_SECONDS } };
  running = await startDirectory({ limits, logger: { level: 'info', stream } });
});
beforeEach(async () => {
  ({ key, id: keyId } = await createKey(running.store.db, {
    name: 'test',
    scopes: ['read'],
    expiresAt: null,
  }));
});
afterAll(() => running?.stop());

const ask = (route: string, init: RequestInit = {}) => fetch(`${running.url}${route}`, init);
const withKey = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });

/** The log line of a request, which is written after its answer. */
async function lineOf(answer: Response): Promise<object> {
  const id = answer.headers.get('x-request-id');
  for (;;) {
    const found = lines
      .map((line) => JSON.parse(line) as { readonly msg: string; readonly reqId?: string })
      .find(({ msg, reqId }) => msg === 'answered' && reqId === id);
    if (found !== undefined) return found;
    await once(log, 'line');
  }
}

async function raw(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.write(bytes);
  await once(socket, 'close');
  return Buffer.concat(parts).toString();
}

describe('the service in operation', () => {
  it('reports liveness, readiness and metrics', async () => {
    expect([(await ask('/livez')).status, (await ask('/readyz')).status]).toEqual([200, 200]);
    await ask('/v1/servers/one-of-many-ids', withKey(key));
    expect((await ask('/metrics')).status).toBe(404);
    const metrics = await running.metrics();
    expect(metrics).toContain('route="/v1/servers/:serverId"');
    expect(metrics).not.toContain('one-of-many-ids');
    await requestsUnderWay(running, 0);
    expect(metrics).toMatch(/^probity_database_connections\{state="waiting"\} 0$/m);
  });

  it('answers invalid requests with a problem that has a code and the request id', async () => {
    for (const [route, init, status, code] of [
      ['/nowhere', {}, 404, 'no-such-path'],
      ['/v1/servers/search', { method: 'DELETE' }, 405, 'method-not-allowed'],
      ['/v1/servers/search', {}, 401, 'unauthorised'],
      ['/v1/servers/search', { headers: { authorization: 'Basic eDp5' } }, 401, 'unauthorised'],
      ['/v1/servers/%00', withKey(key), 404, 'server-not-found'],
      ['/v1/servers/%zz', withKey(key), 400, 'bad-request'],
      [`/v1/servers/${LONG_ID}`, withKey(key), 404, 'server-not-found'],
      [`/v1/servers/${LONG_ID}`, {}, 401, 'unauthorised'],
      ['/v1/servers/search', { method: 'QUERY' }, 405, 'method-not-allowed'],
      ['/v1/servers/x', { method: 'QUERY', body: 'x' }, 405, 'method-not-allowed'],
      ['/nowhere', { method: 'QUERY' }, 404, 'no-such-path'],
      ['/nowhere', { method: 'POST', body: '{' }, 404, 'no-such-path'],
    ] as const) {
      const answer = await ask(route, init);
      expect([route, answer.status]).toEqual([route, status]);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      expect(await answer.json()).toMatchObject({
        code,
        status,
        requestId: answer.headers.get('x-request-id'),
      });
      expect(answer.headers.get('www-authenticate') !== null).toBe(status === 401);
    }
  });

  it('names the API below which a path is unknown, also to a browser', async () => {
    for (const [route, api] of [
      ['/v0.1/nowhere', '/v0.1/openapi.json'],
      ['/v1/nowhere', '/v1/openapi.json'],
      ['/nowhere', '/v1/openapi.json'],
    ] as const) {
      const { detail } = (await (await ask(route)).json()) as { detail: string };
      expect(detail).toContain(`; ${api} describes it.`);
    }
    const browser = { headers: { accept: 'text/html' } };
    const typeOf = async (route: string) => (await ask(route, browser)).headers.get('content-type');
    expect(await typeOf('/v0.1/nowhere')).toContain('application/problem+json');
    expect(await typeOf('/nowhere')).toContain('text/html');
  });

  it('answers bytes that are not HTTP, and headers that are too large', async () => {
    expect(await raw('what is this\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"bad-request"/);
    expect(await raw(`GET /livez HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 [\s\S]*"code":"headers-too-large"/,
    );
  });

  it('refuses two Host headers, of which a proxy may believe the other one', async () => {
    const hosts = (...names: readonly string[]) =>
      raw(
        `GET /livez HTTP/1.1\r\n${names.map((name) => `Host: ${name}\r\n`).join('')}Connection: close\r\n\r\n`,
      );
    expect(await hosts('good.example')).toMatch(/^HTTP\/1\.1 200 /);
    for (const second of ['evil.example', 'good.example'])
      expect(await hosts('good.example', second)).toMatch(/^HTTP\/1\.1 400 [\s\S]*more than one Host header/);
  });

  it('refuses JSON in another encoding than UTF-8', async () => {
    const send = async (charset: string) => {
      const headers = {
        authorization: `Bearer ${running.key}`,
        'content-type': `application/json${charset}`,
      };
      const answer = await ask('/v1/servers/none/test', { method: 'POST', headers, body: '{}' });
      return [answer.status, ((await answer.json()) as { readonly code: string }).code];
    };
    for (const charset of ['', '; charset=utf-8', ';charset="UTF-8"'])
      expect(await send(charset)).toEqual([404, 'server-not-found']);
    for (const charset of ['; charset=utf-16', ';Charset="iso-8859-1"'])
      expect(await send(charset)).toEqual([415, 'not-json']);
  });

  it('logs no error of its own when a client disconnects in the middle of a body', async () => {
    const before = lines.length;
    const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
    socket.write(
      `POST /v1/servers/none/test HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    await requestsUnderWay(running, 1);
    socket.destroy();
    const since = () =>
      lines.slice(before).map((line) => JSON.parse(line) as { readonly level: number; readonly msg: string });
    while (!since().some(({ msg }) => msg === 'the client disconnected')) await once(log, 'line');
    // What was logged of it was logged before the line of a later request.
    await lineOf(await ask('/v1/servers/search', withKey(key)));
    expect(since().filter(({ level }) => level > 30)).toEqual([]);
  });

  it('lets clients cache and revalidate answers', async () => {
    const first = await ask('/v1/servers/search', withKey(key));
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('private, max-age=30');
    const again = await ask('/v1/servers/search', {
      headers: { authorization: `Bearer ${key}`, 'if-none-match': `"other", W/${etag}` },
    });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  });

  it('logs one line for each request, with ids and without secrets', async () => {
    const answer = await ask('/v1/servers/search?q=private-words', withKey(key));
    expect(await lineOf(answer)).toMatchObject({
      method: 'GET',
      route: '/v1/servers/search',
      status: 200,
      keyId,
    });
    expect(lines.filter((line) => line.includes(answer.headers.get('x-request-id') ?? '-'))).toHaveLength(1);
    expect(lines.join('\n')).not.toContain(key.slice(15));
    expect(lines.join('\n')).not.toContain('private-words');
  });

  it('logs and counts a request with an id of any length', async () => {
    const answer = await ask(`/v1/servers/${LONG_ID}`, withKey(key));
    expect(await lineOf(answer)).toMatchObject({
      route: '/v1/servers/:serverId',
      serverId: LONG_ID.slice(0, 64),
      status: 404,
    });
  });

  it('refuses a key that is revoked, expired, or without the scope', async () => {
    const past = await createKey(running.store.db, {
      name: 'past',
      scopes: ['read'],
      expiresAt: new Date(Date.now() - 1000),
    });
    const gone = await createKey(running.store.db, { name: 'gone', scopes: ['read'], expiresAt: null });
    const other = await createKey(running.store.db, { name: 'other', scopes: ['execute'], expiresAt: null });
    expect((await ask('/v1/servers/search', withKey(gone.key))).status).toBe(200);
    await revokeKey(running.store.db, gone.id);
    const statuses = await Promise.all(
      [past.key, gone.key, other.key].map(
        async (secret) => (await ask('/v1/servers/search', withKey(secret))).status,
      ),
    );
    expect(statuses).toEqual([401, 401, 403]);
  });

  it('stores only the digest of a key', async () => {
    const { rows } = await sql<{ hash: Buffer }>`select * from keys where id = ${keyId}`.execute(
      running.store.db,
    );
    expect(JSON.stringify(rows)).not.toContain(key.split('_').slice(2).join('_'));
    expect(rows[0]?.hash).toHaveLength(32);
  });

  it('reports the remaining calls of a limit, and when to retry', async () => {
    const answer = await ask('/v1/servers/search', withKey(key));
    expect(answer.headers.get('ratelimit-policy')).toBe(`"read";q=${READS};w=${ENDLESS_SECONDS}`);
    expect(answer.headers.get('ratelimit')).toMatch(/^"read";r=\d+;t=\d+$/);
    for (let call = 1; call < READS; call += 1)
      expect((await ask('/v1/servers/search', withKey(key))).status).toBe(200);
    const refused = await ask('/v1/servers/search', withKey(key));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'rate-limited' });
  });
});
