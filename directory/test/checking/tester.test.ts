import { type AddressInfo, createServer } from 'node:net';
import { sql } from 'kysely';
import { startReferenceServer } from 'probity';
import type { TestResult } from 'probity/model';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { validateTestResult } from '../../../src/generated/test-result.js';
import { createReference } from '../../../src/reference/contract.ts';
import { type ServedTarget, serve } from '../../../test/conforming/serve.ts';
import { eventually } from '../../../test/eventually.ts';
import { startMutantServer } from '../../../test/mutants/mutant-server.ts';
import { inCapabilities } from '../../../test/mutants/mutations.ts';
import type { Store } from '../../src/db/open-store.ts';
import { readEntry } from '../../src/entries/entries.ts';
import { countTests } from '../../src/jobs/tests.ts';
import { QUEUE_NAMES } from '../../src/settings/settings.ts';
import { startPostgres, type TestPostgres } from '../db/stores.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';
import { FEW_FUNCTIONS, requestsUnderWay, startBlockedServer } from '../held-server.ts';

let directory: DirectoryUnderTest;
let formB: ServedTarget;
beforeAll(async () => {
  directory = await startDirectory();
  formB = await serveUptime('B', () => false);
});
afterAll(async () => {
  await directory?.stop();
  await formB?.close();
});

/** A window that does not end during a test. */
const ENDLESS_SECONDS = 1e9;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A conforming server, unless its uptime is a text. */
function serveUptime(form: 'A' | 'B', isText: () => boolean): Promise<ServedTarget> {
  const reference = createReference({ form, functions: FEW_FUNCTIONS });
  return serve(async (request) => {
    const answer = await reference.answer(request);
    if (request.path !== '/health' || !isText()) return answer;
    return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), uptime: 'long' }) };
  });
}

async function held(form: 'A' | 'B') {
  const server = await startBlockedServer(form);
  closing.push(server.close);
  return server;
}

const resultsOf = ({ store }: DirectoryUnderTest, id: string) =>
  store.db.selectFrom('results').selectAll().where('entry_id', '=', id).execute();

