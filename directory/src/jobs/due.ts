import { sql } from 'kysely';
import type { Db } from '../db/open-store.ts';

export type DueColumn = 'next_probe_at' | 'next_test_at';

/** Sets the next time of due entries, and returns their ids: the oldest first. Uses the clock of the database. */
export async function takeDue(
  db: Db,
  column: DueColumn,
  { max, againMs, jitter }: { readonly max: number; readonly againMs: number; readonly jitter: number },
): Promise<readonly string[]> {
  const due = sql.ref(column);
  const { rows } = await sql<{ entry_id: string }>`
    with due as materialized (
      select entry_id from entry_details where ${due} <= now()
      order by ${due} limit ${max} for no key update skip locked
    )
    update entry_details as details set ${due} = now() + ${againMs}::double precision
      * (1 + ${jitter}::double precision * (2 * random() - 1)) * interval '1 millisecond'
    from due where details.entry_id = due.entry_id
    returning details.entry_id`.execute(db);
  return rows.map(({ entry_id }) => entry_id);
}

/** Makes an entry due again after `afterMs` and a random part of `spreadMs`, so that entries of one host do not stay together. */
export async function postponeDue(
  db: Db,
  entryId: string,
  column: DueColumn,
  { afterMs, spreadMs }: { readonly afterMs: number; readonly spreadMs: number },
): Promise<void> {
  await sql`
    update entry_details set ${sql.ref(column)} = now()
      + (${afterMs}::double precision + random() * ${spreadMs}::double precision) * interval '1 millisecond'
    where entry_id = ${entryId}`.execute(db);
}

/** Milliseconds until the next entry is due, up to `maxMs`; 0 when one is due now. */
export async function untilDue(db: Db, column: DueColumn, maxMs: number): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(${sql.ref(column)}) - now()) * 1000)::double precision as ms
    from entry_details`.execute(db);
  return Math.min(maxMs, Math.max(0, Math.ceil(rows[0]?.ms ?? maxMs)));
}
