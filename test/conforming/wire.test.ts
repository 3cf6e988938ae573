import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { headerValue } from '../../src/model/exchange.ts';
import type { Form } from '../../src/model/requirement.ts';
import { createReference } from '../../src/reference/contract.ts';
import type { EndpointAnswer } from '../../src/reference/endpoints.ts';
import { checkTarget, expectClean } from './expect-clean.ts';
import { type Answering, type ServedTarget, serve, type Writing } from './serve.ts';

const FORMS: readonly Form[] = ['A', 'B'];

/** Writes the pieces one after the other, each in its own turn of the event loop. */
async function writePieces(response: ServerResponse, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) {
    response.write(piece);
    await new Promise(setImmediate);
  }
  response.end();
}

function* piecesOf(bytes: Buffer, size: number): Iterable<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

function encoded(coding: string, encode: (body: string) => Buffer): Writing {
  return (response, { status, headers, body }) => {
    response.writeHead(status, { ...headers, 'Content-Encoding': coding }).end(encode(body));
  };
}

/** One byte at a time, but at most some hundred writes, because long bodies would take seconds. */
function pieceSize(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 300));
}

const UNUSUAL: readonly (readonly [name: string, write: Writing])[] = [
  [
    'chunked, in one piece',
    (response, { status, headers, body }) => {
      response.writeHead(status, { ...headers, 'transfer-encoding': 'chunked' }).end(body);
    },
  ],
  [
    'chunked, byte by byte',
    async (response, { status, headers, body }) => {
      response.writeHead(status, { ...headers, 'transfer-encoding': 'chunked' });
      await writePieces(response, piecesOf(Buffer.from(body), pieceSize(Buffer.byteLength(body))));
    },
  ],
  [
    'chunked, with a trailer',
    (response, { status, headers, body }) => {
      response.writeHead(status, { ...headers, trailer: 'server-timing' });
      response.write(body);
      response.addTrailers({ 'server-timing': 'app;dur=1' });
      response.end();
    },
  ],
  [
    'in three-byte pieces, with a Content-Length',
    async (response, { status, headers, body }) => {
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
      await writePieces(response, piecesOf(Buffer.from(body), 3));
    },
  ],
  ['gzip that was not requested', encoded('gzip', gzipSync)],
  ['x-gzip, as old servers call it', encoded('x-gzip', gzipSync)],
  ['br that was not requested', encoded('br', brotliCompressSync)],
  ['deflate that was not requested', encoded('deflate', deflateSync)],
  ['deflate without its zlib frame', encoded('deflate', deflateRawSync)],
  ['gzip inside br', encoded('GZIP, Br', (body) => brotliCompressSync(gzipSync(body)))],
  ['a coding called identity', encoded('identity', (body) => Buffer.from(body))],
  [
    'gzip, chunked, byte by byte',
    async (response, { status, headers, body }) => {
      response.writeHead(status, { ...headers, 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' });
      const packed = gzipSync(body);
      await writePieces(response, piecesOf(packed, pieceSize(packed.length)));
    },
  ],
  [
    'an answer that closes the connection',
    (response, { status, headers, body }) => {
      response.writeHead(status, { ...headers, connection: 'close' }).end(body);
    },
  ],
  [
    'keep-alive in the answer, though the request said close',
    (response, { status, headers, body }) => {
      response.shouldKeepAlive = true;
      response
        .writeHead(status, { ...headers, connection: 'keep-alive', 'keep-alive': 'timeout=600, max=1000' })
        .end(body);
    },
  ],
  [
    '103 Early Hints and 102 Processing before the answer',
    (response, { status, headers, body }) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style', 'content-type': 'text/plain' });
      response.writeProcessing();
      response.writeHead(status, headers).end(body);
    },
  ],
  [
    'header names in odd case, and cookies twice',
    (response, { status, headers, body }) => {
      const { 'content-type': contentType = '', ...others } = headers;
      response.sendDate = false;
      response
        .writeHead(status, {
          ...others,
          'cOnTeNt-TyPe': contentType,
          'SET-cookie': ['a=1; Path=/', 'a=2; Path=/; HttpOnly', 'b=3'],
          'X-EMPTY': '',
          Via: '1.1 one, 1.1 two',
        })
        .end(body);
    },
  ],
  [
    'an offer to upgrade to HTTP/2',
    (response, { status, headers, body }) => {
      response.writeHead(status, { ...headers, upgrade: 'h2,h2c', connection: 'Upgrade, close' }).end(body);
    },
  ],
  [
    'a custom reason phrase',
    (response, { status, headers, body }) => {
      response.writeHead(status, 'All is well, and more', headers).end(body);
    },
  ],
  [
    'sixty headers of 800 characters',
    (response, { status, headers, body }) => {
      const many = Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`x-padding-${index}`, 'p'.repeat(800)]),
      );
      response.writeHead(status, { ...headers, ...many }).end(body);
    },
  ],
];

