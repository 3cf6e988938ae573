import { sql } from 'kysely';
import type { ChangeKind, DirectoryChange, LastContractChange, ServerRecord } from 'probity/model';
import { allRows, oneRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { RECORD, RECORD_COLUMNS, type RecordRow, recordOf } from './entry-record.ts';

/** A place in the order of changes. */
export interface FeedPosition {
  /** Identifies the order: another database, or a restored one, has another. */
  readonly feed: string;
  readonly transaction: string;
  readonly id: string;
}

/** The position is of another database, or so old that removals after it are no longer known. */
export class UnknownPosition extends Error {}

/** How long the removal of an entry is kept. */
export const REMOVALS_KEPT_DAYS = 90;

interface ContractRow {
  readonly contract_changed_at: Date | null;
  readonly contract_worst: ChangeKind | null;
  readonly contract_suspicious: boolean | null;
  readonly contract_changes: number | null;
}

interface ChangeRow extends ContractRow {
  readonly changed_in: string | null;
  readonly entry_id: string | null;
  readonly removed: boolean | null;
  readonly changed_at: Date | null;
  readonly feed: string;
  readonly isComplete: boolean;
}

/**
 * The changes after a position, in the order of their transactions, each entry once: its last change. Null: everything
 * that is listed.
 *
 * Transactions commit in any order. Only changes of transactions that are older than every running one are returned, so
 * that no later commit can add a change before a position.
 */
export async function readChanges(db: Db, after: FeedPosition | null, limit: number) {
  const { transaction, id } = after ?? { transaction: '0', id: '' };
  const rows = await allRows<ChangeRow & { [Column in keyof RecordRow]: RecordRow[Column] | null }>(db)`
    with page as (
      select changed_in, entry_id, removed, changed_at from entry_changes
      where (changed_in, entry_id) > (${transaction}::xid8, ${id}::text collate "C")
        and changed_in < pg_snapshot_xmin(pg_current_snapshot())
        ${after === null ? sql`and not removed` : sql``}
      order by changed_in, entry_id limit ${limit + 1}
    )
    select change_feed.id as feed, known_since <= ${transaction}::xid8 as "isComplete",
      page.changed_in::text, page.entry_id, page.removed, page.changed_at,
      last_contract.seen_at as contract_changed_at, last_contract.worst as contract_worst,
      last_contract.is_suspicious as contract_suspicious, last_contract.change_count as contract_changes,
      ${sql.join(RECORD_COLUMNS.map((column) => sql.ref(`record.${column}`)))}
    from change_feed left join page on true
    left join (select * from entries join entry_details on entry_id = id) as record on record.id = page.entry_id
    left join lateral (
      select seen_at, worst, is_suspicious, change_count from contracts
      where contracts.entry_id = page.entry_id and worst is not null order by seen_at desc limit 1
    ) as last_contract on true
    order by page.changed_in, page.entry_id`;
  const [first] = rows;
  if (first === undefined) throw new Error('the statement that reads changes returned no row');
  if (after !== null && (after.feed !== first.feed || !first.isComplete)) throw new UnknownPosition();
  const found = rows.flatMap((row) => {
    const { changed_in, entry_id, removed, changed_at } = row;
    if (changed_in === null || entry_id === null || changed_at === null) return [];
    const change: DirectoryChange =
      removed === true
        ? { kind: 'removed', id: entry_id, removedAt: changed_at.toISOString() }
        : { kind: 'changed', server: recordOf(row as RecordRow) as ServerRecord, ...contractOfRow(row) };
    return [{ change, position: { feed: first.feed, transaction: changed_in, id: entry_id } }];
  });
  const page = found.slice(0, limit);
  const next: FeedPosition = page.at(-1)?.position ?? after ?? { feed: first.feed, transaction, id };
  return {
    changes: page.map(({ change }) => change),
    /** Where the next page begins. */
    next,
    hasMore: found.length > limit,
  };
}

function contractOfRow(row: ContractRow): { readonly contract?: LastContractChange } {
  const { contract_changed_at: at, contract_worst: worst } = row;
  if (at === null || worst === null) return {};
  return {
    contract: {
      changedAt: at.toISOString(),
      worst,
      isSuspicious: row.contract_suspicious === true,
      changeCount: row.contract_changes ?? 0,
    },
  };
}

/** The position of now: every change that is not visible now comes after it. */
export async function currentPosition(db: Db): Promise<FeedPosition> {
  const now = await oneRow<Omit<FeedPosition, 'id'>>(db)`
    select id as feed, pg_snapshot_xmin(pg_current_snapshot())::text as transaction from change_feed`;
  return { ...now, id: '' };
}

/** Listed records in the order of their ids, after an id. */
export async function recordsAfter(db: Db, id: string, limit: number): Promise<readonly ServerRecord[]> {
  const rows = await allRows<RecordRow>(db)`
    select ${RECORD}
    from (select * from entries where decision = 'list' and id > ${id} order by id limit ${limit}) as entries
    join entry_details on entry_id = id order by id`;
  return rows.map((row) => recordOf(row) as ServerRecord);
}

/** Forgets old removals. Positions before them are no longer valid. */
export async function purgeRemovals(db: Db): Promise<void> {
  await run(db)`
    with deleted as (
      delete from entry_changes
      where removed and changed_at < now() - ${REMOVALS_KEPT_DAYS} * interval '1 day'
      returning changed_in
    )
    update change_feed
    set known_since = greatest(known_since, ((select max(changed_in) from deleted)::text::bigint + 1)::text::xid8)
    where exists (select from deleted)`;
}
