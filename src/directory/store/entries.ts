import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Listing, ListingDecision, ListingRow, ServerRecord } from '../../model/listing.ts';
import type { SearchQuery } from '../search-query.ts';
import { type ShownClaims, shownClaims } from '../shown-claims.ts';
import { labelKey, prefixQuery, wordsOf } from '../words.ts';
import type { Db } from './open-store.ts';
import type { EntriesTable } from './tables.ts';

type EntryRow = Omit<
  Selectable<EntriesTable>,
  'id_key' | 'words' | 'name_words' | 'sort_name' | 'category_key' | 'tag_keys'
>;

/** An entry of the directory, listed or not. */
export type Entry = Omit<EntryRow, 'judgement' | 'listing' | 'capabilities'> & {
  readonly judgement: readonly ListingRow[];
  readonly listing: Listing;
  readonly capabilities: unknown;
};

export interface FoundRecords {
  readonly servers: readonly ServerRecord[];
  readonly total: number;
}

const RECORD_COLUMNS = [
  'id',
  'name',
  'description',
  'category',
  'tags',
  'transport',
  'uptime',
  'response_time_ms',
  'last_updated',
  'audited',
  'open_source',
  'endpoint',
] as const satisfies readonly (keyof EntriesTable)[];

const ENTRY_COLUMNS = [
  ...RECORD_COLUMNS,
  'speaks_http',
  'speaks_websocket',
  'figures_claimed',
  'decision',
  'decided_by',
  'judgement',
  'listing',
  'status',
  'capabilities',
  'capabilities_at',
  'added_at',
  'next_probe_at',
  'next_test_at',
] as const satisfies readonly (keyof EntriesTable)[];

type RecordRow = Pick<Selectable<EntriesTable>, (typeof RECORD_COLUMNS)[number]>;

/**
 * The listed entries that fit, in the order of their names; for a text, those whose names hold all of its words come
 * first (specification, section 4.1). One statement, so that total and page are of the same moment.
 */
export async function searchEntries(db: Db, query: SearchQuery): Promise<FoundRecords> {
  const order =
    query.words === null
      ? sql`sort_name, id`
      : sql`(name_words @@ ${prefixQuery(query.words)}::tsquery) desc, sort_name, id`;
  const fits = conditions(query);
  // The page is found in the indexes first and read afterwards: one that is far behind does not read all before it.
  const { rows } = await sql<{ total: number } & NullableRow>`
    select counted.total, ${sql.join(RECORD_COLUMNS.map((column) => sql.ref(`entries.${column}`)))}
    from (select count(*) as total from entries where ${fits}) as counted
    left join (
      select id, row_number() over () as position
      from (select id from entries where ${fits} order by ${order} limit ${query.limit} offset ${query.offset}) as ids
    ) as page on true
    left join entries on entries.id = page.id
    order by page.position`.execute(db);
  return {
    total: rows[0]?.total ?? 0,
    servers: rows.flatMap((row) => (row.id === null ? [] : [recordOfRow(row as RecordRow)])),
  };
}

type NullableRow = { readonly [Column in keyof RecordRow]: RecordRow[Column] | null };

function conditions(query: SearchQuery): RawBuilder<SqlBool> {
  const fits: RawBuilder<SqlBool>[] = [sql`decision = 'list'`];
  if (query.words !== null) fits.push(sql`words @@ ${prefixQuery(query.words)}::tsquery`);
  if (query.category !== null) fits.push(sql`category_key = ${query.category}`);
  if (query.tags.length > 0) fits.push(sql`tag_keys @> ${query.tags}::text[]`);
  if (query.transport !== null)
    fits.push(query.transport === 'http' ? sql`speaks_http` : sql`speaks_websocket`);
  if (query.minUptime !== null) fits.push(sql`uptime >= ${query.minUptime}`);
  if (query.maxResponseTimeMs !== null) fits.push(sql`response_time_ms <= ${query.maxResponseTimeMs}`);
  if (query.audited !== null) fits.push(sql`audited = ${query.audited}`);
  if (query.openSource !== null) fits.push(sql`open_source = ${query.openSource}`);
  return sql.join(fits, sql` and `);
}

function recordOfRow(row: RecordRow): ServerRecord {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    category: row.category,
    tags: row.tags,
    transport: row.transport,
    // Never null in a listed entry: the table sees to that.
    uptime: row.uptime ?? 0,
    responseTime: row.response_time_ms ?? 0,
    lastUpdated: row.last_updated.toISOString(),
    audited: row.audited,
    openSource: row.open_source,
    endpoint: row.endpoint,
  };
}

export async function readEntry(db: Db, id: string): Promise<Entry | null> {
  const row = await db.selectFrom('entries').select(ENTRY_COLUMNS).where('id', '=', id).executeTakeFirst();
  if (row === undefined) return null;
  return {
    ...row,
    judgement: JSON.parse(row.judgement) as readonly ListingRow[],
    listing: JSON.parse(row.listing) as Listing,
    capabilities: row.capabilities === null ? null : JSON.parse(row.capabilities),
  };
}

