import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createConnectionPool, type PoolOptions } from '../../src/probe/connection-pool.ts';
import { openConnection } from '../../src/probe/connector.ts';
import { transportFailure } from '../../src/probe/transport-failure.ts';
import { FailedExchange } from '../../src/probe/wire/send-request.ts';
import { deadAddress } from '../free-port.ts';
import { startHttpProxy } from '../http-proxy.ts';
import { type Connection, head, listen, type RawServer } from './raw-server.ts';
import { acceptedEndpoints, refusedEndpoints, trustedPem } from './tls-endpoints.ts';

const LIMITS = { maxHeaderBytes: 65_536, maxHeaderCount: 100, maxBodyBytes: 1000, maxInformational: 16 };
const closers: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closers.splice(0).reverse()) await close();
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

type Sent = { readonly status: number; readonly body: string } | { readonly code: string };

function poolWith(options: Partial<PoolOptions> = {}) {
  const pool = createConnectionPool({
    publicOnly: false,
    ca: null,
    connectTimeoutMs: 60_000,
    viaProxy: false,
    ...options,
  });
  closers.push(pool.close);
  return async (url: string, method = 'GET', signal = new AbortController().signal): Promise<Sent> => {
    const body = method === 'POST' ? Buffer.from('{}') : null;
    // undici keeps a connection idle for one turn after an answer, to detect excess bytes.
    await nextTurn();
    await nextTurn();
    try {
      const { response } = await pool.send(
        { method, url: new URL(url), headers: [], body },
        LIMITS,
        signal,
        {},
      );
      return { status: response.status, body: response.body.toString() };
    } catch (error) {
      return { code: (error instanceof FailedExchange ? error.failure : transportFailure(error)).code };
    }
  };
}

async function serve(onConnection: (connection: Connection, index: number) => void): Promise<RawServer> {
  const server: RawServer = await listen((connection) =>
    onConnection(connection, server.connections.length - 1),
  );
  closers.push(server.close);
  return server;
}

/** Answers each request on a connection with the result of the function; null closes the connection. */
function answerEach({ socket }: Connection, answer: (index: number) => string | null): void {
  let index = 0;
  socket.on('data', (part) => {
    if (!/^(GET|POST) /.test(part.toString('latin1'))) return;
    const text = answer(index);
    index += 1;
    if (text === null) socket.destroy();
    else socket.write(text);
  });
}

const OK = `${head(200, { 'content-length': 2 })}ok`;

