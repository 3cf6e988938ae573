import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CallCounts } from '../../src/accounts/call-counts.ts';
import { Front } from '../../src/accounts/front.ts';
import { createKey, listKeys, revokeKey } from '../../src/accounts/keys.ts';
import { ChangeWatch } from '../../src/db/change-watch.ts';
import type { Store } from '../../src/db/open-store.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import type { RateLimit } from '../../src/settings/settings.ts';
import { ObservedCalls, storeObservations } from '../../src/watching/observations.ts';
import { describeStores } from '../db/stores.ts';
import { listingOf } from '../entries/listings.ts';

/** A window that does not end during a test. */
const ENDLESS_SECONDS = 1e9;
const limitOf = (calls: number): RateLimit => ({ name: 'test', calls, windowSeconds: ENDLESS_SECONDS });

describeStores('what an instance keeps in memory', (stores) => {
  let store: Store;
  beforeAll(async () => {
    store = await stores.open();
  });
  afterAll(() => stores.close());

  const put = (id: string, uptime = 100) =>
    putEntries(
      store.db,
      [
        {
          listing: listingOf(id, `https://${id}.example`, { uptime, responseTime: 1 }),
          first: { decision: 'list', decidedBy: 'operator', rows: [] },
        },
      ],
      new Date(),
    );

  it.each([
    [1, 10, 10],
    [1, 100, 100],
    [2, 10, 10],
    [2, 100, 105],
    [4, 100, 115],
  ])('with %i instances, admits a limit of %i calls up to %i times', async (instances, calls, most) => {
    const limit = limitOf(calls);
    const subject = `subject-${instances}-${calls}`;
    const counts = Array.from(
      { length: instances },
      () => new CallCounts(store.db, new ChangeWatch(store.db)),
    );
    let admitted = 0;
    let refused = 0;
    const caller = async (index: number): Promise<void> => {
      for (let call = 0; call < 40; call += 1) {
        const state = await counts[index % instances]?.count(subject, limit);
        if (state !== undefined && state.used <= calls) admitted += 1;
        else refused += 1;
      }
    };
    await Promise.all(Array.from({ length: 2 * instances + 2 }, (_, index) => caller(index)));
    for (const one of counts) await one.close();
    expect(admitted).toBeGreaterThanOrEqual(calls);
    expect(admitted).toBeLessThanOrEqual(most);
    expect(refused).toBeGreaterThan(0);
    const { rows } = await sql<{ used: number }>`
      select used from rate_limits where subject = ${`${subject}:test`}`.execute(store.db);
    expect(rows[0]?.used).toBeGreaterThanOrEqual(admitted);
  });

  it('shows each call the number of calls that are left', async () => {
    const counts = new CallCounts(store.db, new ChangeWatch(store.db));
    const states = await Promise.all(Array.from({ length: 70 }, () => counts.count('shown', limitOf(60))));
    await counts.close();
    expect(
      states
        .map(({ used }) => used)
        .sort((one, other) => one - other)
        .slice(0, 60),
    ).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });

  it('refuses a key from the moment that another process revokes it', async () => {
    const front = new Front(store);
    for (let round = 0; round < 20; round += 1) {
      const { id, key } = await createKey(store.db, { name: 'test', scopes: ['read'], expiresAt: null });
      expect(await front.keys.find(key)).toEqual({ keyId: id, name: 'test', scopes: ['read'] });
      expect(await front.keys.find(`${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`)).toBeNull();
      await revokeKey(store.db, id);
      expect(await front.keys.find(key)).toBeNull();
    }
    await front.close();
  });

  it('stores the observations of all calls when it closes, except those of removed servers', async () => {
    await put('called');
    const calls = new ObservedCalls(store.db);
    const at = new Date();
    for (const [entry_id, duration_ms] of [
      ['called', 1.5],
      ['removed', 2],
      ['called', 3],
    ] as const)
      calls.note({ entry_id, at, up: true, operation: 'execute', duration_ms, source: 'gateway' });
    await calls.close();
    const stored = await sql`
      select duration_us, source, at from observations where source = 'gateway' order by duration_us`.execute(
      store.db,
    );
    expect(stored.rows).toEqual([1500, 3000].map((duration_us) => ({ duration_us, source: 'gateway', at })));
  });

  it('stores the last use of a key', async () => {
    const front = new Front(store);
    const { id, key } = await createKey(store.db, { name: 'test', scopes: ['read'], expiresAt: null });
    await front.keys.find(key);
    await front.close();
    const known = (await listKeys(store.db)).find((one) => one.id === id);
    expect(known?.lastUsedAt).toBeInstanceOf(Date);
  });

  it('sees every change of a record in the next look, and what kind it is', async () => {
    await put('watched');
    await put('other');
    const watch = new ChangeWatch(store.db, store.written);
    const first = await watch.look();
    expect((await watch.look()).labels).toBe(first.labels);
    expect([watch.changed(first.number), watch.anyChanged(['watched'], first.number)]).toEqual([
      false,
      false,
    ]);

    const at = new Date();
    await storeObservations(
      store.db,
      'watched',
      [{ entry_id: 'watched', at, up: true, operation: 'health', duration_ms: 3, source: 'probe' }],
      { now: at, holdsMs: 1000 },
    );
    const second = await watch.look();
    expect(second.labels).toBe(first.labels);
    expect(watch.anyChanged(['watched'], first.number)).toBe(true);
    expect(watch.anyChanged(['watched'], second.number)).toBe(false);
    expect(watch.anyChanged(['other'], first.number)).toBe(false);

    await put('watched', 50);
    expect((await watch.look()).labels).not.toBe(first.labels);
    expect(watch.anyChanged(['watched'], second.number)).toBe(true);
  });

  it('looks at an embedded database again only after a statement that may write', async () => {
    const watch = new ChangeWatch(store.db, store.written);
    // Without a look before it, the first one has no values, and may be one of several statements.
    await watch.look();
    const first = await watch.look();
    expect((await watch.look()) === first).toBe(stores.kind === 'embedded');
    await createKey(store.db, { name: 'test', scopes: ['read'], expiresAt: null });
    const second = await watch.look();
    expect(second.number).toBeGreaterThan(first.number);
  });

  it('sees a change that began before a look and was committed after it', async () => {
    await put('late');
    const watch = new ChangeWatch(store.db, store.written);
    const first = await watch.look();
    // The embedded store has a single session, so a look would wait for the transaction.
    const looksBetween = stores.kind === 'postgres';
    let between = first;
    await store.db.transaction().execute(async (transaction) => {
      await transaction.updateTable('entries').set({ uptime: 7 }).where('id', '=', 'late').execute();
      if (!looksBetween) return;
      await put('earlier');
      between = await watch.look();
      expect(watch.anyChanged(['late'], first.number)).toBe(false);
    });
    await watch.look();
    expect(watch.anyChanged(['late'], between.number)).toBe(true);
  });
});
