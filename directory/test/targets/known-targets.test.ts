import type { JsonObject } from 'probity/model';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChangeWatch } from '../../src/db/change-watch.ts';
import type { Store } from '../../src/db/open-store.ts';
import { markCapabilitiesOutdated, storeCapabilities } from '../../src/entries/capabilities.ts';
import { removeEntries } from '../../src/entries/entries.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { knownTargets } from '../../src/gateway/known-targets.ts';
import { storeObservations } from '../../src/watching/observations.ts';
import { describeStores } from '../db/stores.ts';
import { listingOf } from '../entries/listings.ts';
import { FORM_A, FORM_B } from '../target.ts';

const READ_AT = new Date('2026-01-01T00:00:00Z');

describeStores('the targets of recent calls', (stores) => {
  let store: Store;
  let watch: ChangeWatch;
  let known: ReturnType<typeof knownTargets>;
  beforeAll(async () => {
    store = await stores.open();
    watch = new ChangeWatch(store.db, store.written);
    known = knownTargets(store.db, watch);
  });
  afterAll(() => stores.close());

  const put = (id: string, endpoint = `https://${id}.example`) =>
    putEntries(
      store.db,
      [
        {
          listing: listingOf(id, endpoint, { uptime: 100, responseTime: 1 }),
          first: { decision: 'list', decidedBy: 'operator', rows: [] },
        },
      ],
      new Date(),
    );
  const storeFunctions = (id: string, capabilities: JsonObject, readAt = READ_AT) =>
    storeCapabilities(store.db, { id, endpoint: `https://${id}.example` }, capabilities, readAt);
  const decide = (id: string, decision: 'hold' | 'reject') =>
    store.db.updateTable('entries').set({ checks_decision: decision }).where('id', '=', id).execute();
  /** As for a request, whose key was found with a look. */
  const find = async (id: string) => {
    await watch.look();
    return known(id);
  };

  it('are not read again while nothing changes that a call needs', async () => {
    await put('steady');
    await storeFunctions('steady', FORM_A);
    const before = await find('steady');
    const at = new Date();
    await storeObservations(
      store.db,
      'steady',
      [{ entry_id: 'steady', at, up: true, operation: 'health', duration_ms: 7, source: 'probe' }],
      { now: at, holdsMs: 1000 },
    );
    expect(before).toMatchObject({ id: 'steady', decision: 'list', functions: { form: 'A' } });
    expect(await find('steady')).toBe(before);
  });

  it.each<[what: string, change: (id: string) => Promise<unknown>, expected: object | null]>([
    ['hold', (id) => decide(id, 'hold'), { decision: 'hold' }],
    [
      'endpoint',
      (id) => put(id, 'https://moved.example'),
      { endpoint: 'https://moved.example', functions: null },
    ],
    ['form', (id) => storeFunctions(id, FORM_B), { functions: { form: 'B' } }],
    [
      'outdated-functions',
      (id) => markCapabilitiesOutdated(store.db, { id, endpoint: `https://${id}.example` }, READ_AT),
      { functions: { readAt: null } },
    ],
    ['removed', (id) => removeEntries(store.db, [id]), null],
  ])('show a change from the next request on: %s', async (id, change, expected) => {
    await put(id);
    await storeFunctions(id, FORM_A);
    expect(await find(id)).toMatchObject({ decision: 'list', functions: { form: 'A' } });
    await change(id);
    if (expected === null) expect(await find(id)).toBeNull();
    else expect(await find(id)).toMatchObject(expected);
  });

  it('also show a rejection of a server that was on hold', async () => {
    await put('held');
    for (const decision of ['hold', 'reject'] as const) {
      await decide('held', decision);
      expect(await find('held')).toMatchObject({ decision });
    }
  });
});
