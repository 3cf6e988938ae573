import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { validToMs } from '../../src/probe/connector.ts';
import { certify } from './certificates.ts';
import { answered, plan, probeWith, send, unanswered } from './send.ts';
import {
  acceptedEndpoints,
  type Endpoint,
  endingEndpoints,
  refusedEndpoints,
  trustedPem,
} from './tls-endpoints.ts';

const DAY_MS = 86_400_000;
const QUARTER_HOUR_MS = 900_000;

interface Listening {
  readonly url: string;
  /** The data received after the handshake, or before it if there was none. */
  readonly received: () => string;
}

const open: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of open.splice(0)) server.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

const ok: RequestListener = (_request, response) => response.end('{}');

async function listen(endpoint: Endpoint, answer = ok): Promise<Listening> {
  const received: Buffer[] = [];
  const server = endpoint.serverFor(answer);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('secureConnection', (socket: TLSSocket) =>
    socket.on('data', (chunk: Buffer) => received.push(chunk)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, received: () => Buffer.concat(received).toString() };
}

const given = [{ name: 'x-api-key', value: 'k3y-0123456789', shownValue: '$KEY' }];

describe('an endpoint that is refused', () => {
  test.each(refusedEndpoints)('$name: $code', async (endpoint) => {
    const { url, received } = await listen(endpoint);
    const exchange = await send(
      url,
      { body: Buffer.from('{}'), timeoutMs: endpoint.hangs ? 250 : 300_000 },
      { ca: trustedPem, headers: given },
    );
    const { reason, timing } = unanswered(exchange);
    expect(reason).toMatchObject({ code: endpoint.code, fault: 'server' });
    expect(reason.message).toMatch(endpoint.message);
    expect(timing).toMatchObject({ connectMs: null, firstByteMs: null });
    expect(received()).toBe('');
  });

  test.each(refusedEndpoints.filter(({ code }) => code.startsWith('certificate-')))(
    '$name, also with NODE_TLS_REJECT_UNAUTHORIZED=0',
    async (endpoint) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      const { url, received } = await listen(endpoint);
      const exchange = await send(url, {}, { ca: trustedPem, headers: given });
      expect(unanswered(exchange).reason.code).toBe(endpoint.code);
      expect(received()).toBe('');
    },
  );

  test('an old version of TLS, also if Node.js is configured to accept it', async () => {
    const old = refusedEndpoints.find(({ code }) => code === 'tls-too-old');
    if (old === undefined) throw new Error('no endpoint');
    const { url, received } = await listen(old);
    const defaults = { version: tls.DEFAULT_MIN_VERSION, ciphers: tls.DEFAULT_CIPHERS };
    tls.DEFAULT_MIN_VERSION = 'TLSv1';
    tls.DEFAULT_CIPHERS = 'DEFAULT@SECLEVEL=0';
    const exchange = await send(url, {}, { ca: trustedPem, headers: given });
    tls.DEFAULT_MIN_VERSION = defaults.version;
    tls.DEFAULT_CIPHERS = defaults.ciphers;
    expect(unanswered(exchange).reason.code).toBe('tls-too-old');
    expect(received()).toBe('');
  });

  test('a valid certificate of an untrusted authority', async () => {
    const [endpoint] = acceptedEndpoints;
    if (endpoint === undefined) throw new Error('no endpoint');
    const { url, received } = await listen(endpoint);
    expect(unanswered(await send(url)).reason.code).toBe('certificate-untrusted');
    expect(received()).toBe('');
  });

  test('a handshake that never ends, when it is interrupted', async () => {
    const silent = refusedEndpoints.find(({ hangs }) => hangs);
    if (silent === undefined) throw new Error('no endpoint');
    const { url } = await listen(silent);
    const interrupt = new AbortController();
    const exchange = probeWith({ signal: interrupt.signal }).send(plan(url));
    await once(open[0] as Server, 'connection');
    interrupt.abort();
    expect(unanswered(await exchange).reason.code).toBe('interrupted');
  });
});

describe('an endpoint that is accepted', () => {
  test.each([...acceptedEndpoints, ...endingEndpoints])('$name', async (endpoint) => {
    const { url, received } = await listen(endpoint);
    const { connection, timing } = answered(await send(url, {}, { ca: trustedPem, headers: given }));
    expect(received()).toContain('x-api-key: k3y-0123456789');
    const expectedMs = timing.startedAtMs + endpoint.days * DAY_MS;
    // The certificates were created when the first test that shares them started.
    expect(Math.abs((connection.tls?.validToMs ?? 0) - expectedMs)).toBeLessThan(QUARTER_HOUR_MS);
    expect(connection.tls?.protocol).toBe(endpoint.name.includes('1.2') ? 'TLSv1.2' : 'TLSv1.3');
    expect(timing.connectMs).not.toBeNull();
  });

  test('with a host name', async () => {
    const [endpoint] = acceptedEndpoints;
    if (endpoint === undefined) throw new Error('no endpoint');
    const { url } = await listen(endpoint);
    const { response } = answered(await send(url.replace('127.0.0.1', 'localhost'), {}, { ca: trustedPem }));
    expect(response.status).toBe(200);
  });

  test('reports the session of a reused connection and of a WebSocket upgrade', async () => {
    const [endpoint] = acceptedEndpoints;
    if (endpoint === undefined) throw new Error('no endpoint');
    const { url } = await listen(endpoint);
    const probe = probeWith({ ca: trustedPem });
    const kept = { connection: 'kept' };
    await probe.send(plan(url, kept));
    const second = answered(await probe.send(plan(url, kept)));
    probe.close();
    expect(second.connection).toMatchObject({ reused: true, tls: { protocol: 'TLSv1.3' } });
    const upgrade = answered(await send(url, { upgrade: 'websocket' }, { ca: trustedPem }));
    expect(upgrade.connection.tls?.protocol).toBe('TLSv1.3');
  });
});

describe('the end of validity of a chain', () => {
  const nowMs = Date.now();

  test('ignores expired certificates, whichever authorities are trusted', async () => {
    const root = await certify({ name: 'root', authority: true, fromDays: -20, toDays: -10 });
    const leaf = await certify({ name: 'leaf', issuer: root, toDays: 30 });
    const chain = [leaf, root].map(({ pem }) => new X509Certificate(pem));
    expect(Math.round((validToMs(chain, null, nowMs) - nowMs) / DAY_MS)).toBe(30);
  });

  test('includes the authority', async () => {
    const root = await certify({ name: 'root', authority: true, toDays: 3 });
    const leaf = await certify({ name: 'leaf', issuer: root, toDays: 30 });
    const chain = [leaf, root].map(({ pem }) => new X509Certificate(pem));
    expect(Math.round((validToMs(chain, root.pem, nowMs) - nowMs) / DAY_MS)).toBe(3);
  });
});
