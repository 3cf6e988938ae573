import {
  CHANGE_KINDS,
  type ChangeKind,
  CONTRACT_LISTS,
  type Contract,
  type ContractChange,
  type ContractVersion,
  compareContracts,
  shorten,
} from 'probity/model';
import { allRows, firstRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

// The contracts of each entry over time: one row for each change, with what it means for callers. Tests write them.

/** How many versions of an entry are kept. */
const VERSIONS_KEPT = 30;
/** A longer contract is not kept: nobody reads it, and thousands of them would fill the disk. */
const MAX_CHARACTERS = 2_000_000;
const MAX_CHANGES = 100;
const MAX_TEXT_CHARACTERS = 500;

/** Whoever holds entries on changes of either kind must not miss those of a contract that is not kept. */
const TOO_LONG: ContractChange = {
  kind: 'breaking',
  of: 'server',
  name: null,
  pointer: '',
  message: `what it offers has more than ${MAX_CHARACTERS} characters, and is not compared`,
  isSuspicious: true,
};

interface VersionRow {
  readonly seen_at: Date;
  readonly last_seen_at: Date;
  readonly worst: ChangeKind | null;
  readonly is_suspicious: boolean;
  readonly changes: string;
  readonly change_count: number;
}

/**
 * Notes the contract that a test read: a new version if it differs from the last one. Returns what changed for callers,
 * nothing for the first version; of one that is too long, only that. In the transaction `db`, after the entry is locked.
 */
export async function noteContract(
  db: Db,
  entryId: string,
  contract: Contract,
  at: Date,
): Promise<readonly ContractChange[]> {
  if (contract.unread.includes('functions')) return [];
  const last = await firstRow<{ seen_at: Date; last_seen_at: Date; contract: string }>(db)`
    select seen_at, last_seen_at, contract from contracts where entry_id = ${entryId} order by seen_at desc limit 1`;
  // An older test may end after a newer one.
  if (last !== null && last.last_seen_at >= at) return [];
  const before = last === null ? null : (JSON.parse(last.contract) as Contract);
  const now = before === null ? contract : withKnownLists(contract, before);
  const text = JSON.stringify(now);
  if (text.length > MAX_CHARACTERS) return [TOO_LONG];
  const changes = before === null || last?.contract === text ? [] : compareContracts(before, now);
  if (last !== null && changes.length === 0) {
    await run(db)`
      update contracts set last_seen_at = ${at}, contract = ${text}
      where entry_id = ${entryId} and seen_at = ${last.seen_at}`;
    return [];
  }
  await run(db)`
    insert into contracts (entry_id, seen_at, last_seen_at, contract, changes, change_count, worst, is_suspicious)
    values (${entryId}, ${at}, ${at}, ${text}, ${JSON.stringify(changes.slice(0, MAX_CHANGES).map(shortened))},
      ${changes.length}, ${worstOf(changes)}, ${changes.some(({ isSuspicious }) => isSuspicious)})`;
  await run(db)`
    delete from contracts where entry_id = ${entryId} and seen_at not in (
      select seen_at from contracts where entry_id = ${entryId} order by seen_at desc limit ${VERSIONS_KEPT}
    )`;
  return changes;
}

/** A list of which a test did not read all pages is as it was: what is missing says nothing. */
function withKnownLists(contract: Contract, before: Contract): Contract {
  const known = CONTRACT_LISTS.filter(
    (list) => contract.unread.includes(list) && !before.unread.includes(list),
  );
  return {
    ...contract,
    ...Object.fromEntries(known.map((list) => [list, before[list]])),
    unread: contract.unread.filter((list) => !known.some((one) => one === list)),
  };
}

function worstOf(changes: readonly ContractChange[]): ChangeKind | null {
  return CHANGE_KINDS.find((kind) => changes.some((change) => change.kind === kind)) ?? null;
}

/** What changed, without the values, which the contracts have. */
function shortened({ before: _, after: _after, message, name, ...rest }: ContractChange): ContractChange {
  return {
    ...rest,
    name: name === null ? null : shorten(name, MAX_TEXT_CHARACTERS),
    message: shorten(message, MAX_TEXT_CHARACTERS),
  };
}

/** The newest first. */
export async function contractVersions(db: Db, entryId: string): Promise<readonly ContractVersion[]> {
  const rows = await allRows<VersionRow>(db)`
    select seen_at, last_seen_at, worst, is_suspicious, changes, change_count
    from contracts where entry_id = ${entryId} order by seen_at desc`;
  return rows.map((row) => ({
    seenAt: row.seen_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    worst: row.worst,
    isSuspicious: row.is_suspicious,
    changeCount: row.change_count,
    changes: JSON.parse(row.changes) as readonly ContractChange[],
  }));
}

/** The text of the contract that held at a time, or of the last one. Null if none is known. */
export async function contractAt(db: Db, entryId: string, at: Date | null): Promise<string | null> {
  const row = await firstRow<{ contract: string }>(db)`
    select contract from contracts where entry_id = ${entryId} and (${at}::timestamptz is null or seen_at <= ${at})
    order by seen_at desc limit 1`;
  return row?.contract ?? null;
}
