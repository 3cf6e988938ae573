import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ServerRecord } from 'probity/model';
import { RECORD_COLUMNS, type RecordRow, recordOf } from './entry-record.ts';
import type { Db } from './open-store.ts';
import type { SearchQuery } from './search-query.ts';
import { prefixQuery } from './words.ts';

export interface FoundRecords {
  readonly servers: readonly ServerRecord[];
  readonly total: number;
}

/**
 * The listed entries that fit, in the order of their names; for a text, those whose names hold all of its words come
 * first (specification, section 4.1). Total and page are of the same moment.
 */
export type Search = (query: SearchQuery) => Promise<FoundRecords>;

const MAX_KNOWN_TOTALS = 10_000;

/**
 * To count a large part of a large directory takes longer than all else, and pages of the same search follow each other:
 * a total is kept for as long as the database says that nothing has changed which it rests on.
 */
export function createSearch(db: Db): Search {
  const known = new Map<string, { readonly total: number; readonly lastChange: string }>();
  return async (query) => {
    const labels = labelsOf(query);
    const before = labels === null ? undefined : known.get(labels);
    if (before !== undefined) {
      const { servers, lastChange } = await readPage(db, pageOf(query));
      if (lastChange === before.lastChange) return { servers, total: before.total };
    }
    const { servers, lastChange, total = 0 } = await readPage(db, countedPageOf(query));
    if (labels !== null) {
      known.delete(labels);
      known.set(labels, { total, lastChange });
      const [oldest] = known.keys();
      if (known.size > MAX_KNOWN_TOTALS && oldest !== undefined) known.delete(oldest);
    }
    return { servers, total };
  };
}

/** What a search looks for, if figures have no part in it: those change with every probe. */
function labelsOf({
  limit: _,
  offset: __,
  minUptime,
  maxResponseTimeMs,
  ...labels
}: SearchQuery): string | null {
  return minUptime === null && maxResponseTimeMs === null ? JSON.stringify(labels) : null;
}

interface Page {
  readonly servers: readonly ServerRecord[];
  /** Where it was counted. */
  readonly total?: number;
  /** The transaction that last changed anything but figures of what searches see. */
  readonly lastChange: string;
}

type Condition = RawBuilder<SqlBool>;

/** How a page is found, with the parts that a statement puts together. */
interface PagePlan {
  readonly fitting: RawBuilder<unknown>;
  readonly total: RawBuilder<unknown>;
  /** Ids of the page, in their order. */
  readonly ids: RawBuilder<unknown>;
}

/** One statement, and so of one moment. The ids of the page come first; only its own rows are read whole. */
async function readPage(db: Db, { fitting, total, ids }: PagePlan): Promise<Page> {
  const { rows } = await sql<{ total: number | null; lastChange: string } & NullableRow>`
    ${fitting}
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
  if (first === undefined) throw new Error('a search without a row');
  return {
    ...(first.total === null ? {} : { total: first.total }),
    lastChange: first.lastChange,
    servers: rows.flatMap((row) => (row.id === null ? [] : [recordOfListed(row as RecordRow)])),
  };
}

/** The page alone: its entries are walked to in the order of names, past no more than it takes. */
function pageOf(query: SearchQuery): PagePlan {
  const ids = query.words === null ? idsByName(query) : idsByWords(query, query.words);
  return { fitting: sql``, total: sql`null`, ids };
}

/** A text takes its time for each entry, so that it is looked for once where all that fits must be seen. */
function countedPageOf(query: SearchQuery): PagePlan {
  const { words, limit, offset } = query;
  if (words === null)
    return {
      fitting: sql``,
      total: sql`select count(*) from entries where ${fits(query)}`,
      ids: idsByName(query),
    };
  return {
    fitting: sql`
      with fitting as materialized (
        select id, sort_name, ${inName(words)} as in_name from entries where ${fits(query)}
      )`,
    total: sql`select count(*) from fitting`,
    ids: sql`select id from fitting order by in_name desc, sort_name, id limit ${limit} offset ${offset}`,
  };
}

function idsByName(query: SearchQuery): RawBuilder<unknown> {
  return sql`
    select id from entries where ${fits(query)} order by sort_name, id limit ${query.limit} offset ${query.offset}`;
}

/** Each half can be had in the order of names without looking at all that fits, which the two together cannot. */
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
  return sql`name_words @@ ${prefixQuery(words)}::tsquery`;
}

function fits(query: SearchQuery): Condition {
  return allOf([...(query.words === null ? [] : [hasWords(query.words)]), ...labelsAndFigures(query)]);
}

function hasWords(words: readonly string[]): Condition {
  return sql`words @@ ${prefixQuery(words)}::tsquery`;
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
  return conditions;
}

type NullableRow = { readonly [Column in keyof RecordRow]: RecordRow[Column] | null };

/** Its figures are never null: the table sees to that. */
function recordOfListed(row: RecordRow): ServerRecord {
  return recordOf(row) as ServerRecord;
}
