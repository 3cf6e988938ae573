import type { Json, JsonObject } from '../../model/json.ts';
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

/** What is kept by now, if it was read after `readAt`. */
export async function capabilitiesSince(
  db: Db,
  { id, endpoint }: Place,
  readAt: Date | null,
): Promise<{ readonly record: Json; readonly readAt: Date } | null> {
  const row = await db
    .selectFrom('entries')
    .select(['capabilities', 'capabilities_at'])
    .where('id', '=', id)
    .where('endpoint', '=', endpoint)
    .executeTakeFirst();
  if (row === undefined || row.capabilities === null || row.capabilities_at === null) return null;
  if (readAt !== null && row.capabilities_at <= readAt) return null;
  return { record: JSON.parse(row.capabilities) as Json, readAt: row.capabilities_at };
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
