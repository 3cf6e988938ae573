import { type RawBuilder, sql } from 'kysely';
import { observedHours } from './spans.ts';
import { HOUR_MS } from './windows.ts';

const HOURS = 24;

/**
 * A query for the observed time of a target in the hours from `sinceHour` on: rows of `day` since 1970, `up_ms` and
 * `down_ms`. Closed hours come from their sums, later ones from observations.
 */
export function observedTime({
  targetNo,
  sinceHour,
  now,
  holdsMs,
}: {
  /** An expression. */
  readonly targetNo: RawBuilder<unknown>;
  /** Number of the hour since 1970. */
  readonly sinceHour: number;
  readonly now: Date;
  readonly holdsMs: number;
}): RawBuilder<unknown> {
  const first = sql`${sinceHour}::integer`;
  const closed = sql`(select until_hour from closed_hours)`;
  const open = observedHours({
    targets: sql`target_no = ${targetNo}`,
    since: sql`to_timestamp(greatest(${first}, ${closed}) * ${HOUR_MS / 1000}::double precision)`,
    until: sql`${now}::timestamptz`,
    holdsMs,
  });
  return sql`
    select day, sum(up_ms)::double precision as up_ms, sum(down_ms)::double precision as down_ms from (
      select day, hours.up_ms, hours.down_ms
      from observed_days
      cross join lateral unnest(observed_days.up_ms, observed_days.down_ms)
        with ordinality as hours (up_ms, down_ms, number)
      where target_no = ${targetNo} and day >= ${Math.floor(sinceHour / HOURS)}::integer
        and day * ${HOURS} + number - 1 >= ${first} and day * ${HOURS} + number - 1 < ${closed}
      union all
      select (hour / ${HOURS})::integer, open.up_ms, open.down_ms from (${open}) as open
    ) as hours group by day`;
}
