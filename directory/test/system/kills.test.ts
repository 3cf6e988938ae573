import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type RunningServer, startReferenceServer } from 'probity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { whyNoPostgres } from '../../../test/set-up/postgres-programs.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { createKey } from '../../src/accounts/keys.ts';
import { readAudit } from '../../src/auditing/audits.ts';
import { openStore } from '../../src/db/open-store.ts';
import type { Db } from '../../src/db/tables.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { type Ledger, newLedger, testUntilGone, writeUntilGone } from '../db/acknowledged-writes.ts';
import { type Cluster, runStatement, startCluster } from '../db/cluster.ts';
import { freshDataFolder } from '../db/stores.ts';
import { expectAllStored } from '../entries/expect-kept.ts';
import { listing, newEntry } from '../entries/kept-entries.ts';
import { type Fleet, startFleet } from '../fleet.ts';
import { diceOf } from '../seeded.ts';
import {
  connectBeside,
  type ServiceOptions,
  type ServiceProcess,
  startAudit,
  startService,
  startWorker,
} from '../service-process.ts';

/** `npm run kills` sets it to 100. */
const KILLS = Number(process.env.PROBITY_KILLS ?? 1);
const RACES = Math.max(1, KILLS / 5);
const SEED = Number(process.env.PROBITY_SEED ?? Date.now() % 1e9);
const ROUND_MS = 20_000;
const PATIENCE_MS = 600_000 + KILLS * ROUND_MS;
const dice = diceOf(SEED);
const MAX_WAIT_MS = KILLS > 10 ? 1500 : 400;
/** Sometimes long enough for a test to run and be stored. */
const LONG_MS = KILLS > 10 ? 10_000 : 400;

