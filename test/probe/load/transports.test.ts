import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoadRequest, LoadTransport } from '../../../src/model/load.ts';
import { createLeanTransport } from '../../../src/probe/load/lean-transport.ts';
import { createUndiciTransport } from '../../../src/probe/load/undici-transport.ts';
import { type Connection, listen, type RawServer } from '../raw-server.ts';
import { LEGAL, OK, VIOLATIONS } from '../wire/responses.ts';

interface Difference {
  readonly lean: string;
  readonly undici: string;
  readonly because: string;
}

const standard = (undici: string, because: string): Difference => ({
  lean: '200, then 200',
  undici,
  because,
});

/** Where undici deviates from the standard, the lean transport follows the standard. */
const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'an equal length twice': standard(
    'failed, then 200',
    'RFC 9110, section 8.6: equal lengths may be treated as one',
  ),
  'an equal length in a list': standard(
    'failed, then 200',
    'RFC 9110, section 8.6: equal lengths may be treated as one',
  ),
  'bare line feeds': standard(
    'failed, then 200',
    'RFC 9112, section 2.2: a recipient may accept LF alone as a line end',
  ),
  'a later minor version': standard(
    'failed, then 200',
    'RFC 9110, section 2.5: read as the highest known minor version',
  ),
  'informational responses': standard(
    'failed, then 200',
    'RFC 9110, section 15.2: 1xx must be read even if it was not requested',
  ),
  'a folded header': standard(
    'failed, then 200',
    'RFC 9112, section 5.2: a user agent reads it as one space',
  ),
  'an answer that closes without Connection: close': standard(
    '200, then failed',
    'RFC 9112, section 9.3.1: a read over a connection that was closed normally is sent again',
  ),
  'HTTP/2 in text': {
    lean: 'failed, then 200',
    undici: '200, then 200',
    because: 'RFC 9112, section 2.3: another major version has another syntax',
  },
  'an empty transfer coding': {
    lean: 'failed, then 200',
    undici: '200, then 200',
    because: 'RFC 9112, section 6.1: the header must list codings, and lists none',
  },
  'chunks in chunks': {
    lean: 'failed, then 200',
    undici: '200, then failed',
    because: 'RFC 9112, section 6.1: chunked must not be applied more than once',
  },
};

interface Case {
  readonly name: string;
  readonly bytes: string;
  /** The connection ends after the answer. */
  readonly ends: boolean;
}

const PLAIN = `${OK}Content-Length: 2\r\n\r\n{}`;
const cases: readonly Case[] = [
  ...LEGAL.filter(({ method }) => method === undefined).map(({ name, bytes }) => ({
    name,
    bytes,
    ends: !/content-length|transfer-encoding|204/i.test(bytes),
  })),
  ...VIOLATIONS.map(([name, bytes]) => ({ name, bytes, ends: true })),
  { name: 'an error', bytes: 'HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy', ends: false },
  { name: 'a closing answer', bytes: `${OK}Connection: close\r\nContent-Length: 2\r\n\r\n{}`, ends: true },
  { name: 'an answer that closes without Connection: close', bytes: PLAIN, ends: true },
  {
    name: 'chunks of one byte',
    bytes: `${OK}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(9)}0\r\n\r\n`,
    ends: false,
  },
];

let server: RawServer;
beforeAll(async () => {
  // Errors of clients that disconnect are ignored.
  server = await listen((connection) => void answerAll(connection).catch(() => undefined));
});
afterAll(() => server.close());

/** `/3/17` is answered with case 3, with a pause after its first 17 bytes; any other path with PLAIN. */
async function answerAll({ socket }: Connection): Promise<void> {
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    while (received.includes('\r\n\r\n')) {
      const head = received.slice(0, received.indexOf('\r\n\r\n'));
      received = received.slice(head.length + 4);
      const [, index, at] = /^GET \/(\d+)\/(\d+) /.exec(head) ?? [];
      const own = cases[Number(index)];
      if (socket.writableEnded) return;
      if (own === undefined) socket.write(PLAIN);
      else {
        socket.setNoDelay(true);
        socket.write(Buffer.from(own.bytes.slice(0, Number(at)), 'latin1'));
        // Lets the client read the first part before the second is sent; otherwise, the case is only easier.
        for (let turns = 0; turns < 4; turns += 1) await new Promise(setImmediate);
        const rest = Buffer.from(own.bytes.slice(Number(at)), 'latin1');
        if (own.ends) socket.end(rest);
        else socket.write(rest);
      }
    }
  }
}

const request = (path: string): LoadRequest => ({
  method: 'GET',
  url: `${server.url}${path}`,
  headers: [],
  body: null,
  weight: 1,
});

/** The outcomes of an answer that is split at this byte, and of the next answer. */
function outcomes(transport: LoadTransport, index: number, at: number): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const seen: string[] = [];
    const next = (outcome: string): void => {
      seen.push(outcome);
      if (seen.length < 2) connection.send(1, performance.now());
      else {
        connection.drop();
        resolve(seen);
      }
    };
    const connection = transport.connect([request(`/${index}/${at}`), request('/plain')], {
      onAnswer: (status) => next(String(status)),
      onFailure: () => next('failed'),
    });
    connection.send(0, performance.now());
  });
}

const OPTIONS = { ca: null, publicOnly: false, timeoutMs: 5000 };
const MAX_AT_ONCE = 16;

async function atEverySplit(transport: LoadTransport, index: number): Promise<readonly string[]> {
  const splits = Array.from({ length: cases[index]?.bytes.length ?? 0 }, (_, at) => at);
  const all: string[] = [];
  while (splits.length > 0) {
    const some = splits.splice(0, MAX_AT_ONCE);
    const seen = await Promise.all(some.map((at) => outcomes(transport, index, at)));
    all.push(...seen.map((outcome) => outcome.join(', then ')));
  }
  return [...new Set(all)];
}

describe('the lean transport', () => {
  test.each(cases.map(({ name }, index) => [name, index] as const))(
    'reads %s like undici, split at every byte',
    async (name, index) => {
      const lean = await atEverySplit(createLeanTransport(OPTIONS), index);
      const undici = await atEverySplit(createUndiciTransport(OPTIONS), index);
      const difference = DIFFERENCES[name];
      const expected = difference?.lean ?? undici[0];
      expect(lean).toEqual(cases[index]?.bytes === '' ? [] : [expected]);
      expect(undici).toEqual(difference === undefined ? lean : [difference.undici]);
    },
  );
});