describe.concurrent.each(UNUSUAL)('an answer: %s', (_name, write) => {
  test.each(FORMS)('form %s', async (form) => {
    expectClean(await checkTarget(serve(createReference({ form }).answer, { write })), { form });
  });
});

describe('unusual HTTP', () => {
  const head = ({ status, headers }: EndpointAnswer, version: string, more: readonly string[] = []): string =>
    [
      `HTTP/${version} ${status} ${status === 200 ? 'OK' : 'No'}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...more,
      '\r\n',
    ].join('\r\n');

  const makes: readonly (readonly [name: string, write: (answer: EndpointAnswer) => string | Buffer])[] = [
    [
      'HTTP/1.0, connection: close and no Content-Length',
      (answer) => head(answer, '1.0', ['Connection: close']) + answer.body,
    ],
    ['HTTP/1.0 without a Connection header', (answer) => head(answer, '1.0') + answer.body],
    ['HTTP/1.1 that ends with the connection', (answer) => head(answer, '1.1') + answer.body],
    [
      'no reason phrase, and spaces around a value',
      ({ status, headers, body }) =>
        `HTTP/1.1 ${status} \r\nContent-Type:\t  ${headers['content-type']} \t\r\n` +
        `Content-Length:${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ],
    [
      'chunks with extensions and unusual sizes',
      (answer) => {
        const bytes = Buffer.from(answer.body);
        const [first, rest] = [bytes.subarray(0, 11), bytes.subarray(11)];
        return Buffer.concat([
          Buffer.from(`${head(answer, '1.1', ['Transfer-Encoding: Chunked'])}00B;name="a value"\r\n`),
          first,
          Buffer.from(`\r\n${rest.length.toString(16).toUpperCase()};x\r\n`),
          rest,
          Buffer.from('\r\n000\r\n\r\n'),
        ]);
      },
    ],
    [
      'a 100 Continue that was not requested',
      (answer) => `HTTP/1.1 100 Continue\r\n\r\n${head(answer, '1.1')}${answer.body}`,
    ],
  ];

  describe.concurrent.each(makes)('%s', (_name, write) => {
    test.each(FORMS)('form %s', async (form) => {
      expectClean(await checkTarget(serveRaw(createReference({ form }).answer, write)), { form });
    });
  });
});

describe('the report on the answers', () => {
  test.concurrent('names a content coding that was not requested, as a fact', async () => {
    const write = encoded('gzip', gzipSync);
    const { facts, exchanges, served } = await checkTarget(
      serve(createReference({ form: 'B' }).answer, { write }),
    );
    expect(facts.map(({ text }) => text)).toContain('answers come as gzip although identity was requested');
    expect(served.arrived.every(({ headers }) => headers['accept-encoding'] === 'identity')).toBe(true);
    expect(
      exchanges.every((exchange) => exchange.kind === 'answered' && 'text' in exchange.response.body),
    ).toBe(true);
  });

  test.concurrent('keeps all headers of the same name', async () => {
    const write: Writing = (response, { status, headers, body }) => {
      response.writeHead(status, { ...headers, 'Set-Cookie': ['a=1', 'b=2'] }).end(body);
    };
    const { exchanges } = await checkTarget(serve(createReference({ form: 'A' }).answer, { write }));
    for (const exchange of exchanges) {
      if (exchange.kind !== 'answered') throw new Error('every request was answered');
      const { headers } = exchange.response;
      expect(headers.filter(([name]) => name === 'Set-Cookie')).toEqual([
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
      ]);
      expect(headerValue(headers, 'content-type')).toBe('application/json');
    }
  });
});

/** A server that writes raw answers to the socket, and then closes it. */
async function serveRaw(
  answer: Answering,
  write: (answer: EndpointAnswer) => string | Buffer,
): Promise<Pick<ServedTarget, 'url' | 'close'>> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [requestHead = '', body] = splitOnce(text, '\r\n\r\n');
      const length = Number(/^content-length: *(\d+)/im.exec(requestHead)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(requestHead) ?? [];
      const contentType = /^content-type: *(.*)$/im.exec(requestHead)?.[1]?.trim();
      const request = { method, path, contentType, headers: {}, body: Buffer.from(body, 'latin1') };
      answer(request).then(
        (made) => socket.end(write(made)),
        () => socket.destroy(),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + separator.length)];
}
