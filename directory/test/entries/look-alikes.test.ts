import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../../src/db/open-store.ts';
import { readOverviews } from '../../src/entries/entry-overviews.ts';
import { lookAlikeKey, lookAlikeNames } from '../../src/entries/look-alikes.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { describeStores } from '../db/stores.ts';
import { listing, newEntry } from './kept-entries.ts';

it.each([
  ['PayPal', 'Раураl'],
  ['PayPal', 'paypa1'],
  ['Weather Maps', 'WEATHER-MAPS'],
  ['Weather Maps', 'Ｗｅａｔｈｅｒ　Ｍａｐｓ'],
  ['modern', 'modem'],
  ['Ask AI', 'Ask Al'],
  ['Café', 'Cafe\u200b'],
  ['Sonos', 'Ѕоnоѕ'],
])('%s looks like %s', (one, other) => {
  expect(lookAlikeKey(one)).toBe(lookAlikeKey(other));
});

it.each([
  ['Weather', 'Whether'],
  ['東京', '京都'],
  ['Server 2', 'Server 3'],
])('%s does not look like %s', (one, other) => {
  expect(lookAlikeKey(one)).not.toBe(lookAlikeKey(other));
});

describeStores('names that look alike', (stores) => {
  let store: Store;
  beforeAll(async () => {
    store = await stores.open();
  });
  afterAll(() => stores.close());

  it('are shown to the operator when one of them is listed', async () => {
    const { db } = store;
    const of = (id: string, name: string, decision: 'list' | 'hold') =>
      newEntry(listing(id, { name }), decision);
    const entries = [
      of('true', 'PayPal', 'list'),
      of('false', 'Раураl', 'hold'),
      of('other', 'Another', 'list'),
      of('held-1', 'Only held', 'hold'),
      of('held-2', 'ONLY HELD', 'hold'),
    ];
    await putEntries(db, entries, new Date());
    const overviews: unknown[] = [];
    for await (const { id, lookAlikes } of readOverviews(db, { lookAlikes: true }))
      overviews.push([id, lookAlikes]);
    expect(overviews).toEqual([['false', ['true']]]);
    expect(
      await lookAlikeNames(db, [
        { id: 'new', name: 'paypa1' },
        { id: 'true', name: 'PayPal' },
        { id: 'x', name: '—' },
      ]),
    ).toEqual([{ id: 'new', known: 'true' }]);
    await putEntries(db, [of('false', 'Renamed', 'hold')], new Date());
    for await (const entry of readOverviews(db, { lookAlikes: true })) expect(entry.id).toBe('nobody');
  });
});
