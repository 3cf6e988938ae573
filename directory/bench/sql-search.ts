import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ServerRecord } from 'probity/model';
import { RECORD_COLUMNS, type RecordRow, recordOf } from '../src/store/entry-record.ts';
import type { Db } from '../src/store/open-store.ts';
import type { SearchQuery } from '../src/store/search-query.ts';
import { prefixQuery } from '../src/store/words.ts';

/** A search as one usually writes it in SQL: indexes, a statement that counts the matching entries, and one for a page. */
export async function createSqlSearch(
  db: Db,
): Promise<(query: SearchQuery) => Promise<{ servers: readonly ServerRecord[]; total: number }>> {
  for (const [name, definition] of Object.entries({
    plain_by_words: sql`using gin (words)`,
    plain_by_tag: sql`using gin (tag_keys)`,
    plain_by_name: sql`(sort_name, id) where decision = 'list'`,
    plain_by_category: sql`(category_key, sort_name, id) where decision = 'list'`,
    plain_by_figures: sql`(audited, open_source, speaks_websocket, speaks_http, uptime, response_time_ms, category_key) where decision = 'list'`,
    plain_by_uptime: sql`(uptime) where decision = 'list'`,
    plain_by_response_time: sql`(response_time_ms) where decision = 'list'`,
  }))
    await sql`create index if not exists ${sql.ref(name)} on entries ${definition}`.execute(db);
  await sql`analyze entries`.execute(db);
  return async (query) => {
    const matching = sql.join(conditionsOf(query), sql` and `);
    const [counted, page] = await Promise.all([
      sql<{ total: number }>`select count(*) as total from entries where ${matching}`.execute(db),
      sql<RecordRow>`
        select ${sql.join(RECORD_COLUMNS.map((column) => sql.ref(column)))}
        from entries join entry_details on entry_id = id where ${matching}
        order by ${firstByName(query)} sort_name, id limit ${query.limit} offset ${query.offset}`.execute(db),
    ]);
    return {
      servers: page.rows.map((row) => recordOf(row) as ServerRecord),
      total: counted.rows[0]?.total ?? 0,
    };
  };
}

function firstByName({ words }: SearchQuery): RawBuilder<unknown> {
  return words === null || words.length === 0
    ? sql``
    : sql`name_words @@ ${prefixQuery(words)}::tsquery desc,`;
}

function conditionsOf(query: SearchQuery): readonly RawBuilder<SqlBool>[] {
  const { words, category, tags, transport, minUptime, maxResponseTimeMs, audited, openSource } = query;
  const conditions: RawBuilder<SqlBool>[] = [sql`decision = 'list'`];
  if (words !== null)
    conditions.push(words.length === 0 ? sql`false` : sql`words @@ ${prefixQuery(words)}::tsquery`);
  if (category !== null) conditions.push(sql`category_key = ${category}`);
  if (tags.length > 0) conditions.push(sql`tag_keys @> ${tags}::text[]`);
  if (transport !== null) conditions.push(transport === 'http' ? sql`speaks_http` : sql`speaks_websocket`);
  if (minUptime !== null) conditions.push(sql`uptime >= ${minUptime}`);
  if (maxResponseTimeMs !== null) conditions.push(sql`response_time_ms <= ${maxResponseTimeMs}`);
  if (audited !== null) conditions.push(sql`audited = ${audited}`);
  if (openSource !== null) conditions.push(sql`open_source = ${openSource}`);
  return conditions;
}
