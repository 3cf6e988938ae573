import type { JsonObject } from '../../model/json.ts';
import type { Entry } from './entries.ts';
import type { Db } from './open-store.ts';

type Place = Pick<Entry, 'id' | 'endpoint'>;

/** Keeps the body of a good answer of /capabilities, unless the entry has got another endpoint meanwhile. */
export async function storeCapabilities(
  db: Db,
  { id, endpoint }: Place,
  record: JsonObject,
  readAt: Date,
): Promise<void> {
  await db
    .updateTable('entries')
    .set({ capabilities: JSON.stringify(record), capabilities_at: readAt })
    .where('id', '=', id)
    .where('endpoint', '=', endpoint)
    .execute();
}

/** Lets the next look at the capabilities read them anew, unless somebody did since `readAt`. */
export async function distrustCapabilities(db: Db, { id, endpoint }: Place, readAt: Date): Promise<void> {
  await db
    .updateTable('entries')
    .set({ capabilities_at: null })
    .where('id', '=', id)
    .where('endpoint', '=', endpoint)
    .where('capabilities_at', '<=', readAt)
    .execute();
}
