import { sql } from 'kysely';
import { MIN_SAMPLES, type OperationTimes } from 'probity/model';
import { observedTimes, targetNoOf } from './observations.ts';
import type { Db } from './open-store.ts';

/** The response times of the successful calls of today and of the seven days before (UTC), by operation. */
export async function responseTimesOf(
  db: Db,
  entryId: string,
  now: Date,
): Promise<readonly OperationTimes[]> {
  const { rows } = await sql<Required<OperationTimes>>`
    select operation, count(*) as count, min(us) / 1000.0::double precision as "minMs",
      max(us) / 1000.0::double precision as "maxMs",
      percentile_disc(0.5) within group (order by us) / 1000.0::double precision as "p50Ms",
      percentile_disc(0.9) within group (order by us) / 1000.0::double precision as "p90Ms",
      percentile_disc(0.95) within group (order by us) / 1000.0::double precision as "p95Ms",
      percentile_disc(0.99) within group (order by us) / 1000.0::double precision as "p99Ms"
    from (${observedTimes(targetNoOf(entryId), now)}) as times
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
