import { randomUUID } from 'node:crypto';
import { checkServer, startReferenceServer } from 'probity';
import type { TestResult } from 'probity/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentOf } from '../../src/checking/keep-result.ts';
import type { Store } from '../../src/db/open-store.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { insertResult, readHistory, readOutline } from '../../src/entries/results.ts';
import { describeStores } from '../db/stores.ts';
import { listingOf } from '../entries/listings.ts';

describeStores('results of an entry', (stores) => {
  let store: Store;
  beforeAll(async () => {
    store = await stores.open();
  });
  afterAll(() => stores.close());

  /** Adds results with these contents, one after the other, and returns the numbers of those that are complete. */
  async function completeAfter(id: string, contents: readonly (string | null)[]): Promise<readonly number[]> {
    await putEntries(
      store.db,
      [
        {
          listing: listingOf(id, `https://${id}.example`, { uptime: 100, responseTime: 1 }),
          first: { decision: 'list', decidedBy: 'operator', rows: [] },
        },
      ],
      new Date(),
    );
    for (const [number, content] of contents.entries())
      await insertResult(
        store.db,
        {
          id: randomUUID(),
          entry_id: id,
          started_at: new Date(1000 * number),
          duration_ms: number,
          verdict: 'pass',
          reachable: true,
          summary: '{}',
          decision: 'list',
          body: Buffer.from(`body ${number}`),
          outline: `"outline ${number}"`,
          content: content === null ? null : Buffer.from(content),
        },
        null,
      );
    const rows = await store.db
      .selectFrom('results')
      .select(['duration_ms', 'body', 'outline'])
      .where('entry_id', '=', id)
      .orderBy('started_at')
      .execute();
    for (const { body, outline } of rows) expect(body === null).toBe(outline === null);
    return rows.flatMap(({ duration_ms, body }) => (body === null ? [] : [duration_ms]));
  }
  const repeated = (content: string | null, count: number) => Array.from({ length: count }, () => content);

  it('share one body while they are equal, and each caller of the newest two has its own', async () => {
    expect(await completeAfter('steady', repeated('same', 30))).toEqual([28, 29]);
    expect(await readHistory(store.db, 'steady', 100)).toHaveLength(30);
    expect(await readOutline(store.db, 'steady')).toMatchObject({ outline: '"outline 29"' });
  });

  it('keep the newest of each kind', async () => {
    const contents = [
      ...repeated('one', 5),
      ...repeated('two', 5),
      ...repeated('one', 5),
      ...repeated('three', 5),
    ];
    expect(await completeAfter('changing', contents)).toEqual([9, 14, 18, 19]);
    const letters = Array.from({ length: 30 }, (_, number) => `kind ${number}`);
    expect(await completeAfter('different', letters)).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
  });

  it('without a digest, from before it existed, equal none', async () => {
    expect(await completeAfter('old', [...repeated(null, 4), ...repeated('new', 4)])).toEqual([
      0, 1, 2, 3, 6, 7,
    ]);
  });
});

describe('the content of a result', () => {
  const untimed = { latency: { off: true } };
  it('is equal for two checks of a server, and differs for one that breaks', async () => {
    const servers = [await startReferenceServer({ form: 'B' }), await startReferenceServer({ form: 'A' })];
    try {
      const check = (url: string, seed: number): Promise<TestResult> =>
        checkServer(url, { ...untimed, seed });
      const [one, again, other] = [
        await check(servers[0]?.url ?? '', 1),
        await check(servers[0]?.url ?? '', 2),
        await check(servers[1]?.url ?? '', 1),
      ];
      expect(one.startedAt).not.toBe(again.startedAt);
      expect(contentOf(again)).toEqual(contentOf(one));
      expect(contentOf(other)).not.toEqual(contentOf(one));
      const broken: TestResult = {
        ...one,
        results: one.results.map((row, index) => (index === 0 ? { ...row, outcome: 'failed' } : row)),
      };
      expect(contentOf(broken)).not.toEqual(contentOf(one));
    } finally {
      for (const server of servers) await server.close();
    }
  });
});
