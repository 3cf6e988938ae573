import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { ServerRecord } from 'probity/model';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { createKey } from '../../src/accounts/keys.ts';
import type { Store } from '../../src/db/open-store.ts';
import { startFeed } from '../../src/db/schema.ts';
import { purgeRemovals } from '../../src/entries/change-feed.ts';
import { removeEntries, storeJudgement } from '../../src/entries/entries.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import type { NewEntry } from '../../src/entries/put-row.ts';
import { type RunningDirectory, serveDirectory } from '../../src/service/serve.ts';
import { DEFAULT_LIMITS, DEFAULT_SETTINGS } from '../../src/settings/settings.ts';
import { storeObservations } from '../../src/watching/observations.ts';
import { describeStores } from '../db/stores.ts';
import { listingOf } from '../entries/listings.ts';
import { diceOf } from '../seeded.ts';

const WRITERS = 4;
const WRITES = 30;
const IDS = 8;

type Change =
  | { readonly kind: 'changed'; readonly server: ServerRecord }
  | { readonly kind: 'removed'; readonly id: string; readonly removedAt: string };

interface Page {
  readonly changes: readonly Change[];
  readonly cursor: string;
  readonly hasMore: boolean;
}

describeStores('following a directory', (stores) => {
  let store: Store;
  let running: RunningDirectory;
  let key: string;
  beforeAll(async () => {
    store = await stores.open();
    const limits = { ...DEFAULT_LIMITS, read: { ...DEFAULT_LIMITS.read, calls: 1e9 } };
    running = await serveDirectory(store, { ...DEFAULT_SETTINGS, port: 0, queues: [], limits });
    ({ key } = await createKey(store.db, { name: 'test', scopes: ['read'], expiresAt: null }));
  });
  afterAll(async () => {
    await running?.stop();
    await stores.close();
  });

  const get = (route: string): Promise<Response> =>
    fetch(`${running.url}/v1${route}`, { headers: { authorization: `Bearer ${key}` } });
  const changesAfter = async (cursor: string | null, limit = 7): Promise<Page> => {
    const answer = await get(`/changes?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Page;
  };
  const removedAfter = async (cursor: string): Promise<readonly string[]> =>
    (await changesAfter(cursor, 1000)).changes.flatMap((change) =>
      change.kind === 'removed' ? [change.id] : [],
    );
  const put = (id: string, name = id, db = store.db) => putEntries(db, [entry(id, name)], new Date());

  /** A copy of the directory that applies the changes after a cursor. */
  function mirror(records: readonly ServerRecord[], start: string | null) {
    const copy = new Map(records.map((record) => [record.id, record]));
    let cursor = start;
    return {
      copy,
      follow: async (): Promise<void> => {
        for (;;) {
          const page = await changesAfter(cursor);
          for (const change of page.changes)
            if (change.kind === 'changed') copy.set(change.server.id, change.server);
            else copy.delete(change.id);
          ({ cursor } = page);
          if (!page.hasMore) return;
        }
      },
    };
  }
  async function dump(): Promise<{ readonly records: readonly ServerRecord[]; readonly cursor: string }> {
    const answer = await get('/dump');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const text = await answer.text();
    const lines = text.trimEnd().split('\n');
    const last = lines.pop() ?? '';
    const { count, digest, cursor } = JSON.parse(last).dump;
    expect(count).toBe(lines.length);
    const before = text.slice(0, text.length - last.length - 1);
    expect(digest).toBe(`sha256:${createHash('sha256').update(before).digest('hex')}`);
    return { records: lines.map((line) => JSON.parse(line)), cursor };
  }
  async function listed(): Promise<readonly ServerRecord[]> {
    const answer = (await (await get('/servers/search?limit=100')).json()) as {
      readonly servers: readonly ServerRecord[];
    };
    return answer.servers;
  }
  const byId = (records: Iterable<ServerRecord>) =>
    [...records].sort((one, other) => (one.id < other.id ? -1 : 1));

  it('misses no change of concurrent writers', async () => {
    const dice = diceOf(20_261_125);
    const early = mirror([], null);
    let isOver = false;
    const write = async (writer: number): Promise<void> => {
      for (let turn = 0; turn < WRITES; turn += 1) {
        // Each writer has its own entries, so that no writer waits for another.
        const id = `server-${writer}-${dice.below(IDS)}`;
        const what = dice.below(5);
        if (what === 0) await removeEntries(store.db, [id]);
        else if (what === 1)
          await store.db.transaction().execute(async (transaction) => {
            await put(id, `first ${turn}`, transaction);
            await put(`${id}-x`, `second ${turn}`, transaction);
          });
        else if (what === 2) await storeHealth(store, id);
        else await put(id, `name ${turn}`);
      }
    };
    const reading = (async () => {
      while (!isOver) await early.follow();
    })();
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    const middle = await dump();
    const late = mirror(middle.records, middle.cursor);
    await writing.finally(() => {
      isOver = true;
    });
    await reading;
    const expected = byId(await listed());
    expect(expected.length).toBeGreaterThan(WRITERS);
    // Transactions of other databases on the same server delay the last changes.
    await eventuallyEqual(async () => {
      await early.follow();
      await late.follow();
      return [byId(early.copy.values()), byId(late.copy.values())];
    }, [expected, expected]);
  });

  it('returns a change that began before others and was committed after them', async () => {
    // The embedded store has one session: its transactions never overlap.
    if (stores.kind === 'embedded') return expect(stores.kind).toBe('embedded');
    const { cursor } = await dump();
    const copy = mirror([], cursor);
    await store.db.transaction().execute(async (transaction) => {
      await put('slow', 'slow', transaction);
      await put('quick');
      await copy.follow();
      expect(copy.copy.has('slow')).toBe(false);
    });
    const kept = () => ['quick', 'slow'].filter((id) => copy.copy.has(id));
    await eventuallyEqual(async () => {
      await copy.follow();
      return kept();
    }, ['quick', 'slow']);
  });

  it('reports servers that are no longer listed, and those that are again', async () => {
    await put('shown');
    await put('gone');
    const { cursor } = await dump();
    const copy = mirror([], cursor);
    const judge = (decision: 'list' | 'hold'): Promise<void> =>
      storeJudgement(
        store.db,
        'shown',
        { decision, rows: [] },
        { audited: false, openSource: false, transport: ['http'] },
      );
    await judge('hold');
    await removeEntries(store.db, ['gone']);
    await eventuallyEqual(() => removedAfter(cursor), ['shown', 'gone']);
    await judge('list');
    await eventuallyEqual(async () => {
      await copy.follow();
      return ['shown', 'gone'].map((id) => copy.copy.has(id));
    }, [true, false]);
  });

  it('marks claimed figures in searches, changes and dumps until both are observed', async () => {
    await put('claiming');
    const { cursor } = await dump();
    const copy = mirror([], cursor);
    const shown = async () => [
      (await listed()).find(({ id }) => id === 'claiming')?.figures,
      (await dump()).records.find(({ id }) => id === 'claiming')?.figures,
    ];
    expect(await shown()).toEqual(['claimed', 'claimed']);
    // No call succeeds, so the response time is still the claim of the listing.
    await storeHealth(store, 'claiming', false);
    expect(await shown()).toEqual(['claimed', 'claimed']);
    await storeHealth(store, 'claiming');
    expect(await shown()).toEqual(['observed', 'observed']);
    await eventuallyEqual(async () => {
      await copy.follow();
      return copy.copy.get('claiming')?.figures;
    }, 'observed');

    const { cursor: later } = await dump();
    await sql`update entries set figures_claimed = true where id = 'claiming'`.execute(store.db);
    expect(await shown()).toEqual(['claimed', 'claimed']);
    await eventuallyEqual(async () => {
      const { changes } = await changesAfter(later, 1000);
      return changes.flatMap((change) => (change.kind === 'changed' ? [change.server.figures] : []));
    }, ['claimed']);
  });

  it('finds the servers whose record changed since a time', async () => {
    await put('old');
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now from pg_sleep(0.002)`.execute(
      store.db,
    );
    const since = rows[0]?.now.toISOString();
    await put('new');
    const found = (await (await get(`/servers/search?updatedSince=${since}`)).json()) as {
      readonly servers: readonly ServerRecord[];
      readonly pagination: { readonly total: number };
    };
    expect([found.servers.map(({ id }) => id), found.pagination.total]).toEqual([['new'], 1]);
    for (const wrong of ['yesterday', '2026-11-25', '2026-11-25T09:30:00', '2026-13-01T00:00:00Z'])
      expect((await get(`/servers/search?updatedSince=${wrong}`)).status).toBe(400);
  });

  it('refuses cursors that it cannot follow', async () => {
    for (const query of ['cursor=nonsense', 'cursor=WyJhIl0', 'limit=0', 'limit=1001', 'since=1'])
      expect([query, (await get(`/changes?${query}`)).status]).toEqual([query, 400]);
    expect((await fetch(`${running.url}/v1/changes`)).status).toBe(401);
    const { cursor } = await dump();
    expect((await get(`/changes?cursor=${cursor}`)).status).toBe(200);

    await put('purged');
    await removeEntries(store.db, ['purged']);
    // While an older transaction of another database is running, a cursor of now is before what is purged.
    await eventuallyEqual(() => removedAfter(cursor), ['purged']);
    await sql`update entry_changes set changed_at = now() - interval '91 days' where entry_id = 'purged'`.execute(
      store.db,
    );
    await purgeRemovals(store.db);
    const tooOld = await get(`/changes?cursor=${cursor}`);
    expect([tooOld.status, ((await tooOld.json()) as { readonly code: string }).code]).toEqual([
      410,
      'position-unknown',
    ]);

    await put('old');
    const { cursor: before } = await dump();
    await startFeed(store.db);
    expect((await get(`/changes?cursor=${before}`)).status).toBe(200);
    // As after a restore on a server that counts transactions from a lower number.
    await sql`update entry_changes set changed_in = '9000000000000' where entry_id = 'old'`.execute(store.db);
    await startFeed(store.db);
    expect((await get(`/changes?cursor=${before}`)).status).toBe(410);
    const { records, cursor: after } = await dump();
    await put('restored');
    const copy = mirror(records, after);
    await eventuallyEqual(
      async () => {
        await copy.follow();
        return byId(copy.copy.values());
      },
      byId(await listed()),
    );
  });
});

async function eventuallyEqual(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  expect(await eventually(read, (value) => isDeepStrictEqual(value, expected))).toEqual(expected);
}

function entry(id: string, name: string): NewEntry {
  return {
    listing: listingOf(id, `https://${id}.example`, { name, uptime: 100, responseTime: 1 }),
    first: { decision: 'list', decidedBy: 'operator', rows: [] },
  };
}

async function storeHealth(store: Store, id: string, up = true): Promise<void> {
  const at = new Date();
  const row = await store.db.selectFrom('entries').select('id').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  await storeObservations(
    store.db,
    id,
    [{ entry_id: id, at, up, operation: 'health', duration_ms: up ? 3 : null, source: 'probe' }],
    { now: at, holdsMs: 1000 },
  );
}
