import { sql } from 'kysely';
import type { Db } from './open-store.ts';

export type Claim =
  | { readonly kind: 'claimed' }
  /** Another caller of this or another instance is testing the target. */
  | { readonly kind: 'held'; readonly runId: string }
  | { readonly kind: 'no-entry' };

const FOREIGN_KEY_VIOLATION = '23503';

/** Claims the single run of a target, for as long as the lease is renewed. Uses the clock of the database. */
export async function claimRun(db: Db, entryId: string, runId: string, leaseMs: number): Promise<Claim> {
  for (;;) {
    const claimed = await insertRun(db, entryId, runId, leaseMs);
    if (claimed !== 'held') return { kind: claimed };
    const holder = await db
      .selectFrom('runs')
      .select('run_id')
      .where('entry_id', '=', entryId)
      .executeTakeFirst();
    // The other run may have ended meanwhile; then claim again.
    if (holder !== undefined) return { kind: 'held', runId: holder.run_id };
  }
}

async function insertRun(db: Db, entryId: string, runId: string, leaseMs: number): Promise<Claim['kind']> {
  try {
    const { rows } = await sql`
      insert into runs (entry_id, run_id, leased_until) values (${entryId}, ${runId}, ${leaseEnd(leaseMs)})
      on conflict (entry_id) do update set
        run_id = excluded.run_id, leased_until = excluded.leased_until, started_at = now()
      where runs.leased_until < now()
      returning run_id`.execute(db);
    return rows.length > 0 ? 'claimed' : 'held';
  } catch (error) {
    if ((error as { code?: unknown }).code === FOREIGN_KEY_VIOLATION) return 'no-entry';
    throw error;
  }
}

/** False when another instance took over the run after its lease expired, or the entry was removed. */
export async function renewRun(db: Db, entryId: string, runId: string, leaseMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('runs')
    .set({ leased_until: leaseEnd(leaseMs) })
    .where('entry_id', '=', entryId)
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

function leaseEnd(leaseMs: number) {
  return sql<Date>`now() + ${leaseMs}::double precision * interval '1 millisecond'`;
}

/** False when another run, or none, holds the target. */
export async function releaseRun(db: Db, entryId: string, runId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('runs')
    .where('entry_id', '=', entryId)
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function isUnderWay(db: Db, entryId: string, runId: string): Promise<boolean> {
  const row = await db
    .selectFrom('runs')
    .select('run_id')
    .where('entry_id', '=', entryId)
    .where('run_id', '=', runId)
    .where('leased_until', '>=', sql<Date>`now()`)
    .executeTakeFirst();
  return row !== undefined;
}

/** The start of the running test; null when no test is running. */
export async function runStartedAt(db: Db, entryId: string): Promise<Date | null> {
  const row = await db
    .selectFrom('runs')
    .select('started_at')
    .where('entry_id', '=', entryId)
    .where('leased_until', '>=', sql<Date>`now()`)
    .executeTakeFirst();
  return row?.started_at ?? null;
}

/** Deletes all runs. Only for a store with one process at a time: runs of an earlier process have ended with it. */
export async function deleteRuns(db: Db): Promise<void> {
  await db.deleteFrom('runs').execute();
}
