import { type RawBuilder, sql } from 'kysely';

export interface SpansWanted {
  readonly entryId: string;
  readonly since: Date;
  readonly now: Date;
  /** How long an observation says something, in milliseconds. */
  readonly holdsMs: number;
}

/**
 * A query for the observed time of an entry: rows of `up`, `begins`, `ends`, none of which overlap. Each observation that
 * tells holds until the next one, at most `holdsMs`, and never beyond `now`; what began before `since` counts from then
 * on. Of two in the same millisecond, the one that says down holds.
 */
export function observedSpans({ entryId, since, now, holdsMs }: SpansWanted): RawBuilder<unknown> {
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
