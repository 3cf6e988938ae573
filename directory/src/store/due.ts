import { sql } from 'kysely';
import type { Listing } from 'probity/model';
import type { EntryTarget } from './entries.ts';
import type { Db } from './open-store.ts';

type DueColumn = 'next_probe_at' | 'next_test_at';

/**
 * Claims due entries, so that no other instance takes them, and sets their next time. Uses the clock of the database.
 */
async function claimDue(
  db: Db,
  column: DueColumn,
  { max, againMs, jitter }: { readonly max: number; readonly againMs: number; readonly jitter: number },
): Promise<readonly EntryTarget[]> {
  const due = sql.ref(column);
  const { rows } = await sql<{ id: string; endpoint: string; listing: string }>`
    with due as materialized (
      select entry_id from entry_details where ${due} <= now()
      order by ${due} limit ${max} for no key update skip locked
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

export function claimDueProbes(db: Db, max: number, probeEveryMs: number): Promise<readonly EntryTarget[]> {
  return claimDue(db, 'next_probe_at', { max, againMs: probeEveryMs, jitter: PROBE_JITTER });
}

/** The result of the test sets the time of the next one. `retryMs` is the delay when there is no result. */
export function claimDueTests(db: Db, max: number, retryMs: number): Promise<readonly EntryTarget[]> {
  return claimDue(db, 'next_test_at', { max, againMs: retryMs, jitter: 0 });
}

/** Makes a test due again that could not start, so that any instance with a free place can run it. */
export async function makeTestDue(db: Db, id: string): Promise<void> {
  await db
    .updateTable('entry_details')
    .set({ next_test_at: sql<Date>`now()` })
    .where('entry_id', '=', id)
    .execute();
}

/** Milliseconds until the next entry is due, up to `maxMs`; 0 when one is due now. */
export async function untilDue(db: Db, column: DueColumn, maxMs: number): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(${sql.ref(column)}) - now()) * 1000)::double precision as ms
    from entry_details`.execute(db);
  return Math.min(maxMs, Math.max(0, Math.ceil(rows[0]?.ms ?? maxMs)));
}
