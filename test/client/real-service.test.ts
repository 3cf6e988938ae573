import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningDirectory, serveDirectory } from '../../src/directory/serve.ts';
import { DEFAULT_LIMITS, DEFAULT_SETTINGS } from '../../src/directory/service-settings.ts';
import { putEntries } from '../../src/directory/store/entries.ts';
import { createKey } from '../../src/directory/store/keys.ts';
import { openStore, type Store } from '../../src/directory/store/open-store.ts';
import { createDirectoryClient, type DirectoryClient } from '../../src/index.ts';
import { failureOf } from './fake-directory.ts';

const ENTRIES = 205;
/** The embedded database needs seconds to start, and more on a machine that has much to do. */
const START_MS = 120_000;

let folder: string;
let store: Store;
let running: RunningDirectory;
let key: string;
let client: DirectoryClient;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'probity-client-'));
  store = await openStore({ databaseUrl: null, dataFolder: folder, share: false });
  running = await serveDirectory(store, {
    ...DEFAULT_SETTINGS,
    port: 0,
    limits: { ...DEFAULT_LIMITS, read: { name: 'read', calls: 10_000, windowSeconds: 60 } },
  });
  ({ key } = await createKey(store.db, { name: 'test', scopes: ['read'], expiresAt: null }));
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
  await putEntries(store.db, entries, new Date());
  client = createDirectoryClient({ baseUrl: `${running.url}/v1/`, apiKey: key });
}, START_MS);
afterAll(async () => {
  await running?.stop();
  await store?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the client at the service itself', () => {
  it('finds by every filter', async () => {
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

  it('gives details, and names what is not there', async () => {
    expect(await client.server('server-7')).toMatchObject({
      name: 'Server 7',
      status: 'unknown',
      figures: 'claimed',
    });
    expect(await failureOf(client.server('nope'))).toMatchObject({ status: 404, code: 'server-not-found' });
  });

  it('revalidates with 304 what it has', async () => {
    const answers: number[] = [];
    let nowMs = 0;
    const watched = createDirectoryClient(
      {
        baseUrl: `${running.url}/v1`,
        apiKey: key,
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

  it('says what the service says of a wrong key and of a missing scope', async () => {
    const wrong = createDirectoryClient({ baseUrl: `${running.url}/v1`, apiKey: `${key}x` });
    expect(await failureOf(wrong.search())).toMatchObject({ status: 401, code: 'unauthorised' });
    const made = await createKey(store.db, { name: 'other', scopes: ['test'], expiresAt: null });
    const other = createDirectoryClient({ baseUrl: `${running.url}/v1`, apiKey: made.key });
    expect(await failureOf(other.search())).toMatchObject({ status: 403, code: 'scope-missing' });
  });

  it('watches the limits of the service', async () => {
    const narrow = await serveDirectory(store, {
      ...DEFAULT_SETTINGS,
      port: 0,
      limits: { ...DEFAULT_LIMITS, read: { name: 'narrow', calls: 1, windowSeconds: 3600 } },
    });
    const { key: own } = await createKey(store.db, { name: 'narrow', scopes: ['read'], expiresAt: null });
    const options = { baseUrl: `${narrow.url}/v1`, apiKey: own, cache: false, maxWaitMs: 0 };
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
