import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import https from 'node:https';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { planRequests } from '../../src/check/plan-requests.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { createReference } from '../../src/reference/contract.ts';
import { certify, LOOPBACK_HOSTS, served } from '../probe/certificates.ts';
import { checkTarget, expectClean, findingsInBrief, rowsWith } from './expect-clean.ts';
import { serve, type Writing } from './serve.ts';

const FORMS: readonly Form[] = ['A', 'B'];
const ROWS = { skip: ['robustness/*'] } as const;
const CLAIMED = { ...ROWS, transports: ['http', 'websocket'] } as const;

function factOf({ facts }: TestResult, name: string): string | undefined {
  return facts.find((fact) => fact.name === name)?.text;
}

function rowOf({ results }: TestResult, row: string) {
  return results.find(({ id }) => id === row);
}

function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/** The faults of a handshake by RFC 6455, section 4.2.1, in a strict server. */
function faultsOf({ method, httpVersion, headers }: IncomingMessage): readonly string[] {
  const key = Buffer.from(String(headers['sec-websocket-key']), 'base64');
  const requirements = {
    method: method === 'GET',
    version: httpVersion === '1.1',
    host: /^(127\.0\.0\.1|localhost):\d+$/.test(headers.host ?? ''),
    upgrade: headers.upgrade?.toLowerCase() === 'websocket',
    connection: /^upgrade$/i.test(headers.connection ?? ''),
    key: key.length === 16 && key.toString('base64') === headers['sec-websocket-key'],
    'sec-websocket-version': headers['sec-websocket-version'] === '13',
    // A client that offers a protocol or an extension must accept it.
    'sec-websocket-protocol': headers['sec-websocket-protocol'] === undefined,
    'sec-websocket-extensions': headers['sec-websocket-extensions'] === undefined,
    'content-length': headers['content-length'] === undefined,
  };
  return Object.entries(requirements).flatMap(([name, holds]) => (holds ? [] : [name]));
}

/** Makes a server that accepts upgrades with this answer, if the request is valid. */
function accepting(
  answerTo: (accept: string) => string,
  onUpgrade: (request: IncomingMessage, socket: Duplex) => void = () => undefined,
  makeServer: (answer: RequestListener) => Server = createServer,
): (answer: RequestListener) => Server {
  return (answer) =>
    makeServer(answer).on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => undefined);
      onUpgrade(request, socket);
      const faults = faultsOf(request);
      const key = String(request.headers['sec-websocket-key']);
      if (faults.length === 0) socket.write(answerTo(acceptOf(key)), 'latin1');
      else
        socket.end(`HTTP/1.1 400 Bad Request\r\nX-Faults: ${faults.join(', ')}\r\nContent-Length: 0\r\n\r\n`);
    });
}

const plainly = (accept: string): string =>
  `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;

const HANDSHAKES: readonly (readonly [name: string, answerTo: (accept: string) => string])[] = [
  ['plainly', plainly],
  [
    'in lower case',
    (accept) =>
      `HTTP/1.1 101 switching\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  ],
  [
    'in capitals, and without a reason',
    (accept) =>
      `HTTP/1.1 101 \r\nUPGRADE: WEBSOCKET\r\nCONNECTION: UPGRADE\r\nSEC-WEBSOCKET-ACCEPT: ${accept}\r\n\r\n`,
  ],
  [
    'among other options, with spaces around them',
    (accept) =>
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade:   WebSocket \r\nConnection: keep-alive ,  Upgrade\r\nSec-WebSocket-Accept:\t${accept}\r\n\r\n`,
  ],
  [
    'in two Connection headers',
    (accept) =>
      `HTTP/1.1 101 Switching Protocols\r\nConnection: keep-alive\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  ],
  [
    'with additional headers',
    (accept) =>
      plainly(accept).replace('\r\n\r\n', '\r\nServer: nginx\r\nDate: Sat, 31 Jan 2026 12:00:00 GMT\r\n\r\n'),
  ],
  ['and sends data at once', (accept) => `${plainly(accept)}\x81\x05hello`],
  ['after early hints', (accept) => `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${plainly(accept)}`],
];

