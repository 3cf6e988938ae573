import { sql } from 'kysely';
import { allRows, oneRow } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

/** What has a public page of its own: a listed entry, or a server of the registry without an entry, such as a package. */
export interface PublicPage {
  /** The id of the entry, or the name of the server. */
  readonly name: string;
  readonly isEntry: boolean;
  /** When something of it changed that readers follow. */
  readonly changedAt: Date;
}

const WITHOUT_ENTRY = `is_followed and is_latest and state = 'shown' and status <> 'deleted' and entry_id is null`;

export async function countPublicPages(db: Db): Promise<number> {
  const { count } = await oneRow<{ count: number }>(db)`
    select (select count(*) from entries where decision = 'list')::integer
      + (select count(*) from registry_servers where ${sql.raw(WITHOUT_ENTRY)})::integer as count`;
  return count;
}

/** The entries come first. */
export function readPublicPages(db: Db, offset: number, limit: number): Promise<readonly PublicPage[]> {
  return allRows<PublicPage>(db)`
    select page.name, "isEntry", coalesce(updated, greatest(added_at, listed_at, status_at, (
      select max(seen_at) from contracts where contracts.entry_id = page.name and worst is not null
    ))) as "changedAt"
    from (
      select id as name, true as "isEntry", null::timestamptz as updated from entries where decision = 'list'
      union all
      select name, false, updated_at from registry_servers where ${sql.raw(WITHOUT_ENTRY)}
      order by "isEntry" desc, name offset ${offset} limit ${limit}
    ) as page
    left join entry_details on "isEntry" and entry_details.entry_id = page.name
    order by "isEntry" desc, page.name`;
}
