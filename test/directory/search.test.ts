import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningDirectory, serveDirectory } from '../../src/directory/serve.ts';
import { DEFAULT_SETTINGS } from '../../src/directory/service-settings.ts';
import { putEntries } from '../../src/directory/store/entries.ts';
import { createKey } from '../../src/directory/store/keys.ts';
import type { Store } from '../../src/directory/store/open-store.ts';
import { describeStores } from './stores.ts';

describeStores('search', (stores) => {
  let store: Store;
  let running: RunningDirectory;
  let key: string;

  beforeAll(async () => {
    store = await stores.open();
    running = await serveDirectory(store, { ...DEFAULT_SETTINGS, port: 0 });
    ({ key } = await createKey(store.db, { name: 'test', scopes: ['read'], expiresAt: null }));
    await putEntries(
      store.db,
      [
        {
          listing: {
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
          },
          first: { decision: 'list', decidedBy: 'operator', rows: [] },
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
  it('names what is wrong', async () => {
    const answer = await get('/servers/search?limit=101&colour=red&minUptime=x');
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'bad-parameter',
      parameters: [{ parameter: 'colour' }, { parameter: 'minUptime' }, { parameter: 'limit' }],
    });
  });
  it('asks for a key', async () => {
    expect((await get('/servers/search', {})).status).toBe(401);
    expect((await get('/servers/search', { authorization: `Bearer ${key}x` })).status).toBe(401);
    expect((await get('/servers/weather')).status).toBe(200);
    expect((await get('/servers/nope')).status).toBe(404);
    expect((await fetch(`${running.url}/v1/openapi.json`)).status).toBe(200);
  });
});
