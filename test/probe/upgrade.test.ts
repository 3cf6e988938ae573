import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { head, listen, type RawServer } from './raw-server.ts';
import { answered, send, unanswered } from './send.ts';

const open: RawServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const ACCEPT = createHash('sha1').update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
const ACCEPTED = { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Accept': ACCEPT };

/** Requests WebSocket; the server writes these bytes and leaves the connection open. */
async function upgrade(bytes: string, timeoutMs = 300_000) {
  const server = await listen(async ({ socket, whenReceived }) => {
    await whenReceived(0);
    if (bytes !== '') socket.write(bytes, 'latin1');
  });
  open.push(server);
  const exchange = await send(server.url, {
    upgrade: 'websocket',
    headers: [
      ['sec-websocket-key', KEY],
      ['sec-websocket-version', '13'],
    ],
    timeoutMs,
  });
  return { server, exchange };
}

describe('a request to upgrade to WebSocket', () => {
  test('is that of RFC 6455, section 4.1', async () => {
    const { server, exchange } = await upgrade(head(101, ACCEPTED));
    const { pathname, host } = new URL(server.url);
    expect(server.connections[0]?.received().toString('latin1').split('\r\n')).toEqual([
      `GET ${pathname} HTTP/1.1`,
      `host: ${host}`,
      'connection: Upgrade',
      'upgrade: websocket',
      `sec-websocket-key: ${KEY}`,
      'sec-websocket-version: 13',
      '',
      '',
    ]);
    // The stored request has the same headers, except the host.
    expect(exchange.request.headers).toEqual([
      ['connection', 'Upgrade'],
      ['upgrade', 'websocket'],
      ['sec-websocket-key', KEY],
      ['sec-websocket-version', '13'],
    ]);
    await server.connections[0]?.gone;
  });

  test.each([
    ['granted', head(101, ACCEPTED)],
    ['granted together with the first frame', `${head(101, ACCEPTED)}\x81\x05hello`],
    ['granted after 100 Continue', `${head(100)}${head(101, ACCEPTED)}`],
    ['granted after 103 Early Hints', `${head(103, { Link: '</a>' })}${head(101, ACCEPTED)}`],
  ])('%s', async (_name, bytes) => {
    const { response, connection } = answered((await upgrade(bytes)).exchange);
    expect(response).toMatchObject({ status: 101, body: { text: '' }, oddities: [] });
    expect(response.headers).toEqual(Object.entries(ACCEPTED));
    expect(connection).toEqual({ reused: false, tls: null });
  });

  test.each([
    ['101 without a header', head(101), 101],
    ['101 without Upgrade', head(101, { Connection: 'Upgrade', 'Sec-WebSocket-Accept': ACCEPT }), 101],
    ['101 to another protocol', head(101, { Connection: 'Upgrade', Upgrade: 'h2c' }), 101],
    ['404', head(404, { 'content-length': 2 }), 404],
    ['200 with a body that never ends', `${head(200, { 'transfer-encoding': 'chunked' })}5\r\n`, 200],
    ['426', head(426, { Upgrade: 'websocket', Connection: 'Upgrade', 'content-length': 0 }), 426],
  ])('is answered by the head alone: %s', async (_name, bytes, status) => {
    expect(answered((await upgrade(bytes)).exchange).response).toMatchObject({ status, body: { text: '' } });
  });

  test('reports lines that end in LF alone, and reads the answer', async () => {
    const bytes = head(101, ACCEPTED).replaceAll('\r\n', '\n');
    const { response } = answered((await upgrade(bytes)).exchange);
    expect(response.status).toBe(101);
    expect(response.oddities).toEqual(['lines end in LF alone, without the CR']);
  });

  test('blames the server for an answer that is not HTTP', async () => {
    const { reason } = unanswered((await upgrade('SSH-2.0-OpenSSH_9.6\r\n')).exchange);
    expect(reason).toMatchObject({ code: 'invalid-http', fault: 'server' });
  });

  test('times out like any other request', async () => {
    const { server, exchange } = await upgrade('', 250);
    expect(unanswered(exchange).reason).toMatchObject({ code: 'timeout', fault: 'server' });
    await server.connections[0]?.gone;
  });

  test('blames the server for a connection that is closed at once', async () => {
    const server = await listen(({ socket }) => void socket.end());
    open.push(server);
    const { reason } = unanswered(await send(server.url, { upgrade: 'websocket' }));
    expect(['closed-early', 'connection-reset']).toContain(reason.code);
    expect(reason.fault).toBe('server');
  });

  test('is required: 101 without it is not an answer', async () => {
    const server = await listen(async ({ socket, whenReceived }) => {
      await whenReceived(0);
      socket.write(head(101, ACCEPTED));
    });
    open.push(server);
    expect(unanswered(await send(server.url)).reason.message).toContain('which was not requested');
  });
});
