import { sql } from 'kysely';
import type { ChangeKind, ContractChange, ServerStatus } from 'probity/model';
import { allRows } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

/** Something of an entry that readers follow. */
export type News = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly at: Date;
} & (
  | { readonly kind: 'listed' }
  | {
      readonly kind: 'state';
      readonly status: ServerStatus;
      readonly before: ServerStatus;
      /** Why it is paused, for everybody; null also while it is not. */
      readonly pauseReason: string | null;
    }
  | {
      readonly kind: 'contract';
      readonly worst: ChangeKind;
      readonly isSuspicious: boolean;
      readonly changeCount: number;
      readonly changes: readonly ContractChange[];
    }
);

interface Row {
  readonly kind: News['kind'];
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly at: Date;
  readonly status: ServerStatus;
  readonly before: ServerStatus;
  readonly pauseReason: string | null;
  readonly worst: ChangeKind;
  readonly isSuspicious: boolean;
  readonly changeCount: number;
  readonly changes: string | null;
}

/**
 * The last news, the newest first: of all listed entries, or of one entry, listed or not. Of each entry it has when it was
 * listed for the first time, the last change of its state, and the changes of its contract.
 */
export async function readNews(db: Db, entryId: string | null, limit: number): Promise<readonly News[]> {
  const isWanted = entryId === null ? sql`decision = 'list'` : sql`entries.id = ${entryId}`;
  const rows = await allRows<Row>(db)`
    with news as (
      (
        select 'listed' as kind, entry_id, listed_at as at, null as worst, null::boolean as is_suspicious,
          null::integer as change_count, null as changes
        from entry_details join entries on entries.id = entry_id
        where listed_at is not null and ${isWanted} order by listed_at desc limit ${limit}
      ) union all (
        select 'state', entry_id, status_at, null, null, null, null
        from entry_details join entries on entries.id = entry_id
        where status_at is not null and ${isWanted} order by status_at desc limit ${limit}
      ) union all (
        select 'contract', entry_id, seen_at, worst, is_suspicious, change_count, changes
        from contracts join entries on entries.id = entry_id
        where worst is not null and ${isWanted} order by seen_at desc limit ${limit}
      )
    )
    select kind, entries.id, name, description, at, status, status_before as before,
      pause_reason as "pauseReason", worst,
      is_suspicious as "isSuspicious", change_count as "changeCount", changes
    from news join entries on entries.id = news.entry_id join entry_details on entry_details.entry_id = entries.id
    order by at desc, entries.id, kind limit ${limit}`;
  return rows.map((row): News => {
    const { kind, id, name, description, at, status, before } = row;
    const about = { id, name, description, at };
    if (kind === 'listed') return { ...about, kind };
    if (kind === 'state') return { ...about, kind, status, before, pauseReason: row.pauseReason };
    const { worst, isSuspicious, changeCount } = row;
    const changes = JSON.parse(row.changes ?? '[]') as readonly ContractChange[];
    return { ...about, kind, worst, isSuspicious, changeCount, changes };
  });
}
