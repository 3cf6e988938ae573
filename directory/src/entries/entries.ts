import { type Selectable, sql } from 'kysely';
import type { Listing, ListingDecision, ListingJudgement, ListingRow } from 'probity/model';
import type { Db } from '../db/open-store.ts';
import type { EntriesTable, EntryDetailsTable } from '../db/tables.ts';
import { isUnchanged, keepKnown, readKnown } from './known-entries.ts';
import { type ShownClaims, shownClaims } from './shown-claims.ts';
import { indexedColumns, labelKey } from './words.ts';

/** An entry of the directory, listed or not. */
export interface Entry
  extends Pick<Selectable<EntriesTable>, (typeof ENTRY_COLUMNS)[number]>,
    Pick<Selectable<EntryDetailsTable>, (typeof DETAILS_COLUMNS)[number]> {
  readonly judgement: readonly ListingRow[];
  readonly listing: Listing;
  /** The last valid answer of /capabilities of this endpoint; null without one. */
  readonly capabilities: unknown;
  /** Null also when the capabilities are marked as outdated. */
  readonly capabilities_at: Date | null;
}

/** What a request to the target of an entry needs. */
export type EntryTarget = Pick<Entry, 'id' | 'endpoint' | 'listing'>;

const ENTRY_COLUMNS = [
  'id',
  'endpoint',
  'uptime',
  'response_time_ms',
  'figures_claimed',
  'audited',
  'open_source',
  'status',
  'decision',
] as const satisfies readonly (keyof EntriesTable)[];

const DETAILS_COLUMNS = [
  'name',
  'description',
  'category',
  'tags',
  'transport',
  'protocol',
  'decided_by',
  'last_updated',
  'added_at',
  'next_probe_at',
  'next_test_at',
] as const satisfies readonly (keyof EntryDetailsTable)[];

/** Entries with their details and, if they are those of the current endpoint, their capabilities. */
export function entriesWithCapabilities(db: Db) {
  return db
    .selectFrom('entries')
    .innerJoin('entry_details as details', 'details.entry_id', 'entries.id')
    .leftJoin('capabilities', (join) =>
      join
        .onRef('capabilities.entry_id', '=', 'entries.id')
        .onRef('capabilities.endpoint', '=', 'entries.endpoint'),
    );
}

export async function readEntry(db: Db, id: string): Promise<Entry | null> {
  const row = await entriesWithCapabilities(db)
    .select(ENTRY_COLUMNS.map((column) => `entries.${column}` as const))
    .select(DETAILS_COLUMNS)
    .select([
      'judgement',
      'listing',
      'capabilities.body as capabilities',
      'capabilities.read_at as capabilities_at',
    ])
    .where('entries.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    ...row,
    judgement: JSON.parse(row.judgement) as readonly ListingRow[],
    listing: JSON.parse(row.listing) as Listing,
    capabilities: row.capabilities === null ? null : JSON.parse(row.capabilities),
  };
}

export async function readTarget(db: Db, id: string): Promise<EntryTarget | null> {
  const row = await db
    .selectFrom('entries')
    .innerJoin('entry_details as details', 'details.entry_id', 'entries.id')
    .select(['entries.id', 'entries.endpoint', 'details.listing'])
    .where('entries.id', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, listing: JSON.parse(row.listing) as Listing };
}

/** The decision on a new entry. */
export interface FirstDecision {
  readonly decision: ListingDecision;
  readonly decidedBy: Entry['decided_by'];
  readonly rows: readonly ListingRow[];
}

export interface NewEntry {
  readonly listing: Listing;
  readonly first: FirstDecision;
}

/**
 * Adds entries, or replaces their listings: all of them, or none. With another endpoint, an entry begins anew. With the
 * same one, its observations are kept, and it stays listed until its next test; an identical listing changes nothing.
 * Returns the decision on each entry.
 */
export async function putEntries(
  db: Db,
  entries: readonly NewEntry[],
  now: Date,
): Promise<ReadonlyMap<string, ListingDecision>> {
  const decisions = new Map<string, ListingDecision>();
  if (entries.length === 0) return decisions;
  const given = entries.map(({ listing, first }) => ({
    ...columnsOf(listing, shownClaims(listing, first.rows, null)),
    uptime: listing.uptime ?? null,
    response_time_ms: listing.responseTime ?? null,
    decision: first.decision,
    decided_by: first.decidedBy,
    judgement: JSON.stringify(first.rows),
  }));
  await inTransaction(db, async (transaction) => {
    const ids = given.map(({ id }) => id);
    // A separate statement: the next one sees everything that was written while this one waited for the lock.
    await lockEntries(transaction, ids);
    const known = await readKnown(transaction, ids);
    const merged = given.map((row) => keepKnown(row, known.get(row.id)));
    for (const { id, decision } of merged) decisions.set(id, decision);
    const changed = merged.filter((row) => !isUnchanged(row, known.get(row.id)));
    if (changed.length > 0) await putRows(transaction, changed, now);
  });
  return decisions;
}

