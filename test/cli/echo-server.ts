import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createReference } from '../../src/reference/contract.ts';
import type { EndpointAnswer } from '../../src/reference/endpoints.ts';
import { CANARIES, spellingsOf } from './canaries.ts';

interface EchoRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  /** The canaries in the request. */
  readonly carried: readonly string[];
  /** Each of them in every spelling. */
  readonly said: readonly string[];
  /** The number of the request, from 0. */
  readonly count: number;
  /** Whether it is one of the timed requests; the others close their connection. */
  readonly timed: boolean;
  /** The answer of the reference server. */
  readonly answer: EndpointAnswer;
}

/** The bytes on the wire; after `null`, nothing more is sent. */
type Wire = readonly (Buffer | string | null)[];

export interface EchoServer {
  readonly url: string;
  /** Names of the canaries that arrived. */
  readonly arrived: ReadonlySet<string>;
  readonly requests: () => number;
  /** Resolves after this many requests. */
  readonly received: (requests: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Answers with the bytes of one behaviour, even if they break HTTP. */
export async function startEchoServer(behaviour: keyof typeof BEHAVIOURS): Promise<EchoServer> {
  const reference = createReference({ form: 'B' });
  const sockets = new Set<Socket>();
  const arrived = new Set<string>();
  let count = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = bytes.subarray(0, end).toString('latin1');
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      if (bytes.length < end + 4 + length) return;
      const body = bytes.subarray(end + 4, end + 4 + length);
      bytes = Buffer.alloc(0);
      const names = Object.entries(CANARIES).filter(([, secret]) => head.includes(secret));
      for (const [name] of names) arrived.add(name);
      const carried = names.map(([, secret]) => secret);
      const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
      const contentType = /^content-type: *(.*)$/im.exec(head)?.[1]?.trim();
      reference.answer({ method, path, contentType, body }).then((answer) => {
        const said = carried.flatMap(spellingsOf);
        const timed = !/^connection: *close/im.test(head);
        const wire = BEHAVIOURS[behaviour]({ method, path, body, carried, said, count, timed, answer });
        count += 1;
        server.emit('answered');
        for (const part of wire) {
          if (part === null) return;
          socket.write(part);
        }
        socket.end();
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    requests: () => count,
    received: async (requests) => {
      while (count < requests) await once(server, 'answered');
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

type Headers = readonly (readonly [name: string, value: string])[];

function answerOf(status: number | string, headers: Headers, body: string | Buffer): Wire {
  const bytes = Buffer.from(body as string);
  const lines = [...headers, ['content-length', bytes.length] as const].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return [Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`, 'latin1'), bytes];
}

const JSON_TYPE: Headers = [['content-type', 'application/json']];

function withMembers({ status, body }: EndpointAnswer, members: object, headers: Headers = []): Wire {
  const value = { ...(JSON.parse(body) as object), ...members };
  return answerOf(`${status} OK`, [...JSON_TYPE, ...headers], JSON.stringify(value));
}

/** The first canary, unchanged, because errors quote the bytes that break HTTP. */
function rawOf({ carried, count }: EchoRequest): string {
  return carried[count % Math.max(1, carried.length)] ?? 'nothing';
}

/** Characters that are allowed in the name of a header. */
function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}

export const BROKEN: readonly ((raw: string) => Wire)[] = [
  (raw) => [`${raw}\r\n\r\n`],
  (raw) => [`HTTP/1.1 ${raw} OK\r\n\r\n`],
  (raw) => [`HTTP/2.0 200 ${raw}\r\n\r\n`],
  (raw) => [`HTTP/1.1 200 OK\r\n${raw}\r\n\r\n`],
  (raw) => [`HTTP/1.1 200 OK\r\nx y ${raw}: 1\r\n\r\n`],
  (raw) => [`HTTP/1.1 200 OK\r\n${'x'.repeat(60)} ${raw} ${raw}\r\n\r\n`],
  (raw) => [`HTTP/1.1 200 OK\r\nContent-Length: ${raw}\r\n\r\n`],
  (raw) => [`HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: ${raw}\r\n\r\n`],
  (raw) => [`HTTP/1.1 200 OK\r\nTransfer-Encoding: ${raw}\r\n\r\n`],
  (raw) => [`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${raw}\r\n`],
  (raw) => [
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;${raw}\r\n{}\r\n0\r\nX-T: ${raw}\r\n\r\n`,
  ],
  (raw) => [`HTTP/1.1 200 OK\r\nContent-Encoding: ${raw}\r\nContent-Length: 2\r\n\r\n{}`],
  (raw) => [`HTTP/1.1 200 OK\r\nX-Folded: ${raw}\r\n ${raw}\r\nContent-Length: 2\r\n\r\n{}`],
  (raw) => [`HTTP/1.1 200 OK\r\nX-Nul: ${raw}\0\r\nContent-Length: 2\r\n\r\n{}`],
  (raw) => [`HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n${raw}`],
  (raw) => [`HTTP/1.1 101 ${raw}\r\nUpgrade: ${raw}\r\n\r\n`],
  (raw) => [
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n',
    Buffer.concat([Buffer.from([0xff, 0xfe, 0]), Buffer.from(raw), Buffer.alloc(100, 0x80)]).subarray(0, 100),
  ],
];

export const BEHAVIOURS = {
  'in bodies': ({ answer, said }) =>
    withMembers(answer, { said, together: said.join(' '), '': said[0] ?? null }),
  'in values of headers': ({ answer, said }) =>
    withMembers(answer, {}, [
      ...said.map((text, index) => [`x-said-${index}`, text] as const),
      ['set-cookie', `session=${said[0]}; HttpOnly`],
      ['www-authenticate', `Bearer realm="${said[0]}"`],
      ['retry-after', said[0] ?? '0'],
    ]),
  'in names of headers': ({ answer, said }) =>
    withMembers(
      answer,
      {},
      said.filter(isToken).map((text, index) => [`x-${index}-${text}`, 'said'] as const),
    ),
  'in messages of errors': ({ said, count }) =>
    answerOf(
      count % 2 === 0 ? '500 Internal Server Error' : '400 Bad Request',
      JSON_TYPE,
      JSON.stringify({ error: { code: said.join(' '), message: `It failed with ${said.join(' and ')}.` } }),
    ),
  'in redirects': ({ said, carried }) =>
    answerOf(
      '302 Found',
      [
        ['location', `/login?key=${encodeURIComponent(carried[0] ?? '')}&was=${carried.join(',')}`],
        ['content-location', said.join(',')],
        ['content-type', 'text/html'],
      ],
      `<!doctype html><a href="/login?key=${said.join('&')}">${said.join('<br>')}</a>`,
    ),
  'in status lines': (request) => {
    const { status, body } = request.answer;
    return answerOf(`${status} ${rawOf(request)}`, JSON_TYPE, body);
  },
  'in broken HTTP': (request) => {
    // A client that cannot read the answer sends nothing more.
    const { path, answer, said, count } = request;
    return path === '/capabilities' || (path === '/health' && count < 10)
      ? withMembers(answer, { said })
      : (BROKEN[count % BROKEN.length] as (raw: string) => Wire)(rawOf(request));
  },
  'in answers to timed calls': (request) => {
    const { timed, answer, path, said, count } = request;
    if (!timed || path === '/') return withMembers(answer, {});
    return count % 2 === 0
      ? answerOf(`500 ${rawOf(request)}`, JSON_TYPE, JSON.stringify({ said }))
      : (BROKEN[count % BROKEN.length] as (raw: string) => Wire)(rawOf(request));
  },
  'in descriptors and results': ({ answer, said, path }) => {
    const text = said.join(' | ');
    if (path === '/capabilities') {
      const { functions } = JSON.parse(answer.body) as { functions: readonly object[] };
      return withMembers(answer, {
        server: { name: text, version: text, description: text },
        functions: functions.map((fn, index) =>
          index % 2 === 0 ? { ...fn, description: text } : { ...fn, name: text },
        ),
      });
    }
    return answer.status === 200 && path === '/execute'
      ? withMembers(answer, { result: { [text]: said }, executionTime: text })
      : withMembers(answer, { status: text, timestamp: text, version: text, mcpVersion: text });
  },
  packed: ({ answer, said }) => {
    const value = { ...(JSON.parse(answer.body) as object), said };
    return answerOf(
      `${answer.status} OK`,
      [...JSON_TYPE, ['content-encoding', 'gzip']],
      gzipSync(JSON.stringify(value)),
    );
  },
  'as WebSocket': ({ answer, said, path }) =>
    path === '/'
      ? [
          Buffer.from(
            `HTTP/1.1 101 ${said[0]}\r\nUpgrade: ${said[0]}\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${said.join(' ')}\r\n\r\n`,
          ),
          said.join(' '),
        ]
      : answerOf(`${answer.status} OK`, JSON_TYPE, answer.body),
  'and falls silent': ({ said }) => [
    `HTTP/1.1 200 OK\r\nX-Said: ${said[0]}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
    JSON.stringify({ said }),
    null,
  ],
} as const satisfies Readonly<Record<string, (request: EchoRequest) => Wire>>;
