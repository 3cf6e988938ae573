import { sql } from 'kysely';
import { run } from './rows.ts';
import type { Db } from './tables.ts';

const TABLES = [
  'entries',
  'entry_details',
  'capabilities',
  'results',
  'observations',
  'entry_changes',
  'observed_days',
  'registry_servers',
] as const;

/**
 * Removes dead rows, and updates the statistics of the planner. Needed after large writes, because the embedded database
 * does not vacuum automatically.
 */
export async function tidyStore(db: Db): Promise<void> {
  for (const table of TABLES) await run(db)`vacuum (analyze) ${sql.table(table)}`;
}

/** The same for the jobs: their rows are short-lived, and every fetch reads past the dead ones. */
export async function tidyJobs(db: Db): Promise<void> {
  await run(db)`vacuum (analyze) pgboss.job`;
  await run(db)`vacuum (analyze) pgboss.archive`;
}
