import { sql } from 'kysely';
import type { Db } from './open-store.ts';

/**
 * Lets go of rows that are dead, and of the lists of new ones that the indexes of words keep, and counts anew what the
 * planner goes by: after many rows were written. The embedded database does nothing of it by itself.
 */
export async function tidyStore(db: Db): Promise<void> {
  for (const table of ['entries', 'entry_details', 'capabilities', 'results', 'observations'] as const)
    await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
}
