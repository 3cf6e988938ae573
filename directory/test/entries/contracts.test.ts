import type { Contract } from 'probity/model';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contract } from '../../../test/contract/contracts.ts';
import type { Store } from '../../src/db/open-store.ts';
import { contractAt, contractVersions, noteContract } from '../../src/entries/contracts.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { describeStores } from '../db/stores.ts';
import { newEntry } from './kept-entries.ts';
import { listingOf } from './listings.ts';

const tool = (name: string) => ({
  name,
  description: `Does ${name}.`,
  input: { type: 'object' },
  output: null,
});
const resource = (name: string) => ({ uri: `file:///${name}`, name });
const minute = (number: number) => new Date(Date.UTC(2026, 0, 31, 12, number));

describeStores('contracts of an entry', (stores) => {
  let store: Store;
  beforeAll(async () => {
    store = await stores.open();
  });
  afterAll(() => stores.close());

  let number = 0;
  const entry = async () => {
    number += 1;
    const id = `c${number}`;
    await putEntries(
      store.db,
      [newEntry(listingOf(id, `https://${id}.example`, { uptime: 1, responseTime: 1 }))],
      minute(0),
    );
    let at = 0;
    const note = async (parts: Partial<Contract>, when?: number) => {
      at = when ?? at + 1;
      return noteContract(store.db, id, contract(parts), minute(at));
    };
    return { id, note, versions: () => contractVersions(store.db, id) };
  };

  it('of which a test read not all pages lose nothing, and accuse nobody', async () => {
    const { id, note, versions } = await entry();
    const whole = { functions: [tool('a')], resources: [resource('r'), resource('s')] };
    await note(whole);
    expect(await note({ ...whole, resources: [resource('r')], unread: ['resources'] })).toEqual([]);
    expect(await note({ functions: [], unread: ['functions'] })).toEqual([]);
    expect(await versions()).toHaveLength(1);
    const partly = { functions: [tool('a'), tool('b')], unread: ['resources'] as const };
    expect(await note(partly)).toMatchObject([{ kind: 'additive', name: 'b' }]);
    expect(JSON.parse((await contractAt(store.db, id, null)) ?? '')).toMatchObject({
      resources: whole.resources,
      unread: [],
    });
    // What is gone while the list was not read is said as soon as it is.
    expect(await note({ functions: partly.functions, resources: [resource('r')] })).toMatchObject([
      { kind: 'breaking', of: 'resource', name: 'file:///s' },
    ]);
  });

  it('are noted in the order in which the tests began', async () => {
    const { note, versions } = await entry();
    await note({ functions: [tool('a')] }, 10);
    await note({ functions: [tool('a')] }, 20);
    expect(await note({ functions: [] }, 15)).toEqual([]);
    expect(await versions()).toMatchObject([
      { seenAt: minute(10).toISOString(), lastSeenAt: minute(20).toISOString() },
    ]);
  });

  it('are kept up to a number of versions, changes and characters', async () => {
    const { note, versions } = await entry();
    await note({ functions: Array.from({ length: 200 }, (_, index) => tool(`t${index}`)) });
    expect(await note({ functions: [] })).toHaveLength(200);
    const [latest] = await versions();
    expect([latest?.changeCount, latest?.changes.length]).toEqual([200, 100]);
    for (let index = 0; index < 35; index += 1) await note({ functions: [tool(`t${index}`)] });
    expect(await versions()).toHaveLength(30);
    const long = { ...tool('long'), description: 'x'.repeat(2_000_001) };
    expect(await note({ functions: [long] })).toMatchObject([{ kind: 'breaking', isSuspicious: true }]);
    expect(await versions()).toHaveLength(30);
  });
});
