import { afterEach, describe, expect, it } from 'vitest';
import type { DirectoryQuery } from '../../src/client/options.ts';
import { deadAddress } from '../free-port.ts';
import {
  clientOf,
  type FakeDirectory,
  failureOf,
  fakeClock,
  json,
  KEY,
  page,
  record,
  startFake,
} from './fake-directory.ts';

let fake: FakeDirectory;
afterEach(() => fake.close());

describe('search', () => {
  it('sends every parameter, and each tag separately', async () => {
    fake = await startFake((_, response) => json(response, page(['one'])));
    await clientOf(fake).search({
      q: 'a b&c',
      category: 'é',
      tags: ['x', 'y,z'],
      transport: 'websocket',
      protocol: 'mcp',
      status: ['up', 'gated'],
      verdict: 'pass',
      minUptime: 99.5,
      maxResponseTime: 300,
      audited: true,
      openSource: false,
      sort: 'responseTime',
      limit: 10,
      offset: 0,
    });
    const [seen] = fake.seen;
    expect(seen?.url).toBe(
      '/v1/servers/search?q=a+b%26c&category=%C3%A9&tags=x&tags=y%2Cz&transport=websocket&protocol=mcp&status=up&status=gated&verdict=pass&minUptime=99.5&maxResponseTime=300&audited=true&openSource=false&sort=responseTime&limit=10&offset=0',
    );
    expect(seen?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, accept: 'application/json' });
  });

  it('refuses parameters out of range without a request', async () => {
    fake = await startFake((_, response) => json(response, page([])));
    const wrong: readonly DirectoryQuery[] = [
      { limit: 101 },
      { limit: 0 },
      { limit: 1.5 },
      { offset: -1 },
      { minUptime: 101 },
      { maxResponseTime: Number.NaN },
    ];
    for (const query of wrong)
      expect(await failureOf(clientOf(fake).search(query))).toMatchObject({ code: 'bad-argument' });
    expect(fake.seen).toEqual([]);
  });

  it('keeps members that the specification does not name', async () => {
    const servers = [{ ...record('one'), stars: 5 }];
    fake = await startFake((_, response) => json(response, { ...page(['one']), servers, took: 3 }));
    expect(await clientOf(fake).search()).toMatchObject({ servers, took: 3 });
  });
});

describe('searchAll', () => {
  const ids = async (query: DirectoryQuery = {}): Promise<string[]> => {
    const found: string[] = [];
    for await (const { id } of clientOf(fake).searchAll(query)) found.push(id);
    return found;
  };
  const offsetOf = (url: string): number => Number(new URL(url, 'http://x').searchParams.get('offset'));

  it('follows the pages by their content, even if a page is smaller than requested', async () => {
    const all = ['a', 'b', 'c', 'd', 'e'];
    fake = await startFake(({ url }, response) => {
      const offset = offsetOf(url);
      json(response, page(all.slice(offset, offset + 2), { offset, total: 5, hasNext: offset + 2 < 5 }));
    });
    expect(await ids()).toEqual(all);
    expect(fake.seen.map(({ url }) => offsetOf(url))).toEqual([0, 2, 4]);
  });

  it('yields nothing twice if entries move between or within pages', async () => {
    const pages = [page(['a', 'b'], { hasNext: true }), page(['b', 'b', 'c'], { hasNext: false })];
    fake = await startFake((_, response, index) => json(response, pages[index]));
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });

  it('returns whether the pages ended or repeated', async () => {
    const endOf = async (): Promise<string> => {
      const records = clientOf(fake).searchAll();
      for (;;) {
        const next = await records.next();
        if (next.done === true) return next.value;
      }
    };
    fake = await startFake((_, response) => json(response, page(['a', 'b'], { hasNext: false })));
    expect(await endOf()).toBe('complete');
    await fake.close();
    fake = await startFake((_, response) => json(response, page(['a', 'b'], { hasNext: true })));
    expect(await endOf()).toBe('nothing-new');
  });

  it('ends if a directory always announces more', async () => {
    fake = await startFake((_, response) => json(response, page(['a', 'b'], { hasNext: true })));
    expect(await ids()).toEqual(['a', 'b']);
    expect(fake.seen).toHaveLength(2);
    await fake.close();
    fake = await startFake((_, response) => json(response, page([], { hasNext: true })));
    expect(await ids({ offset: 7, limit: 3 })).toEqual([]);
    expect(fake.seen.map(({ url }) => url)).toEqual(['/v1/servers/search?limit=3&offset=7']);
  });
});

describe('server', () => {
  it('returns the record with all further members, even before a measurement', async () => {
    const details = {
      ...record('a/b ü'),
      uptime: null,
      responseTime: null,
      status: 'up',
      more: { deep: [1] },
    };
    fake = await startFake((_, response) => json(response, details));
    expect(await clientOf(fake).server('a/b ü')).toEqual(details);
    expect(fake.seen[0]?.url).toBe('/v1/servers/a%2Fb%20%C3%BC');
  });

  it('refuses ids that would name another path', async () => {
    fake = await startFake((_, response) => json(response, record('a')));
    for (const id of ['', '.', '..'])
      expect(await failureOf(clientOf(fake).server(id))).toMatchObject({ code: 'bad-argument' });
    expect(fake.seen).toEqual([]);
  });
});

describe('reads that fail', () => {
  it('are repeated up to twice on 5xx, with growing waits', async () => {
    const clock = fakeClock();
    fake = await startFake((_, response, index) =>
      index < 2 ? json(response, {}, {}, 503) : json(response, page(['a'])),
    );
    expect((await clientOf(fake, {}, clock).search()).servers).toHaveLength(1);
    expect(clock.waits).toEqual([250, 500]);
    await fake.close();
    fake = await startFake((_, response) =>
      json(response, { code: 'internal-error', detail: 'It failed.', requestId: 'r-7' }, {}, 500),
    );
    const error = await failureOf(clientOf(fake).search());
    expect(error).toMatchObject({
      code: 'internal-error',
      status: 500,
      detail: 'It failed.',
      requestId: 'r-7',
    });
    expect(error.message).toContain('request id r-7');
    expect(fake.seen).toHaveLength(3);
  });

  it('are repeated if the connection breaks, and fail if it stays broken', async () => {
    fake = await startFake((_, response, index) =>
      index === 0 ? response.destroy() : json(response, page(['a'])),
    );
    expect((await clientOf(fake).search()).servers).toHaveLength(1);
    expect(await failureOf(clientOf({ baseUrl: `${await deadAddress()}/v1` }).search())).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('are not repeated if the directory refuses them', async () => {
    fake = await startFake(({ url }, response) =>
      json(
        response,
        { error: { code: 'NOPE', message: 'No such thing' } },
        { 'x-request-id': 'abc' },
        url.includes('search') ? 401 : 404,
      ),
    );
    expect(await failureOf(clientOf(fake).search())).toMatchObject({
      code: 'NOPE',
      status: 401,
      requestId: 'abc',
      message: expect.stringContaining('Give a valid API key'),
    });
    expect(await failureOf(clientOf(fake).server('a'))).toMatchObject({
      status: 404,
      message: expect.stringContaining('Look for the id in a search'),
    });
    expect(fake.seen).toHaveLength(2);
  });

  it('hint at the base address when it does not end in a version', async () => {
    fake = await startFake((_, response) => json(response, {}, {}, 404));
    const baseUrl = fake.baseUrl.replace('/v1', '');
    expect((await failureOf(clientOf({ baseUrl }).search())).message).toContain('which usually ends in /v1');
  });
});
