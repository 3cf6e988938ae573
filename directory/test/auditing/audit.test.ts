import dns from 'node:dns';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { describeChange, readChanges } from '../../src/auditing/audit-changes.ts';
import {
  type Audit,
  type AuditSelection,
  type AuditTier,
  continueAudit,
  countOutcomes,
  createAudit,
  endAudit,
  keepOutcome,
  purgeAudits,
  readAudit,
  readAudits,
} from '../../src/auditing/audits.ts';
import { conductAudit } from '../../src/auditing/conduct-audit.ts';
import type { Store } from '../../src/db/open-store.ts';
import { removeEntries } from '../../src/entries/entries.ts';
import { decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { type Jobs, startJobs } from '../../src/jobs/start-jobs.ts';
import { type RunningWorker, workDirectory } from '../../src/service/work.ts';
import { DEFAULT_SETTINGS, type ServiceSettings } from '../../src/settings/settings.ts';
import { describeStores } from '../db/stores.ts';
import { listing, newEntry, removeAll } from '../entries/kept-entries.ts';
import { type Fleet, type FleetBehaviour, startFleet } from '../fleet.ts';
import { answer, startTarget } from '../target.ts';

const ignore = (): void => undefined;
const SILENT = { info: ignore, warn: ignore, error: ignore };
const SETTINGS: ServiceSettings = {
  ...DEFAULT_SETTINGS,
  publicOnly: false,
  queues: ['audit'],
  callTimeoutMs: 2000,
  testDeadlineMs: 120_000,
  budget: null,
};

const BEHAVIOURS: Readonly<Record<string, FleetBehaviour>> = {
  '127.1.0.1': 'right',
  '127.1.0.2': 'right',
  '127.1.0.3': 'failing',
  '127.1.0.4': 'wrong',
  '127.1.0.5': 'moved',
  '127.1.0.6': 'hanging',
  '127.1.0.7': 'limited',
};

describeStores('an audit', (stores) => {
  let store: Store;
  let jobs: Jobs;
  let fleet: Fleet;
  const changed = new Map<string, FleetBehaviour>();
  const workers: RunningWorker[] = [];
  let audits = 0;

  beforeAll(async () => {
    store = await stores.open();
    jobs = await startJobs(store, SILENT, { works: false });
    fleet = await startFleet((address) => changed.get(address) ?? BEHAVIOURS[address] ?? 'right');
  });
  afterEach(async () => {
    changed.clear();
    for (const worker of workers.splice(0)) await worker.stop();
    await removeAll(store.db);
  });
  afterAll(async () => {
    await fleet?.close();
    await jobs?.stop();
    await stores.close();
  });

  const put = (endpoints: Readonly<Record<string, string>>): Promise<unknown> =>
    putEntries(
      store.db,
      Object.entries(endpoints).map(([id, endpoint]) => newEntry(listing(id, { endpoint }))),
      new Date(),
    );
  const work = async (settings: Partial<ServiceSettings> = {}): Promise<void> => {
    workers.push(await workDirectory(store, { ...SETTINGS, ...settings }, { level: 'silent' }));
  };
  const select = (selection: AuditSelection, tier: AuditTier = 'health'): Promise<Audit | null> => {
    audits += 1;
    return createAudit(store.db, { id: `audit-${audits}`, tier, selection });
  };
  const begin = async (
    tier: AuditTier = 'health',
    selection: AuditSelection = { kind: 'all' },
  ): Promise<Audit> => (await select(selection, tier)) as Audit;
  const conduct = async (audit: Audit, signal = new AbortController().signal): Promise<Audit> => {
    await conductAudit({
      db: store.db,
      jobs,
      audit,
      expireInSeconds: 300,
      signal,
      onProgress: ignore,
    });
    return (await readAudit(store.db, audit.id)) as Audit;
  };
  const outcomesOf = async ({ id }: Audit): Promise<Readonly<Record<string, string>>> => {
    const { rows } = await sql<{ entry_id: string; outcome: string | null; cause: string | null }>`
      select entry_id, outcome, cause from audit_outcomes where audit_id = ${id}`.execute(store.db);
    return Object.fromEntries(
      rows.map(({ entry_id, outcome, cause }) => [
        entry_id,
        cause === null ? String(outcome) : `${outcome} ${cause}`,
      ]),
    );
  };
  const changesOf = async ({ id }: Audit): Promise<readonly string[]> => {
    const texts: string[] = [];
    for await (const change of readChanges(store.db, id))
      texts.push(`${change.entryId}: ${describeChange(change)}`);
    return texts;
  };
  const statuses = async (): Promise<Readonly<Record<string, string>>> => {
    const rows = await store.db.selectFrom('entries').select(['id', 'status']).execute();
    return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
  };
  const sumOf = async ({ id }: Audit): Promise<number> =>
    (await countOutcomes(store.db, id)).reduce((sum, { count }) => sum + count, 0);

  it('gives each server one outcome, and its books balance', async () => {
    const at = (address: string): string => fleet.endpointOf(address);
    await put({
      right: at('127.1.0.1'),
      failing: at('127.1.0.3'),
      wrong: at('127.1.0.4'),
      moved: at('127.1.0.5'),
      hanging: at('127.1.0.6'),
      limited: at('127.1.0.7'),
      refused: 'http://127.1.0.1:1',
      nameless: 'http://nowhere.invalid',
      unusable: 'ftp://127.1.0.1',
      gone: at('127.1.0.2'),
      paused: at('127.1.0.2'),
    });
    await decideAsOperator(store.db, 'paused', { action: 'hold', reason: 'a test', operator: 'me' });
    const audit = await begin();
    await removeEntries(store.db, ['gone']);
    await work();
    const ended = await conduct(audit);
    expect([ended.state, ended.reason, ended.entries, await sumOf(ended)]).toEqual(['ended', null, 11, 11]);
    expect(await outcomesOf(ended)).toEqual({
      right: 'up',
      failing: 'down status-500',
      wrong: 'down not-operational',
      moved: 'down status-301',
      hanging: 'down timeout',
      limited: 'undecided asked-to-wait',
      refused: 'down connection-refused',
      nameless: 'down name-not-found',
      unusable: 'refused not-sent',
      gone: 'gone',
      paused: 'paused operator-decision',
    });
    expect(await statuses()).toMatchObject({
      right: 'up',
      failing: 'down',
      limited: 'unknown',
      paused: 'unknown',
    });
  });

  it('says what changed since the last audit of each server', async () => {
    await put({ same: fleet.endpointOf('127.1.0.1'), fails: fleet.endpointOf('127.1.0.2') });
    await work();
    const first = await conduct(await begin());
    expect(await changesOf(first)).toEqual(['fails: new: up', 'same: new: up']);
    changed.set('127.1.0.2', 'limited');
    const second = await conduct(await begin());
    expect(await changesOf(second)).toEqual([]);
    changed.set('127.1.0.2', 'failing');
    const third = await conduct(await begin());
    expect(await changesOf(third)).toEqual(['fails: up → down (status-500)']);
    changed.set('127.1.0.2', 'renamed');
    const fourth = await conduct(await begin());
    expect(await changesOf(fourth)).toEqual(['fails: down (status-500) → up; other capabilities']);
    expect(await changesOf(await conduct(await begin('health', { kind: 'query', text: 'same' })))).toEqual(
      [],
    );
  });

  it('says what changed of thousands of servers, and deletes audits after 90 days', async () => {
    const many = 4500;
    const audited = (id: string, days: number, outcome: string) => sql`
      with begun as (
        insert into audits (id, tier, selection, entries, state, started_at)
        values (${id}, 'health', 'all', ${many}, 'ended', now() - ${days}::integer * interval '1 day') returning id
      )
      insert into audit_outcomes (audit_id, entry_id, place, outcome, at)
      select id, 'server-' || n, 1, case when n % 3 = 0 then ${outcome} else 'up' end, now()
      from begun cross join generate_series(1, ${many}::integer) as n`;
    await audited('old', 91, 'up').execute(store.db);
    await audited('new', 89, 'down').execute(store.db);
    const changes = await changesOf((await readAudit(store.db, 'new')) as Audit);
    expect([changes.length, new Set(changes).size, changes[0], changes.at(-1)]).toEqual([
      many / 3,
      many / 3,
      'server-1002: up → down',
      'server-999: up → down',
    ]);
    await purgeAudits(store.db);
    expect((await readAudits(store.db, 10)).map(({ id }) => id)).toEqual(['new']);
  });

  it('selects servers by words, by the time of their last test, and by changed capabilities', async () => {
    await put({ one: fleet.endpointOf('127.1.0.1'), other: fleet.endpointOf('127.1.0.2') });
    const entries = async (selection: AuditSelection): Promise<number> =>
      (await select(selection))?.entries ?? 0;
    expect(await entries({ kind: 'all' })).toBe(2);
    expect(await entries({ kind: 'query', text: 'other' })).toBe(1);
    expect(await entries({ kind: 'query', text: '...' })).toBe(0);
    expect(await entries({ kind: 'stale', days: 2 })).toBe(2);
    expect(await entries({ kind: 'changed' })).toBe(0);
    await work();
    await conduct(await begin('health', { kind: 'query', text: 'other' }));
    expect(await entries({ kind: 'changed' })).toBe(1);
  });

  it('judges by all suites in the tier contract, and never calls a function that looks as if it changes something', async () => {
    const functions = ['find_city', 'delete_everything'].map((name) => ({
      name,
      description: name.replace('_', ' '),
      inputs: [],
      outputs: [],
    }));
    const target = await startTarget({
      capabilities: (_read, response) => answer(response, 200, { functions }),
      execute: (_call, response) =>
        answer(response, 200, { status: 'ok', uptime: 10, timestamp: new Date().toISOString(), output: {} }),
    });
    try {
      await put({ right: target.url, refused: 'http://127.1.0.1:1' });
      await work();
      const ended = await conduct(await begin('contract'));
      const { rows } = await sql<{ failed: string[] }>`
        select entry_id, outcome, verdict, failed from audit_outcomes where audit_id = ${ended.id}
        order by entry_id`.execute(store.db);
      expect(rows).toMatchObject([
        { entry_id: 'refused', outcome: 'down', verdict: null, failed: [] },
        { entry_id: 'right', outcome: 'up', verdict: 'fail' },
      ]);
      expect(rows[1]?.failed).toContain('errors/unknown-function-rejected');
      const called = target.calls.map(({ text }) => text).join('\n');
      expect(called).toContain('"find_city"');
      expect(called).not.toContain('"delete_everything"');
    } finally {
      await target.close();
    }
  });

  it('is continued after an interruption, and asks nothing twice', async () => {
    const addresses = Array.from({ length: 40 }, (_, index) => `127.2.0.${index + 1}`);
    await put(
      Object.fromEntries(
        addresses.map((address) => [address.replaceAll('.', '-'), fleet.endpointOf(address)]),
      ),
    );
    const audit = await begin();
    const interrupting = new AbortController();
    const conducting = conduct(audit, interrupting.signal);
    await work({ concurrency: 2 });
    await eventually(
      () => fleet.addresses().filter((address) => address.startsWith('127.2.')).length,
      (asked) => asked >= 5,
    );
    interrupting.abort();
    expect((await conducting).state).toBe('interrupted');
    for (const worker of workers.splice(0)) await worker.stop();
    expect(await sumOf(audit)).toBe(40);
    await work();
    // The embedded store has one worker.
    if (stores.kind === 'postgres') await work();
    const ended = await conduct(await continueAudit(store.db, audit.id));
    expect([ended.state, await sumOf(ended)]).toEqual(['ended', 40]);
    expect(new Set(Object.values(await outcomesOf(ended)))).toEqual(new Set(['up']));
    // /health and /capabilities; an interrupted attempt may have read /health before.
    for (const address of addresses) expect(fleet.seenBy(address).requests).toBeLessThanOrEqual(4);
  });

  it('finds again what is undecided when it is continued, also of a server that was down before', async () => {
    await put({ down: fleet.endpointOf('127.1.0.1'), other: fleet.endpointOf('127.1.0.2') });
    const audit = await begin();
    const learned = { verdict: null, failed: [], capabilitiesDigest: null, isChanged: false };
    await keepOutcome(
      store.db,
      { auditId: audit.id, entryId: 'down' },
      { ...learned, outcome: 'undecided', cause: 'name-lookup-failed', isSuspect: false },
    );
    await endAudit(store.db, audit.id, 'frozen', 'a test');
    await work();
    const ended = await conduct(await continueAudit(store.db, audit.id));
    expect(await outcomesOf(ended)).toEqual({ down: 'up', other: 'up' });
  });

  it('stores nothing that was under way when it was frozen, and finds it again when it is continued', async () => {
    await put({ named: `http://named.example:${fleet.port}` });
    const held: (() => void)[] = [];
    let fails = true;
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((...given: unknown[]) => {
      const found = given.at(-1) as (error: Error | null, addresses?: unknown) => void;
      if (fails) held.push(() => found(Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' })));
      else found(null, [{ address: '127.1.0.1', family: 4 }]);
    }) as typeof dns.lookup);
    try {
      const audit = await begin();
      const conducted = new AbortController();
      const conducting = conduct(audit, conducted.signal);
      await work();
      await eventually(
        () => held.length,
        (lookups) => lookups > 0,
      );
      conducted.abort();
      await conducting;
      await endAudit(store.db, audit.id, 'frozen', 'a test');
      const continued = await continueAudit(store.db, audit.id);
      fails = false;
      for (const end of held) end();
      expect(await outcomesOf(await conduct(continued))).toEqual({ named: 'up' });
    } finally {
      lookup.mockRestore();
    }
  });

  it('is frozen when the resolver fails for everything, marks nothing as down, and can be continued', async () => {
    const endpoints = Array.from({ length: 120 }, (_, index) => [`named-${index}`, index] as const);
    await put(Object.fromEntries(endpoints.map(([id]) => [id, `http://${id}.example:${fleet.port}`])));
    let lookups = 0;
    const worksFor = endpoints.length;
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((host: string, ...rest: unknown[]) => {
      const given = rest.find((value) => typeof value === 'object') as { all?: boolean } | undefined;
      const found = rest.at(-1) as (error: Error | null, address?: unknown, family?: number) => void;
      lookups += 1;
      const address = `127.3.0.${1 + (Number(/\d+/.exec(host)?.[0]) % 200)}`;
      if (lookups > worksFor)
        found(Object.assign(new Error(`getaddrinfo EAI_AGAIN ${host}`), { code: 'EAI_AGAIN' }));
      else if (given?.all === true) found(null, [{ address, family: 4 }]);
      else found(null, address, 4);
    }) as typeof dns.lookup);
    try {
      await work({ concurrency: 8 });
      const frozen = await conduct(await begin());
      expect(frozen.state).toBe('frozen');
      expect(frozen.reason).toMatch(
        /^\d+ of the last \d+ servers could not be asked for a reason that is probably on the side of this directory: our-network \d+\. No server was marked as down for it\.$/,
      );
      const counts = await countOutcomes(store.db, frozen.id);
      expect(counts.filter(({ outcome }) => outcome === 'down')).toEqual([]);
      expect([await sumOf(frozen), new Set(Object.values(await statuses())).has('down')]).toEqual([
        120,
        false,
      ]);
      lookups = Number.NEGATIVE_INFINITY;
      const ended = await conduct(await continueAudit(store.db, frozen.id));
      expect(ended.state).toBe('ended');
      expect(await countOutcomes(store.db, ended.id)).toEqual([{ outcome: 'up', cause: null, count: 120 }]);
    } finally {
      lookup.mockRestore();
    }
  });
});
