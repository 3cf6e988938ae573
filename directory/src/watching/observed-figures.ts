import { MIN_SAMPLES, type OperationTimes, type ServerDetails } from 'probity/model';
import { allRows } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { observedTimes, targetNoOf } from './observations.ts';
import { DAY_HOURS, DAY_MS, type Observing, observedTime, UPTIME_DAYS } from './observed-time.ts';

/** The uptime of today and of the 29 days before, and how much of them was observed since the entry was added. */
export async function uptimeByDay(
  db: Db,
  entryId: string,
  { now, holdsMs, addedAt }: Observing & { readonly addedAt: Date },
): Promise<{ readonly days: ServerDetails['uptimeByDay']; readonly coverage: number }> {
  const today = Math.floor(now.getTime() / DAY_MS);
  const first = today - UPTIME_DAYS + 1;
  const query = observedTime(targetNoOf(entryId), first * DAY_HOURS, { now, holdsMs });
  const rows = await allRows<{ day: number; up_ms: number; down_ms: number }>(db)`${query}`;
  const known = new Map(rows.map((row) => [row.day, row]));
  const days = Array.from({ length: UPTIME_DAYS }, (_, index) => {
    const day = first + index;
    const { up_ms: upMs = 0, down_ms: downMs = 0 } = known.get(day) ?? {};
    const observedMs = upMs + downMs;
    const passedMs = Math.min(DAY_MS, now.getTime() - day * DAY_MS);
    return {
      date: new Date(day * DAY_MS).toISOString().slice(0, 10),
      uptime: observedMs === 0 ? null : (100 * upMs) / observedMs,
      coverage: passedMs === 0 ? 0 : (100 * observedMs) / passedMs,
    };
  });
  const sinceMs = Math.max(first * DAY_MS, addedAt.getTime());
  const passedMs = Math.max(1, now.getTime() - sinceMs);
  const observedMs = rows.reduce((sum, row) => sum + row.up_ms + row.down_ms, 0);
  return { days, coverage: Math.min(100, (100 * observedMs) / passedMs) };
}

/** The response times of the successful calls of today and of the seven days before (UTC), by operation. */
export async function responseTimesOf(
  db: Db,
  entryId: string,
  now: Date,
): Promise<readonly OperationTimes[]> {
  const rows = await allRows<Required<OperationTimes>>(db)`
    select operation, count(*) as count, min(us) / 1000.0::double precision as "minMs",
      max(us) / 1000.0::double precision as "maxMs",
      percentile_disc(0.5) within group (order by us) / 1000.0::double precision as "p50Ms",
      percentile_disc(0.9) within group (order by us) / 1000.0::double precision as "p90Ms",
      percentile_disc(0.95) within group (order by us) / 1000.0::double precision as "p95Ms",
      percentile_disc(0.99) within group (order by us) / 1000.0::double precision as "p99Ms"
    from (${observedTimes(targetNoOf(entryId), now)}) as times
    group by operation`;
  return OPERATIONS.flatMap((operation) => rows.filter((row) => row.operation === operation)).map(
    ({ operation, count, minMs, maxMs, ...row }) => ({
      operation,
      count,
      minMs,
      ...Object.fromEntries(
        PERCENTILES.filter((percentile) => count >= MIN_SAMPLES[percentile]).map((percentile) => [
          `${percentile}Ms`,
          row[`${percentile}Ms`],
        ]),
      ),
      maxMs,
    }),
  );
}

const OPERATIONS = ['health', 'capabilities', 'execute'] as const;
const PERCENTILES = ['p50', 'p90', 'p95', 'p99'] as const;
