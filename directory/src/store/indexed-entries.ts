import { type RawBuilder, sql } from 'kysely';
import type { Db } from './open-store.ts';
import type { IndexedEntry, SearchIndex } from './search-index.ts';

/** An entry for the index of searches. Without `texts`, it is not listed, or no longer exists. */
export type IndexedRow = IndexedEntry | { readonly id: string; readonly texts: null };

/** A moment of the store: which transactions are visible then. */
export interface Moment {
  /** Another order of transactions, after the database was restored, has another id. */
  readonly feed: string;
  readonly snapshot: string;
}

const BATCH = 1000;

/** Selects a row for the index from `entries` and `entry_changes`. */
const ROW = sql`
  case when entries.decision = 'list' then json_build_array(
    sort_name, category_key, tag_keys, tsvector_to_array(words), tsvector_to_array(name_words)
  )::text end as texts,
  audited, open_source as "openSource", speaks_http as "speaksHttp", speaks_websocket as "speaksWebsocket", uptime,
  response_time_ms as "responseTimeMs",
  floor(extract(epoch from changed_at) * 1000)::double precision as "changedAtMs"`;

export const MOMENT = sql`
  (select id from change_feed) as feed, pg_current_snapshot()::text as snapshot`;

/** Selects what changed after a moment. */
function changesSince({ snapshot }: Moment): RawBuilder<unknown> {
  return sql`
    from entry_changes
    where changed_in >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
      and not pg_visible_in_snapshot(changed_in, ${snapshot}::pg_snapshot)`;
}

/** Selects rows that changed after a moment, up to a number of them. */
export function changedRows(since: Moment, limit: number): RawBuilder<unknown> {
  return sql`
    with changed as materialized (select entry_id, changed_at ${changesSince(since)} limit ${limit})
    select entry_id as id, ${ROW} from changed left join entries on entries.id = entry_id`;
}

/** Puts all listed entries into an index. Returns a moment; what changed after it may be in the index or not. */
export async function indexAll(db: Db, index: SearchIndex): Promise<Moment> {
  const { rows: moments } = await sql<Moment>`select ${MOMENT}`.execute(db);
  for (let after = ''; ; ) {
    const { rows } = await sql<IndexedRow>`
      select id, ${ROW} from entries left join entry_changes on entry_id = id
      where decision = 'list' and id > ${after} order by id limit ${BATCH}`.execute(db);
    indexRows(index, rows);
    const last = rows.at(-1);
    if (last === undefined) return one(moments);
    after = last.id;
  }
}

/** The same for what changed after a moment. */
export async function indexChanges(db: Db, index: SearchIndex, since: Moment): Promise<Moment> {
  const { rows: moments } = await sql<Moment & { readonly ids: readonly string[] }>`
    select ${MOMENT}, array(select entry_id ${changesSince(since)}) as ids`.execute(db);
  const { ids, ...moment } = one(moments);
  for (let at = 0; at < ids.length; at += BATCH) {
    const { rows } = await sql<IndexedRow>`
      select given.id, ${ROW} from unnest(${ids.slice(at, at + BATCH)}::text[]) as given (id)
      left join entries on entries.id = given.id left join entry_changes on entry_id = given.id`.execute(db);
    indexRows(index, rows);
  }
  return moment;
}

export function indexRows(index: SearchIndex, rows: readonly IndexedRow[]): void {
  for (const row of rows)
    if (row.texts === null) index.remove(row.id);
    else index.put(row);
}

function one<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the table change_feed is empty');
  return row;
}
