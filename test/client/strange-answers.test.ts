import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import {
  clientOf,
  type FakeDirectory,
  failureOf,
  json,
  KEY,
  page,
  record,
  startFake,
} from './fake-directory.ts';

let fake: FakeDirectory;
afterEach(() => fake.close());

const wrongPages: readonly (readonly [string, unknown, string])[] = [
  ['a list', [], 'expected an object with servers, pagination, received [] (array)'],
  ['null', null, 'received null'],
  [
    'no servers',
    { pagination: page([]).pagination },
    'at /servers expected an array, each item a ServerRecord, received nothing',
  ],
  [
    'no pagination',
    { servers: [] },
    'at /pagination expected an object with total, limit, offset, hasNext, received nothing',
  ],
  [
    'a number as text',
    { ...page([]), pagination: { total: '0', limit: 1, offset: 0, hasNext: false } },
    'at /pagination/total expected a whole number, 0 or more, received "0" (string)',
  ],
  ['an invalid record', { ...page(['a']), servers: ['a'] }, 'at /servers/0 expected an object with id'],
  [
    'no uptime',
    { ...page(['a']), servers: [{ ...record('a'), uptime: undefined }] },
    'at /servers/0/uptime expected a number from 0 to 100, received nothing',
  ],
  [
    'a null figure in a search',
    { ...page(['a']), servers: [{ ...record('a'), responseTime: null }] },
    'at /servers/0/responseTime',
  ],
  [
    'an unknown transport',
    { ...page(['a']), servers: [record('a'), { ...record('b'), transport: ['ftp'] }] },
    'at /servers/1/transport/0 expected "http" or "websocket", received "ftp" (string)',
  ],
  ['tags as text', { ...page(['a']), servers: [{ ...record('a'), tags: 'a,b' }] }, 'at /servers/0/tags'],
];

describe('an answer that violates the specification', () => {
  it.each(wrongPages)('is reported: %s', async (_, answer, words) => {
    fake = await startFake((_request, response) => json(response, answer));
    const error = await failureOf(clientOf(fake).search());
    expect(error.code).toBe('bad-answer');
    expect(error.message).toContain(words);
  });

  it.each([
    [{ uptime: 'much' }, 'at /uptime expected a number from 0 to 100, or null, received "much" (string)'],
    [{ responseTime: -1 }, 'at /responseTime expected a number, 0 or more, or null, received -1'],
    [{ id: '' }, 'at /id expected a string that is not empty, received ""'],
    [{ audited: 'no' }, 'at /audited expected true or false, received "no"'],
  ])('is reported in details: %j', async (member, words) => {
    fake = await startFake((_request, response) => json(response, { ...record('a'), ...member }));
    expect((await failureOf(clientOf(fake).server('a'))).message).toContain(words);
  });

  it('is accepted if a program can use it', async () => {
    const odd = { ...record('a'), lastUpdated: 'yesterday', endpoint: 'no address', more: 1 };
    const answer = { servers: [odd], pagination: { total: 1, limit: 1000, offset: 0, hasNext: false } };
    fake = await startFake((_request, response) => json(response, answer));
    expect(await clientOf(fake).search()).toEqual(answer);
  });

  it.each([
    ['<html>hello</html>', 'received "<html>hello</html>"'],
    ['', 'received nothing'],
    ['{"servers":', 'expected JSON'],
  ])('is reported if it is not JSON: %j', async (body, words) => {
    fake = await startFake((_request, response) => response.end(body));
    expect((await failureOf(clientOf(fake).server('a'))).message).toContain(words);
  });

  it('is reported if it is not UTF-8, or an unexpected 304', async () => {
    fake = await startFake(({ url }, response) => {
      if (url.includes('search')) response.end(Buffer.from([0x22, 0xff, 0x22]));
      else response.writeHead(304).end();
    });
    expect((await failureOf(clientOf(fake).search())).message).toContain('JSON in UTF-8');
    expect((await failureOf(clientOf(fake).server('a'))).message).toContain('received 304');
  });

  it('cannot forge lines, and is shortened', async () => {
    const detail = `bad\n\u001b[31mPASS\r\n${'x'.repeat(5000)}`;
    fake = await startFake((_, response) => json(response, { code: 'c', detail }, {}, 400));
    const { message } = await failureOf(clientOf(fake).search());
    expect(message).toContain('bad [31mPASS x');
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(message.length).toBeLessThan(700);
  });
});

