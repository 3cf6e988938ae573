import type { Listing, ListingRow } from 'probity/model';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../../src/db/open-store.ts';
import { readEntry, storeJudgement } from '../../src/entries/entries.ts';
import { decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import type { FirstDecision } from '../../src/entries/put-row.ts';
import { storeObservations } from '../../src/watching/observations.ts';
import { describeStores } from '../db/stores.ts';
import { listing as listingOf } from './kept-entries.ts';

const UNTESTED: FirstDecision = { decision: 'hold', decidedBy: 'checks', rows: [] };
const PASSED: ListingRow = {
  requirement: 'listing/mcp-support',
  level: 'MUST',
  outcome: 'passed',
  evidence: [],
};

describeStores('a listing that is put again', (stores) => {
  let store: Store;
  beforeAll(async () => {
    store = await stores.open();
  });
  afterAll(() => stores.close());

  let number = 0;
  /** A listed server whose claims of an audit and of websocket a check contradicted. */
  const listed = async (parts: Partial<Listing> = {}, left: readonly (keyof Listing)[] = []) => {
    number += 1;
    const whole = listingOf(`s${number}`, {
      audited: true,
      openSource: true,
      transport: ['http', 'websocket'],
      ...parts,
    });
    const listing = Object.fromEntries(
      Object.entries(whole).filter(([name]) => !left.includes(name as keyof Listing)),
    ) as Listing;
    const put = async (changed: Partial<Listing>, first = UNTESTED) => {
      const decisions = await putEntries(
        store.db,
        [{ listing: { ...listing, ...changed }, first }],
        new Date(),
      );
      return { decided: decisions.get(listing.id), entry: await readEntry(store.db, listing.id) };
    };
    await put({});
    await store.db.transaction().execute((db) =>
      storeObservations(
        db,
        listing.id,
        [
          {
            entry_id: listing.id,
            at: new Date(),
            up: true,
            operation: 'health',
            duration_ms: 7,
            source: 'probe',
          },
        ],
        { now: new Date(), holdsMs: 60_000 },
      ),
    );
    await storeJudgement(
      store.db,
      listing.id,
      { decision: 'list', rows: [PASSED] },
      { audited: false, openSource: true, transport: ['http'] },
    );
    return { put, before: await readEntry(store.db, listing.id) };
  };

  it('changes nothing if it is identical', async () => {
    const { put, before } = await listed();
    expect(await put({})).toEqual({ decided: 'list', entry: before });
    expect(await put({}, { decision: 'list', decidedBy: 'operator', rows: [] })).toEqual({
      decided: 'list',
      entry: before,
    });
  });

  it('leaves a server listed with its figures until its next test, which is due at once', async () => {
    const { put, before } = await listed();
    const { decided, entry } = await put({ description: 'Changed.', uptime: 1 });
    expect(decided).toBe('list');
    expect(entry).toMatchObject({
      decision: 'list',
      decided_by: 'checks',
      judgement: [PASSED],
      description: 'Changed.',
      uptime: before?.uptime,
      figures_claimed: false,
      status: 'up',
      // Contradicted claims stay hidden.
      audited: false,
      open_source: true,
      transport: ['http'],
    });
    expect(entry?.next_test_at.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['claims none', ['uptime', 'responseTime']],
    ['claims one', ['uptime']],
    ['claims both', []],
  ] as const)('keeps observed figures, which never look claimed, if its listing %s', async (_, left) => {
    const { put, before } = await listed({}, left);
    const { decided, entry } = await put({ description: 'Corrected.' });
    expect(decided).toBe('list');
    expect(entry).toMatchObject({
      decision: 'list',
      description: 'Corrected.',
      uptime: before?.uptime,
      response_time_ms: before?.response_time_ms,
      figures_claimed: false,
    });
    const approved: FirstDecision = { decision: 'list', decidedBy: 'operator', rows: [] };
    expect((await put({ description: 'Approved.' }, approved)).entry).toMatchObject({
      decision: 'list',
      uptime: before?.uptime,
      figures_claimed: false,
    });
  });

  it('is on hold without figures, also if the operator approves it', async () => {
    const approved: FirstDecision = { decision: 'list', decidedBy: 'operator', rows: [] };
    const { uptime: _uptime, ...bare } = listingOf('approved');
    const decisions = await putEntries(store.db, [{ listing: bare, first: approved }], new Date());
    expect(decisions.get('approved')).toBe('hold');
  });

  it('shows a claim that is new', async () => {
    const { put } = await listed({ audited: false });
    expect((await put({ audited: true })).entry).toMatchObject({ audited: true, transport: ['http'] });
  });

  it('is rejected at once if the listing itself breaks a requirement', async () => {
    const { put } = await listed();
    expect((await put({ description: 'x' }, { ...UNTESTED, decision: 'reject' })).decided).toBe('reject');
  });

  it('forgets what was undecided when it is judged anew, and says what is to be done about its key now', async () => {
    const { put } = await listed();
    const id = `s${number}`;
    await store.db
      .updateTable('entries')
      .set({ checks_decision: 'hold', is_undecided: true })
      .where('id', '=', id)
      .execute();
    const gate = {
      httpStatus: 401,
      challenge: null,
      metadataUrl: null,
      hasKey: false,
      remedy: 'add bearerEnv',
    };
    await store.db
      .updateTable('entry_details')
      .set({ missing: JSON.stringify(['send: no sample input']), gate: JSON.stringify(gate) })
      .where('entry_id', '=', id)
      .execute();
    expect((await put({})).entry).toMatchObject({ status: 'undecided', missing: ['send: no sample input'] });
    const bearerEnv = `PROBITY_TARGET_${id.toUpperCase()}`;
    const { entry } = await put({ bearerEnv });
    expect(entry).toMatchObject({ status: 'up', missing: [], gate: { httpStatus: 401 } });
    expect(entry?.gate?.remedy).toMatch(/Give it: /);
  });

  it('is decided when it is rejected, whatever the checks left undecided', async () => {
    const { put } = await listed();
    await put({});
    await store.db
      .updateTable('entries')
      .set({ checks_decision: 'reject', is_undecided: true })
      .where('id', '=', `s${number}`)
      .execute();
    expect((await readEntry(store.db, `s${number}`))?.status).toBe('up');
  });

  it('keeps what the operator decided, also when it is listed at once or moves', async () => {
    const approved: FirstDecision = { decision: 'list', decidedBy: 'operator', rows: [] };
    for (const action of ['hold', 'reject'] as const) {
      const { put } = await listed();
      const decision = { action, reason: 'it lies', operator: 'ada' };
      await decideAsOperator(store.db, `s${number}`, decision);
      for (const first of [UNTESTED, approved])
        for (const changed of [{ description: 'Changed.' }, { endpoint: 'https://moved.example' }])
          expect((await put(changed, first)).entry).toMatchObject({
            decision: action,
            decided_by: 'operator',
          });
    }
  });

  it('begins anew at another endpoint', async () => {
    const { put } = await listed();
    expect((await put({ endpoint: 'https://elsewhere.example' })).entry).toMatchObject({
      decision: 'hold',
      figures_claimed: true,
      status: 'unknown',
      audited: true,
      transport: ['http', 'websocket'],
    });
  });

  it('is not listed without figures', async () => {
    const approved: FirstDecision = { decision: 'list', decidedBy: 'operator', rows: [] };
    const { uptime: _uptime, ...bare } = listingOf('bare');
    await putEntries(store.db, [{ listing: listingOf('bare'), first: approved }], new Date());
    const decisions = await putEntries(store.db, [{ listing: bare, first: UNTESTED }], new Date());
    expect(decisions.get('bare')).toBe('hold');
  });
});
