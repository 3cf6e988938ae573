import { startReferenceServer } from 'probity';
import { expect, it } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { readQueueStates } from '../src/jobs/queue-states.ts';
import { QUEUE_NAMES } from '../src/settings/queue-names.ts';
import { startDirectory } from './directory-under-test.ts';
import { startBlockedServer } from './held-server.ts';
import { listingOf } from './listings.ts';

it('tests a new entry, and observes when its target goes down and comes back', async () => {
  const target = await startReferenceServer({ form: 'A' });
  const directory = await startDirectory({ queues: QUEUE_NAMES, probeEveryMs: 200, testEveryMs: 3_600_000 });
  try {
    const claimed = { uptime: 12, responseTime: 12_345 };
    await directory.add(listingOf('watched', target.url, claimed));
    const details = () => directory.details('watched');
    const tested = await eventually(
      details,
      ({ lastResult, functions }) => lastResult !== null && functions.length > 0,
    );
    expect(tested).toMatchObject({ status: 'up', figures: 'observed', uptime: 100 });
    expect(tested.responseTime).toBeLessThan(12_345);

    await target.close();
    const down = await eventually(details, ({ uptime }) => uptime !== null && uptime < 90);
    expect(down.status).toBe('down');
    expect(down.uptimeByDay.at(-1)?.uptime).toBeLessThan(100);

    const { port } = new URL(target.url);
    const back = await startReferenceServer({ form: 'A', port: Number(port) });
    try {
      const up = await eventually(details, ({ status, uptime }) => status === 'up' && uptime !== down.uptime);
      expect(up.uptime).toBeGreaterThan(0);
      expect(Date.parse(up.lastUpdated)).toBeGreaterThan(Date.parse(down.lastUpdated));
      expect((await details()).history).toHaveLength(1);
    } finally {
      await back.close();
    }
  } finally {
    await directory.stop();
  }
});

it('interrupts a running test when it stops, and puts it back', async () => {
  const target = await startBlockedServer('B');
  const directory = await startDirectory({ queues: [] });
  const tester = await directory.another({ queues: QUEUE_NAMES, probeEveryMs: 200 });
  try {
    await directory.add(listingOf('interrupted', target.url));
    await eventually(
      () => directory.details('interrupted'),
      ({ testStartedAt }) => testStartedAt !== null,
    );
    await tester.stop();
    expect(await directory.store.db.selectFrom('results').selectAll().execute()).toEqual([]);
    const states = await readQueueStates(directory.store.db);
    expect(states.find(({ queue }) => queue === 'test')).toMatchObject({ waiting: 1, running: 0, failed: 0 });
  } finally {
    await tester.stop();
    await directory.stop();
    await target.close();
  }
});
