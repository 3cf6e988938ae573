import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../../src/db/open-store.ts';
import { removeEntries } from '../../src/entries/entries.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import type { NewEntry } from '../../src/entries/put-row.ts';
import { Search } from '../../src/search/search.ts';
import { parseSearch, type SearchQuery } from '../../src/search/search-query.ts';
import { describeStores } from '../db/stores.ts';
import { listing } from '../entries/kept-entries.ts';

const INSTANCES = 3;
const WRITERS = 3;
const WRITES = 25;
/** More than the index has room for at first, and than it frees at once. */
const MANY = 2400;

describeStores('searches in memory', (stores) => {
  let store: Store;
  let instances: readonly Search[];
  beforeAll(async () => {
    store = await stores.open();
    instances = Array.from({ length: INSTANCES }, () => new Search(store.db));
  });
  afterAll(() => stores.close());

  it('are correct on every instance after each acknowledged write, during concurrent writes and searches', async () => {
    let isOver = false;
    const write = async (writer: number): Promise<void> => {
      const tag = `tag-${writer}`;
      const tagged = new Set<string>();
      for (let turn = 0; turn < WRITES; turn += 1) {
        const id = `entry-${writer}-${turn % 4}`;
        if (!tagged.has(id)) await putEntries(store.db, [entry(id, [tag])], new Date());
        else if (turn % 2 === 0) await removeEntries(store.db, [id]);
        else await putEntries(store.db, [entry(id, [])], new Date());
        if (!tagged.delete(id)) tagged.add(id);
        for (const search of instances) expect((await search.find(withTag(tag))).total).toBe(tagged.size);
      }
    };
    const read = async (reader: number, search: Search): Promise<void> => {
      for (let turn = reader; !isOver; turn += 1) {
        const { servers, total } = await search.find(withTag(`tag-${turn % WRITERS}`));
        expect(servers).toHaveLength(total);
      }
    };
    const readers = instances.map((search, reader) => read(reader, search));
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => {
      isOver = true;
    });
    await Promise.all(readers);
  });

  it('find everything after more changes than one statement reads, with as many records', async () => {
    const search = new Search(store.db);
    const ids = Array.from({ length: MANY }, (_, index) => `many-${index}`);
    const put = (numbers: readonly number[], tag: string) =>
      putEntries(
        store.db,
        numbers.map((number) => entry(`many-${number}`, [tag])),
        new Date(),
      );
    /** All that are found, in pages that are requested at once. */
    const found = async (tag: string): Promise<readonly string[]> => {
      const offsets = Array.from({ length: Math.ceil(MANY / 100) }, (_, page) => 100 * page);
      const pages = await Promise.all(
        offsets.map((offset) => search.find({ ...withTag(tag), limit: 100, offset })),
      );
      return pages.flatMap(({ servers }) => servers.map(({ id }) => id));
    };
    const numbers = ids.map((_, index) => index);
    const [even, odd] = [0, 1].map((rest) => numbers.filter((number) => number % 2 === rest)) as [
      number[],
      number[],
    ];
    expect(await found('first')).toEqual([]);
    await put(numbers, 'first');
    expect(await found('first')).toEqual(ids);
    await put(even, 'second');
    expect(await found('first')).toEqual(ids.filter((id) => Number(id.slice(5)) % 2 === 1));
    await removeEntries(
      store.db,
      odd.map((number) => `many-${number}`),
    );
    expect([await found('first'), await found('second')]).toEqual([
      [],
      ids.filter((id) => Number(id.slice(5)) % 2 === 0),
    ]);
    await put(odd, 'second');
    expect(await found('second')).toEqual(ids);
  });

  it('fail for all that wait while the store fails, and find every change afterwards', async () => {
    const search = new Search(store.db);
    const tag = withTag('after-a-failure');
    for (const id of ['one', 'two']) {
      await sql`alter table change_feed rename to hidden`.execute(store.db);
      await putEntries(store.db, [entry(`after-${id}`, ['after-a-failure'])], new Date());
      const failed = await Promise.allSettled([search.find(tag), search.find(tag), search.find(tag)]);
      expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      await sql`alter table hidden rename to change_feed`.execute(store.db);
      expect((await search.find(tag)).servers.at(-1)?.id).toBe(`after-${id}`);
    }
  });
});

function entry(id: string, tags: readonly string[]): NewEntry {
  return {
    listing: listing(id, { tags: [...tags] }),
    first: { decision: 'list', decidedBy: 'operator', rows: [] },
  };
}

function withTag(tag: string): SearchQuery {
  const parsed = parseSearch(new Map([['tags', [tag]]]));
  if (parsed.kind === 'bad') throw new Error(`no search for ${tag}`);
  return parsed.query;
}
