import { startReferenceServer } from 'probity';
import { expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { readQueueStates } from '../../src/jobs/queues.ts';
import { QUEUE_NAMES } from '../../src/settings/settings.ts';
import { endLeases, takeLease } from '../../src/targets/target-limiter.ts';
import { startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';
import { startBlockedServer } from '../held-server.ts';

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

it('counts a scheduled test once, however often it is put off', async () => {
  const target = await startReferenceServer({ form: 'A' });
  const directory = await startDirectory({
    queues: QUEUE_NAMES,
    probeEveryMs: 3_600_000,
    timedCalls: 0,
    budget: { perSecond: 20, inFlight: 8 },
    limits: { targetTests: { name: 'target-tests', calls: 1, windowSeconds: 360_000 } },
  });
  const { db } = directory.store;
  const makeDue = () =>
    db
      .updateTable('entry_details')
      .set({ next_test_at: new Date(0) })
      .execute();
  try {
    const whole = { keys: ['address:127.0.0.1'], id: 'other', slots: 8, lastsMs: 600_000, patienceMs: 1000 };
    await takeLease(db, whole, { perSecond: 20, inFlight: 8 });
    await directory.add(listingOf('patient', target.url));
    const putOff = 'probity_target_leases_total{outcome="later"}';
    await eventually(
      async () => {
        await makeDue();
        const line = (await directory.metrics()).split('\n').find((one) => one.startsWith(putOff));
        return Number(line?.slice(putOff.length) ?? 0);
      },
      (times) => times >= 4,
    );
    await endLeases(db, ['other'], 0);
    await makeDue();
    const { lastResult } = await eventually(
      () => directory.details('patient'),
      (details) => details.lastResult !== null,
    );
    expect(lastResult?.verdict).toBe('pass');
  } finally {
    await directory.stop();
    await target.close();
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