describe('connections', () => {
  it('are reused for the next request', async () => {
    const server = await serve((connection) => answerEach(connection, () => OK));
    const send = poolWith();
    for (const method of ['GET', 'POST', 'GET'])
      expect(await send(server.url, method)).toEqual({ status: 200, body: 'ok' });
    expect(server.connections).toHaveLength(1);
  });
  it.each([
    ['GET', { status: 200, body: 'ok' }, 2],
    ['POST', { code: 'closed-early' }, 1],
  ])(
    'that the server closes during a %s fail it, unless it is safe to repeat',
    async (method, expected, count) => {
      const server = await serve((connection, index) =>
        answerEach(connection, (request) => (index === 0 && request === 1 ? null : OK)),
      );
      const send = poolWith();
      expect(await send(server.url)).toEqual({ status: 200, body: 'ok' });
      const second = await send(server.url, method);
      expect(second).toEqual(expected);
      expect(server.connections).toHaveLength(count);
    },
  );
  it('do not blame a server for 100 Continue, which the client of this library cannot read', async () => {
    const server = await serve((connection) =>
      answerEach(connection, () => `HTTP/1.1 100 Continue\r\n\r\n${OK}`),
    );
    const pool = createConnectionPool({
      publicOnly: false,
      ca: null,
      connectTimeoutMs: 60_000,
      viaProxy: false,
    });
    closers.push(pool.close);
    const request = { method: 'POST', url: new URL(server.url), headers: [], body: Buffer.from('{}') };
    const sent = pool.send(request, LIMITS, new AbortController().signal, {});
    await expect(sent).rejects.toMatchObject({
      failure: { code: 'invalid-http', fault: 'harness', message: expect.stringContaining('100 Continue') },
    });
  });
  it('are closed if there are too many, to the origin that was used least recently', async () => {
    const kept = `${head(200, { 'content-length': 2, 'keep-alive': 'timeout=60' })}ok`;
    const servers = await Promise.all(
      Array.from({ length: 3 }, () => serve((connection) => answerEach(connection, () => kept))),
    );
    const send = poolWith({ maxOpen: 2 });
    const [first, second, third] = servers.map(({ url }) => url);
    for (const url of [first, second, first, third, first, second, third])
      expect(await send(url ?? '', 'POST')).toEqual({ status: 200, body: 'ok' });
    expect(servers.map(({ connections }) => connections.length)).toEqual([1, 2, 2]);
  });
  it('can be opened to many origins at once without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', onWarning);
    closers.push(() => process.off('warning', onWarning));
    const servers = await Promise.all(
      Array.from({ length: 20 }, () => serve((connection) => answerEach(connection, () => OK))),
    );
    const send = poolWith();
    const answers = await Promise.all(servers.map(({ url }) => send(url)));
    expect(answers.every((answer) => 'status' in answer)).toBe(true);
    await nextTurn();
    expect(warnings).toEqual([]);
  });
  it('that are new and closed without an answer are not retried', async () => {
    const server = await serve((connection) => answerEach(connection, () => null));
    expect(await poolWith()(server.url)).toHaveProperty('code');
    expect(server.connections).toHaveLength(1);
  });
  it('ignore an answer that arrived before its request', async () => {
    const server = await serve((connection, index) =>
      answerEach(connection, () => (index === 0 ? `${OK}${head(200, { 'content-length': 3 })}bad` : OK)),
    );
    const send = poolWith();
    expect([await send(server.url), await send(server.url)]).toEqual([
      { status: 200, body: 'ok' },
      { status: 200, body: 'ok' },
    ]);
    expect(server.connections).toHaveLength(2);
  });
  it('that cannot be opened time out, and their waiting requests are not sent', async () => {
    expect(await poolWith()(await deadAddress())).toEqual({ code: 'connection-refused' });
    const hanging = refusedEndpoints.find(({ hangs }) => hangs === true);
    const server = hanging?.serverFor(() => undefined);
    if (server === undefined) throw new Error('no endpoint hangs');
    closers.push(() => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await poolWith({ connectTimeoutMs: 100 })(url)).toEqual({ code: 'connect-timeout' });
    const controller = new AbortController();
    server.once('connection', () =>
      controller.abort(new FailedExchange({ code: 'interrupted', fault: 'harness', message: '' })),
    );
    expect(await poolWith()(url, 'POST', controller.signal)).toEqual({ code: 'interrupted' });
  });
});