let target: RunningServer;
let fleet: Fleet;
const folders: string[] = [];
beforeAll(async () => {
  target = await startReferenceServer({ form: 'A' });
  fleet = await startFleet(() => 'right', { answerAfterMs: 150 });
});
afterAll(async () => {
  await target?.close();
  await fleet?.close();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

function emptyFolder(): string {
  return removedLater(mkdtempSync(path.join(os.tmpdir(), 'probity-kills-')));
}

function removedLater(folder: string): string {
  folders.push(folder);
  return folder;
}

/** Starts the service, and records how long each start takes. */
class Starts {
  readonly #tookMs: number[] = [];
  readonly #options: ServiceOptions;
  constructor(options: ServiceOptions) {
    this.#options = options;
  }
  start(): ServiceProcess {
    return startService({
      ...this.#options,
      more: [
        '--queues',
        'test',
        '--log-level',
        'silent',
        '--timed-calls',
        '0',
        '--limit',
        'targetTests=600/60',
        '--limit',
        'test=600/60',
      ],
    });
  }
  async served(): Promise<ServiceProcess> {
    const before = performance.now();
    const service = this.start();
    await service.url;
    this.#tookMs.push(performance.now() - before);
    return service;
  }
  report(of: string): void {
    const sorted = [...this.#tookMs].sort((one, other) => one - other);
    const at = (share: number): string =>
      `${Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)} ms`;
    process.stderr.write(
      `${of}: ${sorted.length} starts, median ${at(0.5)}, longest ${at(1)}; seed ${SEED}\n`,
    );
  }
}

/** Writes to a service until it is killed at a random moment. */
async function killedWhileWriting(
  options: ServiceOptions,
  service: ServiceProcess,
  ledger: Ledger,
): Promise<void> {
  const url = await service.url;
  const db = connectBeside(options);
  try {
    // A new entry each time: a test of the old one would wait for the expiry of the killed worker's job.
    const tested = `tested-${ledger.next++}`;
    await putEntries(db, [testedEntry(tested)], new Date());
    const { key } = await createKey(db, { name: 'caller', scopes: ['read', 'test'], expiresAt: null });
    const stop = new AbortController();
    const writing = Promise.all([
      writeUntilGone(db, ledger, stop.signal),
      testUntilGone(url, key, tested, ledger),
      searchUntilGone(url, key),
    ]);
    await Promise.race([writing, delay(50 + dice.below(dice.chance(0.2) ? LONG_MS : MAX_WAIT_MS))]);
    await service.kill();
    // PostgreSQL is still running, so the writers need the signal.
    stop.abort();
    await writing;
  } finally {
    await db.destroy();
  }
}

async function beside<Result>(options: ServiceOptions, read: (db: Db) => Promise<Result>): Promise<Result> {
  const db = connectBeside(options);
  try {
    return await read(db);
  } finally {
    await db.destroy();
  }
}

async function searchUntilGone(url: string, key: string): Promise<void> {
  for (;;)
    try {
      await (
        await fetch(`${url}/v1/servers/search?q=kept`, { headers: { authorization: `Bearer ${key}` } })
      ).text();
    } catch {
      return;
    }
}

function testedEntry(id: string): Parameters<typeof putEntries>[1][number] {
  return {
    listing: {
      id,
      name: 'Tested',
      description: 'Tested while it is killed',
      category: 'Kept',
      tags: [],
      transport: ['http'],
      audited: false,
      openSource: false,
      endpoint: target.url,
      uptime: 1,
      responseTime: 1,
    },
    first: { decision: 'list', decidedBy: 'operator', rows: [] },
  };
}

async function expectKept(options: ServiceOptions, starts: Starts, ledger: Ledger): Promise<ServiceProcess> {
  const service = await starts.served();
  const db = connectBeside(options);
  try {
    await expectAllStored(db, ledger);
  } finally {
    await db.destroy();
  }
  return service;
}

function killingTests(optionsOf: () => ServiceOptions): void {
  it(
    'keeps acknowledged writes, and starts again without help',
    async () => {
      const options = optionsOf();
      const starts = new Starts(options);
      const ledger = newLedger();
      let service = await starts.served();
      for (let kill = 0; kill < KILLS; kill += 1) {
        await killedWhileWriting(options, service, ledger);
        if (dice.chance(0.25)) {
          const starting = starts.start();
          await delay(dice.below(1200));
          await starting.kill();
        }
        service = await expectKept(options, starts, ledger);
      }
      await service.stop();
      expect(await service.ended).toBe(0);
      starts.report(
        `killed ${KILLS} times, ${ledger.keys.length + ledger.results.size + ledger.batches.size} writes and ${ledger.tests.length} tests kept`,
      );
    },
    PATIENCE_MS,
  );
}

const DUE = Math.max(12, KILLS);

/** Entries whose first test is due; none is probed meanwhile. A time further ahead would be taken for that of a wrong clock. */
async function addDue(db: Db): Promise<readonly string[]> {
  const ids = Array.from({ length: DUE }, (_, index) => `due-${index}`);
  // Nothing is decided about them, so that whatever a test sees holds, and none follows early.
  const first = { decision: 'hold', decidedBy: 'checks', rows: [] } as const;
  await putEntries(
    db,
    ids.map((id) => ({ ...testedEntry(id), first })),
    new Date(),
  );
  await sql`update entry_details set next_probe_at = now() + interval '1 hour'`.execute(db);
  return ids;
}

/** How many results each entry has. */
async function resultsOf(db: Db, ids: readonly string[]): Promise<readonly number[]> {
  const { rows } = await sql<{ results: number }>`
    select count(results.id)::integer as results from unnest(${[...ids]}::text[]) as due (id)
    left join results on entry_id = due.id group by due.id`.execute(db);
  return rows.map(({ results }) => results);
}

/** Waits until no test is under way, and none is due soon. */
async function settled(db: Db): Promise<void> {
  const { rows } = await eventually(
    () =>
      sql<{ open: number }>`
      select (select count(*) from entry_details where next_test_at < now() + interval '1 hour')::integer
        + (select count(*) from pgboss.job where name = 'test' and state < 'completed')::integer as open`.execute(
        db,
      ),
    ({ rows: [row] }) => row?.open === 0,
  );
  expect(rows).toEqual([{ open: 0 }]);
}

/** Expects one result for each entry, and of each entry as many observations as results. */
async function expectTestedOnce(db: Db, ids: readonly string[]): Promise<void> {
  expect((await resultsOf(db, ids)).filter((results) => results !== 1)).toEqual([]);
  const { rows: unequal } = await sql`
    select id from entries where (select count(*) from results where entry_id = entries.id) <> (
      select count(*) from observations
      where observations.target_no = entries.target_no and operation = 'health'
    )`.execute(db);
  expect(unequal).toEqual([]);
}

const AUDITED = Math.min(1200, Math.max(120, 20 * KILLS));
const AUDITED_AT_ONCE = 4;
const AUDIT = ['--log-level', 'silent', '--concurrency', String(AUDITED_AT_ONCE)];
/** After so many attempts a server has the outcome `undecided attempts-failed`. */
const ATTEMPTS = 3;

async function addAudited(db: Db): Promise<void> {
  const entries = Array.from({ length: AUDITED }, (_, index) => {
    const endpoint = fleet.endpointOf(`127.20.${index >> 8}.${index & 255}`);
    return newEntry(listing(`audited-${index}`, { endpoint }));
  });
  await putEntries(db, entries, new Date());
}

/**
 * Audits all entries again and again, and kills the audit or one of its workers at random moments. Each audit is
 * continued until it ends, and then has one outcome of each entry, and one observation of each that was found up.
 */
async function auditUnderKills(options: ServiceOptions, workerCount: number): Promise<void> {
  const kills = Math.max(3, KILLS);
  let killed = 0;
  let ended = 0;
  let givenUp = 0;
  await inStore(options, addAudited);
  const newWorker = () => startWorker({ ...options, more: [...AUDIT, '--queues', 'audit'] });
  const workers = Array.from({ length: workerCount }, newWorker);
  while (killed < kills) {
    let audit = startAudit(options, ['--all']);
    const id = await audit.id;
    const killedBefore = killed;
    for (;;) {
      const at = dice.below(workerCount + 1);
      const worker = workers[at];
      // Meanwhile the processes that replace the last ones start.
      const working = Promise.race([worker?.works ?? audit.id, audit.ended]).then(() =>
        delay(100 + dice.below(1000), null),
      );
      const code = await Promise.race([audit.ended, killed < kills ? working : delay(PATIENCE_MS, null)]);
      if (code !== null) {
        expect(code).toBe(0);
        break;
      }
      killed += 1;
      if (worker === undefined) {
        await audit.kill();
        if (await inStore(options, (db) => hasEnded(db, id))) break;
        audit = startAudit(options, ['--continue', id]);
      } else {
        await worker.kill();
        workers[at] = newWorker();
      }
    }
    ended += 1;
    const mayFail = Math.floor(((killed - killedBefore) * AUDITED_AT_ONCE) / ATTEMPTS);
    givenUp += await inStore(options, (db) => expectAuditedOnce(db, id, mayFail));
    process.stderr.write(
      `killed ${killed} times during ${ended} audits of ${AUDITED} servers, ${givenUp} outcomes after ${ATTEMPTS} killed attempts; seed ${SEED}\n`,
    );
  }
  for (const worker of workers) await worker.stop();
}

/** The embedded store has one process at a time. */
async function inStore<Result>(
  { databaseUrl, data }: ServiceOptions,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const store = await openStore({ databaseUrl, dataFolder: data, share: false });
  try {
    return await work(store.db);
  } finally {
    await store.close();
  }
}

async function hasEnded(db: Db, id: string): Promise<boolean> {
  return (await readAudit(db, id))?.state === 'ended';
}

/**
 * Expects an outcome for each entry, and an observation for each that was found up in an audit. Returns how many entries
 * were given up, because all workers that had them were killed.
 */
async function expectAuditedOnce(db: Db, id: string, mayFail: number): Promise<number> {
  const { rows } = await sql<{ outcome: string; count: number }>`
    select coalesce(outcome, 'none') || coalesce(' ' || cause, '') as outcome, count(*)::integer as count
    from audit_outcomes where audit_id = ${id} group by 1`.execute(db);
  const {
    up = 0,
    'undecided attempts-failed': givenUp = 0,
    ...others
  } = Object.fromEntries(rows.map(({ outcome, count }): [string, number] => [outcome, count]));
  expect(others).toEqual({});
  expect(up + givenUp).toBe(AUDITED);
  expect(givenUp).toBeLessThanOrEqual(mayFail);
  const { rows: wrong } = await sql`
    select id, found, read from entries
    left join (
      select entry_id, count(*) as found from audit_outcomes where outcome = 'up' group by entry_id
    ) as outcomes on entry_id = id
    left join (select target_no, count(*) as read from observations group by target_no) as observed using (target_no)
    where coalesce(found, 0) <> coalesce(read, 0)`.execute(db);
  expect(wrong).toEqual([]);
  return givenUp;
}

const WORK = ['--log-level', 'silent', '--timed-calls', '0', '--test-deadline', '5'];

describe('the service with its embedded store, killed without warning', () => {
  let options: ServiceOptions;
  beforeAll(async () => {
    options = { data: removedLater(await freshDataFolder()), databaseUrl: null };
  });
  killingTests(() => options);

  it(
    'tests each due entry once, however often it is killed meanwhile',
    async () => {
      const options = { data: removedLater(await freshDataFolder()), databaseUrl: null, more: WORK };
      let service = startService(options);
      await service.url;
      const ids = await beside(options, addDue);
      for (let kill = 0; kill < Math.max(3, KILLS); kill += 1) {
        await delay(500 + dice.below(2500));
        await service.kill();
        service = startService(options);
        await service.url;
      }
      await beside(options, async (db) => {
        await settled(db);
        await expectTestedOnce(db, ids);
      });
      await service.stop();
      expect(await service.ended).toBe(0);
    },
    PATIENCE_MS,
  );

  it(
    'gives each server one outcome in an audit, however often the audit is killed',
    async () => {
      const data = removedLater(await freshDataFolder());
      const options = { data, databaseUrl: null, more: AUDIT };
      await auditUnderKills(options, 0);
    },
    PATIENCE_MS,
  );

  it(
    'starts again after it was killed while it created its database',
    async () => {
      for (let kill = 0; kill < KILLS / 2; kill += 1) {
        const starts = new Starts({ data: emptyFolder(), databaseUrl: null });
        const first = starts.start();
        await delay(200 + dice.below(2500));
        await first.kill();
        const again = await starts.served();
        expect((await fetch(`${await again.url}/readyz`)).status).toBe(200);
        await again.kill();
      }
    },
    PATIENCE_MS,
  );

  it(
    'serves a folder with one process, also after the last holder of its lock was killed',
    async () => {
      const data = removedLater(await freshDataFolder());
      const starts = new Starts({ data, databaseUrl: null });
      for (let race = 0; race < RACES; race += 1) {
        const rivals = Array.from({ length: 3 }, () => starts.start());
        const urls = await Promise.allSettled(rivals.map(({ url }) => url));
        expect(urls.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
        for (const [index, rival] of rivals.entries())
          if (urls[index]?.status === 'rejected') {
            expect(await rival.ended).toBe(2);
            expect(rival.printed()).toMatch(/in use by process \d+/);
          }
        const winner = rivals[urls.findIndex(({ status }) => status === 'fulfilled')];
        await (dice.chance(0.7) ? winner?.kill() : winner?.stop());
      }
    },
    PATIENCE_MS,
  );
});

describe('the service on PostgreSQL, killed without warning', unless(whyNoPostgres()), () => {
  let cluster: Cluster;
  let options: ServiceOptions;
  beforeAll(async () => {
    cluster = await startCluster({ fast: false });
    options = await newDatabase('kept');
  });
  afterAll(() => cluster?.stop());
  const newDatabase = async (name: string): Promise<ServiceOptions> => {
    await runStatement(cluster.url, `create database ${name}`);
    return { data: '', databaseUrl: `${cluster.url}/${name}` };
  };
  killingTests(() => options);

  it(
    'tests each due entry once, however often its workers are killed meanwhile',
    async () => {
      const options = { ...(await newDatabase('worked')), more: WORK };
      const service = startService({ ...options, more: [...WORK, '--no-worker'] });
      await service.url;
      const ids = await beside(options, addDue);
      const workers = [startWorker(options), startWorker(options)];
      const key = await beside(options, async (db) => {
        const scopes = ['read', 'test'] as const;
        return (await createKey(db, { name: 'caller', scopes, expiresAt: null })).key;
      });
      const called = fetch(`${await service.url}/v1/servers/${ids.at(-1)}/test`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
      });
      for (let kill = 0; kill < Math.max(3, KILLS); kill += 1) {
        await delay(500 + dice.below(2500));
        const at = dice.below(workers.length);
        await workers[at]?.kill();
        workers[at] = startWorker(options);
        await workers[at]?.works;
      }
      expect((await called).status).toBe(200);
      await beside(options, async (db) => {
        await settled(db);
        // That of the caller decides nothing, so one that decides may follow it.
        await expectTestedOnce(db, ids.slice(0, -1));
        expect(await resultsOf(db, ids.slice(-1))).toSatisfy(([count]) => count === 1 || count === 2);
      });
      for (const worker of workers) {
        await worker.stop();
        expect(await worker.ended).toBe(0);
      }
      await service.stop();
    },
    PATIENCE_MS,
  );

  it(
    'gives each server one outcome in an audit, however often the audit and its workers are killed',
    async () => {
      const options = { ...(await newDatabase('audited')), more: AUDIT };
      await auditUnderKills(options, 2);
    },
    PATIENCE_MS,
  );

  it(
    'keeps serving when PostgreSQL crashes and restarts',
    async () => {
      const options = await newDatabase('crashed');
      const ledger = newLedger();
      const service = await new Starts(options).served();
      for (let kill = 0; kill < Math.max(1, KILLS / 5); kill += 1) {
        const db = connectBeside(options);
        const writing = writeUntilGone(db, ledger, new AbortController().signal);
        await Promise.race([writing, delay(50 + dice.below(MAX_WAIT_MS))]);
        await cluster.kill();
        await writing;
        await db.destroy();
        await cluster.start();
        const after = connectBeside(options);
        const { key } = await createKey(after, { name: 'after', scopes: ['read'], expiresAt: null });
        await expectAllStored(after, ledger);
        await after.destroy();
        const answer = await fetch(`${await service.url}/v1/servers/search?category=kept`, {
          headers: { authorization: `Bearer ${key}` },
        });
        expect(answer.status).toBe(200);
      }
      await service.stop();
    },
    PATIENCE_MS,
  );
});
