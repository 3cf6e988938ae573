import { startReferenceServer } from 'probity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../test/cli/run-command.ts';
import { whyNoPostgres } from '../../../test/set-up/postgres-programs.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { startPostgres, type TestPostgres } from '../db/stores.ts';
import { startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';
import { startWorker } from '../service-process.ts';

it('commands refuse what the embedded database cannot do, and unknown queues', async () => {
  const embedded = await runCommand(['directory', 'worker'], { env: { DATABASE_URL: '' } });
  expect([embedded.code, embedded.stderr]).toMatchObject([
    2,
    expect.stringContaining('A worker needs DATABASE_URL'),
  ]);
  const idle = await runCommand(['directory', 'serve', '--no-worker'], { env: { DATABASE_URL: '' } });
  expect([idle.code, idle.stderr]).toMatchObject([
    2,
    expect.stringContaining('--no-worker needs DATABASE_URL'),
  ]);
  const unknown = await runCommand(['directory', 'worker', '--queues', 'probe,mail'], {
    env: { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
  });
  expect([unknown.code, unknown.stderr]).toMatchObject([
    2,
    expect.stringContaining('It must be one of schedule, probe, test'),
  ]);
});

describe('a worker beside a service that only answers', unless(whyNoPostgres()), () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it('runs the test that a caller waits for', async () => {
    const databaseUrl = await postgres.database('worker');
    const target = await startReferenceServer({ form: 'A' });
    const directory = await startDirectory({ databaseUrl, queues: [] });
    const worker = startWorker({ data: '', databaseUrl, more: ['--queues', 'test', '--timed-calls', '0'] });
    try {
      await directory.add(listingOf('far', target.url));
      const answer = await directory.test('far');
      expect([answer.status, answer.headers.get('x-probity-run')]).toEqual([200, 'started']);
      expect(await answer.json()).toMatchObject({ reachable: true, target: { url: target.url } });
      await worker.stop();
      expect(await worker.ended).toBe(0);
    } finally {
      await worker.kill();
      await directory.stop();
      await target.close();
    }
  });
});
