import { sql } from 'kysely';
import type { OperationTimes } from 'probity/model';
import { addToClosedHours, LATE_HOURS } from './close-hours.ts';
import { observedTime } from './observed-time.ts';
import type { Db } from './open-store.ts';
import type { ObservationsTable } from './tables.ts';
import { DAY_MS, firstDayOfTimes, firstHourOfUptime, HOUR_MS } from './windows.ts';

/** One call from the directory to a target. docs/directory.md defines how figures are calculated from observations. */
export interface Observation {
  readonly entry_id: string;
  readonly at: Date;
  /** Whether the target was up; null for a call that does not show it. */
  readonly up: boolean | null;
  readonly operation: OperationTimes['operation'];
  /** Null unless the call was successful. Stored in whole microseconds. */
  readonly duration_ms: number | null;
  readonly source: ObservationsTable['source'];
}

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
  if (observations.length > 0) await insertObservations(db, entryId, observations, holdsMs);
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
 * Stores observations of calls, without updating the figures of their entries. The next probe updates them: the
 * calculation is too slow for every call of the gateway. Those of removed entries are dropped.
 */
export async function insertCalls(db: Db, calls: readonly Observation[]): Promise<void> {
  const { until_hour: untilHour } = await db
    .selectFrom('closed_hours')
    .select('until_hour')
    .executeTakeFirstOrThrow();
  const isLate = ({ at }: Observation): boolean => at.getTime() < untilHour * HOUR_MS;
  const inTime = calls.filter((call) => !isLate(call));
  const column = <Key extends keyof Observation>(key: Key) => inTime.map((call) => call[key]);
  if (inTime.length > 0)
    await sql`
      insert into observations (target_no, at, up, operation, duration_us, source)
      select target_no, at, up, operation, duration_us, source
      from unnest(
        ${column('entry_id')}::text[], ${column('at')}::timestamptz[], ${column('up')}::boolean[],
        ${column('operation')}::text[], ${inTime.map(durationUs)}::integer[], ${column('source')}::text[]
      ) as calls (entry_id, at, up, operation, duration_us, source)
      join entries on id = entry_id`.execute(db);
  for (const call of calls.filter(isLate)) await insertObservations(db, call.entry_id, [call], 0);
}

function durationUs({ duration_ms }: Observation): number | null {
  return duration_ms === null ? null : Math.round(duration_ms * 1000);
}

async function insertObservations(
  db: Db,
  entryId: string,
  observations: readonly Observation[],
  holdsMs: number,
): Promise<void> {
  const known = await db
    .selectFrom('entries')
    .innerJoin('closed_hours', (join) => join.onTrue())
    .select(['target_no', 'until_hour'])
    .where('id', '=', entryId)
    .executeTakeFirst();
  if (known === undefined) return;
  const { target_no: targetNo, until_hour: untilHour } = known;
  const rows = observations
    .filter(({ at }) => at.getTime() >= (untilHour - LATE_HOURS) * HOUR_MS)
    .map((observation) => {
      const { at, up, operation, source } = observation;
      return { target_no: targetNo, at, up, operation, duration_us: durationUs(observation), source };
    });
  if (rows.length === 0) return;
  await db.insertInto('observations').values(rows).execute();
  const late = rows.filter(({ at }) => at.getTime() < untilHour * HOUR_MS);
  if (late.length > 0) await addToClosedHours(db, late, { untilHour, holdsMs });
}

async function observedFigures(
  db: Db,
  entryId: string,
  { now, holdsMs }: { readonly now: Date; readonly holdsMs: number },
): Promise<ObservedFigures & { readonly lastUp: boolean | null }> {
  const targetNo = targetNoOf(entryId);
  const { rows } = await sql<{
    share: number | null;
    response_time_ms: number | null;
    last_up: boolean | null;
  }>`
    select
      (
        select 100.0 * sum(up_ms) / nullif(sum(up_ms) + sum(down_ms), 0)
        from (${observedTime({ targetNo, sinceHour: firstHourOfUptime(now), now, holdsMs })}) as days
      ) as share,
      (
        select percentile_cont(0.5) within group (order by us) / 1000 from (${observedTimes(targetNo, now)}) as times
        where not through_gateway
      ) as response_time_ms,
      (
        select up from observations where target_no = ${targetNo} and up is not null and at <= ${now}
        order by at desc, up limit 1
      ) as last_up`.execute(db);
  const { share = null, response_time_ms: responseTimeMs = null, last_up: lastUp = null } = rows[0] ?? {};
  // The first observation covers no time yet.
  return { uptime: share ?? (lastUp === null ? null : lastUp ? 100 : 0), responseTimeMs, lastUp };
}

/** An expression for the number of the target behind an entry. */
export function targetNoOf(entryId: string) {
  return sql`(select target_no from entries where id = ${entryId})`;
}

/**
 * A query for the durations of the successful calls of today and of the seven days before (UTC): rows of `operation`,
 * `through_gateway` and `us`.
 */
export function observedTimes(targetNo: ReturnType<typeof targetNoOf>, now: Date) {
  const firstDay = firstDayOfTimes(now);
  const closed = sql`(select to_timestamp(until_hour * ${HOUR_MS / 1000}::double precision) from closed_hours)`;
  return sql`
    select operation, through_gateway, us from observed_times cross join lateral unnest(times_us) as us
    where target_no = ${targetNo} and day >= ${firstDay}::integer
    union all
    select operation, source = 'gateway', duration_us from observations
    where target_no = ${targetNo} and duration_us is not null and at <= ${now}::timestamptz
      and at >= greatest(${new Date(firstDay * DAY_MS)}::timestamptz, ${closed})`;
}
