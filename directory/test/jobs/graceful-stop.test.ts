import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { readQueueStates } from '../../src/jobs/queues.ts';
import { SILENT, startJobs } from '../../src/jobs/start-jobs.ts';
import { createParts } from '../../src/service/process-parts.ts';
import { Worker } from '../../src/service/worker.ts';
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts';
import { openEmbedded } from '../db/stores.ts';
import { startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';
import { startBlockedServer } from '../held-server.ts';
import { answer, startTarget } from '../target.ts';

/** Sends a request on a kept-alive connection. */
async function askOn(
  agent: Agent,
  url: string,
  key: string,
  body?: object,
): Promise<{
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly text: string;
}> {
  const sent = request(url, {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const part of response) text += part;
  return { status: response.statusCode, connection: response.headers.connection, text };
}

/** Callers that keep their connections, and one that never sends its whole request. */
async function startWithCallers(stopWithinMs: number) {
  const held: (() => void)[] = [];
  const target = await startTarget({
    execute: (_call, response) => void held.push(() => answer(response, 200, { output: { done: true } })),
  });
  const directory = await startDirectory();
  const instance = await directory.another({ stopWithinMs });
  await directory.list('slow', target.url);
  const agent = new Agent({ keepAlive: true });
  const { status, connection } = await askOn(agent, `${instance.url}/v1/servers/slow`, directory.key);
  expect([status, connection]).toEqual([200, 'keep-alive']);
  const call = askOn(agent, `${instance.url}/v1/servers/slow/execute`, directory.key, { function: 'f' });
  const idle = await askOn(agent, `${instance.url}/livez`, directory.key);
  expect(idle.connection).toBe('keep-alive');
  await eventually(
    () => held.length,
    (length) => length === 1,
  );
  return {
    instance,
    call,
    release: () => held[0]?.(),
    close: async () => {
      agent.destroy();
      await directory.stop();
      await target.close();
    },
  };
}

it('answers what is under way with `connection: close` when it stops, so that no kept-alive connection holds it', async () => {
  const { instance, call, release, close } = await startWithCallers(600_000);
  try {
    const stopped = instance.stop();
    release();
    expect(await call).toMatchObject({ status: 200, connection: 'close' });
    await stopped;
  } finally {
    await close();
  }
});

it('interrupts what takes too long when it stops, and says that the call may have run', async () => {
  const { instance, call, close } = await startWithCallers(1000);
  const half = connect(Number(new URL(instance.url).port), '127.0.0.1');
  try {
    half.write('GET /livez HTTP/1.1\r\nHost: x\r\n');
    await once(half, 'connect');
    const halfClosed = once(half.resume(), 'close');
    const stopped = instance.stop();
    const { status, connection, text } = await call;
    expect([status, connection]).toEqual([503, 'close']);
    expect(JSON.parse(text)).toMatchObject({ code: 'unavailable', called: 'unknown' });
    await stopped;
    await halfClosed;
  } finally {
    half.destroy();
    await close();
  }
});

it('gives a test back that takes too long when it stops, and asks its caller to retry', async () => {
  const target = await startBlockedServer('A');
  const directory = await startDirectory({ queues: [] });
  const instance = await directory.another({
    queues: ['test'],
    stopWithinMs: 1000,
    limits: { runningTests: 1 },
  });
  try {
    await directory.add(listingOf('held', target.url));
    const tested = instance.test('held', {});
    await eventually(
      () => directory.details('held'),
      ({ testStartedAt }) => testStartedAt !== null,
    );
    // It waits for its slot behind the other one.
    await directory.add(listingOf('queued', target.url));
    const queued = instance.test('queued', {});
    await eventually(directory.metrics, (text) =>
      /^probity_queue_jobs\{queue="test",state="waiting"\} 1$/m.test(text),
    );
    const stopped = instance.stop();
    // Nobody works on it here any more, so its caller need not wait.
    for (const refused of [await queued, await tested]) {
      expect([refused.status, refused.headers.get('connection')]).toEqual([503, 'close']);
      expect([refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
        '5',
        { code: 'unavailable', detail: expect.stringContaining('Retry the request') },
      ]);
    }
    await stopped;
    expect(await directory.store.db.selectFrom('results').selectAll().execute()).toEqual([]);
    expect(await directory.metrics()).toMatch(/^probity_queue_jobs\{queue="test",state="waiting"\} 2$/m);
  } finally {
    await directory.stop();
    await target.close();
  }
});

it('takes no job when it stops while it starts', async () => {
  const { store, close } = await openEmbedded();
  const queue = 'dead-letter';
  const parts = await createParts(store, { ...DEFAULT_SETTINGS, queues: [queue] });
  const jobs = await startJobs(store, SILENT, { works: false });
  try {
    await jobs.send(queue, { key: 'waits', data: { queue: 'test' } });
    const worker = new Worker(parts.service, jobs, SILENT);
    const started = worker.start();
    await worker.stop();
    await started;
    const states = await readQueueStates(store.db);
    expect(states.find((state) => state.queue === queue)).toMatchObject({ waiting: 1, running: 0 });
  } finally {
    await jobs.stop();
    await parts.close(0);
    await close();
  }
});
