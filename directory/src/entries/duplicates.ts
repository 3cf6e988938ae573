import { allRows } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

/** How many entries of one endpoint are named. */
const MAX_NAMED = 20;

/** The ids of the other entries with the same endpoint, however it is written. */
export async function sharingEndpoint(db: Db, endpoint: string, id: string): Promise<readonly string[]> {
  const rows = await allRows<{ id: string }>(db)`
    select id from entries where endpoint_key = endpoint_key(${endpoint}) and id <> ${id}
    order by id limit ${MAX_NAMED}`;
  return rows.map(({ id: other }) => other);
}

/**
 * The given entries whose endpoint is that of an entry with another id. Not those that have this endpoint already: a copy
 * that was added when the policy allowed it must not keep the author of the first one from changing it.
 */
export function duplicatesOf(
  db: Db,
  entries: readonly { readonly id: string; readonly endpoint: string }[],
): Promise<readonly { readonly id: string; readonly known: string }[]> {
  return allRows<{ id: string; known: string }>(db)`
    with given as (
      select id, endpoint_key(endpoint) as key
      from unnest(${entries.map(({ id }) => id)}::text[], ${entries.map(({ endpoint }) => endpoint)}::text[])
        as given (id, endpoint)
    )
    select given.id, min(known.id) as known from given
    join (select id, endpoint_key as key from entries union all select id, key from given) as known
      on known.key = given.key and known.id <> given.id
      -- An entry that the same files move to another endpoint.
      and not exists (select from given as moved where moved.id = known.id and moved.key <> known.key)
    where not exists (select from entries as own where own.id = given.id and own.endpoint_key = given.key)
    group by given.id order by given.id`;
}
