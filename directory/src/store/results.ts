import type { Insertable } from 'kysely';
import type { ResultSummary, Summary, Verdict } from 'probity/model';
import type { Db } from './open-store.ts';
import type { ResultsTable } from './tables.ts';

/** How many results of an entry are kept complete, and how many as summaries. */
const BODIES_KEPT = 10;
const SUMMARIES_KEPT = 200;

/** Adds a result and deletes old ones, in the transaction `db`. */
export async function insertResult(db: Db, row: Insertable<ResultsTable>): Promise<void> {
  await db.insertInto('results').values(row).execute();
  const newest = (kept: number) =>
    db
      .selectFrom('results')
      .select('id')
      .where('entry_id', '=', row.entry_id)
      .orderBy('started_at', 'desc')
      .orderBy('id')
      .limit(kept);
  await db
    .updateTable('results')
    .set({ body: null, outline: null })
    .where('entry_id', '=', row.entry_id)
    .where('body', 'is not', null)
    .where('id', 'not in', newest(BODIES_KEPT))
    .execute();
  await db
    .deleteFrom('results')
    .where('entry_id', '=', row.entry_id)
    .where('id', 'not in', newest(SUMMARIES_KEPT))
    .execute();
}

/** The newest first. */
export async function readHistory(db: Db, entryId: string, max: number): Promise<readonly ResultSummary[]> {
  const rows = await db
    .selectFrom('results')
    .select(['id', 'started_at', 'duration_ms', 'verdict', 'reachable', 'summary', 'decision'])
    .where('entry_id', '=', entryId)
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(max)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    startedAt: row.started_at.toISOString(),
    durationMs: row.duration_ms,
    verdict: row.verdict as Verdict,
    reachable: row.reachable,
    summary: JSON.parse(row.summary) as Summary,
    decision: row.decision,
  }));
}

/** The outline of the newest result; null without one. */
export async function readOutline(db: Db, entryId: string): Promise<{ id: string; outline: string } | null> {
  const row = await db
    .selectFrom('results')
    .select(['id', 'outline'])
    .where('entry_id', '=', entryId)
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.outline == null ? null : { id: row.id, outline: row.outline };
}
