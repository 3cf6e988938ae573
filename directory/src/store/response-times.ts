import { sql } from 'kysely';
import { MIN_SAMPLES, type OperationTimes } from 'probity/model';
import { DAY_MS, RESPONSE_TIME_DAYS } from './observations.ts';
import type { Db } from './open-store.ts';

/** The response times of the successful calls of the last 7 days, by operation. */
export async function responseTimesOf(
  db: Db,
  entryId: string,
  now: Date,
): Promise<readonly OperationTimes[]> {
  const { rows } = await sql<Required<OperationTimes>>`
    select operation, count(*) as count, min(duration_ms) as "minMs", max(duration_ms) as "maxMs",
      percentile_disc(0.5) within group (order by duration_ms) as "p50Ms",
      percentile_disc(0.9) within group (order by duration_ms) as "p90Ms",
      percentile_disc(0.95) within group (order by duration_ms) as "p95Ms",
      percentile_disc(0.99) within group (order by duration_ms) as "p99Ms"
    from observations
    where entry_id = ${entryId} and duration_ms is not null
      and at > ${new Date(now.getTime() - RESPONSE_TIME_DAYS * DAY_MS)} and at <= ${now}
    group by operation`.execute(db);
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
