import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { Front } from '../../src/accounts/front.ts';
import type { Db } from '../../src/db/tables.ts';
import { BATCH_SIZE, bodyOf, type Ledger, OBSERVATIONS, START } from '../db/acknowledged-writes.ts';

/** Expects that all acknowledged writes survived a restart, and that no write is partial. */
export async function expectAllStored(db: Db, ledger: Ledger): Promise<void> {
  await expectKeys(db, ledger);
  await expectBatches(db, ledger);
  await expectResults(db, ledger);
  await expectConsistentIndexes(db);
}

async function expectKeys(db: Db, { keys }: Ledger): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from keys`.execute(db);
  const stored = new Set(rows.map(({ id }) => id));
  expect(keys.filter((key) => !stored.has(key.split('_')[1] ?? ''))).toEqual([]);
  const newest = keys.at(-1);
  const front = new Front({ db, written: null });
  if (newest !== undefined) expect(await front.keys.find(newest)).toMatchObject({ scopes: ['read'] });
  await front.close();
}

async function expectBatches(db: Db, { batches }: Ledger): Promise<void> {
  const { rows } = await sql<{ batch: string; entries: number; oldest: string; newest: string }>`
    select split_part(id, '-', 2) as batch, count(*)::integer as entries,
      min(listing::json ->> 'version') as oldest, max(listing::json ->> 'version') as newest
    from entries join entry_details on entry_id = id where id like 'e-%' group by 1`.execute(db);
  for (const { entries, oldest, newest } of rows) expect([entries, oldest]).toEqual([BATCH_SIZE, newest]);
  for (const [batch, version] of batches)
    expect(Number(rows.find((row) => row.batch === String(batch))?.oldest)).toBeGreaterThanOrEqual(version);
}

async function expectResults(db: Db, { results, tests }: Ledger): Promise<void> {
  const { rows } = await sql<{ number: number; observations: number; body: Buffer }>`
    select coalesce(results.duration_ms, observed.number)::integer as number, body,
      coalesce(observed.observations, 0)::integer as observations
    from (select * from results where id like 'r-%') as results full join (
      select duration_us / 1000 as number, count(*) as observations from observations
      where at < ${new Date(START + 1e10)} group by 1
    ) as observed on observed.number = results.duration_ms`.execute(db);
  for (const { number, observations, body } of rows) {
    expect([number, observations]).toEqual([number, OBSERVATIONS]);
    expect(gunzipSync(body).toString()).toBe(bodyOf(number));
  }
  const stored = new Set(rows.map(({ number }) => number));
  expect([...results].filter((number) => !stored.has(number))).toEqual([]);
  // The service deletes the bodies of all but the newest results.
  const { rows: tested } = await sql<{ id: string; body: Buffer | null }>`
    select id, body from results where id not like 'r-%'`.execute(db);
  for (const { id, body } of tested)
    if (body !== null) expect(JSON.parse(gunzipSync(body).toString())).toMatchObject({ id });
  const testedIds = new Set(tested.map(({ id }) => id));
  expect(tests.filter((id) => !testedIds.has(id))).toEqual([]);
}

/** Expects that counts by index equal counts by table scan. */
async function expectConsistentIndexes(db: Db): Promise<void> {
  const counts = (settings: readonly string[]) =>
    db.transaction().execute(async (transaction) => {
      for (const setting of settings) await sql`set local ${sql.raw(setting)} = off`.execute(transaction);
      const { rows } = await sql`
        select
          (select count(*) from entries where id >= 'e') as ids,
          (select count(*) from entry_details where next_probe_at > '2000-01-01') as probes,
          (select count(*) from results where entry_id >= 'e') as results,
          (select count(*) from observations where at > '2000-01-01') as observations`.execute(transaction);
      return rows[0];
    });
  expect(await counts(['enable_seqscan'])).toEqual(
    await counts(['enable_indexscan', 'enable_bitmapscan', 'enable_indexonlyscan']),
  );
}
