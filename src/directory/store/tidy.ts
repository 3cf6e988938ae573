import { sql } from 'kysely';
import type { Db } from './open-store.ts';

/** After many rows were written at once: the embedded database does not look after its statistics by itself. */
export async function tidyStore(db: Db): Promise<void> {
  await sql`vacuum (analyze) entries`.execute(db);
}
