import { type RawBuilder, sql } from 'kysely';

export interface SpanOptions {
  readonly entryId: string;
  readonly since: Date;
  readonly now: Date;
  /** How long an observed state lasts, in milliseconds. */
  readonly holdsMs: number;
}

/**
 * A query for the observed time of an entry: rows of `up`, `begins` and `ends` that do not overlap. An observed state
 * lasts until the next one, up to `holdsMs`, and never beyond `now`. A state from before `since` counts from `since`
 * on. Of two observations in the same millisecond, down wins.
 */
export function observedSpans({ entryId, since, now, holdsMs }: SpanOptions): RawBuilder<unknown> {
  const holds = sql`${holdsMs}::double precision * interval '1 millisecond'`;
  return sql`
    select up, begins, ends from (
      select up, greatest(at, ${since}::timestamptz) as begins,
        least(coalesce(lead(at) over (order by at, up desc), ${now}::timestamptz), at + ${holds}) as ends
      from observations
      where entry_id = ${entryId} and up is not null
        and at > ${since}::timestamptz - ${holds} and at <= ${now}::timestamptz
    ) as held where ends > begins`;
}
