import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningMutant, startMutantServer } from '../../../test/mutants/mutant-server.ts';
import { instead, json } from '../../../test/mutants/mutations.ts';
import { storeObservations } from '../../src/watching/observations.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';

let directory: DirectoryUnderTest;
let server: RunningMutant;
let wantsKey = false;
beforeAll(async () => {
  const mutate = instead(() =>
    wantsKey ? json(401, { error: { code: 'UNAUTHORIZED', message: 'A key is required.' } }) : undefined,
  );
  [directory, server] = await Promise.all([startDirectory(), startMutantServer('B', { mutate })]);
});
afterAll(async () => {
  await directory?.stop();
  await server?.close();
});

/** A probe for which the server wants no key. */
async function probe(id: string): Promise<void> {
  const seen = { entry_id: id, at: new Date(), up: true, duration_ms: 7 } as const;
  await directory.store.db.transaction().execute((db) =>
    storeObservations(db, id, [{ ...seen, operation: 'health', source: 'probe' }], {
      now: new Date(),
      holdsMs: 60_000,
    }),
  );
}

it.each([
  ['listed', false, 'up, list'],
  ['that no test decided about yet', true, 'undecided, hold'],
] as const)('says of a server %s that it wants a key only while it does', async (_, wantsKeyFirst, after) => {
  const id = wantsKeyFirst ? 'new' : 'known';
  if (wantsKeyFirst) await directory.add(listingOf(id, server.url));
  else {
    await directory.list(id, server.url);
    await directory.decide(id);
  }
  wantsKey = true;
  await directory.plannedTest(id);
  expect(await directory.details(id)).toMatchObject({ status: 'gated', gate: { httpStatus: 401 } });
  wantsKey = false;
  await probe(id);
  const details = await directory.details(id);
  expect(details.gate).toBeNull();
  expect(details.missing.join(' ')).not.toMatch(/asks for a key/);
  expect(`${details.status}, ${details.listing.decision}`).toBe(after);
});
