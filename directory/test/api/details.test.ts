import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { oneRow, run } from '../../src/db/rows.ts';
import { startPostgres, type TestPostgres } from '../db/stores.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { answer, startTarget } from '../target.ts';

let postgres: TestPostgres;
let directory: DirectoryUnderTest;
let other: Store;
beforeAll(async () => {
  postgres = await startPostgres();
  const databaseUrl = await postgres.database('details');
  directory = await startDirectory({ databaseUrl });
  other = await openStore({ databaseUrl, dataFolder: '', share: false });
});
afterAll(async () => {
  await other?.close();
  await directory?.stop();
  await postgres?.stop();
});

it('shows a result with the decision that followed from it, also when a test ends meanwhile', async () => {
  const target = await startTarget({ execute: (_call, response) => answer(response, 200, {}) });
  await directory.list('steady', target.url);
  await directory.plannedTest('steady');
  await target.close();
  const before = await directory.details('steady');
  expect(before.lastResult).not.toBeNull();
  const during = await other.db.transaction().execute(async (db) => {
    await run(db)`lock table results in access exclusive mode`;
    const reading = directory.details('steady');
    await eventually(
      () => oneRow<{ waits: boolean }>(directory.store.db)`
        select exists (
          select from pg_locks where relation = 'results'::regclass and not granted
        ) as waits`,
      ({ waits }) => waits,
    );
    await run(db)`delete from results where entry_id = 'steady'`;
    await run(db)`update entries set operator_decision = 'hold' where id = 'steady'`;
    return { reading };
  });
  const { listing, lastResult } = await during.reading;
  expect([listing.decision, lastResult === null]).toEqual(['list', false]);
  const after = await directory.details('steady');
  expect([after.listing.decision, after.lastResult]).toEqual(['hold', null]);
});