describe.concurrent('a server that supports WebSocket', () => {
  test.each(HANDSHAKES)('and accepts the handshake %s', async (_name, answerTo) => {
    const serverFor = accepting(answerTo);
    const result = await checkTarget(serve(createReference({ form: 'B' }).answer, { serverFor }), CLAIMED);
    expectClean(result, { form: 'B' });
    expect(rowOf(result, 'transport/websocket')?.outcome).toBe('passed');
  });

  test.each(FORMS)('below a path, and with a key, form %s', async (form) => {
    const asked: (readonly [string | undefined, string | undefined])[] = [];
    const serverFor = accepting(plainly, ({ url, headers }) => asked.push([url, headers.authorization]));
    const result = await checkTarget(
      serve(createReference({ form }).answer, { serverFor, basePath: '/mcp/v1' }),
      { ...CLAIMED, bearerToken: 'k3y-0123456789' },
    );
    expectClean(result, { form });
    expect(asked).toEqual([['/mcp/v1', 'Bearer k3y-0123456789']]);
  });

  test('over TLS', async () => {
    const root = await certify({ name: 'root', authority: true });
    const leaf = await certify({ name: 'leaf', issuer: root, hosts: LOOPBACK_HOSTS });
    const serverFor = accepting(plainly, undefined, (answer) => https.createServer(served(leaf), answer));
    const result = await checkTarget(
      serve(createReference({ form: 'A' }).answer, { serverFor, scheme: 'https' }),
      { ...CLAIMED, ca: root.pem },
    );
    expectClean(result, { form: 'A' });
    expect(rowOf(result, 'transport/websocket')?.outcome).toBe('passed');
  });

  test('is disconnected after the handshake', async () => {
    const gone: Promise<unknown>[] = [];
    const serverFor = accepting(plainly, (_request, socket) => {
      gone.push(new Promise((resolve) => socket.once('close', resolve)));
    });
    await checkTarget(serve(createReference({ form: 'B' }).answer, { serverFor }), CLAIMED);
    expect(gone).toHaveLength(1);
    await Promise.all(gone);
  });

  test.each([undefined, ['http']] as const)(
    'gets no handshake if the listing says %j',
    async (transports) => {
      let upgrades = 0;
      const serverFor = accepting(plainly, () => {
        upgrades += 1;
      });
      const result = await checkTarget(serve(createReference({ form: 'A' }).answer, { serverFor }), {
        ...ROWS,
        ...(transports === undefined ? {} : { transports }),
      });
      expectClean(result, { form: 'A' });
      expect(rowOf(result, 'transport/websocket')).toMatchObject({
        outcome: 'inapplicable',
        reason: 'no listing says that the target speaks WebSocket',
      });
      expect(upgrades).toBe(0);
    },
  );

  test('is in the plan, but gets no request from it', async () => {
    let upgrades = 0;
    const serverFor = accepting(plainly, () => {
      upgrades += 1;
    });
    const target = await serve(createReference({ form: 'A' }).answer, { serverFor });
    const { requests } = await planRequests(target.url, CLAIMED);
    await target.close();
    expect(requests.filter(({ step }) => step === 'transport/websocket')).toMatchObject([
      { method: 'GET', url: target.url, sent: false },
    ]);
    expect(upgrades).toBe(0);
  });
});

/** Does something to the connection after an answer is written. */
function thenDo(act: (socket: Socket) => void): Writing {
  return (response, { status, headers, body }) => {
    const { socket } = response;
    response
      .writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
      .end(body, () => socket !== null && act(socket));
  };
}

describe.concurrent('a server that keeps connections open', () => {
  test.each(FORMS)('is reported as a fact, form %s', async (form) => {
    const result = await checkTarget(serve(createReference({ form }).answer), { skip: [] });
    expectClean(result, { form });
    expect(rowOf(result, 'transport/keep-alive')?.outcome).toBe('passed');
    expect(factOf(result, 'keep-alive')).toBe('connections stay open for further requests');
  });

  test('with additional headers is reported too', async () => {
    const write: Writing = (response, { status, headers, body }) => {
      response
        .writeHead(status, {
          ...headers,
          Connection: 'Keep-Alive',
          'Keep-Alive': 'timeout=5, max=100',
          'transfer-encoding': 'chunked',
        })
        .end(body);
    };
    const result = await checkTarget(serve(createReference({ form: 'B' }).answer, { write }), ROWS);
    expectClean(result, { form: 'B' });
    expect(rowOf(result, 'transport/keep-alive')?.outcome).toBe('passed');
  });
});

describe.concurrent('a server that closes idle connections at once', () => {
  // It is a race whether the second request comes before or after the end; neither is an error.
  const CLOSING: readonly (readonly [string, (socket: Socket) => void])[] = [
    ['closed', (socket) => void socket.end()],
    ['reset', (socket) => void socket.resetAndDestroy()],
    ['closed a turn later', (socket) => void setImmediate(() => socket.end())],
    ['closed a millisecond later', (socket) => void setTimeout(() => socket.end(), 1)],
    ['reset a millisecond later', (socket) => void setTimeout(() => socket.resetAndDestroy(), 1)],
  ];

  test.each(CLOSING)('%s', async (_name, act) => {
    // A reset may overtake its answer, so only persistent connections are reset.
    const write: Writing = async (response, answer, request) => {
      const stays = request.headers.connection === 'keep-alive';
      await thenDo(stays ? act : () => undefined)(response, answer, request);
    };
    const result = await checkTarget(serve(createReference({ form: 'A' }).answer, { write }), ROWS);
    expect(rowsWith(result, 'blocked', 'undecided'), findingsInBrief(result).join('\n')).toEqual([]);
    expect(rowsWith(result, 'failed').filter((row) => row !== 'transport/keep-alive')).toEqual([]);
    expect(result.verdict).toBe('pass');
    expect(result.errors).toEqual([]);
    const row = rowOf(result, 'transport/keep-alive');
    expect(row?.level).toBe('MAY');
    const fact = factOf(result, 'keep-alive');
    if (row?.outcome === 'passed') expect(fact).toBe('connections stay open for further requests');
    else expect([undefined, 'each request needs a new connection']).toContain(fact);
  });
});
