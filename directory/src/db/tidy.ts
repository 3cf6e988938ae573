import { sql } from 'kysely';
import type { Db } from './tables.ts';

const TABLES = [
  'entries',
  'entry_details',
  'capabilities',
  'results',
  'observations',
  'entry_changes',
  'observed_days',
] as const;

/**
 * Removes dead rows, and updates the statistics of the planner. Needed after large writes, because the embedded database
 * does not vacuum automatically.
 */
export async function tidyStore(db: Db): Promise<void> {
  for (const table of TABLES) await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
}

/** The same for the jobs: their rows are short-lived, and every fetch reads past the dead ones. */
export async function tidyJobs(db: Db): Promise<void> {
  await sql`vacuum (analyze) pgboss.job`.execute(db);
  await sql`vacuum (analyze) pgboss.archive`.execute(db);
}
