import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import type { Store } from '../../src/db/open-store.ts';
import { storeCapabilities } from '../../src/entries/capabilities.ts';
import { removeEntries } from '../../src/entries/entries.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { describeStores } from '../db/stores.ts';
import { startDirectory } from '../directory-under-test.ts';
import { listing, newEntry } from '../entries/kept-entries.ts';
import { answer, FORM_A, startTarget } from '../target.ts';

it('answers calls of a server that is removed meanwhile, and logs no error', async () => {
  const held: (() => void)[] = [];
  const target = await startTarget({
    capabilities: (_, response) => void held.push(() => answer(response, 200, FORM_A)),
    execute: (_call, response) => void held.push(() => answer(response, 200, { output: { done: true } })),
  });
  const levels: number[] = [];
  const logger = {
    level: 'info',
    stream: { write: (line: string) => void levels.push((JSON.parse(line) as { level: number }).level) },
  };
  const directory = await startDirectory({ logger });
  const isHeld = (): Promise<number> =>
    eventually(
      () => held.length,
      (length) => length === 1,
    );
  try {
    for (const removedDuring of ['capabilities', 'execute']) {
      await directory.list('removed', target.url);
      const call = directory.execute('removed', { function: 'f' });
      await isHeld();
      if (removedDuring === 'execute') {
        held.pop()?.();
        await isHeld();
      }
      await removeEntries(directory.store.db, ['removed']);
      held.pop()?.();
      if (removedDuring === 'capabilities') {
        await isHeld();
        held.pop()?.();
      }
      expect((await call).status).toBe(200);
    }
    await directory.stop();
    expect([levels.length > 0, levels.some((level) => level > INFO)]).toEqual([true, false]);
  } finally {
    await directory.stop();
    await target.close();
  }
});

const INFO = 30;

describeStores('capabilities of a server', (stores) => {
  let store: Store;
  beforeAll(async () => {
    store = await stores.open();
  });
  afterAll(() => stores.close());

  it('are not stored when it is removed at the same moment', async () => {
    await putEntries(store.db, [newEntry(listing('leaving', { endpoint: 'http://192.0.2.1' }))], new Date());
    let storing: Promise<void> = Promise.resolve();
    await store.db.transaction().execute(async (transaction) => {
      await removeEntries(transaction, ['leaving']);
      storing = storeCapabilities(
        store.db,
        { id: 'leaving', endpoint: 'http://192.0.2.1' },
        { functions: [] },
        new Date(),
      );
      storing.catch(() => undefined);
      if (stores.kind === 'postgres') await isWaiting(store);
    });
    await expect(storing).resolves.toBeUndefined();
    expect(await store.db.selectFrom('capabilities').selectAll().execute()).toEqual([]);
  });
});

/** Until a statement waits for the lock of another transaction. */
async function isWaiting(store: Store): Promise<void> {
  await eventually(
    () =>
      store.db
        .selectFrom('pg_locks' as never)
        .selectAll()
        .where('granted' as never, '=', false as never)
        .execute(),
    (rows) => rows.length > 0,
  );
}
