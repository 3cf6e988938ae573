import type { Listing } from 'probity/model';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey } from '../../src/accounts/keys.ts';
import type { Store } from '../../src/db/open-store.ts';
import { removeEntries, storeJudgement } from '../../src/entries/entries.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import type { FirstDecision } from '../../src/entries/put-row.ts';
import { type RunningDirectory, serveDirectory } from '../../src/service/serve.ts';
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts';
import { describeStores } from '../db/stores.ts';

const WEATHER: Listing = {
  id: 'weather',
  name: 'Wéather one',
  description: 'Tells the weather',
  category: 'Science',
  tags: ['Forecast', 'rain'],
  transport: ['http'],
  audited: true,
  openSource: false,
  endpoint: 'https://weather.example',
  uptime: 99.5,
  responseTime: 12,
};
const LISTED: FirstDecision = { decision: 'list', decidedBy: 'operator', rows: [] };

interface SearchAnswer {
  readonly pagination: { readonly total: number };
}

describeStores('search', (stores) => {
  let store: Store;
  let running: RunningDirectory;
  let key: string;

  beforeAll(async () => {
    store = await stores.open();
    running = await serveDirectory(store, { ...DEFAULT_SETTINGS, port: 0, queues: [] });
    ({ key } = await createKey(store.db, { name: 'test', scopes: ['read'], expiresAt: null }));
    await putEntries(
      store.db,
      [
        {
          listing: WEATHER,
          first: LISTED,
        },
      ],
      new Date(),
    );
  });
  afterAll(async () => {
    await running?.stop();
    await stores.close();
  });

  const get = (pathAndQuery: string, headers: Record<string, string> = { authorization: `Bearer ${key}` }) =>
    fetch(`${running.url}/v1${pathAndQuery}`, { headers });

  it('shares the page of a search until a record on it changes', async () => {
    const readPage = async (): Promise<{
      readonly status: number;
      readonly etag: string;
      readonly text: string;
    }> => {
      const answer = await fetch(`${running.url}/?q=weather`, {
        headers: { authorization: `Bearer ${key}` },
      });
      return { status: answer.status, etag: answer.headers.get('etag') ?? '', text: await answer.text() };
    };
    const put = (name: string) =>
      putEntries(store.db, [{ listing: { ...WEATHER, name }, first: LISTED }], new Date());
    const first = await readPage();
    expect([first.status, first.text.includes('Wéather one')]).toEqual([200, true]);
    expect(await readPage()).toEqual(first);
    await store.db.updateTable('entries').set({ uptime: 42 }).where('id', '=', 'weather').execute();
    const observed = await readPage();
    expect([observed.text.includes('42'), observed.etag === first.etag]).toEqual([true, false]);
    await put('Weather two');
    expect((await readPage()).text).toContain('Weather two');
    await removeEntries(store.db, ['weather']);
    expect((await readPage()).text).not.toContain('Weather two');
    await put(WEATHER.name);
    expect((await readPage()).text).toContain(WEATHER.name);
  });

  it('finds by words and filters', async () => {
    for (const query of [
      '',
      '?q=weath',
      '?category=science',
      '?tags=forecast&tags=rain',
      '?tags[]=RAIN',
      '?minUptime=99&audited=true',
    ]) {
      const answer = await get(`/servers/search${query}`);
      expect([query, answer.status, (await answer.json()) as unknown]).toMatchObject([
        query,
        200,
        { servers: [{ id: 'weather' }], pagination: { total: 1, limit: 20, offset: 0, hasNext: false } },
      ]);
    }
    const none = await get('/servers/search?q=weath+snow');
    expect(await none.json()).toMatchObject({ servers: [], pagination: { total: 0 } });
  });
  it('folds letters with strokes, and finds parts of words in scripts without spaces', async () => {
    const names = {
      polish: 'Łódź transport',
      danish: 'Smørrebrød æg',
      japanese: '東京都のバス時刻表',
      thai: 'อากาศวันนี้',
      plain: 'Plain',
    };
    const entries = Object.entries(names).map(([id, name]) => ({
      listing: { ...WEATHER, id, name, description: 'Folded', tags: ['maps, routes'] },
      first: LISTED,
    }));
    await putEntries(store.db, entries, new Date());
    for (const [q, expected] of [
      ['lodz', ['polish']],
      ['ŁÓDŹ', ['polish']],
      ['smorrebrod aeg', ['danish']],
      ['京都', ['japanese']],
      ['東京', ['japanese']],
      ['バス時刻', ['japanese']],
      ['東京都のバス時刻表', ['japanese']],
      ['東京都のバス時間', []],
      ['วันนี้', ['thai']],
      ['ransport', []],
      ['!?', []],
      ['🎉', []],
    ] as const) {
      const found = (await (await get(`/servers/search?q=${encodeURIComponent(q)}`)).json()) as {
        readonly servers: readonly { readonly id: string }[];
      };
      expect([q, found.servers.map(({ id }) => id)]).toEqual([q, expected]);
    }
    const total = async (query: string): Promise<number> =>
      ((await (await get(`/servers/search?${query}`)).json()) as SearchAnswer).pagination.total;
    const counted = Object.keys(names).length;
    expect(await total('q=folded')).toBe(counted);
    expect(await total(`tags=${encodeURIComponent('maps\\, routes')}`)).toBe(counted);
    expect(await total('tags=maps,routes')).toBe(0);
    await removeEntries(store.db, Object.keys(names));
  });

  it('finds c++, c# and node.js as words of their own, before what only has their parts', async () => {
    const names = [
      'Plain C compiler',
      'C++ build 10',
      'C++ build 9',
      'C# linter',
      'Cats',
      'Node.js host',
      'JS for a node',
      '.NET host',
    ];
    const entries = names.map((name, index) => ({
      listing: { ...WEATHER, id: `word-${index}`, name, description: 'Words of their own', tags: [] },
      first: LISTED,
    }));
    await putEntries(store.db, entries, new Date());
    for (const [q, expected] of [
      ['c++', ['C++ build 9', 'C++ build 10', 'Plain C compiler']],
      ['C#', ['C# linter', 'Plain C compiler']],
      ['c', ['C# linter', 'C++ build 9', 'C++ build 10', 'Cats', 'Plain C compiler']],
      ['node.js', ['Node.js host', 'JS for a node']],
      ['js', ['JS for a node', 'Node.js host']],
      ['.net', ['.NET host']],
      ['net', ['.NET host']],
    ] as const) {
      const found = (await (await get(`/servers/search?q=${encodeURIComponent(q)}`)).json()) as {
        readonly servers: readonly { readonly name: string }[];
      };
      expect([q, found.servers.map(({ name }) => name)]).toEqual([q, expected]);
    }
    await removeEntries(
      store.db,
      names.map((_, index) => `word-${index}`),
    );
  });

  it('counts again after every change of a searchable property', async () => {
    const listing: Listing = {
      ...WEATHER,
      id: 'counted',
      description: 'Counted once',
      category: 'Counting',
      tags: ['counted'],
      audited: false,
    };
    const queries = {
      C: 'category=counting',
      T: 'tags=counted',
      Q: 'q=once',
      A: 'q=once&audited=true',
      O: 'q=once&openSource=true',
      H: 'q=once&transport=http',
      W: 'q=once&transport=websocket',
      U: 'q=once&minUptime=50',
    };
    const fitting = async (): Promise<string> => {
      let letters = '';
      for (const [letter, query] of Object.entries(queries)) {
        const answer = (await (await get(`/servers/search?${query}`)).json()) as SearchAnswer;
        if (answer.pagination.total > 0) letters += letter;
      }
      return letters;
    };
    const put = async (changed: Partial<Listing>): Promise<void> => {
      await putEntries(store.db, [{ listing: { ...listing, ...changed }, first: LISTED }], new Date());
    };
    const judge = (decision: 'list' | 'hold') =>
      storeJudgement(
        store.db,
        'counted',
        { decision, rows: [] },
        { audited: false, openSource: false, transport: ['http'] },
      );
    const changes: readonly (readonly [change: () => Promise<void>, fitting: string])[] = [
      [() => judge('hold'), ''],
      [() => judge('list'), 'CTQHU'],
      [() => put({ audited: true }), 'CTQAHU'],
      [() => put({ openSource: true }), 'CTQOHU'],
      [() => put({ transport: ['websocket'] }), 'CTQWU'],
      [() => put({ transport: ['http', 'websocket'] }), 'CTQHWU'],
      [() => put({ uptime: 10 }), 'CTQH'],
      [() => put({ description: 'Counted' }), 'CT'],
      [() => put({ category: 'Other' }), 'TQHU'],
      // The words stay the same, but the tag changes.
      [() => put({ tags: ['counted once'] }), 'CQHU'],
      [() => removeEntries(store.db, ['counted']), ''],
    ];
    expect(await fitting()).toBe('');
    for (const [change, expected] of changes) {
      await put({});
      expect(await fitting()).toBe('CTQHU');
      await change();
      expect([await fitting(), await fitting()]).toEqual([expected, expected]);
    }
  });

  it('names the invalid parameters', async () => {
    const answer = await get('/servers/search?limit=101&colour=red&minUptime=x');
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'bad-parameter',
      parameters: [{ parameter: 'colour' }, { parameter: 'minUptime' }, { parameter: 'limit' }],
    });
  });
  it('requires a key', async () => {
    expect((await get('/servers/search', {})).status).toBe(401);
    expect((await get('/servers/search', { authorization: `Bearer ${key}x` })).status).toBe(401);
    expect((await get('/servers/weather')).status).toBe(200);
    expect((await get('/servers/nope')).status).toBe(404);
    expect((await fetch(`${running.url}/v1/openapi.json`)).status).toBe(200);
  });
});
