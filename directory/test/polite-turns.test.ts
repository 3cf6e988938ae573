import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { conductAudit } from '../src/auditing/conduct-audit.ts';
import { type Jobs, startJobs } from '../src/jobs/start-jobs.ts';
import { createMetrics } from '../src/metrics/metrics.ts';
import { createPoliteTurns } from '../src/probing/polite-turns.ts';
import { DEFAULT_SETTINGS, type ServiceSettings } from '../src/settings/service-settings.ts';
import { countOutcomes, createAudit } from '../src/store/audits.ts';
import { putEntries } from '../src/store/entries.ts';
import type { Store } from '../src/store/open-store.ts';
import { endTurn, purgeTurns, takeTurn } from '../src/store/turns.ts';
import { type RunningWorker, workDirectory } from '../src/work.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { listing, newEntry, removeAll } from './kept-entries.ts';
import { describeStores } from './stores.ts';

const ignore = (): void => undefined;
const SILENT = { info: ignore, warn: ignore, error: ignore };
const BUDGET = { perSecond: 12, inFlight: 2 };
const SETTINGS: ServiceSettings = {
  ...DEFAULT_SETTINGS,
  publicOnly: false,
  queues: ['audit'],
  budget: BUDGET,
};
const CROWDED = '127.4.0.1';
const LIMITED = '127.4.0.2';

describeStores('the budget of a host', (stores) => {
  let store: Store;
  let jobs: Jobs;
  let fleet: Fleet;
  const workers: RunningWorker[] = [];

  beforeAll(async () => {
    store = await stores.open();
    jobs = await startJobs(store, SILENT, { works: false });
    fleet = await startFleet((address) => (address === LIMITED ? 'limited' : 'right'), { answerAfterMs: 30 });
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.stop();
    await removeAll(store.db);
  });
  afterAll(async () => {
    await fleet?.close();
    await jobs?.stop();
    await stores.close();
  });

  const put = (endpoints: readonly string[]): Promise<unknown> =>
    putEntries(
      store.db,
      endpoints.map((endpoint, index) => newEntry(listing(`server-${index}`, { endpoint }))),
      new Date(),
    );
  const auditBy = async (workerCount: number): Promise<Readonly<Record<string, number>>> => {
    for (let index = 0; index < workerCount; index += 1)
      workers.push(await workDirectory(store, SETTINGS, { level: 'silent' }));
    const id = `audit-${workerCount}`;
    const audit = await createAudit(store.db, { id, tier: 'health', selection: { kind: 'all' } });
    if (audit === null) throw new Error('no server was selected');
    const { signal } = new AbortController();
    await conductAudit({ db: store.db, jobs, audit, expireInSeconds: 300, signal, onProgress: ignore });
    const counts = await countOutcomes(store.db, id);
    return Object.fromEntries(
      counts.map(({ outcome, cause, count }) => [`${outcome} ${cause ?? ''}`.trim(), count]),
    );
  };

  it('holds for two workers together, at the server, and does not slow others', async () => {
    const others = Array.from({ length: 10 }, (_, index) => `127.5.0.${index + 1}`);
    await put([
      ...Array.from({ length: 15 }, (_, index) => `${fleet.endpointOf(CROWDED)}/server-${index}`),
      ...others.map((address) => fleet.endpointOf(address)),
    ]);
    expect(await auditBy(2)).toEqual({ up: 25 });
    const crowded = fleet.seenBy(CROWDED);
    expect(crowded.requests).toBeGreaterThanOrEqual(30);
    expect(crowded.perSecond).toBeLessThanOrEqual(BUDGET.perSecond);
    expect(crowded.inFlight).toBeLessThanOrEqual(BUDGET.inFlight);
    const lastOfOthers = Math.max(...others.map((address) => fleet.seenBy(address).lastAtMs));
    expect(lastOfOthers).toBeLessThan(crowded.lastAtMs);
  });

  it('is closed for all URLs of a host by Retry-After, and the servers are undecided', async () => {
    await put(Array.from({ length: 5 }, (_, index) => `${fleet.endpointOf(LIMITED)}/server-${index}`));
    expect(await auditBy(1)).toEqual({ 'undecided asked-to-wait': 5 });
    // Those that were in flight when the first answer came.
    expect(fleet.seenBy(LIMITED).requests).toBeLessThanOrEqual(BUDGET.inFlight);
  });

  it('gives a test its host alone, and the places of a dead worker back', async () => {
    const turn = {
      keys: ['address:192.0.2.1', 'host:a.example'],
      places: 1,
      lastsMs: 60_000,
      patienceMs: 1000,
    };
    const other = { ...turn, keys: ['address:192.0.2.1', 'host:b.example'] };
    const take = (id: string, given = turn) =>
      takeTurn(store.db, { ...given, id }, { perSecond: 1000, inFlight: 2 });
    expect((await take('whole', { ...turn, places: 2 })).granted).toBe(true);
    expect([(await take('one')).granted, (await take('two', other)).granted]).toEqual([false, false]);
    await endTurn(store.db, 'whole', 0);
    expect((await take('dead', { ...other, lastsMs: 0 })).granted).toBe(true);
    expect([(await take('one')).granted, (await take('two', other)).granted]).toEqual([true, true]);
    expect((await take('three', other)).granted).toBe(false);
    await endTurn(store.db, 'two', 60_000);
    // After a pause, neither its host nor its address is called.
    const { granted, waitMs } = await take('three', { ...turn, keys: ['host:b.example'] });
    expect([granted, waitMs > 50_000]).toEqual([false, true]);
    await purgeTurns(store.db);
    expect((await take('four')).granted).toBe(false);
  });

  it('gives all places to a test in the end, although single requests follow one another', async () => {
    const single = { keys: ['address:192.0.2.2'], places: 1, lastsMs: 60_000, patienceMs: 1000 };
    const whole = { ...single, places: 2 };
    const take = (id: string, given = single) =>
      takeTurn(store.db, { ...given, id }, { perSecond: 1000, inFlight: 2 });
    expect((await take('first')).granted).toBe(true);
    expect((await take('whole', whole)).granted).toBe(false);
    expect((await take('next')).granted).toBe(false);
    await endTurn(store.db, 'first', 0);
    expect((await take('whole', { ...whole, patienceMs: 60_000 })).granted).toBe(true);
  });

  it('never lets those who begin and end turns of the same keys wait for each other', async () => {
    const keys = ['host:busy.example', 'address:192.0.2.5'];
    const budget = { perSecond: 1_000_000, inFlight: 1_000_000 };
    const shape = { places: 1, patienceMs: 60_000 };
    const work = async (worker: number): Promise<void> => {
      for (let index = 0; index < 25; index += 1) {
        const id = `busy-${worker}-${index}`;
        const given = index % 2 === 0 ? keys : keys.toReversed();
        await takeTurn(store.db, { ...shape, keys: given, id, lastsMs: index % 3 }, budget);
        await endTurn(store.db, id, 1);
        if (index % 5 === 0) await purgeTurns(store.db);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, worker) => work(worker)));
    const { rows } = await sql<{ left: number }>`
      select count(*)::integer as left from turns where key = any(${keys}::text[])`.execute(store.db);
    expect(rows).toEqual([{ left: 0 }]);
  });

  it('costs nothing without a budget', async () => {
    const turns = createPoliteTurns({
      store,
      settings: { ...SETTINGS, budget: null },
      metrics: createMetrics(store),
    });
    const target = { id: 'x', endpoint: 'http://192.0.2.9', listing: listing('x') };
    expect(await turns.test(target, 1000, async () => 'done')).toEqual({ kind: 'done', value: 'done' });
  });
});
