import { EventEmitter, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { headerValue } from '../../src/model/exchange.ts';
import { bufferFrom, bytesFrom, overHttp } from '../../src/model/sent.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { deadAddress } from '../free-port.ts';
import { unless } from '../set-up/skips.ts';
import { head, listen, listenAndAnswer, type RawServer, splitRequest } from './raw-server.ts';
import { answered, plan, probeWith, send, unanswered } from './send.ts';

const open: RawServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

async function target(starting: Promise<RawServer>): Promise<RawServer> {
  const server = await starting;
  open.push(server);
  return server;
}

const WHY_NO_IPV6 = Object.values(networkInterfaces()).some((all) =>
  all?.some((one) => one.address === '::1'),
)
  ? null
  : 'this machine has no address ::1';

const OK = head(200, { 'content-type': 'application/json', 'content-length': 2 });
const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/** Answers while the requesting thread is blocked, and unblocks it long after its time-out. */
const ANSWERING_THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const unblock = () => {
    Atomics.store(workerData, 0, 1);
    Atomics.notify(workerData, 0);
  };
  const server = require('node:net').createServer((socket) => {
    socket.once('data', () => {
      parentPort.postMessage('requested');
      setTimeout(() => {
        socket.end('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\n{}', () => setTimeout(unblock, 600));
      });
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

describe('no connection', () => {
  test('a port on which nothing listens', async () => {
    const { reason, timing } = unanswered(await send(`${await deadAddress()}/health`));
    expect(reason).toMatchObject({ code: 'connection-refused', fault: 'network' });
    expect(timing).toMatchObject({ connectMs: null, firstByteMs: null });
    expect(timing.durationMs).toBeGreaterThanOrEqual(0);
  });

  test('both addresses of localhost are tried and named', unless(WHY_NO_IPV6), async () => {
    const port = new URL(await deadAddress()).port;
    const { reason } = unanswered(await send(`http://localhost:${port}/health`));
    expect(reason).toMatchObject({ code: 'connection-refused', fault: 'network' });
    for (const tried of [`127.0.0.1:${port}`, `[::1]:${port}`]) expect(reason.message).toContain(tried);
    const server = createHttpServer((_request, response) => response.end('{}'));
    await once(server.listen(0, '::1'), 'listening');
    const { port: other } = server.address() as AddressInfo;
    const exchange = answered(await send(`http://localhost:${other}/health`));
    server.close().closeAllConnections();
    expect(exchange.response.status).toBe(200);
  });

  test('a name that does not exist', async () => {
    const { reason, timing } = unanswered(await send('http://nonexistent.invalid/health'));
    // The code depends on whether this machine can query DNS.
    expect(['name-not-found', 'name-lookup-failed']).toContain(reason.code);
    expect(reason.fault).toBe('network');
    expect(timing.connectMs).toBeNull();
  });

  test('TLS on a port without TLS', async () => {
    const server = await target(
      listen(({ socket }) => void socket.once('data', () => socket.end(head(400, { connection: 'close' })))),
    );
    const { reason, timing } = unanswered(await send(server.url.replace('http:', 'https:')));
    expect(reason).toMatchObject({ code: 'tls-failure', fault: 'server' });
    expect(timing.connectMs).toBeNull();
  });
});

describe('no answer', () => {
  test('silence', async () => {
    const server = await target(listen(() => undefined));
    const { reason, timing } = unanswered(await send(server.url, { timeoutMs: 250 }));
    expect(reason).toEqual({ code: 'timeout', fault: 'server', message: 'no answer within 0.25 s' });
    expect(timing.durationMs).toBeGreaterThanOrEqual(245);
    expect(timing.connectMs).not.toBeNull();
    expect(timing.firstByteMs).toBeNull();
    await server.connections[0]?.gone;
  });

  test.each([
    ['the head of an answer, and silence', [head(200, { 'content-length': 5 })]],
    ['half a body, and silence', [head(200, { 'content-length': 10 }), 'half-']],
    ['a chunk, and silence', [head(200, { 'transfer-encoding': 'chunked' }), '5\r\nhalf-\r\n']],
    ['a body without an end, and silence', [head(200), 'half-']],
  ])('%s', async (_name, parts) => {
    const server = await target(
      listen(async ({ socket, whenReceived }) => {
        await whenReceived(0);
        for (const part of parts) socket.write(part);
      }),
    );
    const { reason, timing } = unanswered(await send(server.url, { timeoutMs: 250 }));
    expect(reason).toEqual({
      code: 'timeout',
      fault: 'server',
      message: 'the answer was not complete within 0.25 s',
    });
    expect(timing.durationMs).toBeGreaterThanOrEqual(245);
    expect(timing.firstByteMs).not.toBeNull();
    await server.connections[0]?.gone;
  });

  test('half of the head, and silence', async () => {
    const server = await target(
      listen(async ({ socket, whenReceived }) => {
        await whenReceived(0);
        socket.write('HTTP/1.1 200 OK\r\ncontent-ty');
      }),
    );
    const { reason } = unanswered(await send(server.url, { timeoutMs: 250 }));
    expect(reason).toMatchObject({ code: 'timeout', message: 'the answer was not complete within 0.25 s' });
  });

  test('an answer that arrived while this process was suspended is read', async () => {
    // In a separate thread, because it must answer while this one is blocked.
    const blocked = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(ANSWERING_THREAD, { eval: true, workerData: blocked });
    const port = await new Promise<number>((resolve) => worker.once('message', resolve));
    const requested = new Promise((resolve) => worker.once('message', resolve));
    const exchange = send(`http://127.0.0.1:${port}/`, { timeoutMs: 300 });
    await requested;
    Atomics.wait(blocked, 0, 0);
    expect(answered(await exchange).response).toMatchObject({ status: 200, body: { text: '{}' } });
    await worker.terminate();
  });

  test('an answer that arrives too slowly', async () => {
    const server = await target(
      listen(async ({ socket, whenReceived, gone }) => {
        await whenReceived(0);
        socket.write(head(200, { 'content-length': 1_000_000 }));
        const drops = setInterval(() => socket.write('.'), 20);
        await gone;
        clearInterval(drops);
      }),
    );
    const { reason } = unanswered(await send(server.url, { timeoutMs: 300 }));
    expect(reason).toMatchObject({ code: 'timeout', fault: 'server' });
    await server.connections[0]?.gone;
  });

  test.each([
    ['half a body, and the end', [head(200, { 'content-length': 10 }), 'half-']],
    ['half a chunk, and the end', [head(200, { 'transfer-encoding': 'chunked' }), 'a\r\nhalf-']],
    ['chunks without a last one', [head(200, { 'transfer-encoding': 'chunked' }), '5\r\nhalf-\r\n']],
    ['half of the head, and the end', ['HTTP/1.1 200 OK\r\ncontent-ty']],
    ['the end at once', []],
  ])('%s', async (_name, parts) => {
    const server = await target(listenAndAnswer(...parts));
    const { reason } = unanswered(await send(server.url));
    expect(['closed-early', 'connection-reset']).toContain(reason.code);
    expect(reason.fault).toBe('server');
  });

  test.each([
    ['before a byte', []],
    ['in the middle of the body', [head(200, { 'content-length': 10 }), 'half-']],
  ])('a reset %s', async (_name, parts) => {
    const server = await target(
      listen(async ({ socket, whenReceived }) => {
        await whenReceived(0);
        for (const part of parts) await new Promise<unknown>((written) => socket.write(part, written));
        socket.resetAndDestroy();
      }),
    );
    const { reason } = unanswered(await send(server.url));
    expect(['connection-reset', 'closed-early']).toContain(reason.code);
    expect(reason.fault).toBe('server');
    if (parts.length === 0) expect(reason.code).toBe('connection-reset');
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['HTML without a head', '<!doctype html><title>Hello</title>\r\n\r\n'],
    ['an invalid status', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['an invalid length', 'HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n'],
    ['an invalid chunk size', `${head(200, { 'transfer-encoding': 'chunked' })}xyz\r\n`],
    ['bytes', EVERY_BYTE],
  ])('%s instead of HTTP', async (_name, bytes) => {
    const server = await target(listenAndAnswer(bytes));
    const { reason } = unanswered(await send(server.url));
    expect(reason).toMatchObject({ code: 'invalid-http', fault: 'server' });
    expect(reason.message).toMatch(/^the answer breaks HTTP\/1\.1: /);
  });

  test.each([
    ['an unrequested 100 response', ['HTTP/1.1 100 Continue\r\n\r\n', OK, '{}']],
    [
      'the same Content-Length twice',
      ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}'],
    ],
    ['a later minor version', ['HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\n{}']],
  ])('%s is legal, although HTTP clients may refuse it', async (_name, parts) => {
    const server = await target(listenAndAnswer(...parts));
    const { response } = answered(await send(server.url));
    expect(response).toMatchObject({ status: 200, body: { text: '{}' } });
  });
});

describe('limits', () => {
  test.each([
    ['one header', head(200, { 'x-big': 'x'.repeat(70_000), 'content-length': 0 })],
    [
      'many headers',
      head(200, Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`x-${i}`, 'x'.repeat(40)]))),
    ],
  ])('headers over the limit: %s', async (_name, answer) => {
    const server = await target(listenAndAnswer(answer));
    const { reason } = unanswered(await send(server.url, {}, { maxHeaderBytes: 64 * 1024 }));
    expect(reason.code).toBe('headers-too-large');
  });

  test('headers within the limit', async () => {
    const server = await target(
      listenAndAnswer(head(200, { 'x-big': 'x'.repeat(60_000), 'content-length': 0 })),
    );
    const { response } = answered(await send(server.url));
    expect(headerValue(response.headers, 'x-big')).toHaveLength(60_000);
  });

  test.each([
    ['with a Content-Length', { 'content-length': 1_000_000_000 }, (data: Buffer) => data],
    [
      'in chunks',
      { 'transfer-encoding': 'chunked' },
      (data: Buffer) => Buffer.concat([Buffer.from('10000\r\n'), data, Buffer.from('\r\n')]),
    ],
    ['until the connection ends', {}, (data: Buffer) => data],
  ])('a body over the limit, %s, is not read to its end', async (_name, headers, frame) => {
    const piece = frame(Buffer.alloc(0x10000, 'x'));
    let written = 0;
    const server = await target(
      listen(async ({ socket, whenReceived, gone }) => {
        await whenReceived(0);
        socket.write(head(200, headers));
        let isGone = false;
        gone.then(() => {
          isGone = true;
        });
        while (!isGone) {
          written += piece.length;
          if (!socket.write(piece))
            await Promise.race([new Promise((drained) => socket.once('drain', drained)), gone]);
        }
      }),
    );
    const { reason, timing } = unanswered(await send(server.url, {}, { maxBodyBytes: 200_000 }));
    expect(reason).toMatchObject({ code: 'body-too-large', fault: 'harness' });
    expect(reason.message).toContain('200000');
    expect(timing.firstByteMs).not.toBeNull();
    await server.connections[0]?.gone;
    // Only what fits in the socket buffers was sent beyond the limit.
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  test('a body of exactly the limit is read; one byte more is not', async () => {
    const answer = (length: number) => [head(200, { 'content-length': length }), 'x'.repeat(length)];
    const exact = await target(listenAndAnswer(...answer(1000)));
    expect(answered(await send(exact.url, {}, { maxBodyBytes: 1000 })).response.body).toEqual({
      text: 'x'.repeat(1000),
    });
    const over = await target(listenAndAnswer(...answer(1001)));
    expect(unanswered(await send(over.url, {}, { maxBodyBytes: 1000 })).reason.code).toBe('body-too-large');
  });

  test('a gzip bomb is not decompressed beyond the limit', async () => {
    // 4 GiB when decompressed: decompressing it all would exhaust memory and time.
    const bomb = Buffer.concat(Array.from({ length: 4096 }, () => member));
    expect(bomb.length).toBeLessThan(8 * 1024 * 1024);
    const server = await target(
      listenAndAnswer(head(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }), bomb),
    );
    const before = process.memoryUsage().arrayBuffers;
    const { bodyProblem } = answered(await send(server.url, {}, { maxBodyBytes: 8 * 1024 * 1024 })).response;
    expect(bodyProblem).toMatchObject({ code: 'body-too-large', fault: 'harness' });
    expect(bodyProblem?.message).toMatch(/unpacks to more than 8388608 bytes/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });
  const member = gzipSync(Buffer.alloc(1024 * 1024));

  test.each([
    ['br', brotliCompressSync(Buffer.alloc(4 * 1024 * 1024))],
    ['deflate', deflateSync(Buffer.alloc(4 * 1024 * 1024))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(4 * 1024 * 1024)))],
  ])('nor one in %s', async (coding, bomb) => {
    const server = await target(
      listenAndAnswer(head(200, { 'content-encoding': coding, 'content-length': bomb.length }), bomb),
    );
    const { response } = answered(await send(server.url, {}, { maxBodyBytes: 1024 * 1024 }));
    expect(response).toMatchObject({
      status: 200,
      body: { text: '' },
      bodyProblem: { code: 'body-too-large', fault: 'harness' },
    });
  });

  test('small bodies have a total too, and tiny ones are always read', async () => {
    const server = await target(
      listen(async ({ socket, whenReceived, received }) => {
        await whenReceived(0);
        const size = received().includes('GET /tiny') ? 1000 : 60_000;
        socket.end(head(200, { 'content-length': size }) + 'x'.repeat(size));
      }),
    );
    const probe = probeWith({ maxRunBytes: 50_000, maxRunBytesWithSmall: 100_000 });
    const outcomes: string[] = [];
    for (const path of ['/', '/', '/', '/tiny']) {
      const exchange = overHttp(await probe.send(plan(`${server.url}${path}`)));
      outcomes.push(exchange.kind === 'answered' ? 'answered' : exchange.reason.message);
    }
    const spent =
      'a check keeps 100000 bytes of answers, which this run has used; after that it reads answers of up to 4096 bytes, and this one is larger';
    expect(outcomes).toEqual(['answered', 'answered', spent, 'answered']);
  });

  test('the total of a run applies, but small bodies are read beyond it', async () => {
    const server = await target(
      listen(async ({ socket, whenReceived, received }) => {
        await whenReceived(0);
        const size = received().includes('GET /small') ? 1000 : 100_000;
        socket.end(head(200, { 'content-length': size }) + 'x'.repeat(size));
      }),
    );
    const probe = probeWith({ maxRunBytes: 250_000 });
    const outcomes: string[] = [];
    for (const path of ['/1', '/2', '/3', '/small', '/4']) {
      const exchange = overHttp(await probe.send(plan(`${server.url}${path}`)));
      outcomes.push(
        exchange.kind === 'answered' ? 'answered' : `${exchange.reason.fault}: ${exchange.reason.code}`,
      );
    }
    const spent = 'harness: run-bytes-spent';
    expect(outcomes).toEqual(['answered', 'answered', spent, 'answered', spent]);
  });

  test('an equal body that is read again is kept once, and has a separate total', async () => {
    let letter = 'x';
    const server = await target(
      listen(async ({ socket, whenReceived }) => {
        await whenReceived(0);
        socket.end(head(200, { 'content-length': 100_000 }) + letter.repeat(100_000));
      }),
    );
    const probe = probeWith({ maxRunBytes: 150_000 });
    const first = answered(await probe.send(plan(server.url)));
    letter = 'y';
    expect(await probe.send(plan(server.url))).toMatchObject({ reason: { code: 'run-bytes-spent' } });
    letter = 'x';
    expect(answered(await probe.send(plan(server.url))).response.body).toBe(first.response.body);
    expect(await probe.send(plan(server.url))).toMatchObject({ reason: { code: 'run-bytes-spent' } });
  });

  test('the total of a run applies to concurrent answers', async () => {
    const server = await target(
      listenAndAnswer(head(200, { 'content-length': 100_000 }), 'x'.repeat(100_000)),
    );
    const probe = probeWith({ maxRunBytes: 250_000 });
    const exchanges = await Promise.all(Array.from({ length: 4 }, () => probe.send(plan(server.url))));
    const spent = exchanges.filter(
      (one) => one.kind === 'unanswered' && one.reason.code === 'run-bytes-spent',
    );
    expect(spent).toHaveLength(2);
  });

  test('the total of a run counts decompressed bodies', async () => {
    const packed = gzipSync('x'.repeat(100_000));
    const server = await target(
      listenAndAnswer(head(200, { 'content-encoding': 'gzip', 'content-length': packed.length }), packed),
    );
    const probe = probeWith({ maxRunBytes: 250_000 });
    const kinds: string[] = [];
    for (const path of ['/1', '/2', '/3']) kinds.push((await probe.send(plan(server.url + path))).kind);
    expect(kinds).toEqual(['answered', 'answered', 'unanswered']);
  });

  test('a body in many chunks takes little more memory than its bytes', async () => {
    const chunks = Buffer.from('1\r\nx\r\n'.repeat(200_000));
    const server = await target(
      listenAndAnswer(head(200, { 'transfer-encoding': 'chunked' }), chunks, '0\r\n\r\n'),
    );
    const { response } = answered(await send(server.url));
    expect(response.body).toEqual({ text: 'x'.repeat(200_000) });
  });
});

describe('content codings', () => {
  test.each([
    ['invalid gzip', 'gzip', 'this is not gzip'],
    ['incomplete gzip', 'gzip', gzipSync('{"status":"ok"}'.repeat(100)).subarray(0, 40)],
    ['gzip with a wrong checksum', 'gzip', withByte(gzipSync('{"status":"ok"}'), -8)],
    ['invalid br', 'br', 'this is not br'],
    ['invalid deflate', 'deflate', '{"status":"ok"}'],
    ['an unknown coding', 'zstd', 'whatever'],
    ['a coding named like a property of every object', 'constructor', 'whatever'],
  ])('%s', async (_name, coding, body) => {
    const bytes = Buffer.from(body as string);
    const server = await target(
      listenAndAnswer(head(200, { 'content-encoding': coding, 'content-length': bytes.length }), bytes),
    );
    const { response } = answered(await send(server.url));
    expect(response).toMatchObject({ status: 200, body: { text: '' } });
    const code = coding === 'zstd' || coding === 'constructor' ? 'unasked-coding' : 'undecodable-body';
    expect(response.bodyProblem).toMatchObject({ code, fault: 'server' });
    expect(response.bodyProblem?.message).toContain(coding);
  });

  test.each([401, 404, 503])('that cannot be decoded do not hide status %i', async (status) => {
    const server = await target(
      listenAndAnswer(head(status, { 'content-encoding': 'zstd', 'content-length': 4 }), 'zstd'),
    );
    const { response } = answered(await send(server.url));
    expect(response).toMatchObject({ status, bodyProblem: { code: 'unasked-coding', fault: 'server' } });
  });

  test.each([
    ['gzip', 'HTTP/1.1 401 Unauthorized', 'packed'],
    ['gzip, chunked', 'HTTP/1.1 401 Unauthorized', '6\r\npacked\r\n0\r\n\r\n'],
  ])('that are unrequested transfer codings do not hide the status: %s', async (coding, line, body) => {
    const server = await target(listenAndAnswer(`${line}\r\ntransfer-encoding: ${coding}\r\n\r\n`, body));
    const { response } = answered(await send(server.url));
    expect(response).toMatchObject({ status: 401, body: { text: '' }, oddities: [] });
    expect(response.bodyProblem).toMatchObject({ code: 'unasked-coding', fault: 'server' });
    expect(response.bodyProblem?.message).toContain(`Transfer-Encoding: ${coding}, but`);
  });

  test('in several headers form one list', async () => {
    const packed = gzipSync(brotliCompressSync('{"status":"ok"}'));
    const server = await target(
      listenAndAnswer(
        `HTTP/1.1 200 OK\r\ncontent-encoding: br\r\nContent-Encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`,
        packed,
      ),
    );
    expect(answered(await send(server.url)).response.body).toEqual({ text: '{"status":"ok"}' });
  });

  function withByte(bytes: Buffer, at: number): Buffer {
    const index = bytes.length + at;
    bytes[index] = (bytes[index] ?? 0) ^ 0xff;
    return bytes;
  }
});

describe('an interruption', () => {
  test('ends a request in the middle of its answer', async () => {
    const interruption = new AbortController();
    const server = await target(
      listen(async ({ socket, whenReceived }) => {
        await whenReceived(0);
        socket.write(`${head(200, { 'content-length': 10 })}half-`, () => interruption.abort());
      }),
    );
    const { reason } = unanswered(await send(server.url, {}, { signal: interruption.signal }));
    expect(reason).toMatchObject({ code: 'interrupted', fault: 'harness' });
    await server.connections[0]?.gone;
  });

  test('ends every request at once, and prevents others', async () => {
    const interruption = new AbortController();
    const server = await target(
      listen(() => {
        if (server.connections.length === 5) interruption.abort();
      }),
    );
    const probe = probeWith({ signal: interruption.signal });
    const exchanges = await Promise.all(Array.from({ length: 5 }, () => probe.send(plan(server.url))));
    expect(exchanges.map((exchange) => unanswered(exchange).reason.code)).toEqual(
      Array(5).fill('interrupted'),
    );
    expect(unanswered(await probe.send(plan(server.url))).reason.code).toBe('interrupted');
    await Promise.all(server.connections.map(({ gone }) => gone));
    expect(server.connections).toHaveLength(5);
  });
});

describe('a request with abortAfterBytes', () => {
  test.each([1, 10, 1000, 60_000, 3_000_000])(
    'sends %i bytes of its body, and closes the connection',
    async (bytes) => {
      const server = await target(listen(() => undefined));
      const body = Buffer.from('0123456789'.repeat(400_000));
      const { reason } = unanswered(await send(`${server.url}/execute`, { body, abortAfterBytes: bytes }));
      expect(reason).toMatchObject({ code: 'aborted-on-purpose', fault: 'harness' });
      expect(server.connections).toHaveLength(1);
      const [connection] = server.connections;
      await connection?.gone;
      const sent = splitRequest(connection?.received() ?? Buffer.alloc(0));
      expect(sent.head).toMatch(/^POST \/execute HTTP\/1\.1\r\n/);
      expect(sent.head?.toLowerCase()).toContain('content-length: 4000000');
      expect(sent.head?.toLowerCase()).not.toContain('transfer-encoding');
      expect(sent.body.length).toBe(bytes);
      expect(sent.body.equals(body.subarray(0, bytes))).toBe(true);
    },
  );
});

test('a request with abortAfterBytes 0 sends no body and closes the connection', async () => {
  const server = await target(listen(() => undefined));
  const { reason } = unanswered(await send(server.url, { body: Buffer.from('{}'), abortAfterBytes: 0 }));
  expect(reason.code).toBe('aborted-on-purpose');
  await server.connections[0]?.gone;
  expect(splitRequest(server.connections[0]?.received() ?? Buffer.alloc(0)).body).toHaveLength(0);
});

describe('a request', () => {
  test('sends the method, path, query, headers and body byte for byte', async () => {
    const server = await target(listenAndAnswer(OK, '{}'));
    const exchange = answered(
      await send(`${server.url}/a%20b/%C3%A9?q=%22x%22&r`, {
        method: 'POST',
        headers: [
          ['content-type', 'text/plain; charset="x"'],
          ['X-Twice', 'one'],
          ['X-Twice', 'two'],
        ],
        body: EVERY_BYTE,
      }),
    );
    const sent = splitRequest(server.connections[0]?.received() ?? Buffer.alloc(0));
    expect(sent.head?.split('\r\n')).toEqual(
      expect.arrayContaining([
        'POST /a%20b/%C3%A9?q=%22x%22&r HTTP/1.1',
        'content-type: text/plain; charset="x"',
        'X-Twice: one',
        'X-Twice: two',
        'content-length: 256',
        'connection: close',
      ]),
    );
    expect(sent.body.equals(EVERY_BYTE)).toBe(true);
    expect(exchange.request.body).toEqual({ base64: EVERY_BYTE.toString('base64') });
    expect(exchange.request.url).toBe(`${server.url}/a%20b/%C3%A9?q=%22x%22&r`);
  });

  test('prefers headers of the user to those of the step', async () => {
    const server = await target(listenAndAnswer(OK, '{}'));
    const given = [{ name: 'authorization', value: 'Bearer the-users-own-key', shownValue: 'Bearer $KEY' }];
    const exchange = answered(
      await send(
        server.url,
        {
          headers: [
            ['Authorization', 'Bearer of-the-step'],
            ['accept', '*/*'],
          ],
        },
        { headers: given },
      ),
    );
    const { head: sent } = splitRequest(server.connections[0]?.received() ?? Buffer.alloc(0));
    expect(sent).toContain('authorization: Bearer the-users-own-key');
    expect(sent).not.toContain('of-the-step');
    expect(exchange.request.headers).toEqual([
      ['accept', '*/*'],
      ['authorization', 'Bearer $KEY'],
    ]);
  });

  test('uses a separate connection, whatever the target offers', async () => {
    const http = createHttpServer((_request, response) =>
      response.setHeader('keep-alive', 'timeout=600').end('{}'),
    );
    const ports = new Set<number | undefined>();
    http.on('connection', ({ remotePort }) => ports.add(remotePort));
    await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening));
    const address = http.address();
    const probe = probeWith();
    for (let count = 0; count < 4; count += 1)
      answered(
        await probe.send(plan(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`)),
      );
    expect(ports.size).toBe(4);
    await new Promise((closed) => http.close(closed));
  });
});

describe('an answer', () => {
  test.each([
    ['text', Buffer.from('{"a":"é 東京 🚀"}'), 'text'],
    ['nothing', Buffer.alloc(0), 'text'],
    ['text with a byte order mark', Buffer.from('\uFEFF{}'), 'text'],
    ['text with zeros and controls', Buffer.from('a\0b\u0001\r\n\u2028'), 'text'],
    ['every byte', EVERY_BYTE, 'base64'],
    ['a stray byte', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'base64'],
    ['a lone surrogate', Buffer.from([0xed, 0xa0, 0x80]), 'base64'],
    ['an overlong form', Buffer.from([0xc0, 0xaf]), 'base64'],
    ['half a character', Buffer.from('é').subarray(0, 1), 'base64'],
  ])('%s is kept byte for byte', async (_name, bytes, kept) => {
    const server = await target(listenAndAnswer(head(200, { 'content-length': bytes.length }), bytes));
    const { response } = answered(await send(server.url));
    expect(Object.keys(response.body)).toEqual([kept]);
    expect(bufferFrom(response.body).equals(bytes)).toBe(true);
    // The same after the JSON of a report.
    expect(bufferFrom(JSON.parse(JSON.stringify(response.body))).equals(bytes)).toBe(true);
  });

  test('of a megabyte is the same as the request', async () => {
    const body = Buffer.concat(Array.from({ length: 4096 }, () => EVERY_BYTE));
    const server = await target(
      listen(async ({ socket, whenReceived, received }) => {
        await whenReceived(body.length);
        const echo = splitRequest(received()).body;
        socket.end(Buffer.concat([Buffer.from(head(200, { 'content-length': echo.length })), echo]));
      }),
    );
    const exchange = answered(await send(server.url, { body }));
    expect(bufferFrom(exchange.response.body).equals(body)).toBe(true);
    expect(exchange.request.body).toEqual(bytesFrom(body));
  });

  test('keeps the status, and the order and repetitions of headers', async () => {
    const answer =
      'HTTP/1.1 299 Made Up\r\nX-One:  a \r\nx-one: b\r\nSet-Cookie: c=1\r\nset-cookie: d=2\r\nX-Latin: caf\u00e9\r\nX-Empty:\r\ncontent-length: 0\r\n\r\n';
    const server = await target(listenAndAnswer(Buffer.from(answer, 'latin1')));
    const { response } = answered(await send(server.url));
    expect(response.status).toBe(299);
    expect(response.headers).toEqual([
      ['X-One', 'a'],
      ['x-one', 'b'],
      ['Set-Cookie', 'c=1'],
      ['set-cookie', 'd=2'],
      ['X-Latin', 'café'],
      ['X-Empty', ''],
      ['content-length', '0'],
    ]);
  });

  test.each([204, 304])('with status %i has no body', async (status) => {
    const server = await target(listenAndAnswer(head(status)));
    expect(answered(await send(server.url)).response).toEqual({
      status,
      headers: [],
      body: { text: '' },
      repeatedSecrets: [],
      oddities: [],
    });
  });

  test('may be empty with a content coding', async () => {
    const server = await target(
      listenAndAnswer(head(404, { 'content-encoding': 'gzip', 'content-length': 0 })),
    );
    expect(answered(await send(server.url)).response).toMatchObject({ status: 404, body: { text: '' } });
  });

  test('may have a header full of spaces', async () => {
    const blanks = ' '.repeat(60_000);
    const server = await target(
      listenAndAnswer(`HTTP/1.1 200 OK\r\nx-blanks: a${blanks}b \t \r\ncontent-length: 0\r\n\r\n`),
    );
    const { response } = answered(await send(server.url));
    expect(headerValue(response.headers, 'x-blanks')).toBe(`a${blanks}b`);
  });

  test('can be a redirect, which is not followed, but not an informational response', async () => {
    const early =
      'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n';
    const server = await target(
      listenAndAnswer(early, head(302, { location: '/elsewhere', 'content-length': 0 })),
    );
    const { response } = answered(await send(server.url));
    expect(response.status).toBe(302);
    expect(headerValue(response.headers, 'location')).toBe('/elsewhere');
    expect(server.connections).toHaveLength(1);
  });

  test('is read if it arrives before the whole request body was sent and the connection is reset', async () => {
    const body = Buffer.alloc(8 * 1024 * 1024, 'x');
    const refusal = '{"error":{}}';
    const server = await target(
      listen(async ({ socket, whenReceived }) => {
        await whenReceived(0);
        socket.pause();
        const answer = head(413, { 'content-length': refusal.length, connection: 'close' }) + refusal;
        socket.write(answer, () => socket.resetAndDestroy());
      }),
    );
    for (let count = 0; count < 10; count += 1) {
      const { response } = answered(await send(server.url, { body }));
      expect(response).toMatchObject({ status: 413, body: { text: refusal } });
    }
  });
});

describe('timing', () => {
  test('is in order: connected, first byte, last byte', async () => {
    const readings = new EventEmitter();
    const firstByteRead = once(readings, '3');
    const server = await target(
      listen(async ({ socket, whenReceived }) => {
        await whenReceived(0);
        setTimeout(() => socket.write(head(200, { 'content-length': 2 })), 60);
        await firstByteRead;
        setTimeout(() => socket.end('{}'), 90);
      }),
    );
    let count = 0;
    const clock = {
      ...systemClock,
      // Readings: at the start, when the connection is open, and at the first byte.
      monotonicMs: () => {
        count += 1;
        readings.emit(String(count));
        return performance.now();
      },
    };
    const beforeMs = Date.now();
    const { timing } = answered(await send(server.url, {}, { clock }));
    const { startedAtMs, connectMs, firstByteMs, durationMs } = timing;
    expect(startedAtMs).toBeGreaterThanOrEqual(beforeMs);
    expect(startedAtMs).toBeLessThanOrEqual(Date.now());
    expect(connectMs).toBeGreaterThanOrEqual(0);
    expect(firstByteMs).toBeGreaterThanOrEqual(Math.max(connectMs ?? 0, 55));
    expect(durationMs).toBeGreaterThanOrEqual((firstByteMs ?? 0) + 85);
  });

  test('counts the first byte of the final answer, not of an informational response', async () => {
    const server = await target(
      listen(async ({ socket, whenReceived }) => {
        await whenReceived(0);
        socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
        setTimeout(() => socket.end(`${OK}{}`), 120);
      }),
    );
    const { timing } = answered(await send(server.url));
    expect(timing.firstByteMs ?? 0).toBeLessThan(timing.durationMs);
    expect(timing.durationMs).toBeGreaterThanOrEqual(115);
  });

  test('uses the clock of the probe', async () => {
    const server = await target(listenAndAnswer(OK, '{}'));
    const readings = [100, 101.5, 103.25, 107.123_456];
    const clock = {
      nowMs: () => 1_700_000_000_000,
      monotonicMs: () => readings.shift() ?? 999,
      sleep: async () => undefined,
    };
    const { timing } = answered(await send(server.url, {}, { clock }));
    expect(timing).toEqual({
      startedAtMs: 1_700_000_000_000,
      connectMs: 1.5,
      firstByteMs: 3.25,
      durationMs: 7.123,
    });
  });
});
