import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NewEntry, putEntries, removeEntries } from '../src/store/entries.ts';
import type { Store } from '../src/store/open-store.ts';
import { createSearch, type Search } from '../src/store/search.ts';
import { parseSearch, type SearchQuery } from '../src/store/search-query.ts';
import { listing } from './kept-entries.ts';
import { describeStores } from './stores.ts';

const INSTANCES = 3;
const WRITERS = 3;
const WRITES = 25;

describeStores('cached totals', (stores) => {
  let store: Store;
  let instances: readonly Search[];
  beforeAll(async () => {
    store = await stores.open();
    instances = Array.from({ length: INSTANCES }, () => createSearch(store.db));
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
        for (const search of instances) expect((await search(withTag(tag))).total).toBe(tagged.size);
      }
    };
    const read = async (reader: number, search: Search): Promise<void> => {
      for (let turn = reader; !isOver; turn += 1) {
        const { servers, total } = await search(withTag(`tag-${turn % WRITERS}`));
        expect(servers).toHaveLength(total);
      }
    };
    const readers = instances.map((search, reader) => read(reader, search));
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => {
      isOver = true;
    });
    await Promise.all(readers);
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
