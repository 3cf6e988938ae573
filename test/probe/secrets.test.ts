import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { bufferFrom } from '../../src/model/sent.ts';
import { createRedactor } from '../../src/probe/redactor.ts';
import { head, listenAndAnswer, type RawServer, splitRequest } from './raw-server.ts';
import { answered, send, unanswered } from './send.ts';

const open: RawServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

async function target(...parts: readonly (string | Buffer)[]): Promise<RawServer> {
  const server = await listenAndAnswer(...parts);
  open.push(server);
  return server;
}

const SECRET = 's3cr3t/with+all="kinds"\\of letters~é-0123456789';
const SHOWN = '$TEST_SECRET';
const secrets = [{ value: SECRET, variable: 'TEST_SECRET' }];

const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Up to a few letters of the base64 may be left at each end, because they encode other bytes too. */
const SPELLINGS: readonly (readonly [name: string, spelling: string])[] = [
  ['raw', SECRET],
  ['URL-encoded', encodeURIComponent(SECRET)],
  ['URL-encoded in lower case', encodeURIComponent(SECRET).replaceAll(/%../g, (code) => code.toLowerCase())],
  ['URL-encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
  ['as a form', new URLSearchParams({ a: SECRET }).toString()],
  ['JSON-escaped', json(SECRET)],
  ['JSON-escaped twice', json(json(SECRET))],
  ['JSON-escaped as PHP does', json(SECRET).replaceAll('/', '\\/')],
  ['with every letter escaped', SECRET.replaceAll(/./g, (letter) => escapeOf(letter))],
  [
    'with every letter escaped in upper case',
    SECRET.replaceAll(/./g, (letter) => escapeOf(letter).toUpperCase().replace('U', 'u')),
  ],
  [
    'with some letters escaped',
    SECRET.replaceAll(/[+="]/g, (letter) => escapeOf(letter)).replaceAll(/\\(?!u)/g, '\\\\'),
  ],
  ['base64', base64(SECRET)],
  ['base64 after one byte', base64(`a${SECRET}bc`)],
  ['base64 behind two', base64(`ab${SECRET}c`)],
  ['base64 behind three', base64(`abc${SECRET}d`)],
  ['base64url', Buffer.from(`ab${SECRET}`).toString('base64url')],
  ['base64 of a user and a password', base64(`user:${SECRET}`)],
];

function escapeOf(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Expects that the secret is not in the exchange, however it is decoded. */
function expectNone(exchange: Exchange): void {
  const kept = [JSON.stringify(exchange)];
  if (exchange.kind === 'answered') kept.push(bufferFrom(exchange.response.body).toString('latin1'));
  for (const text of kept) {
    for (const reading of [text, json(text), readingOf(text), readingOf(readingOf(text))]) {
      expect(reading).not.toContain('s3cr3t');
      for (const shift of [0, 1, 2]) {
        const encoded = base64(`${'x'.repeat(shift)}${SECRET}`).slice(8, -8);
        expect(reading).not.toContain(encoded);
      }
    }
  }
}

function readingOf(text: string): string {
  return text
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/%([0-9a-f]{2})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\(.)/g, '$1');
}

describe.each(SPELLINGS)('a secret, %s', (_name, spelling) => {
  test('is removed from the body of an answer', async () => {
    const body = Buffer.from(`before ${spelling} after`);
    const server = await target(head(200, { 'content-length': body.length }), body);
    const exchange = answered(await send(server.url, {}, { secrets }));
    expectNone(exchange);
    const kept = bufferFrom(exchange.response.body).toString();
    expect(kept).toMatch(/^before .*\$TEST_SECRET.* after$/);
  });

  test('is removed from a compressed binary body', async () => {
    const body = Buffer.concat([
      Buffer.from([0xff, 0xfe, 0]),
      Buffer.from(spelling),
      Buffer.from([0xff, 0x80]),
    ]);
    const packed = gzipSync(body);
    const server = await target(
      head(200, { 'content-encoding': 'gzip', 'content-length': packed.length }),
      packed,
    );
    const exchange = answered(await send(server.url, {}, { secrets }));
    expectNone(exchange);
    const kept = bufferFrom(exchange.response.body);
    expect([...kept.subarray(0, 3), ...kept.subarray(-2)]).toEqual([0xff, 0xfe, 0, 0xff, 0x80]);
    expect(kept.includes(SHOWN)).toBe(true);
  });

  // Header values are Latin-1.
  test('is removed from the headers of an answer', async () => {
    const answer = Buffer.from(
      `${head(200, { 'x-echo': `before ${spelling} after`, 'set-cookie': `key=${spelling}`, 'content-length': 0 })}`,
      'latin1',
    );
    const server = await target(answer);
    const exchange = answered(await send(server.url, {}, { secrets }));
    expectNone(exchange);
    expect(exchange.response.headers.filter(([, value]) => value.includes(SHOWN))).toHaveLength(2);
  });

  test('is removed from the body and the headers of the request', async () => {
    const server = await target(head(200, { 'content-length': 0 }));
    const value = spelling.replaceAll('é', 'e');
    const exchange = answered(
      await send(
        server.url,
        { body: Buffer.from(`{"key":"${spelling}"}`), headers: [['x-key', value]] },
        { secrets: [...secrets, { value: SECRET.replaceAll('é', 'e'), variable: 'TEST_SECRET' }] },
      ),
    );
    expectNone(exchange);
    expect(JSON.stringify(exchange.request)).toContain(SHOWN);
    // The original was sent; only the stored copy is redacted.
    expect(splitRequest(server.connections[0]?.received() ?? Buffer.alloc(0)).body.toString()).toBe(
      `{"key":"${spelling}"}`,
    );
  });
});

describe('a secret header of the user', () => {
  const given = [{ name: 'x-api-key', value: 'k3y-0123456789', shownValue: '$KEY' }];
  const key = [{ value: 'k3y-0123456789', variable: 'KEY' }];

  test('is sent, but only its variable is stored', async () => {
    const server = await target(head(200, { 'content-length': 0 }));
    const exchange = answered(await send(server.url, {}, { headers: given, secrets: key }));
    expect(server.connections[0]?.received().toString()).toContain('x-api-key: k3y-0123456789');
    expect(exchange.request.headers).toEqual([['x-api-key', '$KEY']]);
    expect(JSON.stringify(exchange)).not.toContain('k3y-');
  });

  test('is not in the URL', async () => {
    const server = await target(head(200, { 'content-length': 0 }));
    const exchange = answered(
      await send(`${server.url}/k3y-0123456789?key=k3y-0123456789`, {}, { secrets: key }),
    );
    expect(exchange.request.url).toBe(`${server.url}/$KEY?key=$KEY`);
    expect(server.connections[0]?.received().toString()).toContain(
      'GET /k3y-0123456789?key=k3y-0123456789 HTTP/1.1',
    );
  });

  test('is not in header names', async () => {
    const server = await target(head(200, { 'x-k3y-0123456789': 1, 'content-length': 0 }));
    expect(JSON.stringify(await send(server.url, {}, { secrets: key }))).not.toContain('k3y-');
  });

  test('is not in failure messages', async () => {
    const coding = await target(
      head(200, { 'content-encoding': 'k3y-0123456789', 'content-length': 1 }),
      'x',
    );
    const { bodyProblem } = answered(await send(coding.url, {}, { secrets: key })).response;
    expect(bodyProblem?.code).toBe('unasked-coding');
    expect(bodyProblem?.message).toContain('$KEY');
    expect(bodyProblem?.message).not.toContain('k3y-');

    const named = unanswered(await send('http://k3y-0123456789.invalid/', {}, { secrets: key }));
    expect(JSON.stringify(named)).not.toContain('k3y-');

    const garbage = await target('k3y-0123456789 k3y-0123456789\r\n\r\n');
    expect(JSON.stringify(await send(garbage.url, {}, { headers: given, secrets: key }))).not.toContain(
      'k3y-',
    );
  });

  test('is not in the failure message if its value is invalid', async () => {
    const server = await target(head(200, { 'content-length': 0 }));
    const value = 'k3y-0123456789\r\nx-injected: yes';
    const exchange = unanswered(
      await send(
        server.url,
        {},
        {
          headers: [{ name: 'x-api-key', value, shownValue: '$KEY' }],
          secrets: [{ value, variable: 'KEY' }],
        },
      ),
    );
    expect(exchange.reason.fault).toBe('harness');
    expect(JSON.stringify(exchange)).not.toContain('k3y-');
    expect(server.connections.map((connection) => connection.received().toString()).join('')).not.toContain(
      'x-injected',
    );
  });
});

describe('a secret in a failure message', () => {
  const long = [{ value: SECRET.repeat(20), variable: 'LONG_SECRET' }];

  test.each([
    ['a status line', (filler: string) => `garbage ${filler}${SECRET.repeat(20)}\r\n\r\n`],
    [
      'a header line',
      (filler: string) => `HTTP/1.1 200 OK\r\nno header ${filler}${SECRET.repeat(20)}\r\n\r\n`,
    ],
    [
      'a content coding',
      (filler: string) => head(200, { 'content-encoding': filler + SECRET.repeat(20), 'content-length': 1 }),
    ],
  ])('is removed before the message is shortened: %s', async (_, answer) => {
    for (const length of [0, 60, 100, 250, 290]) {
      const server = await target(Buffer.from(`${answer('x'.repeat(length))}x`, 'latin1'));
      const exchange = await send(server.url, {}, { secrets: long });
      const problem = exchange.kind === 'answered' ? exchange.response.bodyProblem : exchange.reason;
      expect(problem?.message).not.toContain('s3cr3t');
      expect(problem?.message.length).toBeLessThanOrEqual(300);
    }
  });
});

describe('the redactor', () => {
  test('changes nothing else', () => {
    const { text, bytes } = createRedactor(secrets);
    const innocent = '{"a":"s3cr3t","b":"s3cr3t/with","c":"$TEST_SECRET"}';
    expect(text(innocent)).toBe(innocent);
    const every = Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256));
    expect(bytes(every)).toBe(every);
  });

  test('ignores short secrets', () => {
    const { text } = createRedactor([{ value: 'ok', variable: 'SHORT' }]);
    expect(text('{"status":"ok"}')).toBe('{"status":"ok"}');
  });

  test('replaces each secret with its variable, the longer first', () => {
    const { text } = createRedactor([
      { value: 'abcdefgh', variable: 'SHORT' },
      { value: 'abcdefgh-ijklmnop', variable: 'LONG' },
    ]);
    expect(text('abcdefgh abcdefgh-ijklmnop abcdefgh-ijkl')).toBe('$SHORT $LONG $SHORT-ijkl');
  });

  test('treats a secret as literal text, not as a pattern', () => {
    const { text } = createRedactor([{ value: '.*+?^${}()|[]$&$1', variable: 'ODD' }]);
    expect(text('a .*+?^${}()|[]$&$1 b')).toBe('a $ODD b');
    expect(text('a long and innocent text')).toBe('a long and innocent text');
  });

  test('returns the same buffer without secrets', () => {
    const bytes = Buffer.from('{}');
    expect(createRedactor([]).bytes(bytes)).toBe(bytes);
  });
});
