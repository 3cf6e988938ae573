import { sql } from 'kysely';
import type { Db } from './open-store.ts';
import { observedSpans } from './spans.ts';
import type { ObservationsTable } from './tables.ts';

export type Observation = ObservationsTable;

/** docs/directory.md defines how the figures of an entry are calculated. */
export const UPTIME_DAYS = 30;
export const RESPONSE_TIME_DAYS = 7;

export const DAY_MS = 86_400_000;

export interface ObservedFigures {
  /** Percentage of the observed time; null without observations. */
  readonly uptime: number | null;
  /** Median of the successful calls; null without one. */
  readonly responseTimeMs: number | null;
}

/**
 * Stores observations and updates the figures and the state of the entry, in the transaction `db` if it is one. An
 * observed state lasts until the next observation, but no longer than `holdsMs`. Later time is not observed time.
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
  const { uptime, responseTimeMs, lastUp } = await observedFigures(db, entryId, { now, holdsMs });
  const status = lastUp === null ? null : lastUp ? 'up' : 'down';
  await sql`
    update entries set
      uptime = coalesce(${uptime}, uptime),
      response_time_ms = coalesce(${responseTimeMs}, response_time_ms),
      figures_claimed = figures_claimed and ${uptime === null || responseTimeMs === null},
      status = coalesce(${status}, status)
    where id = ${entryId}`.execute(db);
  await db.updateTable('entry_details').set({ last_updated: now }).where('entry_id', '=', entryId).execute();
  return { uptime, responseTimeMs };
}

/**
 * Stores one observation without updating the figures of the entry. The next probe updates them: the calculation reads
 * 30 days of observations, which is too slow for every call of the gateway.
 */
export async function noteObservation(db: Db, observation: Observation): Promise<void> {
  await db.insertInto('observations').values(observation).execute();
}

async function observedFigures(
  db: Db,
  entryId: string,
  { now, holdsMs }: { readonly now: Date; readonly holdsMs: number },
): Promise<ObservedFigures & { readonly lastUp: boolean | null }> {
  const since = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
  const { rows } = await sql<{
    share: number | null;
    response_time_ms: number | null;
    last_up: boolean | null;
  }>`
    select
      (
        select 100.0 * (1 - sum(case when up then 0 else seconds end) / nullif(sum(seconds), 0)) from (
          select up, extract(epoch from ends - begins)::double precision as seconds
          from (${observedSpans({ entryId, since: since(UPTIME_DAYS), now, holdsMs })}) as spans
        ) as measured
      ) as share,
      (
        select percentile_cont(0.5) within group (order by duration_ms) from observations
        where entry_id = ${entryId} and duration_ms is not null and at > ${since(RESPONSE_TIME_DAYS)} and at <= ${now}
          and source <> 'gateway'
      ) as response_time_ms,
      (
        select up from observations
        where entry_id = ${entryId} and up is not null and at > ${since(UPTIME_DAYS)} and at <= ${now}
        order by at desc, up limit 1
      ) as last_up`.execute(db);
  const { share = null, response_time_ms: responseTimeMs = null, last_up: lastUp = null } = rows[0] ?? {};
  // The first observation covers no time yet.
  const uptime = share ?? (lastUp === null ? null : lastUp ? 100 : 0);
  return {
    uptime: uptime === null ? null : Math.min(100, Math.max(0, uptime)),
    responseTimeMs,
    lastUp,
  };
}
