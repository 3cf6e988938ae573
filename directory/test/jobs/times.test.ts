import { startReferenceServer } from 'probity';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import type { Store } from '../../src/db/open-store.ts';
import { run } from '../../src/db/rows.ts';
import { decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { readLog } from '../../src/entries/operator-log.ts';
import { storePolicy } from '../../src/entries/policies.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { endPauses, markStale } from '../../src/entries/timed-states.ts';
import { correctFutureTimes } from '../../src/jobs/set-back-clock.ts';
import { SILENT, startJobs } from '../../src/jobs/start-jobs.ts';
import { DEFAULT_POLICY } from '../../src/settings/policy.ts';
import { QUEUE_NAMES } from '../../src/settings/settings.ts';
import { takeLease } from '../../src/targets/target-limiter.ts';
import { describeStores } from '../db/stores.ts';
import { startDirectory } from '../directory-under-test.ts';
import { listing, newEntry, removeAll } from '../entries/kept-entries.ts';
import { listingOf } from '../entries/listings.ts';

const DAY_MS = 24 * 3_600_000;

it('looks at a server whose next times a clock left 40 days ahead, after it was set back', async () => {
  const target = await startReferenceServer({ form: 'A' });
  onTestFinished(target.close);
  const directory = await startDirectory({ queues: [] });
  onTestFinished(directory.stop);
  const { db } = directory.store;
  await directory.add(listingOf('ahead', target.url));
  const ahead = new Date(Date.now() + 40 * DAY_MS);
  await db.updateTable('entry_details').set({ next_probe_at: ahead, next_test_at: ahead }).execute();
  const jobs = await startJobs(directory.store, SILENT, { works: false });
  // What the other clock left in the queue.
  await jobs.send('schedule', { key: 'schedule', data: {} });
  await run(db)`update pgboss.job set start_after = ${ahead} where name = 'schedule'`;
  await run(db)`update pgboss.version set maintained_on = ${ahead}, cron_on = ${ahead}`;
  await run(db)`update closed_hours set until_hour = ${Math.floor(ahead.getTime() / 3_600_000)}`;
  await jobs.stop();
  const worker = await directory.another({ queues: QUEUE_NAMES });
  onTestFinished(worker.stop);
  const details = await eventually(
    () => directory.details('ahead'),
    ({ lastResult, status }) => lastResult !== null && status === 'up',
  );
  expect(details.listing.decision).toBe('list');
});

describeStores('times', (stores) => {
  let store: Store;
  beforeAll(async () => {
    store = await stores.open();
    // Creates the tables of the jobs.
    await (await startJobs(store, SILENT, { works: false })).stop();
  });
  afterAll(() => stores.close());
  beforeEach(async () => {
    await removeAll(store.db);
    await storePolicy(store.db, DEFAULT_POLICY);
  });

  const put = (id: string, parts: Parameters<typeof listing>[1] = {}) =>
    putEntries(store.db, [newEntry(listing(id, parts))], new Date());
  const stateOf = async (id: string) => {
    const { db } = store;
    return db
      .selectFrom('entries')
      .innerJoin('entry_details', 'entry_id', 'id')
      .select(['status', 'probe_every_ms', 'test_every_ms', 'accepts_tests', 'paused_until'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  };

  it('of a host that were set ahead do not close it for days', async () => {
    const lease = { keys: ['host:ahead.example'], id: 'one', slots: 1, lastsMs: 1000, patienceMs: 1000 };
    const budget = { perSecond: 20, inFlight: 1 };
    expect(await takeLease(store.db, lease, budget)).toMatchObject({ kind: 'granted' });
    await run(
      store.db,
    )`update target_paces set closed_until = now() + interval '40 days', free_at = closed_until`;
    await run(store.db)`update leases set until = now() + interval '40 days'`;
    await correctFutureTimes(store.db);
    expect(await takeLease(store.db, { ...lease, id: 'two' }, budget)).toMatchObject({ kind: 'granted' });
  });

  it('end a pause, which the log shows', async () => {
    await put('paused');
    await put('still');
    const pause = (id: string, ms: number) =>
      decideAsOperator(store.db, id, {
        ...{ action: 'pause', reason: 'maintenance', operator: 'ada' },
        until: new Date(Date.now() + ms),
      });
    await pause('paused', -1);
    await pause('still', DAY_MS);
    expect((await stateOf('paused')).status).toBe('paused');
    await endPauses(store.db);
    expect(await stateOf('paused')).toMatchObject({ status: 'unknown', paused_until: null });
    expect((await stateOf('still')).status).toBe('paused');
    expect(await readLog(store.db, { entryId: 'paused', max: 1 })).toMatchObject([
      { action: 'resume', authorKind: 'directory' },
    ]);
  });

  it('without a test that decides make an entry stale, at its own pace', async () => {
    await put('usual');
    await put('slow', { testEvery: 7 * 86_400 });
    await put('refusing', { tests: false });
    await store.db.updateTable('entries').set({ observed: 'up' }).execute();
    await store.db
      .updateTable('entry_details')
      .set({ decided_at: new Date(Date.now() - 4 * DAY_MS), added_at: new Date(0) })
      .execute();
    await markStale(store.db, { testEveryMs: DAY_MS });
    expect((await stateOf('usual')).status).toBe('stale');
    expect((await stateOf('slow')).status).toBe('up');
    expect((await stateOf('refusing')).status).toBe('up');
  });

  it('that the author asks for are kept within the bounds of the operator', async () => {
    await storePolicy(store.db, {
      ...DEFAULT_POLICY,
      pace: {
        probeSeconds: { min: 60, max: 3600 },
        testSeconds: { min: 3600, max: 7 * 86_400 },
        mayRefuseTests: false,
      },
    });
    await put('hasty', { probeEvery: 1, testEvery: 1, tests: false });
    expect(await stateOf('hasty')).toMatchObject({
      probe_every_ms: 60_000,
      test_every_ms: 3_600_000,
      accepts_tests: true,
    });
    await put('rare', { probeEvery: 86_400, testEvery: 365 * 86_400 });
    expect(await stateOf('rare')).toMatchObject({
      probe_every_ms: 3_600_000,
      test_every_ms: 7 * DAY_MS,
    });
    await put('plain');
    expect(await stateOf('plain')).toMatchObject({ probe_every_ms: null, test_every_ms: null });
  });
});
