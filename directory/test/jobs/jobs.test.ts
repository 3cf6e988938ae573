import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import type { Store } from '../../src/db/open-store.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { type Attempt, endAttempt } from '../../src/jobs/attempts.ts';
import { CALLER_PRIORITY, readQueueStates } from '../../src/jobs/queues.ts';
import { scheduleDue } from '../../src/jobs/schedule-due.ts';
import { type Jobs, type Log, startJobs, takeUpOrphans } from '../../src/jobs/start-jobs.ts';
import { joinTest } from '../../src/jobs/tests.ts';
import { type Handler, RunningWork } from '../../src/jobs/work-queue.ts';
import type { QueueName } from '../../src/settings/settings.ts';
import { describeStores } from '../db/stores.ts';
import { listing, newEntry } from '../entries/kept-entries.ts';

const logged: unknown[][] = [];
const log: Log = {
  info: () => undefined,
  warn: (...given: unknown[]) => void logged.push(given),
  error: (...given: unknown[]) => void logged.push(given),
};

describeStores('jobs', (stores) => {
  let store: Store;
  let jobs: Jobs;
  const running: Pick<RunningWork, 'stop'>[] = [];
  beforeAll(async () => {
    store = await stores.open();
    jobs = await startJobs(store, log, { works: false });
  });
  afterEach(async () => {
    for (const work of running.splice(0)) await work.stop();
    await sql`delete from pgboss.job`.execute(store.db);
    logged.length = 0;
  });
  afterAll(async () => {
    await jobs?.stop();
    await stores.close();
  });

  const stateOf = async (name: QueueName) => {
    const states = await readQueueStates(store.db);
    return states.find(({ queue }) => queue === name);
  };
  const work = <Name extends QueueName>(
    queue: Name,
    handle: Handler<Name>,
    { concurrency = 4, reserved = 0 } = {},
  ): Pick<RunningWork, 'stop'> => {
    const started = new RunningWork(
      store,
      jobs,
      {
        queue,
        concurrency,
        reserved,
        handle,
        ending: new AbortController().signal,
        noteEnd: () => undefined,
      },
      log,
    );
    running.push(started);
    return started;
  };
  const sendTest = (entryId: string, priority = 0) =>
    jobs.send('test', { key: entryId, data: { entryId, samples: null, traceparent: null }, priority });

  it('have one job for a key, until it has ended', async () => {
    const first = await sendTest('one');
    expect([typeof first, await sendTest('one'), typeof (await sendTest('other'))]).toEqual([
      'string',
      null,
      'string',
    ]);
    const [attempt] = await jobs.fetch('test', 1);
    expect(await sendTest('one')).toBeNull();
    expect(await endAttempt(store.db, attempt as Attempt)).toBe(true);
    expect(typeof (await sendTest('one'))).toBe('string');
  });

  it('are given to another worker when they expire, and end once', async () => {
    await sendTest('slow');
    const [slow] = await jobs.fetch('test', 1);
    await sql`update pgboss.job set started_on = now() - interval '1 day'`.execute(store.db);
    const maintaining = await startJobs(store, log, { works: true });
    try {
      const other = await eventually(
        () => jobs.fetch('test', 1),
        (fetched) => fetched.length === 1,
      );
      expect(other[0]).toMatchObject({ jobId: slow?.jobId, number: 1 });
      expect(await endAttempt(store.db, slow as Attempt)).toBe(false);
      expect(await endAttempt(store.db, other[0] as Attempt)).toBe(true);
      expect(await endAttempt(store.db, other[0] as Attempt)).toBe(false);
    } finally {
      await maintaining.stop();
    }
  });

  it('are repeated after an error, and become dead letters', async () => {
    let attempts = 0;
    const dead: unknown[] = [];
    work('dead-letter', async ({ data, output }) => {
      dead.push({ data, output });
      return 'done';
    });
    work('probe', async () => {
      attempts += 1;
      throw new Error('nul \u0000 in it');
    });
    await jobs.send('probe', { key: 'bad', data: { entryId: 'bad' } });
    await eventually(
      async () => {
        // The pauses between the attempts are skipped.
        await sql`update pgboss.job set start_after = now() where state = 'retry'`.execute(store.db);
        return dead;
      },
      (found) => found.length === 1,
    );
    expect(dead).toEqual([
      { data: { queue: 'probe', entryId: 'bad' }, output: { message: expect.stringContaining('nul ') } },
    ]);
    expect(attempts).toBe(6);
    expect(logged).toHaveLength(6);
    expect(await stateOf('probe')).toMatchObject({ waiting: 0, running: 0, failed: 1 });
  });

  it('leave a slot for those that a caller waits for', async () => {
    const started: string[] = [];
    const releases: (() => void)[] = [];
    work(
      'test',
      async ({ data: { entryId } }) => {
        started.push(entryId);
        await new Promise<void>((resolve) => releases.push(resolve));
        return 'done';
      },
      { concurrency: 2, reserved: 1 },
    );
    await sendTest('scheduled-1');
    await eventually(
      async () => started.length,
      (count) => count === 1,
    );
    await sendTest('scheduled-2');
    await sendTest('called', CALLER_PRIORITY);
    await eventually(
      async () => started.length,
      (count) => count === 2,
    );
    expect(started).toEqual(['scheduled-1', 'called']);
    expect(await stateOf('test')).toMatchObject({ waiting: 1, running: 2 });
    for (const release of releases.splice(0)) release();
    await eventually(
      async () => started.length,
      (count) => count === 3,
    );
    for (const release of releases.splice(0)) release();
  });

  it('are put back when their worker stops, except those that a caller waits for', async () => {
    let finish = (): void => undefined;
    const finished: string[] = [];
    const stopped = work('test', async ({ data: { entryId } }, signal) => {
      await new Promise<void>((resolve) => {
        if (entryId === 'joined') finish = resolve;
        signal.addEventListener('abort', () => resolve());
      });
      if (signal.aborted) return 'interrupted';
      finished.push(entryId);
      return 'done';
    });
    await sendTest('joined');
    await sendTest('interrupted');
    await eventually(
      () => stateOf('test'),
      (state) => state?.running === 2,
    );
    expect(await joinTest(store.db, 'joined', { traceparent: null, hasInput: false })).not.toBeNull();
    const stopping = stopped.stop();
    await eventually(
      () => stateOf('test'),
      (state) => state?.waiting === 1,
    );
    expect(finished).toEqual([]);
    finish();
    await stopping;
    expect(finished).toEqual(['joined']);
    const [again] = await jobs.fetch('test', 1);
    expect(again).toMatchObject({ number: 0, data: { entryId: 'interrupted' } });
  });

  it('are added for due entries up to a bound, and the others stay due', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `due-${String(index).padStart(3, '0')}`);
    await putEntries(
      store.db,
      ids.map((id) => newEntry(listing(id))),
      new Date(),
    );
    const ending = new AbortController();
    const scheduling = scheduleDue(
      store.db,
      jobs,
      [
        {
          queue: 'probe',
          column: 'next_probe_at',
          everyMs: 3_600_000,
          everyColumn: 'probe_every_ms',
          againMs: null,
          jitter: 0.1,
          maxWaiting: 40,
          jobOf: (entryId) => ({ key: entryId, data: { entryId } }),
        },
      ],
      ending.signal,
    );
    await eventually(
      () => stateOf('probe'),
      (state) => state?.waiting === 40,
    );
    const probed: string[] = [];
    work('probe', async ({ data: { entryId } }) => {
      probed.push(entryId);
      return 'done';
    });
    await eventually(
      async () => probed.length,
      (count) => count === ids.length,
    );
    ending.abort();
    await scheduling;
    expect([...probed].sort()).toEqual(ids);
    const { rows } = await sql<{ due: number }>`
      select count(*)::integer as due from entry_details where next_probe_at <= now()`.execute(store.db);
    expect(rows).toEqual([{ due: 0 }]);
  });

  it('are not taken from another worker of the same process that starts later', async () => {
    const first = await startJobs(store, log, { works: true });
    await sendTest('running');
    const [attempt] = await first.fetch('test', 1);
    const second = await startJobs(store, log, { works: true });
    expect(await second.fetch('test', 1)).toEqual([]);
    expect(await endAttempt(store.db, attempt as Attempt)).toBe(true);
    await Promise.all([first.stop(), second.stop()]);
  });

  if (stores.kind === 'embedded')
    it('of a process that was killed are taken up by the next one', async () => {
      await sendTest('orphan');
      const [orphan] = await jobs.fetch('test', 1);
      await takeUpOrphans(store.db);
      const [again] = await jobs.fetch('test', 1);
      expect(again).toMatchObject({ jobId: orphan?.jobId, number: 1 });
    });
});
