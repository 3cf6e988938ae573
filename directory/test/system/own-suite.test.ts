import { checkServer, type RunningServer, startReferenceServer } from 'probity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENT } from '../../../test/patience.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { startPostgres, type TestPostgres } from '../db/stores.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';

let postgres: TestPostgres;
let formA: RunningServer;
let formB: RunningServer;
beforeAll(async () => {
  postgres = await startPostgres();
  formA = await startReferenceServer({ form: 'A' });
  formB = await startReferenceServer({ form: 'B' });
});
afterAll(async () => {
  await formA?.close();
  await formB?.close();
  await postgres?.stop();
});

/** Entries that differ in every property that a search can filter by. */
function entries() {
  return Array.from({ length: 30 }, (_, index) => ({
    listing: listingOf(`server-${index}`, index % 2 === 0 ? formA.url : formB.url, {
      name: `${['Weather', 'Music', 'Chess'][index % 3]} ${['north', 'south'][index % 2]} ${index}`,
      category: ['Science', 'Arts', 'Games', 'Tools'][index % 4] ?? '',
      tags: [['public', 'beta'], ['public'], ['beta', 'fast'], []][index % 4] ?? [],
      transport: index % 5 === 0 ? ['http', 'websocket'] : ['http'],
      audited: index % 3 === 0,
      openSource: index % 2 === 0,
      uptime: 90 + (index % 10),
      responseTime: 20 + index * 7,
    }),
    first: { decision: 'list', decidedBy: 'operator', rows: [] } as const,
  }));
}

describe.each(['embedded', 'postgres'] as const)('the directory service, on the %s store', (kind) => {
  let directory: DirectoryUnderTest;
  beforeAll(async () => {
    directory = await startDirectory({
      databaseUrl: kind === 'postgres' ? await postgres.database('own_suite') : null,
      // The suite exceeds it within the window, even on a slow machine.
      limits: { read: { name: 'read', calls: 500, windowSeconds: 3600 } },
      timedCalls: 6,
    });
    await putEntries(directory.store.db, entries(), new Date());
  });
  afterAll(() => directory?.stop());

  it('passes every requirement of the directory suite', async () => {
    const result = await checkServer(`${directory.url}/v1`, {
      bearerToken: directory.key,
      directory: { tryRateLimit: true },
      ...PATIENT,
    });
    expect(result.findings.map(({ id, message }) => [id, message])).toEqual([]);
    expect(result.results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
    expect(result.results).toHaveLength(27);
    expect(result.verdict).toBe('pass');
  });
});
