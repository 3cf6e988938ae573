import { sql } from 'kysely';
import { DAY_MS, UPTIME_DAYS } from './observations.ts';
import type { Db } from './open-store.ts';
import { observedSpans } from './spans.ts';

export interface DayUptime {
  /** `2026-11-22`, UTC. */
  readonly date: string;
  /** Percentage of the observed time of the day; null without observed time. */
  readonly uptime: number | null;
}

/** Today and the 29 days before it, the oldest first. */
export async function uptimeByDay(
  db: Db,
  entryId: string,
  { now, holdsMs }: { readonly now: Date; readonly holdsMs: number },
): Promise<readonly DayUptime[]> {
  const today = Math.floor(now.getTime() / DAY_MS);
  const first = today - UPTIME_DAYS + 1;
  // Days are counted from 1970, so that the time zone of the database does not matter.
  const dayMs = sql`${DAY_MS}::bigint`;
  const { rows } = await sql<{ day: number; uptime: number }>`
    select day, (100.0 * (1 - sum(case when up then 0 else ms end)::double precision / sum(ms)))::double precision as uptime from (
      select up, day, least(ends_ms, (day + 1) * ${dayMs}) - greatest(begins_ms, day * ${dayMs}) as ms
      from (
        select up, (extract(epoch from begins) * 1000)::bigint as begins_ms,
          (extract(epoch from ends) * 1000)::bigint as ends_ms
        from (${observedSpans({ entryId, since: new Date(first * DAY_MS), now, holdsMs })}) as spans
      ) as measured
      cross join lateral generate_series(begins_ms / ${dayMs}, ends_ms / ${dayMs}) as day
    ) as parts where ms > 0 group by day`.execute(db);
  const known = new Map(rows.map(({ day, uptime }) => [day, Math.min(100, Math.max(0, uptime))]));
  return Array.from({ length: UPTIME_DAYS }, (_, index) => ({
    date: new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
    uptime: known.get(first + index) ?? null,
  }));
}
