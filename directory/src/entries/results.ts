import type { Insertable } from 'kysely';
import type { Coverage, ResultSummary, Summary } from 'probity/model';
import { allRows, firstRow, run } from '../db/rows.ts';
import type { Db, ResultsTable } from '../db/tables.ts';

/** How many different results of an entry are kept complete, and how many as summaries. */
const BODIES_KEPT = 10;
const SUMMARIES_KEPT = 200;
/** The newest results are kept complete in any case, because their callers may not have read them yet. */
const NEWEST_KEPT = 2;

/**
 * Adds a result, in the transaction `db`. A server mostly gives the same result again, so of equal results only the newest
 * keeps its body. Deletes old results.
 */
export async function insertResult(
  db: Db,
  row: Insertable<ResultsTable>,
  coverage: Coverage | null,
): Promise<void> {
  await db.insertInto('results').values(row).execute();
  await run(db)`
    update entry_details set verdict = ${row.verdict}, coverage = coalesce(${coveredPercentage(coverage)}, coverage)
    where entry_id = ${row.entry_id}`;
  await run(db)`
    update results set body = null, outline = null where id in (
      select id from (
        select
          id, content,
          row_number() over (order by started_at desc, id) as position,
          row_number() over (partition by content order by started_at desc, id) as position_of_equal
        from results where entry_id = ${row.entry_id} and body is not null
      ) as complete
      where position > ${BODIES_KEPT}
        or (position > ${NEWEST_KEPT} and position_of_equal > 1 and content is not null)
    )`;
  await run(db)`
    delete from results where entry_id = ${row.entry_id} and id not in (
      select id from results where entry_id = ${row.entry_id} order by started_at desc, id limit ${SUMMARIES_KEPT}
    )`;
}

/** Of the functions that a test should call, those that gave a result; null: it should call none. Pure. */
export function coveredPercentage(coverage: Coverage | null): number | null {
  if (coverage === null) return null;
  const wanted = coverage.listed - coverage.excluded;
  return wanted > 0 ? (100 * coverage.exercised) / wanted : null;
}

/** The newest first. */
export async function readHistory(db: Db, entryId: string, max: number): Promise<readonly ResultSummary[]> {
  const rows = await allRows<
    Omit<ResultSummary, 'startedAt' | 'summary'> & { startedAt: Date; summary: string }
  >(db)`
    select id, started_at as "startedAt", duration_ms as "durationMs", verdict, reachable, summary, decision
    from results where entry_id = ${entryId} order by started_at desc, id limit ${max}`;
  return rows.map((row) => ({
    ...row,
    startedAt: row.startedAt.toISOString(),
    summary: JSON.parse(row.summary) as Summary,
  }));
}

/** The outline of the newest result; null without one. */
export async function readOutline(db: Db, entryId: string): Promise<{ id: string; outline: string } | null> {
  const row = await firstRow<{ id: string; outline: string | null }>(db)`
    select id, outline from results where entry_id = ${entryId} order by started_at desc, id limit 1`;
  const { id, outline = null } = row ?? {};
  return id === undefined || outline === null ? null : { id, outline };
}
