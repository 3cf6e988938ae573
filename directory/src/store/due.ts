import { sql } from 'kysely';
import type { Listing } from 'probity/model';
import type { EntryTarget } from './entries.ts';
import type { Db } from './open-store.ts';

type DueColumn = 'next_probe_at' | 'next_test_at';

/**
 * Takes entries that are due, so that no other instance does, and puts off their next time. By the clock of the database.
 */
async function claimDue(
  db: Db,
  column: DueColumn,
  { most, againMs, jitter }: { readonly most: number; readonly againMs: number; readonly jitter: number },
): Promise<readonly EntryTarget[]> {
  const due = sql.ref(column);
  const { rows } = await sql<{ id: string; endpoint: string; listing: string }>`
    with due as materialized (
      select entry_id from entry_details where ${due} <= now()
      order by ${due} limit ${most} for no key update skip locked
    )
    update entry_details as details set ${due} = now() + ${againMs}::double precision
      * (1 + ${jitter}::double precision * (2 * random() - 1)) * interval '1 millisecond'
    from due join entries on entries.id = due.entry_id
    where details.entry_id = due.entry_id
    returning entries.id, entries.endpoint, details.listing`.execute(db);
  return rows.map(({ id, endpoint, listing }) => ({
    id,
    endpoint,
    listing: JSON.parse(listing) as Listing,
  }));
}

const PROBE_JITTER = 0.1;

export function claimDueProbes(db: Db, most: number, probeEveryMs: number): Promise<readonly EntryTarget[]> {
  return claimDue(db, 'next_probe_at', { most, againMs: probeEveryMs, jitter: PROBE_JITTER });
}

/** The test itself says when the next one is due; until then it is put off, for the case that it comes to nothing. */
export function claimDueTests(db: Db, most: number, retryMs: number): Promise<readonly EntryTarget[]> {
  return claimDue(db, 'next_test_at', { most, againMs: retryMs, jitter: 0 });
}

/** Gives back a test that could not be begun, so that whoever has room for it takes it. */
export async function putBackTest(db: Db, id: string): Promise<void> {
  await db
    .updateTable('entry_details')
    .set({ next_test_at: sql<Date>`now()` })
    .where('entry_id', '=', id)
    .execute();
}

/** Milliseconds until the next entry is due, at most `most`; 0 when one is already. */
export async function untilDue(db: Db, column: DueColumn, most: number): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(${sql.ref(column)}) - now()) * 1000)::double precision as ms
    from entry_details`.execute(db);
  return Math.min(most, Math.max(0, Math.ceil(rows[0]?.ms ?? most)));
}
