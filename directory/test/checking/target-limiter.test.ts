import dns from 'node:dns';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createReference } from '../../../src/reference/contract.ts';
import { serve } from '../../../test/conforming/serve.ts';
import { eventually } from '../../../test/eventually.ts';
import { type AuditTier, countOutcomes, createAudit } from '../../src/auditing/audits.ts';
import { conductAudit, countQueued, putOff, takeToQueue } from '../../src/auditing/conduct-audit.ts';
import type { Store } from '../../src/db/open-store.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { type Jobs, startJobs } from '../../src/jobs/start-jobs.ts';
import { type RunningWorker, workDirectory } from '../../src/service/work.ts';
import { DEFAULT_SETTINGS, type ServiceSettings } from '../../src/settings/settings.ts';
import { closeEndpoint } from '../../src/targets/closed-targets.ts';
import { endLeases, purgeLeases, TargetLimiter, takeLease } from '../../src/targets/target-limiter.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';
import { describeStores } from '../db/stores.ts';
import { listing, newEntry, removeAll } from '../entries/kept-entries.ts';
import { type Fleet, mostWithinSecond, startFleet } from '../fleet.ts';

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
const GUARD = '127.4.0.3';
const GUARD_BUDGET = { perSecond: 2, inFlight: 1 };

describeStores('the budget of a host', (stores) => {
  let store: Store;
  let jobs: Jobs;
  let fleet: Fleet;
  const workers: RunningWorker[] = [];
  let audits = 0;

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
  const auditBy = async (
    workerCount: number,
    {
      tier = 'health',
      settings = {},
    }: { readonly tier?: AuditTier; readonly settings?: Partial<ServiceSettings> } = {},
  ): Promise<Readonly<Record<string, number>>> => {
    for (let index = 0; index < workerCount; index += 1)
      workers.push(await workDirectory(store, { ...SETTINGS, ...settings }, { level: 'silent' }));
    audits += 1;
    const id = `audit-${audits}`;
    const audit = await createAudit(store.db, { id, tier, selection: { kind: 'all' } });
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

  it('is closed by Retry-After of its servers, which are undecided', async () => {
    const count = 12;
    await put(Array.from({ length: count }, (_, index) => `${fleet.endpointOf(LIMITED)}/server-${index}`));
    expect(await auditBy(1)).toEqual({ 'undecided asked-to-wait': count });
    // When two of them ask for it, the others are not asked. On a busy machine, some come between the two, and later again.
    expect(fleet.seenBy(LIMITED).requests).toBeLessThan(count);
  });

  it('gives a test its host alone, and the slots of a dead worker back', async () => {
    const lease = {
      keys: ['address:192.0.2.1', 'host:a.example'],
      slots: 1,
      lastsMs: 60_000,
      patienceMs: 1000,
    };
    const other = { ...lease, keys: ['address:192.0.2.1', 'host:b.example'] };
    const take = (id: string, given = lease) =>
      takeLease(store.db, { ...given, id }, { perSecond: 1000, inFlight: 2 });
    const kindOf = async (id: string, given = lease) => (await take(id, given)).kind;
    expect(await kindOf('whole', { ...lease, slots: 2 })).toBe('granted');
    expect([await kindOf('one'), await kindOf('two', other)]).toEqual(['crowded', 'crowded']);
    await endLeases(store.db, ['whole'], 0);
    expect(await kindOf('dead', { ...other, lastsMs: 0 })).toBe('granted');
    expect([await kindOf('one'), await kindOf('two', other)]).toEqual(['granted', 'granted']);
    expect(await kindOf('three', other)).toBe('crowded');
    await endLeases(store.db, ['two'], 60_000);
    // After a pause, neither its host nor its address is called.
    const { kind, waitMs } = await take('three', { ...lease, keys: ['host:b.example'] });
    expect([kind, waitMs > 50_000]).toEqual(['crowded', true]);
    await purgeLeases(store.db);
    expect(await kindOf('four')).toBe('crowded');
  });

  const closedSeconds = async (keys: readonly string[]): Promise<number> => {
    const lease = { keys, id: keys.join(), slots: 1, lastsMs: 1000, patienceMs: 1000 };
    const { kind, waitMs } = await takeLease(store.db, lease, { perSecond: 1000, inFlight: 2 });
    await endLeases(store.db, [lease.id], 0);
    return kind === 'closed' ? waitMs / 1000 : 0;
  };

  it('is closed to others for a minute for each server that asks to wait, however often it asks', async () => {
    const host = 'host:shared.example';
    const close = (name: string, seconds: number) =>
      closeEndpoint(store.db, { host, endpoint: `${host} ${name}` }, seconds * 1000);
    for (const _again of [1, 2, 3]) await close('blinding', 3600);
    // A shorter wait later does not open it.
    await close('blinding', 10);
    const own = await closedSeconds([`${host} blinding`, host]);
    expect(own).toBeGreaterThan(3400);
    const one = await closedSeconds([`${host} honest`, host]);
    expect([one > 0, one <= 60]).toEqual([true, true]);
    await close('second', 3600);
    const two = await closedSeconds([`${host} honest`, host]);
    expect([two > 60, two <= 120]).toEqual([true, true]);
    await purgeLeases(store.db);
    expect(await closedSeconds([`${host} honest`, host])).toBeGreaterThan(0);
    // No longer than they ask for, however many they are.
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await close(name, 130);
    expect(await closedSeconds([`${host} honest`, host])).toBeLessThanOrEqual(130);
    // Neither another host at its address, nor one whose name begins like it.
    expect(await closedSeconds(['host:open.example', 'address:192.0.2.7'])).toBe(0);
    expect(await closedSeconds([`${host}.com x`, `${host}.com`])).toBe(0);
  });

  it('is left to others soon when one of its servers asks for a long wait', async () => {
    const limiter = new TargetLimiter({ store, settings: SETTINGS, metrics: new Metrics(store) });
    const target = (path: string) => ({
      id: 'x',
      endpoint: `http://127.4.0.6${path}`,
      listing: listing('x'),
    });
    const refused = {
      operation: 'execute',
      code: 'status',
      status: 429,
      message: 'status 429',
      count: 1,
    } as const;
    for (const query of ['', '?a', '?b', '#c'])
      await limiter.heed(target(`/one${query}`), { exchanges: [], errors: [refused] });
    const later = await limiter.test(target('/two'), 1000, async () => null);
    expect(later).toMatchObject({ kind: 'later', because: 'closed' });
    await sql`update target_paces set closed_until = '-infinity' where key = 'address:127.4.0.6'`.execute(
      store.db,
    );
    expect(await limiter.test(target('/two'), 1000, async () => null)).toMatchObject({ kind: 'done' });
    for (const path of ['/one', '/one?d'])
      expect(await limiter.test(target(path), 1000, async () => null)).toMatchObject({ because: 'closed' });
  });

  it('gives all slots to a test in the end, although single requests follow one another', async () => {
    const single = { keys: ['address:192.0.2.2'], slots: 1, lastsMs: 60_000, patienceMs: 1000 };
    const whole = { ...single, slots: 2 };
    const take = (id: string, given = single) =>
      takeLease(store.db, { ...given, id }, { perSecond: 1000, inFlight: 2 });
    expect((await take('first')).kind).toBe('granted');
    expect(await take('whole', whole)).toMatchObject({ kind: 'crowded', isReserved: true });
    expect((await take('next')).kind).toBe('crowded');
    await endLeases(store.db, ['first'], 0);
    expect((await take('whole', whole)).kind).toBe('granted');
  });

  it('is not reserved again and again by tests, so that single requests are not kept away', async () => {
    const single = { keys: ['address:192.0.2.3'], slots: 1, lastsMs: 60_000, patienceMs: 100 };
    const whole = { ...single, slots: 2 };
    const take = (id: string, given = single) =>
      takeLease(store.db, { ...given, id }, { perSecond: 1000, inFlight: 2 });
    await take('slow');
    expect(await take('test', whole)).toMatchObject({ isReserved: true });
    expect(await take('test-2', whole)).toMatchObject({ isReserved: false });
    await eventually(
      () => take('single'),
      ({ kind }) => kind === 'granted',
    );
    await endLeases(store.db, ['single'], 0);
    expect(await take('test-3', whole)).toMatchObject({ isReserved: false });
    // Nor while a test has the host: nobody could begin anyway.
    await endLeases(store.db, ['slow'], 0);
    expect((await take('running', whole)).kind).toBe('granted');
    await sql`update target_paces set reserved_until = '-infinity', free_at = '-infinity'`.execute(store.db);
    expect(await take('test-4', whole)).toMatchObject({ kind: 'crowded', isReserved: false });
  });

  it('counts all names and notations of an address together', async () => {
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((_host: string, ...rest: unknown[]) => {
      const found = rest.at(-1) as (error: Error | null, addresses: unknown) => void;
      found(null, [
        { address: '127.4.0.8', family: 4 },
        { address: '::ffff:127.4.0.9', family: 6 },
      ]);
    }) as typeof dns.lookup);
    const limiter = new TargetLimiter({ store, settings: SETTINGS, metrics: new Metrics(store) });
    const target = (host: string) => ({ id: 'x', endpoint: `http://${host}`, listing: listing('x') });
    let end = (): void => undefined;
    try {
      const held = limiter.test(
        target('both.example.'),
        60_000,
        () =>
          new Promise<void>((resolve) => {
            end = resolve;
          }),
      );
      const keysOfLeases = async () => {
        const { rows } = await sql<{ key: string }>`
          select key from leases where key like '%127.4.0.%' or key = 'host:both.example' order by key`.execute(
          store.db,
        );
        return rows.map(({ key }) => key);
      };
      const all = ['address:127.4.0.8', 'address:127.4.0.9', 'host:both.example'];
      expect(await eventually(keysOfLeases, ({ length }) => length > 0)).toEqual(all);
      lookup.mockRestore();
      for (const host of ['127.4.0.8', '127.4.0.9', '[::ffff:127.4.0.8]', '[::ffff:7f04:9]'])
        expect(await limiter.test(target(host), 1000, async () => null)).toMatchObject({ kind: 'later' });
      end();
      expect(await held).toMatchObject({ kind: 'done' });
    } finally {
      lookup.mockRestore();
      end();
    }
  });

  it('is kept by the requests that show whether the own network works', async () => {
    await put([fleet.endpointOf(GUARD)]);
    expect(await auditBy(1, { settings: { budget: GUARD_BUDGET, concurrency: 1 } })).toEqual({ up: 1 });
    const before = fleet.seenBy(GUARD).requests;
    // No route leads to the others, as in an outage of the own network. The same worker knows the first server.
    const others = Array.from({ length: 5 }, (_, index) => `http://224.0.0.${index + 1}`);
    await put([fleet.endpointOf(GUARD), ...others]);
    expect(await auditBy(0)).toMatchObject({ up: 1 });
    const guard = fleet.seenBy(GUARD);
    // An audit itself asks a server twice.
    expect(guard.requests).toBeGreaterThan(before + 2);
    expect(guard.perSecond).toBeLessThanOrEqual(GUARD_BUDGET.perSecond);
    expect(guard.inFlight).toBeLessThanOrEqual(GUARD_BUDGET.inFlight);
  });

  it('is kept by whole checks with timing, too', async () => {
    const begunAtMs: number[] = [];
    const reference = createReference({ form: 'A' });
    const target = await serve(async (request) => reference.answer(request), {
      host: '127.4.3.1',
      beforeBody: () => {
        begunAtMs.push(performance.now());
        return false;
      },
    });
    try {
      await put([target.url]);
      const budget = { perSecond: 80, inFlight: 4 };
      expect(await auditBy(1, { tier: 'full', settings: { budget } })).toEqual({ up: 1 });
      // Timed calls among them: on a slow machine fewer, but always more than one second may have.
      expect(begunAtMs.length).toBeGreaterThan(budget.perSecond);
      expect(mostWithinSecond(begunAtMs)).toBeLessThanOrEqual(budget.perSecond);
    } finally {
      await target.close();
    }
  });

  it('leaves the queue to others when a crowded host puts its entries off', async () => {
    const endpoints = Array.from({ length: 4 }, (_, index) => `http://127.4.2.${index < 3 ? 1 : 2}/${index}`);
    await put(endpoints);
    const id = 'put-off';
    await createAudit(store.db, { id, tier: 'health', selection: { kind: 'all' } });
    const [first, other] = await takeToQueue(store.db, id, 2);
    expect([first, other]).toEqual(['server-0', 'server-3']);
    await putOff(store.db, { auditId: id, entryId: 'server-0' }, 3_600_000);
    expect(await countQueued(store.db, id)).toBe(1);
    expect(await takeToQueue(store.db, id, 10)).toEqual(['server-1', 'server-2']);
    await putOff(store.db, { auditId: id, entryId: 'server-1' }, 0);
    const again = await eventually(
      () => takeToQueue(store.db, id, 10),
      (taken) => taken.length > 0,
    );
    expect(again).toEqual(['server-1']);
  });

  it('never lets those who begin and end leases of the same keys wait for each other', async () => {
    const keys = ['host:busy.example', 'address:192.0.2.5'];
    const budget = { perSecond: 1_000_000, inFlight: 1_000_000 };
    const shape = { slots: 1, patienceMs: 60_000 };
    const work = async (worker: number): Promise<void> => {
      for (let index = 0; index < 25; index += 1) {
        const id = `busy-${worker}-${index}`;
        const given = index % 2 === 0 ? keys : keys.toReversed();
        await takeLease(store.db, { ...shape, keys: given, id, lastsMs: index % 3 }, budget);
        await endLeases(store.db, [id], 1);
        if (index % 5 === 0) await purgeLeases(store.db);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, worker) => work(worker)));
    const { rows } = await sql<{ left: number }>`
      select count(*)::integer as left from leases where key = any(${keys}::text[])`.execute(store.db);
    expect(rows).toEqual([{ left: 0 }]);
  });

  it('costs nothing without a budget', async () => {
    const limiter = new TargetLimiter({
      store,
      settings: { ...SETTINGS, budget: null },
      metrics: new Metrics(store),
    });
    const target = { id: 'x', endpoint: 'http://192.0.2.9', listing: listing('x') };
    expect(await limiter.test(target, 1000, async () => 'done')).toEqual({ kind: 'done', value: 'done' });
  });
});
