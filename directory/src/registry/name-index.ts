import { allRows, oneRow } from '../db/rows.ts';
import { shareRuns } from '../db/share-runs.ts';
import type { Db } from '../db/tables.ts';
import type { Position } from './registry-query.ts';

/** A name in the registry, of an entry of this directory (without its namespace) or of a followed registry. */
export type IndexedName = Pick<Position, 'isFollowed' | 'name'>;

interface Moment {
  /** Another order of transactions, after the database was restored, has another id. */
  readonly feed: string;
  readonly snapshot: string;
}

/**
 * All names of the registry in memory, in the order of the list, so that parts of names are found without reading the
 * table. Each search first reads the names that were added since the last one.
 */
export class NameIndex {
  readonly #db: Db;
  readonly #namespace: string;
  #moment: Moment | null = null;
  #names: readonly IndexedName[] = [];
  /** All names in lower case, one on a line. */
  #text = '\n';
  /** Where the line of each name begins. */
  #starts: Int32Array = new Int32Array();

  constructor(db: Db, namespace: string) {
    this.#db = db;
    this.#namespace = namespace;
  }

  /** Reads all names, so that the first search does not wait for it. */
  async fill(): Promise<void> {
    await this.#readNew();
  }

  /** Yields the names that contain a text, in order, after a position. Other versions of its name are not after it. */
  async *find(search: string, after: IndexedName | null): AsyncGenerator<IndexedName> {
    await this.#readNew();
    // No name has a line break.
    if (search.includes('\n')) return;
    const [names, starts, text] = [this.#names, this.#starts, this.#text];
    const first = after === null ? 0 : firstWhere(names.length, (at) => compare(names[at], after) >= 0);
    for (let from = first === names.length ? text.length : (starts[first] ?? 0); ; ) {
      const found = text.indexOf(search, from);
      if (found === -1) return;
      const at = firstWhere(names.length, (one) => (starts[one] ?? 0) > found) - 1;
      const name = names[at];
      if (name === undefined) return;
      yield name;
      from = starts[at + 1] ?? text.length;
    }
  }

  readonly #readNew = shareRuns(async (): Promise<void> => {
    const { feed, snapshot } = await oneRow<Moment>(this.#db)`
      select (select id from change_feed) as feed, pg_current_snapshot()::text as snapshot`;
    const since = this.#moment?.feed === feed ? this.#moment.snapshot : null;
    if (since === snapshot) return;
    const added =
      since === null
        ? await allRows<IndexedName>(this.#db)`
            select distinct is_followed as "isFollowed", name from registry_servers`
        : await allRows<IndexedName>(this.#db)`
            select distinct is_followed as "isFollowed", name from registry_servers
            where created_in >= pg_snapshot_xmin(${since}::pg_snapshot)
              and not pg_visible_in_snapshot(created_in, ${since}::pg_snapshot)`;
    this.#moment = { feed, snapshot };
    if (added.length > 0) this.#put(since === null ? [] : this.#names, added);
  });

  #put(known: readonly IndexedName[], added: readonly IndexedName[]): void {
    const sorted = [...known, ...added].sort(compare);
    // A name is new again with each version.
    this.#names = sorted.filter((name, at) => at === 0 || compare(name, sorted[at - 1]) !== 0);
    const lines = this.#names.map(({ isFollowed, name }) =>
      (isFollowed ? name : `${this.#namespace}/${name}`).toLowerCase(),
    );
    this.#starts = new Int32Array(lines.length);
    let start = 1;
    for (const [at, line] of lines.entries()) {
      this.#starts[at] = start;
      start += line.length + 1;
    }
    this.#text = `\n${lines.join('\n')}\n`;
  }
}

/** The order of the list. Names are ASCII, which the database compares in the same way. */
function compare(one: IndexedName | undefined, other: IndexedName | undefined): number {
  if (one === undefined || other === undefined) return 0;
  if (one.isFollowed !== other.isFollowed) return one.isFollowed ? 1 : -1;
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
}

/** The first number from 0 for which the condition is true, or `length`; once true, it stays so. */
function firstWhere(length: number, condition: (at: number) => boolean): number {
  let [from, to] = [0, length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (condition(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