describe('an answer beyond the limits', () => {
  it('is aborted if it does not end', async () => {
    fake = await startFake((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 0x20);
      response.on('error', () => undefined);
      const more = (): void => {
        if (response.destroyed) return;
        if (response.write(chunk)) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    expect(await failureOf(clientOf(fake).search())).toMatchObject({ code: 'answer-too-large' });
    expect(fake.seen).toHaveLength(1);
  });

  it('is aborted if it becomes too large when decompressed', async () => {
    fake = await startFake((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
    });
    expect(await failureOf(clientOf(fake).search())).toMatchObject({ code: 'answer-too-large' });
  });

  it('is aborted if nothing or only a part arrives', async () => {
    fake = await startFake((_, response, index) => {
      if (index > 0) response.write('{');
    });
    const client = clientOf(fake, { timeoutMs: 100 });
    for (const _ of [1, 2])
      expect(await failureOf(client.search())).toMatchObject({
        code: 'timeout',
        message: expect.stringContaining('within 0.1 s'),
      });
    // On a busy machine, not even the request may have arrived by then.
    expect(fake.seen.length).toBeLessThanOrEqual(2);
  });

  it('is aborted by the caller', async () => {
    const whole = new AbortController();
    const one = new AbortController();
    fake = await startFake(() => (fake.seen.length === 1 ? one : whole).abort());
    const client = clientOf(fake, { signal: whole.signal });
    expect(await failureOf(client.search({}, { signal: one.signal }))).toMatchObject({ code: 'interrupted' });
    expect(await failureOf(client.search())).toMatchObject({ code: 'interrupted' });
    expect(await failureOf(client.search())).toMatchObject({ code: 'interrupted' });
    expect(fake.seen).toHaveLength(2);
  });
});

describe('the key', () => {
  it('reaches no other host by a redirect', async () => {
    const other = await startFake((_, response) => json(response, page([])));
    for (const status of [301, 302, 303, 307, 308]) {
      fake = await startFake((_, response) => {
        response.writeHead(status, { location: `${other.baseUrl}/servers/search?key=${KEY}` }).end();
      });
      const error = await failureOf(clientOf(fake).search());
      expect(error).toMatchObject({ code: 'redirected', status });
      expect(error.message).toContain(`to ${other.baseUrl}/servers/search?key=(API key). `);
      expect(await failureOf(clientOf(fake).test('a'))).toMatchObject({ code: 'redirected' });
      expect(fake.seen).toHaveLength(2);
      if (status !== 308) await fake.close();
    }
    expect(other.seen).toEqual([]);
    await other.close();
  });

  it('is removed from texts of the directory', async () => {
    fake = await startFake((_, response) =>
      json(response, { code: KEY, detail: `The key ${KEY} is wrong`, requestId: KEY }, {}, 401),
    );
    expect((await failureOf(clientOf(fake).search())).detail).toBe('The key (API key) is wrong');
  });

  it('goes over https, or to this machine', async () => {
    fake = await startFake((_, response) => json(response, page([])));
    for (const baseUrl of [
      'http://directory.example/v1',
      'http://10.0.0.1/v1',
      'http://127.0.0.1.example/v1',
    ])
      expect(() => clientOf({ baseUrl })).toThrow(/exposes the API key.*allowInsecure/);
    for (const baseUrl of ['https://directory.example/v1', 'http://[::1]:1/v1', 'http://a.localhost/v1'])
      expect(() => clientOf({ baseUrl })).not.toThrow();
    expect(() => clientOf({ baseUrl: 'http://10.0.0.1/v1' }, { allowInsecure: true })).not.toThrow();
  });

  it('and the address are not repeated when they are refused', async () => {
    fake = await startFake((_, response) => json(response, page([])));
    for (const apiKey of ['', 'secret word', 'secret\n', 'sécret'])
      expect(() => clientOf(fake, { apiKey })).toThrow(
        expect.objectContaining({ code: 'bad-key', message: expect.not.stringMatching(/s[eé]cret/) }),
      );
    for (const baseUrl of [
      '',
      'x',
      'ftp://x/v1',
      'https://a:secret@x/v1',
      'https://x/v1?secret',
      'https://x/#secret',
    ])
      expect(() => clientOf({ baseUrl })).toThrow(
        expect.objectContaining({ code: 'bad-base-url', message: expect.not.stringContaining('secret') }),
      );
  });
});
