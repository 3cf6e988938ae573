import { type RawBuilder, sql } from 'kysely';
import type { ServerRecord } from 'probity/model';
import { allRows, oneRow } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { RECORD, type RecordRow, recordOf } from '../entries/entry-record.ts';
import type { Facets } from './search-facets.ts';
import { type FoundIds, type IndexedEntry, SearchIndex } from './search-index.ts';
import type { SearchQuery } from './search-query.ts';

export interface FoundRecords {
  readonly servers: readonly ServerRecord[];
  readonly total: number;
  readonly facets: Facets | null;
  /** The last transaction that changed a label, at the moment of the search. */
  readonly lastChange: string;
}

/** More are read with the next statement. */
const MAX_RECORDS = 500;
/** More are read in batches before the next page. */
const MAX_CHANGES = 500;

interface Waiting {
  readonly query: SearchQuery;
  readonly resolve: (found: FoundRecords) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Searches in an index in memory, which the first search fills. One statement at a time reads the records of the pages
 * of all searches that wait, and what changed since the last statement. If a change moves a page, its records are read
 * again. So every answer is what the database contained at the moment of one statement.
 */
export class Search {
  readonly #db: Db;
  #known: { readonly index: SearchIndex; readonly moment: Moment } | null = null;
  #waiting: readonly Waiting[] = [];
  #isRunning = false;

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Finds the matching listed entries, in the order that the query wants. Without one they are ordered by name; with a
   * text, entries whose names contain all of its words come first (specification, section 4.1). Total and page are from the same moment, which is after the call.
   */
  find(query: SearchQuery): Promise<FoundRecords> {
    return new Promise((resolve, reject) => {
      this.#waiting = [...this.#waiting, { query, resolve, reject }];
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const searches = this.#waiting;
      this.#waiting = [];
      try {
        this.#waiting = [...(await this.#answerSome(searches)), ...this.#waiting];
      } catch (error) {
        for (const { reject } of searches) reject(error);
      }
    }
    this.#isRunning = false;
  }

  /** Answers the first of the searches that wait. Returns those that have to wait for the next statement. */
  async #answerSome(searches: readonly Waiting[]): Promise<readonly Waiting[]> {
    this.#known ??= await indexAll(this.#db);
    const { index, moment } = this.#known;
    const pages = takePages(index, searches);
    const ids = new Set(pages.flatMap(({ found }) => found.ids));
    const read = await readRecords(this.#db, [...ids], moment);
    if (read.moment.feed !== moment.feed) {
      this.#known = null;
      return searches;
    }
    if (read.changes.length > MAX_CHANGES) {
      this.#known = { index, moment: await indexChanges(this.#db, index, moment) };
      return searches;
    }
    indexRows(index, read.changes);
    this.#known = { index, moment: read.moment };
    const moved = pages.filter(({ search, found }) => {
      const now = read.changes.length === 0 ? found : index.find(search.query);
      if (now.ids.some((id) => !ids.has(id))) return true;
      const servers = this.#recordsOf(now, read.records);
      const { total, facets } = now;
      search.resolve({ servers, total, facets, lastChange: read.lastChange });
      return false;
    });
    return [...moved.map(({ search }) => search), ...searches.slice(pages.length)];
  }

  #recordsOf({ ids }: FoundIds, records: ReadonlyMap<string, ServerRecord>): readonly ServerRecord[] {
    return ids.map((id) => {
      const record = records.get(id);
      if (record !== undefined) return record;
      // Someone changed the tables without their triggers.
      this.#known = null;
      throw new Error(`the record of the listed entry ${id} is missing`);
    });
  }
}

interface FoundPage {
  readonly search: Waiting;
  readonly found: FoundIds;
}

/** The pages of the first searches, with up to `MAX_RECORDS` records in all; at least one page. */
function takePages(index: SearchIndex, searches: readonly Waiting[]): readonly FoundPage[] {
  const pages: FoundPage[] = [];
  let records = 0;
  for (const search of searches) {
    const found = index.find(search.query);
    records += found.ids.length;
    if (pages.length > 0 && records > MAX_RECORDS) break;
    pages.push({ search, found });
  }
  return pages;
}

interface ReadRow extends Moment {
  readonly lastChange: string;
  readonly records: readonly (Omit<RecordRow, 'last_updated'> & { readonly last_updated: string })[] | null;
  readonly changes: readonly IndexedRow[] | null;
}

/** As JSON, because a row for each record would repeat the changes. */
async function readRecords(db: Db, ids: readonly string[], since: Moment) {
  const { feed, snapshot, lastChange, records, changes } = await oneRow<ReadRow>(db)`
    select ${MOMENT}, (select transaction_id::text from last_label_change) as "lastChange",
      searched_rows_since(${since.snapshot}::pg_snapshot, ${MAX_CHANGES + 1}) as changes,
      (select json_agg(record) from (
        select ${RECORD} from entries join entry_details on entry_id = id where id = any(${ids}::text[])
      ) as record) as records`;
  return {
    moment: { feed, snapshot },
    lastChange,
    changes: changes ?? [],
    records: new Map(
      records?.map((record) => [
        record.id,
        recordOf({ ...record, last_updated: new Date(record.last_updated) }) as ServerRecord,
      ]),
    ),
  };
}

/** An entry for the index of searches. Without `texts`, it is not listed, or no longer exists. */
type IndexedRow = IndexedEntry | { readonly id: string; readonly texts: null };

/** A moment of the store: which transactions are visible then. */
interface Moment {
  /** Another order of transactions, after the database was restored, has another id. */
  readonly feed: string;
  readonly snapshot: string;
}

const BATCH = 1000;

const MOMENT = sql`
  (select id from change_feed) as feed, pg_current_snapshot()::text as snapshot`;

function changesSince({ snapshot }: Moment): RawBuilder<unknown> {
  return sql`
    from entry_changes
    where changed_in >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
      and not pg_visible_in_snapshot(changed_in, ${snapshot}::pg_snapshot)`;
}

/** An index of all listed entries, with a moment; what changed after it may be in the index or not. */
async function indexAll(db: Db): Promise<{ readonly index: SearchIndex; readonly moment: Moment }> {
  const index = new SearchIndex();
  const moment = await oneRow<Moment>(db)`select ${MOMENT}`;
  for (let after = ''; ; ) {
    const rows = await allRows<IndexedRow>(db)`
      select * from searched_rows where decision = 'list' and id > ${after} order by id limit ${BATCH}`;
    indexRows(index, rows);
    const last = rows.at(-1);
    if (last === undefined) return { index, moment };
    after = last.id;
  }
}

/** Puts what changed after a moment into an index. */
async function indexChanges(db: Db, index: SearchIndex, since: Moment): Promise<Moment> {
  const { ids, ...moment } = await oneRow<Moment & { readonly ids: readonly string[] }>(db)`
    select ${MOMENT}, array(select entry_id ${changesSince(since)}) as ids`;
  for (let at = 0; at < ids.length; at += BATCH) {
    const rows = await allRows<IndexedRow>(db)`
      select searched_rows.*, given.id from unnest(${ids.slice(at, at + BATCH)}::text[]) as given (id)
      left join searched_rows on searched_rows.id = given.id`;
    indexRows(index, rows);
  }
  return moment;
}

function indexRows(index: SearchIndex, rows: readonly IndexedRow[]): void {
  for (const row of rows)
    if (row.texts === null) index.remove(row.id);
    else index.put(row);
}
