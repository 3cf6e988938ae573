import { type RawBuilder, sql } from 'kysely';
import { HOUR_MS } from './windows.ts';

export interface SpanOptions {
  /** A condition on `target_no`. */
  readonly targets: RawBuilder<unknown>;
  /** An expression for a time. */
  readonly since: RawBuilder<unknown>;
  readonly until: RawBuilder<unknown>;
  /** How long an observed state lasts, in milliseconds. */
  readonly holdsMs: number;
}

/**
 * A query for the observed time of targets, from observations: rows of `target_no`, `up`, `begins_ms` and `ends_ms`
 * since 1970 that do not overlap. An observed state lasts until the next one, up to `holdsMs`, and never beyond
 * `until`. A state from before `since` counts from `since` on. Of two observations in the same millisecond, down wins.
 */
function observedSpans({ targets, since, until, holdsMs }: SpanOptions): RawBuilder<unknown> {
  const holds = sql`${holdsMs}::double precision * interval '1 millisecond'`;
  return sql`
    select target_no, up, (extract(epoch from begins) * 1000)::bigint as begins_ms,
      (extract(epoch from ends) * 1000)::bigint as ends_ms
    from (
      select target_no, up, greatest(at, ${since}) as begins,
        least(
          coalesce(lead(at) over (partition by target_no order by at, up desc), ${until}), at + ${holds}, ${until}
        ) as ends
      from observations
      where ${targets} and up is not null and at > ${since} - ${holds} and at < ${until}
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
