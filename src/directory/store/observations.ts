import { sql } from 'kysely';
import type { Db } from './open-store.ts';
import type { ObservationsTable } from './tables.ts';

export type Observation = ObservationsTable;

/** How an entry's figures follow from what was observed; docs/directory.md says it in words. */
export const UPTIME_DAYS = 30;
export const RESPONSE_TIME_DAYS = 7;

const DAY_MS = 86_400_000;

export interface ObservedFigures {
  /** Percentage of the observed time; null where nothing was observed. */
  readonly uptime: number | null;
  /** Median of the successful calls; null where there was none. */
  readonly responseTimeMs: number | null;
}

/**
 * Keeps what was observed and lets the entry's figures follow from it, within the transaction that `db` may be. An
 * observation of the target's state holds until the next one, but no longer than `holdsMs`: what lies beyond is not
 * observed time, whoever's outage it was.
 */
export async function storeObservations(
  db: Db,
  entryId: string,
  observations: readonly Observation[],
  { now, holdsMs }: { readonly now: Date; readonly holdsMs: number },
): Promise<ObservedFigures> {
  if (observations.length > 0)
    await db
      .insertInto('observations')
      .values([...observations])
      .execute();
  const figures = await observedFigures(db, entryId, { now, holdsMs });
  const last = observations.filter(({ up }) => up !== null).at(-1);
  await db
    .updateTable('entries')
    .set({
      ...(figures.uptime === null ? {} : { uptime: figures.uptime }),
      ...(figures.responseTimeMs === null ? {} : { response_time_ms: figures.responseTimeMs }),
      ...(figures.uptime === null || figures.responseTimeMs === null ? {} : { figures_claimed: false }),
      ...(last === undefined ? {} : { status: last.up ? 'up' : 'down' }),
      last_updated: now,
    })
    .where('id', '=', entryId)
    .execute();
  return figures;
}

async function observedFigures(
  db: Db,
  entryId: string,
  { now, holdsMs }: { readonly now: Date; readonly holdsMs: number },
): Promise<ObservedFigures> {
  const since = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
  const { rows } = await sql<{ uptime: number | null; response_time_ms: number | null }>`
    select
      (
        select 100.0 * sum(case when up then seconds else 0 end) / nullif(sum(seconds), 0) from (
          select up, extract(epoch from
            least(coalesce(lead(at) over (order by at), ${now}::timestamptz), at + ${holdsMs} * interval '1 millisecond') - at
          )::double precision + 0.001 as seconds
          from observations
          where entry_id = ${entryId} and up is not null and at > ${since(UPTIME_DAYS)} and at <= ${now}
        ) as spans
      )::double precision as uptime,
      (
        select percentile_cont(0.5) within group (order by duration_ms) from observations
        where entry_id = ${entryId} and duration_ms is not null and at > ${since(RESPONSE_TIME_DAYS)} and at <= ${now}
      ) as response_time_ms`.execute(db);
  const [row] = rows;
  return {
    uptime: row?.uptime == null ? null : Math.min(100, Math.max(0, row.uptime)),
    responseTimeMs: row?.response_time_ms ?? null,
  };
}