async function putRows(db: Db, rows: readonly object[], now: Date): Promise<void> {
  const keepsFigures = sql`entries.endpoint = excluded.endpoint and not entries.figures_claimed`;
  await sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (
        id text, name text, sort_name text, description text, category text, category_key text, tags text[],
        tag_keys text[], transport text[], speaks_http boolean, speaks_websocket boolean, audited boolean,
        open_source boolean, endpoint text, uptime double precision, response_time_ms double precision, words text[],
        name_words text[], decision text, decided_by text, judgement text, listing text, protocol text
      )
    ), moved as (
      select entries.id from entries join given on given.id = entries.id where given.endpoint <> entries.endpoint
    ), deleted_results as (
      delete from results where entry_id in (select id from moved)
    ), put as (
      insert into entries (
        id, endpoint, sort_name, category_key, tag_keys, speaks_http, speaks_websocket, audited, open_source, uptime,
        response_time_ms, figures_claimed, status, words, name_words, decision
      )
      select
        id, endpoint, sort_name, category_key, tag_keys, speaks_http, speaks_websocket, audited, open_source, uptime,
        response_time_ms, true, 'unknown', words, name_words, decision
      from given order by id
      on conflict (id) do update set
        endpoint = excluded.endpoint, sort_name = excluded.sort_name, category_key = excluded.category_key,
        tag_keys = excluded.tag_keys, speaks_http = excluded.speaks_http,
        speaks_websocket = excluded.speaks_websocket, audited = excluded.audited, open_source = excluded.open_source,
        words = excluded.words, name_words = excluded.name_words, decision = excluded.decision,
        uptime = case when ${keepsFigures} then entries.uptime else excluded.uptime end,
        response_time_ms = case when ${keepsFigures} then entries.response_time_ms else excluded.response_time_ms end,
        status = case when ${keepsFigures} then entries.status else 'unknown' end,
        figures_claimed = not (${keepsFigures}),
        target_no = case when entries.endpoint = excluded.endpoint then entries.target_no else excluded.target_no end
      returning id
    )
    insert into entry_details (
      entry_id, name, description, category, tags, transport, protocol, listing, judgement, decided_by, added_at,
      last_updated, next_probe_at, next_test_at
    )
    select
      id, name, description, category, tags, transport, protocol, listing, judgement, decided_by, ${now}, ${now},
      ${now}, ${now}
    from put join given using (id)
    on conflict (entry_id) do update set
      name = excluded.name, description = excluded.description, category = excluded.category, tags = excluded.tags,
      transport = excluded.transport, protocol = excluded.protocol, listing = excluded.listing, judgement = excluded.judgement,
      decided_by = excluded.decided_by, last_updated = excluded.last_updated,
      next_probe_at = excluded.next_probe_at, next_test_at = excluded.next_test_at`.execute(db);
}

/**
 * Locks entries in the order of their ids, and in the strongest mode at once. Another order, or a later upgrade of the
 * lock, could cause a deadlock.
 */
export async function lockEntries(db: Db, ids: readonly string[]): Promise<void> {
  await sql`select from entries where id = any(${[...ids]}::text[]) order by id for update`.execute(db);
}

function inTransaction(db: Db, work: (transaction: Db) => Promise<void>): Promise<void> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** The given ids that exist in the directory. */
export async function existingIds(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from entries where id = any(${[...ids]}::text[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The given ids that differ from the id of another entry only in case and punctuation. */
export async function lookAlikes(db: Db, ids: readonly string[]): Promise<readonly LookAlike[]> {
  const { rows } = await sql<LookAlike>`
    select given.id, entries.id as known
    from unnest(${[...ids]}::text[]) as given (id)
    join entries on entries.id_key = regexp_replace(upper(given.id), '[^A-Z0-9]', '_', 'g')
    where entries.id <> given.id`.execute(db);
  return rows;
}

export interface LookAlike {
  readonly id: string;
  readonly known: string;
}

/** Removes entries. Their observations are no longer read, and are deleted with their day. */
export async function removeEntries(db: Db, ids: readonly string[]): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await lockEntries(transaction, ids);
    await sql`delete from entries where id = any(${[...ids]}::text[])`.execute(transaction);
  });
}

/** Stores the decision of the listing checks, unless the operator decided otherwise, and hides the claims that a check contradicts. */
export async function storeJudgement(
  db: Db,
  id: string,
  { decision, rows }: ListingJudgement,
  { audited, openSource, transport }: ShownClaims,
): Promise<void> {
  await db
    .updateTable('entries')
    .set({
      decision: sql<ListingDecision>`
        coalesce((select operator_decision from entry_details where entry_id = ${id}), ${decision})`,
      audited,
      open_source: openSource,
      ...transportColumns(transport),
    })
    .where('id', '=', id)
    .execute();
  await db
    .updateTable('entry_details')
    .set({
      transport: [...transport],
      decided_by: sql<
        Entry['decided_by']
      >`case when operator_decision is null then 'checks' else 'operator' end`,
      judgement: JSON.stringify(rows),
    })
    .where('entry_id', '=', id)
    .execute();
}

function transportColumns(transport: ShownClaims['transport']) {
  return { speaks_http: transport.includes('http'), speaks_websocket: transport.includes('websocket') };
}

function columnsOf(listing: Listing, claims: ShownClaims) {
  const { id, name, description, category, tags, endpoint, protocol = null } = listing;
  return {
    id,
    name,
    sort_name: labelKey(name),
    description,
    category,
    category_key: labelKey(category),
    tags,
    tag_keys: [...new Set(tags.map(labelKey))],
    transport: claims.transport,
    ...transportColumns(claims.transport),
    audited: claims.audited,
    open_source: claims.openSource,
    endpoint,
    protocol,
    ...indexedColumns(listing),
    listing: JSON.stringify(listing),
  };
}
