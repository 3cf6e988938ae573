import { afterEach, describe, expect, it } from 'vitest';
import { AnswerCache } from '../../src/client/answer-cache.ts';
import { clientOf, type FakeDirectory, fakeClock, json, page, record, startFake } from './fake-directory.ts';

let fake: FakeDirectory | undefined;
afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

/** Answers searches with these fields, and with 304 if the client sends the ETag. */
async function startWith(headers: Readonly<Record<string, string>>): Promise<FakeDirectory> {
  fake = await startFake((request, response, index) => {
    const { etag } = headers;
    if (etag !== undefined && request.headers['if-none-match'] === etag)
      response.writeHead(304, headers).end();
    else if (request.method === 'POST') json(response, { output: {} });
    else if (request.url.includes('search')) json(response, page([`s${index}`]), headers);
    else json(response, record(`d${index}`), headers);
  });
  return fake;
}

const MAX_AGE = { 'cache-control': 'private, max-age=30', etag: '"one"', vary: 'Accept, Authorization' };

describe('the cache', () => {
  it('uses an answer while it is fresh, then revalidates it', async () => {
    const { seen } = await startWith(MAX_AGE);
    const clock = fakeClock();
    const client = clientOf({ baseUrl: fake?.baseUrl ?? '' }, {}, clock);
    const first = await client.search({ q: 'a' });
    clock.pass(29_999);
    expect(await client.search({ q: 'a' })).toEqual(first);
    expect(seen).toHaveLength(1);
    clock.pass(1);
    expect(await client.search({ q: 'a' })).toEqual(first);
    expect(seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"one"']);
    // The 304 made it fresh again.
    clock.pass(29_000);
    await client.search({ q: 'a' });
    expect(seen).toHaveLength(2);
    await client.search({ q: 'b' });
    expect(seen).toHaveLength(3);
  });

  it('returns a separate answer to each caller', async () => {
    await startWith(MAX_AGE);
    const client = clientOf({ baseUrl: fake?.baseUrl ?? '' });
    const first = await client.server('a');
    (first as { name: string }).name = 'changed';
    expect((await client.server('a')).name).toBe('Server d0');
  });

  it.each([
    ['no-store', { 'cache-control': 'no-store, max-age=30', etag: '"one"' }, [undefined, undefined]],
    ['Vary: *', { ...MAX_AGE, vary: '*' }, [undefined, undefined]],
    ['no fields', {}, [undefined, undefined]],
    ['no-cache', { 'cache-control': 'no-cache', etag: '"one"' }, [undefined, '"one"']],
    ['an ETag alone', { etag: '"one"' }, [undefined, '"one"']],
    ['max-age=0', { 'cache-control': 'max-age=0', etag: 'W/"one"' }, [undefined, 'W/"one"']],
    ['already stale', { 'cache-control': 'max-age=30', age: '30', etag: '"one"' }, [undefined, '"one"']],
    ['an invalid max-age', { 'cache-control': 'max-age=x', etag: '"one"' }, [undefined, '"one"']],
    [
      'Expires',
      { expires: 'Thu, 01 Jan 2026 00:00:30 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
      [undefined],
    ],
    ['max-age', { 'cache-control': 'public, MAX-AGE="30"' }, [undefined]],
  ] as const)('revalidates as the fields require: %s', async (_, headers, asked) => {
    const { seen, baseUrl } = await startWith(headers);
    const client = clientOf({ baseUrl });
    await client.search();
    await client.search();
    expect(seen.map((request) => request.headers['if-none-match'])).toEqual(asked);
  });

  it('uses the new answer if the old one changed', async () => {
    fake = await startFake((_, response, index) =>
      json(response, page([`s${index}`]), { etag: `"${index}"`, 'cache-control': 'no-cache' }),
    );
    const client = clientOf(fake);
    const found: string[] = [];
    for (const _ of [1, 2, 3]) found.push((await client.search()).servers[0]?.id ?? '');
    expect(found).toEqual(['s0', 's1', 's2']);
    expect(fake.seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"0"', '"1"']);
  });

  it('revalidates the details of a server that was tested or called, and of no other', async () => {
    const { seen, baseUrl } = await startWith(MAX_AGE);
    const client = clientOf({ baseUrl });
    const etags = (): readonly unknown[] =>
      seen
        .filter(({ method }) => method === 'GET')
        .map(({ url, headers }) => [url.slice(-1), headers['if-none-match']]);
    for (const id of ['a', 'b']) await client.server(id);
    await client.test('a');
    for (const id of ['a', 'b']) await client.server(id);
    expect(etags()).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['a', '"one"'],
    ]);
    await client.execute('b', 'add');
    await client.server('b');
    expect(etags().slice(3)).toEqual([['b', '"one"']]);
  });

  it('stores nothing with cache: false, and no failures', async () => {
    const { seen, baseUrl } = await startWith(MAX_AGE);
    const client = clientOf({ baseUrl }, { cache: false });
    await client.search();
    await client.search();
    expect(seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined]);
    await fake?.close();
    fake = await startFake((_, response, index) =>
      json(response, index === 0 ? {} : page([]), MAX_AGE, index === 0 ? 404 : 200),
    );
    const other = clientOf(fake);
    await other.search().catch(() => undefined);
    expect((await other.search()).servers).toEqual([]);
  });

  it('is limited by entries and bytes, and evicts the least recently used answer', () => {
    const cache = new AnswerCache(2, 100);
    const fields = new Headers({ etag: '"one"' });
    const store = (name: string, bytes: number): void => cache.store(name, 'x'.repeat(bytes), fields, 0);
    const held = (): readonly string[] => ['a', 'b', 'c', 'd'].filter((name) => cache.find(name) !== null);
    store('a', 10);
    store('b', 10);
    cache.find('a');
    store('c', 10);
    expect(held()).toEqual(['a', 'c']);
    store('d', 91);
    expect(held()).toEqual(['d']);
    store('a', 101);
    expect(held()).toEqual(['d']);
    store('d', 1);
    store('a', 99);
    expect(held()).toEqual(['a', 'd']);
  });
});
