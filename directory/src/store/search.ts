import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ServerRecord } from 'probity/model';
import { RECORD_COLUMNS, type RecordRow, recordOf } from './entry-record.ts';
import type { Db } from './open-store.ts';
import type { SearchQuery } from './search-query.ts';
import { prefixQuery } from './words.ts';

export interface FoundRecords {
  readonly servers: readonly ServerRecord[];
  readonly total: number;
  /** The last transaction that changed a label, at the moment of the search. */
  readonly lastChange: string;
}

/**
 * Finds the matching listed entries, ordered by name. With a text, entries whose names contain all of its words come
 * first (specification, section 4.1). Total and page are from the same moment.
 */
export type Search = (query: SearchQuery) => Promise<FoundRecords>;

const MAX_KNOWN_TOTALS = 10_000;

/**
 * Counting is the slowest part of a search in a large directory, so a total is reused for later pages. It is valid
 * while the database reports no change of a label.
 */
export function createSearch(db: Db): Search {
  const known = new Map<string, { readonly total: number; readonly lastChange: string }>();
  return async (query) => {
    const labels = labelsOf(query);
    const before = labels === null ? undefined : known.get(labels);
    if (before !== undefined) {
      const { servers, lastChange } = await readPage(db, pageOf(query));
      if (lastChange === before.lastChange) return { servers, total: before.total, lastChange };
    }
    const { servers, lastChange, total = 0 } = await readPage(db, countedPageOf(query));
    if (labels !== null) {
      known.delete(labels);
      known.set(labels, { total, lastChange });
      const [oldest] = known.keys();
      if (known.size > MAX_KNOWN_TOTALS && oldest !== undefined) known.delete(oldest);
    }
    return { servers, total, lastChange };
  };
}

/** The conditions of a search as a cache key; null with figures, which change with every probe. */
function labelsOf({
  limit: _,
  offset: __,
  minUptime,
  maxResponseTimeMs,
  updatedSince,
  ...labels
}: SearchQuery): string | null {
  return minUptime === null && maxResponseTimeMs === null && updatedSince === null
    ? JSON.stringify(labels)
    : null;
}

interface Page {
  readonly servers: readonly ServerRecord[];
  /** Missing when the plan does not count. */
  readonly total?: number;
  /** The last transaction that changed a searchable column other than the figures. */
  readonly lastChange: string;
}

type Condition = RawBuilder<SqlBool>;

/** The parts of the statement that finds a page. */
interface PagePlan {
  readonly matching: RawBuilder<unknown>;
  readonly total: RawBuilder<unknown>;
  /** Ids of the page, in order. */
  readonly ids: RawBuilder<unknown>;
}

/** One statement, so that all parts are from one moment. Complete rows are read only for the ids of the page. */
async function readPage(db: Db, { matching, total, ids }: PagePlan): Promise<Page> {
  const { rows } = await sql<{ total: number | null; lastChange: string } & NullableRow>`
    ${matching}
    select known.*, ${sql.join(RECORD_COLUMNS.map((column) => sql.ref(`page.${column}`)))}
    from (
      select (${total})::bigint as total, (select transaction_id::text from last_label_change) as "lastChange"
    ) as known
    left join (
      select * from (select id, row_number() over () as position from (${ids}) as ordered) as ids
      join entries using (id)
      join entry_details on entry_id = id
    ) as page on true
    order by page.position`.execute(db);
  const [first] = rows;
  if (first === undefined) throw new Error('the search statement returned no row');
  return {
    ...(first.total === null ? {} : { total: first.total }),
    lastChange: first.lastChange,
    servers: rows.flatMap((row) => (row.id === null ? [] : [recordOfListed(row as RecordRow)])),
  };
}

/** A page without the total, which stops reading entries at its end. */
function pageOf(query: SearchQuery): PagePlan {
  const ids = query.words === null ? idsByName(query) : idsByWords(query, query.words);
  return { matching: sql``, total: sql`null`, ids };
}

/** A page with the total. Text matching is slow, so the matching entries are collected once for both. */
function countedPageOf(query: SearchQuery): PagePlan {
  const { words, limit, offset } = query;
  if (words === null)
    return {
      matching: sql``,
      total: sql`select count(*) from entries where ${matches(query)}`,
      ids: idsByName(query),
    };
  return {
    matching: sql`
      with matching as materialized (
        select id, sort_name, ${inName(words)} as in_name from entries where ${matches(query)}
      )`,
    total: sql`select count(*) from matching`,
    ids: sql`select id from matching order by in_name desc, sort_name, id limit ${limit} offset ${offset}`,
  };
}

function idsByName(query: SearchQuery): RawBuilder<unknown> {
  return sql`
    select id from entries where ${matches(query)} order by sort_name, id limit ${query.limit} offset ${query.offset}`;
}

/** Two halves, because each can be read in the order of names without reading all matching entries. */
function idsByWords(query: SearchQuery, words: readonly string[]): RawBuilder<unknown> {
  const half = (rank: number, condition: Condition) => sql`
    (select ${sql.lit(rank)} as rank, sort_name, id from entries where ${condition}
    order by sort_name, id limit ${query.offset + query.limit})`;
  return sql`
    select id from (
      ${half(1, allOf([inName(words), ...labelsAndFigures(query)]))}
      union all
      ${half(2, allOf([sql`not ${inName(words)}`, hasWords(words), ...labelsAndFigures(query)]))}
    ) as ranked
    order by rank, sort_name, id limit ${query.limit} offset ${query.offset}`;
}

function inName(words: readonly string[]): Condition {
  return words.length === 0 ? sql`false` : sql`name_words @@ ${prefixQuery(words)}::tsquery`;
}

function matches(query: SearchQuery): Condition {
  return allOf([...(query.words === null ? [] : [hasWords(query.words)]), ...labelsAndFigures(query)]);
}

function hasWords(words: readonly string[]): Condition {
  return words.length === 0 ? sql`false` : sql`words @@ ${prefixQuery(words)}::tsquery`;
}

function allOf(conditions: readonly Condition[]): Condition {
  return sql.join(conditions, sql` and `);
}

function labelsAndFigures(query: SearchQuery): readonly Condition[] {
  const conditions: Condition[] = [sql`decision = 'list'`];
  if (query.category !== null) conditions.push(sql`category_key = ${query.category}`);
  if (query.tags.length > 0) conditions.push(sql`tag_keys @> ${query.tags}::text[]`);
  if (query.transport !== null)
    conditions.push(query.transport === 'http' ? sql`speaks_http` : sql`speaks_websocket`);
  if (query.minUptime !== null) conditions.push(sql`uptime >= ${query.minUptime}`);
  if (query.maxResponseTimeMs !== null) conditions.push(sql`response_time_ms <= ${query.maxResponseTimeMs}`);
  if (query.audited !== null) conditions.push(sql`audited = ${query.audited}`);
  if (query.openSource !== null) conditions.push(sql`open_source = ${query.openSource}`);
  if (query.updatedSince !== null)
    conditions.push(
      sql`id in (select entry_id from entry_changes where changed_at >= ${query.updatedSince})`,
    );
  return conditions;
}

type NullableRow = { readonly [Column in keyof RecordRow]: RecordRow[Column] | null };

/** The figures of a listed entry are never null; a constraint of the table ensures it. */
function recordOfListed(row: RecordRow): ServerRecord {
  return recordOf(row) as ServerRecord;
}
