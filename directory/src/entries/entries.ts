// The folder `entries` stores the listings (`put-entries.ts`), the decisions on them, and the results of their tests. Other
// folders read entries here; mirrors follow their changes with `change-feed.ts`.

import { type Selectable, sql } from 'kysely';
import type { Listing, ListingJudgement, ListingRow } from 'probity/model';
import { allRows, firstRow, run } from '../db/rows.ts';
import type { Db, Doubt, EntriesTable, EntryDetailsTable, Gate } from '../db/tables.ts';
import { RECORD, type RecordRow } from './entry-record.ts';
import type { ShownClaims } from './shown-claims.ts';

/** An entry of the directory, listed or not. */
export interface Entry
  extends RecordRow,
    Pick<Selectable<EntriesTable>, 'decision' | 'awaits_figures'>,
    Pick<EntryDetailsTable, 'decided_by' | 'added_at' | 'next_probe_at' | 'next_test_at'> {
  readonly public_reason: string | null;
  /** Why it is paused, for everybody. */
  readonly pause_reason: string | null;
  /** While it is paused; null: until somebody resumes it. */
  readonly paused_until: Date | null;
  readonly gate: Gate | null;
  /** Why it is undecided. */
  readonly missing: readonly string[];
  readonly doubt: Doubt | null;
  /** False: its author refuses tests, and the policy lets authors do so. */
  readonly accepts_tests: boolean;
  readonly judgement: readonly ListingRow[];
  readonly listing: Listing;
  /** The last valid answer of /capabilities of this endpoint; null without one. */
  readonly capabilities: unknown;
  /** Null also when the capabilities are marked as outdated. */
  readonly capabilities_at: Date | null;
}

/** What a request to the target of an entry needs. */
export type EntryTarget = Pick<Entry, 'id' | 'endpoint' | 'listing'>;

/** Entries with their details and, if they are those of the current endpoint, their capabilities. */
export const ENTRIES_WITH_CAPABILITIES = sql`
  entries join entry_details on entry_details.entry_id = entries.id
  left join lateral (
    select body as capabilities, read_at as capabilities_at from capabilities
    where capabilities.entry_id = entries.id and capabilities.endpoint = entries.endpoint
  ) as known on true`;

type JsonColumn = 'judgement' | 'listing' | 'capabilities' | 'gate' | 'missing' | 'doubt';

export async function readEntry(db: Db, id: string): Promise<Entry | null> {
  return (await readEntries(db, [id])).get(id) ?? null;
}

/** The given entries that exist, by id. */
export async function readEntries(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
  const rows = await allRows<EntryRow>(db)`
    select ${RECORD}, decision, awaits_figures, decided_by, added_at, next_probe_at, next_test_at, accepts_tests, public_reason,
      pause_reason, paused_until, coalesce(gate, 'null') as gate, missing, coalesce(doubt, 'null') as doubt, judgement, listing,
      coalesce(capabilities, 'null') as capabilities, capabilities_at
    from ${ENTRIES_WITH_CAPABILITIES} where id = any(${[...ids]}::text[])`;
  return new Map(rows.map((row) => [row.id, entryIn(row)]));
}

type EntryRow = Omit<Entry, JsonColumn> & Record<JsonColumn, string>;

function entryIn(row: EntryRow): Entry {
  return {
    ...row,
    judgement: JSON.parse(row.judgement) as readonly ListingRow[],
    listing: JSON.parse(row.listing) as Listing,
    capabilities: JSON.parse(row.capabilities),
    gate: JSON.parse(row.gate) as Gate | null,
    missing: JSON.parse(row.missing) as readonly string[],
    doubt: JSON.parse(row.doubt) as Doubt | null,
  };
}

export async function readTarget(db: Db, id: string): Promise<EntryTarget | null> {
  const row = await firstRow<Omit<EntryTarget, 'listing'> & { readonly listing: string }>(db)`
    select id, endpoint, listing from entries join entry_details on entry_id = id where id = ${id}`;
  return row === null ? null : { ...row, listing: JSON.parse(row.listing) as Listing };
}

/**
 * Locks entries in the order of their ids, and in the strongest mode at once. Another order, or a later upgrade of the
 * lock, could cause a deadlock.
 */
export async function lockEntries(db: Db, ids: readonly string[]): Promise<void> {
  await run(db)`select from entries where id = any(${[...ids]}::text[]) order by id for update`;
}

export function inTransaction(db: Db, work: (transaction: Db) => Promise<void>): Promise<void> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** The given ids that exist in the directory. */
export async function existingIds(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await allRows<{ id: string }>(db)`
    select id from entries where id = any(${[...ids]}::text[])`;
  return new Set(rows.map(({ id }) => id));
}

/** The given ids that differ from the id of another entry only in case and punctuation. */
export function lookAlikes(db: Db, ids: readonly string[]) {
  return allRows<{ readonly id: string; readonly known: string }>(db)`
    select given.id, entries.id as known
    from unnest(${[...ids]}::text[]) as given (id)
    join entries on entries.id_key = regexp_replace(upper(given.id), '[^A-Z0-9]', '_', 'g')
    where entries.id <> given.id`;
}

/** Removes entries. Their observations are no longer read, and are deleted with their day. */
export async function removeEntries(db: Db, ids: readonly string[]): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await lockEntries(transaction, ids);
    await run(transaction)`delete from entries where id = any(${[...ids]}::text[])`;
  });
}

/** Stores the decision of the listing checks, unless the operator decided otherwise, and hides the claims that a check contradicts. */
export async function storeJudgement(
  db: Db,
  id: string,
  { decision, rows }: ListingJudgement,
  { audited, openSource, transport }: ShownClaims,
): Promise<void> {
  await run(db)`
    update entries set
      checks_decision = ${decision}, audited = ${audited}, open_source = ${openSource}, speaks_http = ${transport.includes('http')},
      speaks_websocket = ${transport.includes('websocket')}
    where id = ${id}`;
  await run(db)`
    update entry_details set transport = ${[...transport]}, judgement = ${JSON.stringify(rows)},
      decided_by = case when operator_decision is null then 'checks' else 'operator' end
    from entries where id = entry_id and entry_id = ${id}`;
}