/** What the listing checks say of an entry that is added. */
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
 * Adds entries, or puts new listings in the place of those that are there; what was observed of an entry is kept for as
 * long as its endpoint stays the same. All or none of them.
 */
export async function putEntries(db: Db, entries: readonly NewEntry[], now: Date): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ listing, first }) => ({
    ...columnsOf(listing, shownClaims(listing, first.rows, null)),
    uptime: listing.uptime ?? null,
    response_time_ms: listing.responseTime ?? null,
    decision: first.decision,
    decided_by: first.decidedBy,
    judgement: JSON.stringify(first.rows),
  }));
  const sameEndpoint = sql`entries.endpoint = excluded.endpoint and not entries.figures_claimed`;
  await sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (
        id text, name text, sort_name text, description text, category text, category_key text, tags text[],
        tag_keys text[], transport text[], speaks_http boolean, speaks_websocket boolean, audited boolean,
        open_source boolean, endpoint text, uptime double precision, response_time_ms double precision, words text[],
        name_words text[], decision text, decided_by text, judgement text, listing text
      )
    ), moved as (
      select entries.id from entries join given on given.id = entries.id where given.endpoint <> entries.endpoint
    ), forgotten_observations as (
      delete from observations where entry_id in (select id from moved)
    ), forgotten_results as (
      delete from results where entry_id in (select id from moved)
    )
    insert into entries (
      id, name, sort_name, description, category, category_key, tags, tag_keys, transport, speaks_http,
      speaks_websocket, audited, open_source, endpoint, uptime, response_time_ms, figures_claimed, last_updated,
      words, name_words, decision, decided_by, judgement, listing, status, added_at, next_probe_at, next_test_at
    )
    select
      id, name, sort_name, description, category, category_key, tags, tag_keys, transport, speaks_http,
      speaks_websocket, audited, open_source, endpoint, uptime, response_time_ms, true, ${now},
      array_to_tsvector(words), array_to_tsvector(name_words), decision, decided_by, judgement, listing, 'unknown',
      ${now}, ${now}, ${now}
    from given
    on conflict (id) do update set
      name = excluded.name, sort_name = excluded.sort_name, description = excluded.description,
      category = excluded.category, category_key = excluded.category_key, tags = excluded.tags,
      tag_keys = excluded.tag_keys, transport = excluded.transport, speaks_http = excluded.speaks_http,
      speaks_websocket = excluded.speaks_websocket, audited = excluded.audited, open_source = excluded.open_source,
      endpoint = excluded.endpoint, words = excluded.words, name_words = excluded.name_words,
      decision = excluded.decision, decided_by = excluded.decided_by, judgement = excluded.judgement,
      listing = excluded.listing, last_updated = excluded.last_updated, next_test_at = excluded.next_test_at,
      next_probe_at = excluded.next_probe_at,
      uptime = case when ${sameEndpoint} then entries.uptime else excluded.uptime end,
      response_time_ms = case when ${sameEndpoint} then entries.response_time_ms else excluded.response_time_ms end,
      status = case when ${sameEndpoint} then entries.status else 'unknown' end,
      figures_claimed = not (${sameEndpoint}),
      capabilities = case when entries.endpoint = excluded.endpoint then entries.capabilities end,
      capabilities_at = case when entries.endpoint = excluded.endpoint then entries.capabilities_at end`.execute(
    db,
  );
}

/** Those of the ids that the directory has. */
export async function existingIds(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from entries where id = any(${[...ids]}::text[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Those of the ids that look like an entry of another id: they differ in case and punctuation only. */
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

/** Removes entries with everything that was observed of them. */
export async function removeEntries(db: Db, ids: readonly string[]): Promise<void> {
  await sql`delete from entries where id = any(${[...ids]}::text[])`.execute(db);
}

/** The columns of what is shown of an entry's claims. */
export function claimColumns({ audited, openSource, transport }: ShownClaims) {
  return {
    transport: [...transport],
    speaks_http: transport.includes('http'),
    speaks_websocket: transport.includes('websocket'),
    audited,
    open_source: openSource,
  };
}

function columnsOf(listing: Listing, claims: ShownClaims) {
  const { id, name, description, category, tags, endpoint } = listing;
  return {
    id,
    name,
    sort_name: labelKey(name),
    description,
    category,
    category_key: labelKey(category),
    tags,
    tag_keys: [...new Set(tags.map(labelKey))],
    ...claimColumns(claims),
    endpoint,
    words: wordsOf([name, description, ...tags].join(' ')),
    name_words: wordsOf(name),
    listing: JSON.stringify(listing),
  };
}