describe('an answer is limited', () => {
  it.each([
    ['in the bytes of its headers', `${head(200, { a: 'x'.repeat(70_000) })}`, 'headers-too-large'],
    ['in the number of its headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(101)}\r\n`, 'headers-too-large'],
    ['in its informational responses', `${head(103)}`.repeat(17) + OK, 'headers-too-large'],
    [
      'in its trailers',
      `${head(200, { 'transfer-encoding': 'chunked' })}0\r\na: ${'x'.repeat(70_000)}\r\n\r\n`,
      'headers-too-large',
    ],
    ['in its body', `${head(200, { 'content-length': 1001 })}${'x'.repeat(1001)}`, 'body-too-large'],
    [
      'in its chunked body',
      `${head(200, { 'transfer-encoding': 'chunked' })}${'1\r\nx\r\n'.repeat(1001)}`,
      'body-too-large',
    ],
  ])('%s', async (_, text, code) => {
    const server = await serve((connection) => answerEach(connection, () => text));
    expect(await poolWith()(server.url)).toEqual({ code });
    await server.connections[0]?.gone;
  });
  it('in time, also if a part of it was received', async () => {
    const controller = new AbortController();
    const failure = new FailedExchange({ code: 'timeout', fault: 'server', message: '' });
    const server = await serve(({ socket }) =>
      socket.once('data', () =>
        socket.write(`${head(200, { 'content-length': 9 })}x`, () => controller.abort(failure)),
      ),
    );
    expect(await poolWith()(server.url, 'GET', controller.signal)).toEqual({ code: 'timeout' });
    await server.connections[0]?.gone;
  });
  it.each([
    ['is not HTTP', 'SSH-2.0-OpenSSH\r\n', 'invalid-http'],
    ['has two lengths', `${head(200, { 'content-length': 2, 'Content-Length': 3 })}abc`, 'closed-early'],
    [
      'has two framings',
      `${head(200, { 'transfer-encoding': 'chunked', 'content-length': 2 })}0\r\n\r\n`,
      'invalid-http',
    ],
    ['changes the protocol', `${head(101, { connection: 'upgrade', upgrade: 'websocket' })}`, 'invalid-http'],
  ])('and refused when it %s', async (_, text, code) => {
    const server = await serve((connection) => answerEach(connection, () => text));
    expect(await poolWith()(server.url)).toEqual({ code });
  });
  it('and refused when it is incomplete', async () => {
    for (const framing of [{ 'content-length': 9 }, { 'transfer-encoding': 'chunked' }]) {
      const server = await serve(({ socket }) =>
        socket.once('data', () => socket.end(`${head(200, framing)}5\r\nab`)),
      );
      expect(await poolWith()(server.url)).toEqual({ code: 'closed-early' });
    }
  });
});

describe('with public addresses only', () => {
  it.each(['http://127.0.0.1:1/', 'http://[::1]:1/', 'http://10.0.0.1/'])('%s is refused', async (url) => {
    expect(await poolWith({ publicOnly: true })(url)).toEqual({ code: 'address-refused' });
  });
  it('a proxy is not used', async () => {
    const proxy = await startHttpProxy((_, response) => response.end('from the proxy'));
    closers.push(proxy.close);
    vi.stubEnv('http_proxy', proxy.url);
    const server = await serve((connection) => answerEach(connection, () => OK));
    const connect: typeof openConnection = (_url, options, signal) =>
      openConnection(new URL(server.url), { ...options, publicOnly: false }, signal);
    const send = poolWith({ publicOnly: true, viaProxy: true, connect });
    expect(await send('http://directory.example.org/')).toEqual({ status: 200, body: 'ok' });
    expect(proxy.asked).toEqual([]);
  });
});

describe('a proxy from the environment', () => {
  it('is used for http and https, and the target certificate is checked', async () => {
    const target = acceptedEndpoints[0]?.serverFor((_, response) => response.end('secure'));
    if (target === undefined) throw new Error('no accepted endpoint');
    closers.push(() => target.close());
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
    const proxy = await startHttpProxy(
      (_, response) => response.end('plain'),
      (target.address() as AddressInfo).port,
    );
    closers.push(proxy.close);
    vi.stubEnv('http_proxy', proxy.url);
    vi.stubEnv('no_proxy', '');
    const send = poolWith({ viaProxy: true, ca: trustedPem });
    expect(await send('http://docs.example.org/a?b')).toEqual({ status: 200, body: 'plain' });
    expect(await send('https://localhost/')).toEqual({ status: 200, body: 'secure' });
    expect(await send('https://other.example.org/')).toEqual({ code: 'certificate-wrong-host' });
    expect(await poolWith({ viaProxy: true })('https://localhost/')).toEqual({
      code: 'certificate-untrusted',
    });
    expect(proxy.asked.slice(0, 2)).toEqual(['GET http://docs.example.org/a?b', 'CONNECT localhost:443']);
  });
  it('is not used if it is disabled, or for the hosts in NO_PROXY', async () => {
    const server = await serve((connection) => answerEach(connection, () => OK));
    vi.stubEnv('http_proxy', await deadAddress());
    expect(await poolWith()(server.url)).toEqual({ status: 200, body: 'ok' });
    vi.stubEnv('no_proxy', '127.0.0.1');
    expect(await poolWith({ viaProxy: true })(server.url)).toEqual({ status: 200, body: 'ok' });
  });
  it('with an invalid address is an error', async () => {
    const server = await serve((connection) => answerEach(connection, () => OK));
    vi.stubEnv('http_proxy', 'no address');
    expect(await poolWith({ viaProxy: true })(server.url)).toEqual({ code: 'not-sent' });
    expect(server.connections).toEqual([]);
  });
});