describe('POST /servers/{serverId}/test', () => {
  it('tests a server of form A with the caller’s input, once for two callers', async () => {
    const target = await held('A');
    await directory.add(listingOf('form-a', target.url));
    const first = directory.test('form-a', { input: { a: 1, b: 41 } });
    await eventually(
      () => directory.details('form-a'),
      ({ testStartedAt }) => testStartedAt !== null,
    );
    const second = directory.test('form-a', {});
    await requestsUnderWay(directory, 2);
    target.release();
    const [one, other] = await Promise.all([first, second]);
    const texts = await Promise.all([one.text(), other.text()]);
    expect([one.status, other.status], texts[0].slice(0, 500)).toEqual([200, 200]);
    expect(texts[1] === texts[0]).toBe(true);
    expect([one, other].map(({ headers }) => headers.get('x-probity-run')).sort()).toEqual([
      'joined',
      'started',
    ]);
    expect(one.headers.get('content-type')).toMatch(/^application\/json/);
    const result = JSON.parse(texts[0] as string) as TestResult;
    expect([validateTestResult(result), validateTestResult.errors]).toEqual([true, null]);
    // On a busy machine, timed requirements may be undecided.
    expect(result).toMatchObject({ reachable: true, summary: { failed: 0 }, target: { url: target.url } });
    expect(result.settings.samples).toEqual({ add: [{ input: { a: 1, b: 41 }, fails: false }] });
    expect(await resultsOf(directory, 'form-a')).toMatchObject([{ id: result.id, decision: 'hold' }]);
    expect(await countTests(directory.store.db)).toEqual({ running: 0, waiting: 0 });

    const details = await directory.details('form-a');
    expect(details).toMatchObject({
      status: 'up',
      figures: 'observed',
      uptime: 100,
      form: 'A',
      testStartedAt: null,
      // A caller's test decides nothing.
      listing: { decision: 'hold', decidedBy: 'checks' },
      lastResult: { id: result.id, verdict: result.verdict },
      history: [{ id: result.id, verdict: result.verdict, decision: 'hold' }],
    });
    expect(details.functions.map(({ name }) => name)).toContain('add');
    expect(details.responseTimes.map(({ operation, count }) => [operation, count])).toEqual([
      ['health', 1],
      ['capabilities', 1],
      ['execute', details.functions.length],
    ]);
    expect(details.uptimeByDay).toHaveLength(30);
    expect(details.lastResult?.responseTimes.length).toBeGreaterThan(3);
  });

  it('decides nothing when the listing changes during the test', async () => {
    const target = await held('A');
    await directory.add(listingOf('relisted', target.url));
    const testing = directory.test('relisted');
    await target.asked;
    expect((await directory.details('relisted')).testStartedAt).not.toBeNull();
    await directory.add(listingOf('relisted', target.url, { openSource: false }));
    target.release();
    expect((await testing).status).toBe(200);
    expect(await resultsOf(directory, 'relisted')).toEqual([]);
    expect(await directory.details('relisted')).toMatchObject({
      openSource: false,
      testStartedAt: null,
      listing: { decision: 'hold', rows: [] },
    });
    expect((await directory.test('relisted')).status).toBe(200);
    expect(await resultsOf(directory, 'relisted')).toHaveLength(1);
  });

  it('tests a server of form B, and lets only a planned test replace the operator’s decision', async () => {
    await directory.add(listingOf('form-b', formB.url, { uptime: 99, responseTime: 10_000 }), 'operator');
    const answer = await directory.test('form-b');
    expect(answer.headers.get('x-probity-run')).toBe('started');
    expect(await answer.json()).toMatchObject({
      summary: { failed: 0 },
      target: { form: { execute: 'B' } },
    });
    expect(await directory.details('form-b')).toMatchObject({
      form: 'B',
      listing: { decision: 'list', decidedBy: 'operator' },
    });
    expect((await directory.decide('form-b')).listing).toMatchObject({
      decision: 'list',
      decidedBy: 'checks',
    });
  });

  it('never decides, however bad what a caller’s test shows, but makes a planned test due that does', async () => {
    const state = { isBroken: false };
    const target = await serveUptime('B', () => state.isBroken);
    try {
      await directory.add(listingOf('restarting', target.url));
      expect((await directory.decide('restarting')).listing.decision).toBe('list');
      const dueAt = async () =>
        (await readEntry(directory.store.db, 'restarting'))?.next_test_at.getTime() ?? 0;
      const usual = await dueAt();
      state.isBroken = true;
      for (let request = 0; request < 3; request += 1)
        expect(await (await directory.test('restarting')).json()).toMatchObject({ verdict: 'fail' });
      const { listing, doubt } = await directory.details('restarting');
      expect([listing.decision, doubt]).toEqual(['list', null]);
      const early = await dueAt();
      expect(early).toBeLessThan(usual);
      expect(early).toBeLessThanOrEqual(Date.now() + 60_000);

      await directory.plannedTest('restarting');
      expect(await directory.details('restarting')).toMatchObject({
        listing: { decision: 'list' },
        doubt: { decision: 'reject', looks: 1, outages: 0 },
      });
      state.isBroken = false;
      await directory.plannedTest('restarting');
      expect(await directory.details('restarting')).toMatchObject({
        listing: { decision: 'list' },
        doubt: null,
      });
      state.isBroken = true;
      expect((await directory.decide('restarting')).listing.decision).toBe('reject');
    } finally {
      await target.close();
    }
  });

  it('refuses an invalid request without a test', async () => {
    await directory.add(listingOf('asked', formB.url));
    const problems: readonly (readonly [body: unknown, status: number, code: string, detail?: RegExp])[] = [
      ['{', 400, 'bad-body', /not JSON.*both are optional/],
      ['[]', 400, 'bad-body', /an array/],
      [{ inputs: {} }, 400, 'bad-body', /contains "inputs"; only "input" and "function" are allowed/],
      [{ input: [] }, 400, 'bad-body', /"input" must be an object, not array/],
      [
        { function: 7 },
        400,
        'bad-body',
        /"function" must be a string of at most 1000 characters, not number/,
      ],
      [{ function: 'f'.repeat(1001) }, 400, 'bad-body', /at most 1000 characters, not "fff/],
      [`{"input":${'{"a":'.repeat(60)}1${'}'.repeat(60)}}`, 400, 'bad-body', /deeper than 32 levels/],
      [{ input: {}, function: 'no-such' }, 404, 'function-not-found'],
      [{ input: { 'no such input': 1 } }, 400, 'bad-body'],
      ['{"input":{"a":"'.padEnd(1024 * 1024 + 10, 'x'), 413, 'body-too-large'],
    ];
    for (const [body, status, code, detail = /./] of problems) {
      const answer = await directory.test('asked', body);
      const given = (await answer.json()) as { code: string; detail: string };
      expect([String(body).slice(0, 40), answer.status, given.code]).toEqual([
        String(body).slice(0, 40),
        status,
        code,
      ]);
      expect(given.detail).toMatch(detail);
    }
    const unauthorised = await directory.ask('/v1/servers/asked/test', {
      method: 'POST',
      headers: { authorization: 'Bearer none', 'content-type': 'text/plain' },
      body: 'not read without a valid key',
    });
    expect(unauthorised.status).toBe(401);
    const unfit = (await (await directory.test('asked', { input: { x: 1 } })).json()) as { detail: string };
    expect(unfit.detail).toMatch(/"add" \(a \(required\), b \(required\)\)/);
    expect((await directory.test('nobody', {})).status).toBe(404);
    expect(await resultsOf(directory, 'asked')).toEqual([]);
  });

  it('rejects a server that breaks the contract, with the reason', async () => {
    const broken = await serveUptime('A', () => true);
    try {
      await directory.add(listingOf('broken', broken.url));
      const { lastResult, listing, status } = await directory.decide('broken');
      expect(lastResult).toMatchObject({ verdict: 'fail', reachable: true });
      expect([listing.decision, status]).toEqual(['reject', 'up']);
      expect(JSON.stringify(listing.rows)).toContain('uptime');
    } finally {
      await broken.close();
    }
  });

  it('does not blame the server for a caller’s invalid input', async () => {
    await directory.add(listingOf('slandered', formB.url, { uptime: 99, responseTime: 10_000 }), 'operator');
    const answer = await directory.test('slandered', { function: 'add', input: { a: 'one', b: [] } });
    expect(await answer.json()).toMatchObject({ verdict: 'fail' });
    expect((await directory.details('slandered')).listing.decision).toBe('list');
  });

  it('counts an unreachable server as down', async () => {
    const gone = await startReferenceServer({ form: 'A' });
    await gone.close();
    await directory.add(listingOf('gone', gone.url));
    const answer = await directory.test('gone', { input: { city: 'Lund' } });
    expect([answer.status, await answer.json()]).toMatchObject([200, { reachable: false, verdict: 'fail' }]);
    expect(await directory.details('gone')).toMatchObject({
      status: 'down',
      uptime: 0,
      responseTime: null,
      listing: { decision: 'hold' },
    });
  });

  it('stores the answers of a hostile server', async () => {
    const name = 'nul \u0000 half \ud800 name';
    const hostile = await startMutantServer('B', {
      mutate: inCapabilities((record) => ({
        ...record,
        functions: [{ ...(record.functions[0] as object), name }, ...record.functions.slice(1)],
      })),
    });
    try {
      await directory.add(listingOf('hostile', hostile.url));
      const answer = await directory.test('hostile');
      const text = await answer.text();
      expect([answer.status, text.slice(0, 300)]).toMatchObject([200, expect.stringMatching(/^\{/)]);
      expect((await directory.details('hostile')).functions.map((one) => one.name)).toContain(name);
    } finally {
      await hostile.close();
    }
  });
});

describe('limits of tests', () => {
  it('refuse a test when the queue is full, and too many tests of a target', async () => {
    const small = await startDirectory({
      limits: {
        runningTests: 1,
        waitingTests: 0,
        targetTests: { name: 'target-tests', calls: 1, windowSeconds: ENDLESS_SECONDS },
      },
    });
    const target = await held('A');
    try {
      await small.add(listingOf('one', target.url));
      await small.add(listingOf('two', formB.url));
      const first = small.test('one');
      await eventually(
        () => small.details('one'),
        ({ testStartedAt }) => testStartedAt !== null,
      );
      const busy = await small.test('two');
      expect([busy.status, busy.headers.get('retry-after'), await busy.json()]).toMatchObject([
        429,
        '600',
        { code: 'busy' },
      ]);
      target.release();
      expect((await first).status).toBe(200);
      const again = await small.test('one');
      expect([again.status, await again.json()]).toMatchObject([429, { code: 'rate-limited' }]);
      expect((await small.test('two')).status).toBe(200);
    } finally {
      await small.stop();
    }
  });

  it('end the wait for a worker, and keep the test in the queue', async () => {
    const alone = await startDirectory({ queues: [], testDeadlineMs: 100 });
    try {
      await alone.add(listingOf('untaken', formB.url));
      const answer = await alone.test('untaken');
      expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toMatchObject([
        503,
        '60',
        { code: 'unavailable', detail: expect.stringContaining('No worker took the test within 1 s') },
      ]);
      expect(await countTests(alone.store.db)).toEqual({ running: 0, waiting: 1 });
    } finally {
      await alone.stop();
    }
  });

  it('allow connections to public addresses only', async () => {
    let connections = 0;
    const counted = createServer(() => {
      connections += 1;
    });
    await new Promise<void>((resolve) => counted.listen(0, '127.0.0.1', resolve));
    const { port } = counted.address() as AddressInfo;
    const guarded = await startDirectory({ publicOnly: true, queues: QUEUE_NAMES, probeEveryMs: 100 });
    try {
      await guarded.add(listingOf('inside', `http://127.0.0.1:${port}`));
      const answer = await guarded.test('inside', { input: { a: 1 } });
      expect([answer.status, await answer.json()]).toMatchObject([502, { code: 'target-refused' }]);
      const held = await eventually(
        () => guarded.details('inside'),
        ({ listing }) => listing.rows.length > 0,
      );
      expect(held).toMatchObject({ status: 'unknown', uptime: null, listing: { decision: 'hold' } });
      expect(connections).toBe(0);
    } finally {
      await guarded.stop();
      counted.close();
    }
  });
});

describe('two instances on one store', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('share one test of a target, and take over the test of a dead worker', async () => {
    const databaseUrl = await postgres.database('instances');
    const one = await startDirectory({ databaseUrl });
    const other = await startDirectory({ databaseUrl });
    try {
      const target = await held('A');
      await one.add(listingOf('shared', target.url));
      const requested = [one.test('shared'), other.test('shared')];
      for (const instance of [one, other]) await requestsUnderWay(instance, 1);
      target.release();
      const answers = await Promise.all(requested);
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      expect(texts[1] === texts[0]).toBe(true);
      expect(answers.map(({ headers }) => headers.get('x-probity-run')).sort()).toEqual([
        'joined',
        'started',
      ]);
      expect(await resultsOf(one, 'shared')).toHaveLength(1);

      await one.add(listingOf('orphaned', formB.url));
      await sendToDeadWorker(one.store, 'orphaned');
      expect((await one.details('orphaned')).testStartedAt).not.toBeNull();
      const waiting = [one.test('orphaned'), other.test('orphaned')] as const;
      for (const instance of [one, other]) await requestsUnderWay(instance, 1);
      await sql`update pgboss.job set started_on = now() - interval '1 day' where singleton_key = 'orphaned'`.execute(
        one.store.db,
      );
      const [mine, theirs] = await Promise.all(waiting);
      expect([mine.status, (await mine.text()) === (await theirs.text())]).toEqual([200, true]);
      expect(await resultsOf(one, 'orphaned')).toHaveLength(1);
    } finally {
      await one.stop();
      await other.stop();
    }
  });

  it('store one result when a worker and its replacement both finish', async () => {
    const directory = await startDirectory({ databaseUrl: await postgres.database('replaced'), queues: [] });
    const workers = [
      await directory.another({ queues: ['test'] }),
      await directory.another({ queues: ['test'] }),
    ];
    const { db } = directory.store;
    try {
      const target = await held('A');
      await directory.add(listingOf('slow', target.url));
      const requested = directory.test('slow');
      const attempt = async () =>
        (
          await sql<{ number: number }>`
            select retry_count as number from pgboss.job where singleton_key = 'slow' and state = 'active'`.execute(
            db,
          )
        ).rows[0]?.number;
      await eventually(attempt, (number) => number === 0);
      await sql`update pgboss.job set started_on = now() - interval '1 day' where singleton_key = 'slow'`.execute(
        db,
      );
      await eventually(attempt, (number) => number === 1);
      target.release();
      const answer = await requested;
      expect(answer.status).toBe(200);
      const { id } = (await answer.json()) as TestResult;
      // Both attempts have ended when both workers have stopped.
      for (const worker of workers) await worker.stop();
      expect(await resultsOf(directory, 'slow')).toMatchObject([{ id }]);
      expect(await countTests(db)).toEqual({ running: 0, waiting: 0 });
      const { rows } = await sql`
        select operation from observations join entries using (target_no)
        where id = 'slow' and operation = 'health'`.execute(db);
      expect(rows).toHaveLength(1);
    } finally {
      for (const worker of workers) await worker.stop();
      await directory.stop();
    }
  });
});

/** A test that runs in a worker that has died: its job is fetched, and nobody works on it. */
async function sendToDeadWorker(store: Store, entryId: string): Promise<void> {
  const { db } = store;
  await sql`
    insert into pgboss.job (name, data, singleton_key, state, started_on, expire_in, retry_limit, retry_backoff, retry_delay)
    values ('test', ${JSON.stringify({ queue: 'test', entryId, samples: null, traceparent: null })}::jsonb, ${entryId}, 'active', now(),
      interval '1 hour', 2, true, 1)`.execute(db);
}
