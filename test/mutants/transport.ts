import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Mutant, RawAnswer, TakeOver } from './mutant.ts';
import { raw } from './mutations.ts';

const unchanged: Mutant['mutate'] = () => (request, conform) => conform(request);

/** The check requests WebSocket only if the listing promises it. */
const CLAIMED = { transports: ['http', 'websocket'] } as const;

/** RFC 6455, section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

function acceptOf(key: string): string {
  return createHash('sha1')
    .update(key + GUID)
    .digest('base64');
}

function head(status: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
}

/** Makes a server that handles upgrade requests, given the key of the handshake. */
function upgrading(onUpgrade: (socket: Duplex, key: string) => void): NonNullable<Mutant['serveWith']> {
  return (answer) =>
    createServer(answer).on('upgrade', (request, socket) => {
      socket.on('error', () => undefined);
      onUpgrade(socket, String(request.headers['sec-websocket-key']));
    });
}

function answering(answerTo: (key: string) => string): NonNullable<Mutant['serveWith']> {
  return upgrading((socket, key) => void socket.write(answerTo(key)));
}

const SWITCHING = '101 Switching Protocols';

type Handshake = readonly [name: string, answerTo: (key: string) => string];

const HANDSHAKES: readonly Handshake[] = [
  [
    'the accept is computed from another key',
    () =>
      head(SWITCHING, {
        Upgrade: 'websocket',
        Connection: 'Upgrade',
        'Sec-WebSocket-Accept': acceptOf('dGhlIHNhbXBsZSBub25jZQ=='),
      }),
  ],
  [
    'the accept is the key itself',
    (key) => head(SWITCHING, { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Accept': key }),
  ],
  [
    'the accept lacks the GUID of the standard',
    (key) =>
      head(SWITCHING, {
        Upgrade: 'websocket',
        Connection: 'Upgrade',
        'Sec-WebSocket-Accept': createHash('sha1').update(key).digest('base64'),
      }),
  ],
  [
    'the accept is in hexadecimal digits',
    (key) =>
      head(SWITCHING, {
        Upgrade: 'websocket',
        Connection: 'Upgrade',
        'Sec-WebSocket-Accept': Buffer.from(acceptOf(key), 'base64').toString('hex'),
      }),
  ],
  ['the accept is missing', () => head(SWITCHING, { Upgrade: 'websocket', Connection: 'Upgrade' })],
  [
    'Upgrade is missing',
    (key) => head(SWITCHING, { Connection: 'Upgrade', 'Sec-WebSocket-Accept': acceptOf(key) }),
  ],
  [
    'Connection is missing',
    (key) => head(SWITCHING, { Upgrade: 'websocket', 'Sec-WebSocket-Accept': acceptOf(key) }),
  ],
  [
    'the Connection says keep-alive',
    (key) =>
      head(SWITCHING, {
        Upgrade: 'websocket',
        Connection: 'keep-alive',
        'Sec-WebSocket-Accept': acceptOf(key),
      }),
  ],
  [
    'the protocol is another one',
    (key) =>
      head(SWITCHING, { Upgrade: 'h2c', Connection: 'Upgrade', 'Sec-WebSocket-Accept': acceptOf(key) }),
  ],
  ['101 comes without headers', () => head(SWITCHING)],
  ['it is answered with status 200', () => head('200 OK', { 'Content-Length': '0' })],
  [
    'it is answered with status 200, as if it were accepted',
    (key) =>
      head('200 OK', {
        Upgrade: 'websocket',
        Connection: 'Upgrade',
        'Sec-WebSocket-Accept': acceptOf(key),
      }),
  ],
  ['it is answered with status 400', () => head('400 Bad Request', { 'Content-Length': '0' })],
  [
    'it is answered with status 426',
    () => head('426 Upgrade Required', { Upgrade: 'h2c', Connection: 'Upgrade', 'Content-Length': '0' }),
  ],
  ['it is answered with a redirect', () => head('301 Moved', { Location: '/ws', 'Content-Length': '0' })],
  ['it is answered with something other than HTTP', () => 'hello\r\n\r\n'],
];

const websocketMutants: readonly Mutant[] = [
  {
    row: 'transport/websocket',
    form: 'both',
    name: 'the server does not support WebSocket',
    options: CLAIMED,
    mutate: unchanged,
  },
  ...HANDSHAKES.map(
    ([name, answerTo], index): Mutant => ({
      row: 'transport/websocket',
      form: index % 2 === 0 ? 'A' : 'B',
      name,
      options: CLAIMED,
      serveWith: answering(answerTo),
      mutate: unchanged,
    }),
  ),
  {
    row: 'transport/websocket',
    form: 'A',
    name: 'the connection is closed',
    options: CLAIMED,
    serveWith: upgrading((socket) => void socket.end()),
    mutate: unchanged,
  },
  {
    row: 'transport/websocket',
    form: 'B',
    name: 'the connection is reset',
    options: CLAIMED,
    serveWith: upgrading((socket) => void (socket as Socket).resetAndDestroy()),
    mutate: unchanged,
  },
  {
    row: 'transport/websocket',
    form: 'A',
    name: 'it is never answered',
    options: CLAIMED,
    serveWith: upgrading(() => undefined),
    mutate: unchanged,
  },
  {
    row: 'transport/websocket',
    form: 'B',
    name: 'the head of the answer is never complete',
    options: CLAIMED,
    serveWith: answering(() => `HTTP/1.1 ${SWITCHING}\r\nUpgrade: websocket\r\n`),
    mutate: unchanged,
  },
];

const always = (): boolean => true;

/** Announces a persistent connection, and closes it. */
function closingAfter(answer: RawAnswer): TakeOver {
  return {
    takeOver: (response) => {
      const { socket } = response;
      const headers = { ...answer.headers, connection: 'keep-alive', 'content-length': answer.body.length };
      response.writeHead(answer.status, headers).end(answer.body, () => socket?.end());
    },
  };
}

function inHttp10({ status, headers, body }: RawAnswer): TakeOver {
  const own = { ...headers, 'content-length': String(body.length) };
  return {
    takeOver: ({ socket }) => {
      socket?.end(Buffer.concat([Buffer.from(head(`${status} OK`, own).replace('1.1', '1.0')), body]));
    },
  };
}

/** Sends an answer that ends with the connection. */
function withoutLength({ status, headers, body }: RawAnswer): TakeOver {
  return {
    takeOver: ({ socket }) => {
      socket?.end(Buffer.concat([Buffer.from(head(`${status} OK`, { ...headers })), body]));
    },
  };
}

/** Handles the second request of a connection differently. */
function secondRequest(answerTo: (socket: Socket) => void): NonNullable<Mutant['serveWith']> {
  const seen = new WeakSet<Socket>();
  return (answer) => {
    const listener: RequestListener = (request, response) => {
      if (seen.has(request.socket)) return answerTo(request.socket);
      seen.add(request.socket);
      answer(request, response);
    };
    return createServer(listener);
  };
}

const keepAliveMutants: readonly Mutant[] = [
  {
    row: 'transport/keep-alive',
    form: 'both',
    name: 'every answer announces the end of the connection and closes it',
    mutate: raw(always, (answer) => ({ ...answer, headers: { ...answer.headers, connection: 'close' } })),
  },
  {
    row: 'transport/keep-alive',
    form: 'both',
    name: 'every answer closes the connection without announcing it',
    mutate: raw(always, closingAfter),
  },
  {
    row: 'transport/keep-alive',
    form: 'A',
    name: 'every answer is one of HTTP/1.0',
    mutate: raw(always, inHttp10),
  },
  {
    row: 'transport/keep-alive',
    form: 'B',
    name: 'every answer ends with its connection',
    mutate: raw(always, withoutLength),
  },
  {
    row: 'transport/keep-alive',
    form: 'A',
    name: 'the second request closes the connection',
    serveWith: secondRequest((socket) => void socket.resetAndDestroy()),
    mutate: unchanged,
  },
  {
    row: 'transport/keep-alive',
    form: 'B',
    name: 'the second request is never answered',
    serveWith: secondRequest(() => undefined),
    mutate: unchanged,
  },
];

/** Node.js always writes CRLF, so its head is changed before it is sent. */
function headInBareLf({ status, headers, body }: RawAnswer): TakeOver {
  return {
    takeOver: (response) => {
      response.writeHead(status, { ...headers, 'content-length': body.length });
      const made = response as unknown as { _header: string };
      made._header = made._header.replaceAll('\r\n', '\n');
      response.end(body);
    },
  };
}

const lineEndMutants: readonly Mutant[] = [
  {
    row: 'transport/line-ends',
    form: 'both',
    name: 'the lines of every head end in LF alone',
    mutate: raw(always, headInBareLf),
  },
  {
    row: 'transport/line-ends',
    form: 'A',
    name: 'the lines of the head of /capabilities alone end in LF alone',
    mutate: raw(({ operation }) => operation === 'capabilities', headInBareLf),
  },
];

export const transportMutants: readonly Mutant[] = [
  ...websocketMutants,
  ...keepAliveMutants,
  ...lineEndMutants,
];
