import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { checkServer, startReferenceServer } from 'probity';
import type { Listing, ListingDecision, TestResult } from 'probity/model';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../../test/free-port.ts';
import { runs } from '../../../test/property-runs.ts';
import { observationsOfTest } from '../../src/checking/observations-of-test.ts';
import { decideAfter } from '../../src/checking/store-decision.ts';
import type { Store } from '../../src/db/open-store.ts';
import { lockEntries, readEntry, removeEntries } from '../../src/entries/entries.ts';
import { type DecisionName, decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { insertResult } from '../../src/entries/results.ts';
import { EXPORTED_TABLES } from '../../src/transfer/exported-tables.ts';
import { importDirectory } from '../../src/transfer/import-directory.ts';
import { storeObservations } from '../../src/watching/observations.ts';
import { describeStores } from '../db/stores.ts';
import { keepCapabilities, listing, newEntry } from '../entries/kept-entries.ts';
import { type Dice, diceOf } from '../seeded.ts';
import { exported, linesOf } from '../transfer/filled-directory.ts';

const ORDERS = 200;
const STEPS = 14;
const IDS = ['one', 'Two', 'three.4'] as const;
const MINUTE_MS = 60_000;

/** What must be true of an entry, whatever else happened. */
interface Expected {
  operator: ListingDecision | null;
  isPaused: boolean;
}

const DECIDED: Readonly<Partial<Record<DecisionName, ListingDecision | null>>> = {
  approve: 'list',
  hold: 'hold',
  reject: 'reject',
  release: null,
};

let answers: Readonly<Record<'good' | 'away', TestResult>>;
beforeAll(async () => {
  const reference = await startReferenceServer({ form: 'B' });
  const away = `http://127.0.0.1:${await freePort()}`;
  answers = {
    good: await checkServer(reference.url, { seed: 1, latency: { off: true } }),
    away: await checkServer(away, { seed: 1, latency: { off: true } }),
  };
  await reference.close();
});

describeStores('a directory in random orders of what happens to it', (stores) => {
  let store: Store;
  let copy: Store;
  beforeAll(async () => {
    [store, copy] = await Promise.all([stores.open(), stores.open()]);
  });
  afterAll(stores.close);

  it('fails never, loses no decision, and is the same after an export and an import', async () => {
    for (let seed = 1; seed <= runs(ORDERS); seed += 1) {
      const done: string[] = [];
      try {
        await live(store, diceOf(seed), done);
        const text = await exported(store);
        await importDirectory(copy.db, linesOf(text));
        expect(await exported(copy)).toBe(text);
      } catch (error) {
        throw new Error(`seed ${seed}: ${done.join(', ')}`, { cause: error });
      }
      await wipe(store);
      await wipe(copy);
    }
  });
});

async function wipe({ db }: Store): Promise<void> {
  const names = EXPORTED_TABLES.map(({ name }) => sql.table(name));
  await sql`truncate ${sql.join(names)} restart identity cascade`.execute(db);
  await sql`insert into closed_hours values (0)`.execute(db);
}

async function live(store: Store, dice: Dice, done: string[]): Promise<void> {
  const known = new Map<string, Expected>();
  let now = Date.now() - 6 * 3_600_000;
  for (let step = 0; step < STEPS; step += 1) {
    const id = dice.one(IDS);
    const name = known.has(id) ? dice.one(STEPS_OF_KNOWN) : 'put';
    now += (1 + dice.below(90)) * MINUTE_MS;
    done.push(`${name} ${id}`);
    await TURNS[name]({ store, id, dice, now: new Date(now), known });
    await expectKept(store, known);
  }
}

interface Turn {
  readonly store: Store;
  readonly id: string;
  readonly dice: Dice;
  readonly now: Date;
  readonly known: Map<string, Expected>;
}

async function expectKept({ db }: Store, known: ReadonlyMap<string, Expected>): Promise<void> {
  for (const id of IDS) {
    const expected = known.get(id);
    const entry = await readEntry(db, id);
    expect(entry === null).toBe(expected === undefined);
    if (entry === null || expected === undefined) continue;
    const { operator, isPaused } = expected;
    expect([id, entry.decided_by]).toEqual([id, operator === null ? expect.anything() : 'operator']);
    expect([id, entry.status === 'paused']).toEqual([id, isPaused]);
    const hasFigures = entry.uptime !== null && entry.response_time_ms !== null;
    const shown = operator === 'list' && !hasFigures ? 'hold' : operator;
    expect([id, entry.decision]).toEqual([id, shown ?? expect.stringMatching(/list|hold|reject/)]);
    if (entry.decision === 'list') expect(hasFigures).toBe(true);
  }
}

/** With claims or without, at the same endpoint or another. */
function someListing(id: string, dice: Dice): Listing {
  const { uptime, responseTime, ...plain } = listing(id, { name: `Name ${dice.below(3)}` });
  return {
    ...plain,
    ...(dice.chance(0.5) ? { uptime, responseTime } : {}),
    ...(dice.chance(0.2) ? { endpoint: `https://${id.toLowerCase()}.example/other` } : {}),
  };
}

async function put({ store, id, dice, now, known }: Turn): Promise<void> {
  const first = dice.one(['list', 'hold', 'reject'] as const);
  await putEntries(store.db, [newEntry(someListing(id, dice), first)], now);
  if (!known.has(id)) known.set(id, { operator: null, isPaused: false });
}

async function importAll({ store, dice, now, known }: Turn): Promise<void> {
  await putEntries(
    store.db,
    IDS.map((id) => newEntry(someListing(id, dice), 'hold')),
    now,
  );
  for (const id of IDS) if (!known.has(id)) known.set(id, { operator: null, isPaused: false });
}

async function remove({ store, id, known }: Turn): Promise<void> {
  await removeEntries(store.db, [id]);
  known.delete(id);
}

async function decideOn(action: DecisionName, { store, id, dice, known }: Turn): Promise<void> {
  await decideAsOperator(store.db, id, {
    action,
    reason: `because ${dice.below(9)}`,
    operator: 'ada',
    ...(dice.chance(0.5) ? { publicReason: 'for everybody' } : {}),
  });
  const expected = known.get(id) as Expected;
  const decided = DECIDED[action];
  if (decided !== undefined) expected.operator = decided;
  if (action === 'pause' || action === 'resume') expected.isPaused = action === 'pause';
}

async function test(kind: 'good' | 'bad' | 'away', { store, id, dice, now }: Turn): Promise<void> {
  const entry = await readEntry(store.db, id);
  if (entry === null) return;
  const base = answers[kind === 'away' ? 'away' : 'good'];
  const result = { ...base, id: randomUUID(), startedAt: now.toISOString() };
  const { first } = newEntry(listing(id), kind === 'good' ? 'list' : 'reject');
  const judgement = { decision: first.decision, rows: first.rows };
  await store.db.transaction().execute(async (db) => {
    await lockEntries(db, [id]);
    const observed = observationsOfTest(id, base).map((one) => ({ ...one, at: now }));
    await storeObservations(db, id, observed, { now, holdsMs: 10 * MINUTE_MS });
    await decideAfter(
      db,
      { entry, result, judgement, isPlanned: dice.chance(0.7) },
      { at: now, testEveryMs: 24 * 3_600_000 },
    );
    const { verdict, reachable, durationMs, summary } = result;
    const row = {
      id: result.id,
      entry_id: id,
      started_at: now,
      duration_ms: durationMs,
      verdict,
      reachable,
      summary: JSON.stringify(summary),
      decision: entry.decision,
      body: Buffer.from([1, 2, 3]),
    };
    await insertResult(db, row, result.coverage ?? null);
  });
  if (kind === 'good') await keepCapabilities(store.db, id, { functions: [{ name: 'f' }] });
}

async function observe({ store, id, dice, now }: Turn, up: boolean): Promise<void> {
  const observation = {
    entry_id: id,
    at: now,
    up,
    operation: 'health',
    duration_ms: up ? 1 + dice.below(1000) / 7 : null,
    source: 'probe',
  } as const;
  await storeObservations(store.db, id, [observation], { now, holdsMs: 10 * MINUTE_MS });
}

const TURNS = {
  put,
  importAll,
  remove,
  approve: (turn: Turn) => decideOn('approve', turn),
  hold: (turn: Turn) => decideOn('hold', turn),
  reject: (turn: Turn) => decideOn('reject', turn),
  release: (turn: Turn) => decideOn('release', turn),
  pause: (turn: Turn) => decideOn('pause', turn),
  resume: (turn: Turn) => decideOn('resume', turn),
  testGood: (turn: Turn) => test('good', turn),
  testBad: (turn: Turn) => test('bad', turn),
  testAway: (turn: Turn) => test('away', turn),
  up: (turn: Turn) => observe(turn, true),
  outage: (turn: Turn) => observe(turn, false),
} as const;
const STEPS_OF_KNOWN = Object.keys(TURNS) as (keyof typeof TURNS)[];
