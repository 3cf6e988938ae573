import { sql } from 'kysely';
import type { Db } from './open-store.ts';

/**
 * Removes dead rows, merges new rows into the word indexes, and updates the statistics of the planner. Needed after
 * large writes, because the embedded database does not vacuum automatically.
 */
export async function tidyStore(db: Db): Promise<void> {
  for (const table of ['entries', 'entry_details', 'capabilities', 'results', 'observations'] as const)
    await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
}
