import { type RawBuilder, sql } from 'kysely';
import type { OperationTimes } from 'probity/model';

export const HOUR_MS = 3_600_000;
export const DAY_HOURS = 24;
export const DAY_MS = DAY_HOURS * HOUR_MS;

/** One call from the directory to a target. */
export interface Observation {
  readonly entry_id: string;
  readonly at: Date;
  /** Whether the target was up; null for a call that does not show it. */
  readonly up: boolean | null;
  readonly operation: OperationTimes['operation'];
  /** Null unless the call was successful. Stored in whole microseconds. */
  readonly duration_ms: number | null;
  readonly source: 'probe' | 'test' | 'gateway';
}

export function durationUs({ duration_ms }: Observation): number | null {
  return duration_ms === null ? null : Math.round(duration_ms * 1000);
}

/** docs/directory.md defines how the figures of an entry are calculated. */
export const UPTIME_DAYS = 30;
const RESPONSE_TIME_DAYS = 7;

/** Number since 1970 of the first hour that counts for the uptime; the current hour is the last one. */
export function firstHourOfUptime(now: Date): number {
  return Math.floor(now.getTime() / HOUR_MS) - UPTIME_DAYS * DAY_HOURS;
}

/** Number since 1970 of the first day (UTC) that counts for response times; today is the last one. */
export function firstDayOfTimes(now: Date): number {
  return Math.floor(now.getTime() / DAY_MS) - RESPONSE_TIME_DAYS;
}

/** When observations are read or stored, and how long an observed state lasts. */
export interface Observing {
  readonly now: Date;
  readonly holdsMs: number;
}

export interface SpanOptions {
  /** A condition on `target_no`. */
  readonly targets: RawBuilder<unknown>;
  /** An expression for a time. */
  readonly since: RawBuilder<unknown>;
  readonly until: RawBuilder<unknown>;
  /** How long an observed state lasts, in milliseconds, unless the author asks for another pace of probes. */
  readonly holdsMs: number;
  /** An expression for the longest of these times among the targets, in milliseconds. */
  readonly longestMs: RawBuilder<unknown>;
}

/** Twice the time between two probes. */
const HOLDS_PROBES = 2;

/** An expression for how long an observed state of an entry lasts, in milliseconds. */
export function holdsMsIn(holdsMs: number): RawBuilder<number> {
  return sql`coalesce(${HOLDS_PROBES} * probe_every_ms, ${holdsMs}::double precision)`;
}

/** An expression for the longest such time of all entries. */
export function longestHoldsMs(holdsMs: number): RawBuilder<number> {
  return sql`(select greatest(${holdsMs}::double precision, ${HOLDS_PROBES} * max(probe_every_ms)) from entry_details)`;
}

/**
 * A query for the observed time of targets, from observations: rows of `target_no`, `up`, `begins_ms` and `ends_ms`
 * since 1970 that do not overlap. An observed state lasts until the next one, up to twice the time between two probes, and never beyond
 * `until`. A state from before `since` counts from `since` on. Of two observations in the same millisecond, down wins.
 */
function observedSpans({ targets, since, until, holdsMs, longestMs }: SpanOptions): RawBuilder<unknown> {
  return sql`
    select target_no, up, (extract(epoch from begins) * 1000)::bigint as begins_ms,
      (extract(epoch from ends) * 1000)::bigint as ends_ms
    from (
      select target_no, up, greatest(at, ${since}) as begins,
        least(
          coalesce(lead(at) over (partition by target_no order by at, up desc), ${until}), at + holds, ${until}
        ) as ends
      from observations join (
        select target_no as number, ${holdsMsIn(holdsMs)} * interval '1 millisecond' as holds
        from entries join entry_details on entry_id = id
      ) as paces on number = target_no
      where ${targets} and up is not null and at > ${since} - ${longestMs} * interval '1 millisecond' and at < ${until}
    ) as held where ends > begins`;
}

/** A query for the observed time by target and hour: rows of `target_no`, `hour` since 1970, `up_ms` and `down_ms`. */
export function observedHours(options: SpanOptions): RawBuilder<unknown> {
  const hourMs = sql`${HOUR_MS}::bigint`;
  return sql`
    select target_no, hour, coalesce(sum(ms) filter (where up), 0) as up_ms,
      coalesce(sum(ms) filter (where not up), 0) as down_ms
    from (
      select target_no, up, hour, least(ends_ms, (hour + 1) * ${hourMs}) - greatest(begins_ms, hour * ${hourMs}) as ms
      from (${observedSpans(options)}) as spans
      cross join lateral generate_series(begins_ms / ${hourMs}, (ends_ms - 1) / ${hourMs}) as hour
    ) as parts group by target_no, hour`;
}

/**
 * A query for the observed time of a target in the hours from `sinceHour` since 1970 on: rows of `day` since 1970, `up_ms` and
 * `down_ms`. Closed hours come from their sums, later ones from observations.
 */
export function observedTime(
  targetNo: RawBuilder<unknown>,
  sinceHour: number,
  { now, holdsMs }: Observing,
): RawBuilder<unknown> {
  const first = sql`${sinceHour}::integer`;
  const closed = sql`(select until_hour from closed_hours)`;
  const open = observedHours({
    targets: sql`target_no = ${targetNo}`,
    since: sql`to_timestamp(greatest(${first}, ${closed}) * ${HOUR_MS / 1000}::double precision)`,
    until: sql`${now}::timestamptz`,
    holdsMs,
    longestMs: sql`(
      select ${holdsMsIn(holdsMs)} from entries join entry_details on entry_id = id where target_no = ${targetNo}
    )`,
  });
  return sql`
    select day, sum(up_ms)::double precision as up_ms, sum(down_ms)::double precision as down_ms from (
      select day, hours.up_ms, hours.down_ms
      from observed_days
      cross join lateral unnest(observed_days.up_ms, observed_days.down_ms)
        with ordinality as hours (up_ms, down_ms, number)
      where target_no = ${targetNo} and day >= ${Math.floor(sinceHour / DAY_HOURS)}::integer
        and day * ${DAY_HOURS} + number - 1 >= ${first} and day * ${DAY_HOURS} + number - 1 < ${closed}
      union all
      select (hour / ${DAY_HOURS})::integer, open.up_ms, open.down_ms from (${open}) as open
    ) as hours group by day`;
}
