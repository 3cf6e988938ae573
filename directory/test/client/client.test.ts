import { createDirectoryClient, type DirectoryClient } from 'probity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../../../test/client/fake-directory.ts';
import { removeEntries } from '../../src/entries/entries.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';

const ENTRIES = 205;
let directory: DirectoryUnderTest;
let client: DirectoryClient;

beforeAll(async () => {
  directory = await startDirectory({ limits: { read: { name: 'read', calls: 10_000, windowSeconds: 60 } } });
  const entries = Array.from({ length: ENTRIES }, (_, index) => ({
    listing: {
      id: `server-${index}`,
      name: `Server ${index}`,
      description: 'A server',
      category: index % 2 === 0 ? 'Even' : 'Odd',
      tags: ['one', index < 3 ? 'low' : 'high'],
      transport: ['http' as const],
      audited: index === 0,
      openSource: true,
      endpoint: 'https://server.example',
      uptime: 99,
      responseTime: index,
    },
    first: { decision: 'list' as const, decidedBy: 'operator' as const, rows: [] },
  }));
  await putEntries(directory.store.db, entries, new Date());
  client = createDirectoryClient({ baseUrl: `${directory.url}/v1/`, apiKey: directory.key });
});
afterAll(() => directory?.stop());

describe('the client with a real directory', () => {
  it('searches with every filter', async () => {
    const found = await client.search({
      q: 'serv',
      category: 'even',
      tags: ['one', 'low'],
      transport: 'http',
      minUptime: 98.5,
      maxResponseTime: 1,
      audited: true,
      openSource: true,
      limit: 5,
      offset: 0,
    });
    expect(found.servers.map(({ id }) => id)).toEqual(['server-0']);
    expect(found.pagination).toEqual({ total: 1, limit: 5, offset: 0, hasNext: false });
  });

  it('reads all pages, each record once', async () => {
    const ids = new Set<string>();
    let count = 0;
    for await (const { id } of client.searchAll()) {
      ids.add(id);
      count += 1;
    }
    expect([ids.size, count]).toEqual([ENTRIES, ENTRIES]);
  });

  it('follows the directory from a dump, over changes and removals', async () => {
    const own = await startDirectory();
    try {
      const follower = createDirectoryClient({ baseUrl: `${own.url}/v1`, apiKey: own.key });
      for (const id of ['one', 'two', 'three']) await own.list(id, 'https://server.example');
      const mirror = new Map<string, string>();
      const end = await follower.dump(async ({ id, name }) => void mirror.set(id, name));
      expect([end.count, [...mirror.keys()].sort()]).toEqual([3, ['one', 'three', 'two']]);
      const since = new Date().toISOString();
      await own.list('two', 'https://server.example', { name: 'Renamed', description: 'Another one' });
      await own.list('four', 'https://server.example');
      await removeEntries(own.store.db, ['three']);
      const kinds: string[] = [];
      let { cursor } = end;
      for (let hasMore = true; hasMore; ) {
        const page = await follower.changes(cursor, { limit: 2 });
        for (const change of page.changes) {
          kinds.push(change.kind);
          if (change.kind === 'changed') mirror.set(change.server.id, change.server.name);
          else mirror.delete(change.id);
        }
        ({ cursor, hasMore } = page);
      }
      expect(kinds).toEqual(['changed', 'changed', 'removed']);
      expect(Object.fromEntries(mirror)).toEqual({
        one: 'Server one',
        two: 'Renamed',
        four: 'Server four',
      });
      expect((await follower.changes(cursor)).changes).toEqual([]);
      expect((await follower.changes()).changes).toHaveLength(3);
      const { servers } = await follower.search({ updatedSince: since });
      expect(servers.map(({ id }) => id).sort()).toEqual(['four', 'two']);
      expect(await failureOf(follower.changes('nonsense'))).toMatchObject({
        status: 400,
        code: 'bad-parameter',
      });
    } finally {
      await own.stop();
    }
  });

  it('returns details, and reports an unknown id', async () => {
    expect(await client.server('server-7')).toMatchObject({
      name: 'Server 7',
      status: 'unknown',
      figures: 'claimed',
    });
    expect(await failureOf(client.server('nope'))).toMatchObject({ status: 404, code: 'server-not-found' });
  });

  it('revalidates a cached answer with 304', async () => {
    const answers: number[] = [];
    let nowMs = 0;
    const watched = createDirectoryClient(
      {
        baseUrl: `${directory.url}/v1`,
        apiKey: directory.key,
        fetch: async (input, init) => {
          const answer = await fetch(input, init);
          answers.push(answer.status);
          return answer;
        },
      },
      { nowMs: () => nowMs, random: () => 0, sleep: async () => undefined },
    );
    for (const passedMs of [0, 1000, 40_000, 1000]) {
      nowMs += passedMs;
      expect((await watched.search({ limit: 1 })).servers).toHaveLength(1);
    }
    expect(answers).toEqual([200, 304]);
  });

  it('reports a wrong key and a missing scope', async () => {
    const wrong = createDirectoryClient({ baseUrl: `${directory.url}/v1`, apiKey: `${directory.key}x` });
    expect(await failureOf(wrong.search())).toMatchObject({ status: 401, code: 'unauthorised' });
    const apiKey = await directory.newKey('test');
    const other = createDirectoryClient({ baseUrl: `${directory.url}/v1`, apiKey });
    expect(await failureOf(other.search())).toMatchObject({ status: 403, code: 'scope-missing' });
  });

  it('respects the rate limits of the service', async () => {
    const narrow = await directory.another({
      limits: { read: { name: 'narrow', calls: 1, windowSeconds: 1e9 } },
    });
    const options = { baseUrl: `${narrow.url}/v1`, apiKey: narrow.key, cache: false, maxWaitMs: 0 };
    const first = createDirectoryClient(options);
    await first.search();
    expect(await failureOf(first.search())).toMatchObject({ code: 'rate-limited', status: null });
    expect(await failureOf(createDirectoryClient(options).search())).toMatchObject({
      code: 'rate-limited',
      status: 429,
      retryAfterSeconds: expect.any(Number),
    });
    await narrow.stop();
  });
});
