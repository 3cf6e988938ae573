import type { Json, JsonObject } from 'probity/model';
import { firstRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { Entry } from './entries.ts';

type Place = Pick<Entry, 'id' | 'endpoint'>;

/** Stores a valid answer of /capabilities, unless the entry has another endpoint by now. */
export async function storeCapabilities(
  db: Db,
  { id, endpoint }: Place,
  record: JsonObject,
  readAt: Date,
): Promise<void> {
  await run(db)`
    insert into capabilities (entry_id, endpoint, body, read_at)
    select id, endpoint, ${JSON.stringify(record)}, ${readAt} from entries where id = ${id} and endpoint = ${endpoint}
    -- The foreign key would break if the entry was removed at this moment.
    for key share
    on conflict (entry_id) do update set
      endpoint = excluded.endpoint, body = excluded.body, read_at = excluded.read_at`;
}

/** The stored capabilities, if they were read after `readAt`. */
export async function capabilitiesSince(
  db: Db,
  { id, endpoint }: Place,
  readAt: Date | null,
): Promise<{ readonly record: Json; readonly readAt: Date } | null> {
  const row = await firstRow<{ body: string; readAt: Date }>(db)`
    select body, read_at as "readAt" from capabilities
    where entry_id = ${id} and endpoint = ${endpoint} and read_at is not null`;
  // Compared here, because the database has microseconds.
  if (row === null || (readAt !== null && row.readAt <= readAt)) return null;
  return { record: JSON.parse(row.body) as Json, readAt: row.readAt };
}

/** Makes the next caller read the capabilities again, unless they were read after `readAt`. */
export async function markCapabilitiesOutdated(db: Db, { id, endpoint }: Place, readAt: Date): Promise<void> {
  await run(db)`
    update capabilities set read_at = null
    where entry_id = ${id} and endpoint = ${endpoint} and read_at <= ${readAt}`;
}
