import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { purgeCalls } from '../../src/gateway/idempotent-calls.ts';
import { startPostgres, type TestPostgres } from '../db/stores.ts';
import { type Answer, type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { answer, type Behaviour, startTarget, type Target } from '../target.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

describe.each(['embedded', 'postgres'] as const)('a call with an Idempotency-Key, on %s', (kind) => {
  let gateway: DirectoryUnderTest;
  const toClose: Target[] = [];
  beforeAll(async () => {
    gateway = await startDirectory({
      databaseUrl: kind === 'postgres' ? await postgres.database('once') : null,
    });
  });
  afterEach(async () => {
    for (const server of toClose.splice(0)) await server.close();
  });
  afterAll(() => gateway?.stop());

  let count = 0;
  async function listed(behaviour: Behaviour): Promise<{ readonly id: string; readonly target: Target }> {
    const target = await startTarget(behaviour);
    toClose.push(target);
    count += 1;
    const id = `once-${count}`;
    await gateway.list(id, target.url);
    return { id, target };
  }
  const counting = (): Promise<{ readonly id: string; readonly target: Target }> => {
    let served = 0;
    return listed({
      execute: (_call, response) => {
        served += 1;
        answer(response, 200, { output: { served, odd: '\0\ud800ä' } });
      },
    });
  };
  const holding = async () => {
    const held: ServerResponse[] = [];
    const all = await listed({ execute: (_call, response) => void held.push(response) });
    const release = (): void => {
      for (const response of held) answer(response, 200, { output: { done: true } });
    };
    return { ...all, held, release };
  };
  const named = (key: string = randomUUID()) => ({ 'idempotency-key': key });

  it('gets the stored answer and does not run again', async () => {
    const { id, target } = await counting();
    const name = named();
    const first = await gateway.execute(id, { function: 'f', input: { a: 1, b: { c: 2, d: 3 } } }, name);
    const second = await gateway.execute(id, '{"input":{"b":{"d":3, "c":2},"a":1},"function":"f"}', name);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toBe(first.text);
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(target.calls).toHaveLength(1);
    await gateway.execute(id, { function: 'f' }, named());
    await gateway.execute(id, { function: 'f' });
    expect(target.calls).toHaveLength(3);
  });

  it('gets the complete stored answer, however long', async () => {
    const text = 'ä\0"'.repeat(400_000);
    const { id } = await listed({
      execute: (_call, response) => answer(response, 200, { output: { text } }),
    });
    const name = named();
    const first = await gateway.execute(id, { function: 'f' }, name);
    const second = await gateway.execute(id, { function: 'f' }, name);
    expect([first.status, second.status, second.text === first.text]).toEqual([200, 200, true]);
    expect(second.body.output.text).toBe(text);
  });

  it('is separate for each caller', async () => {
    const { id, target } = await counting();
    const other = await gateway.another();
    const name = named();
    expect((await gateway.execute(id, { function: 'f' }, name)).body.output.served).toBe(1);
    expect((await other.execute(id, { function: 'f' }, name)).body.output.served).toBe(2);
    expect(target.calls).toHaveLength(2);
    await other.stop();
  });

  it('refuses another call with the same key', async () => {
    const { id, target } = await counting();
    const another = await counting();
    const name = named();
    await gateway.execute(id, '{"function":"f","input":{"n":9007199254740992}}', name);
    for (const [server, body] of [
      [id, '{"function":"f","input":{"n":9007199254740993}}'],
      [id, '{"function":"f","input":{}}'],
      [id, '{"function":"g","input":{"n":9007199254740992}}'],
      [another.id, '{"function":"f","input":{"n":9007199254740992}}'],
    ] as const) {
      const given = await gateway.execute(server, body, name);
      expect([given.status, given.body.code]).toEqual([422, 'key-reused']);
    }
    expect([target.calls.length, another.target.calls.length]).toEqual([1, 0]);
  });

  it('runs once for concurrent requests to two instances', async () => {
    const { id, target, held, release } = await holding();
    const other = await gateway.another();
    const name = { ...named(), authorization: `Bearer ${gateway.key}` };
    const all = [1, 2, 3, 4].flatMap(() => [
      gateway.execute(id, { function: 'f' }, name),
      other.execute(id, { function: 'f' }, name),
    ]);
    await eventually(
      () => held.length,
      (length) => length === 1,
    );
    const refused: Answer[] = [];
    for (const one of all)
      one.then(
        (given) => refused.push(given),
        () => undefined,
      );
    await eventually(
      () => refused.length,
      (length) => length === 7,
    );
    for (const { status, body, headers } of refused)
      expect([status, body.code, headers.get('retry-after')]).toEqual([409, 'call-under-way', '2']);
    release();
    const answers = await Promise.all(all);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const again = await other.execute(id, { function: 'f' }, name);
    expect(again.text).toBe(answers.find(({ status }) => status === 200)?.text);
    expect(target.calls).toHaveLength(1);
    await other.stop();
  });

  it.each([
    [
      'fails',
      (response: ServerResponse) =>
        answer(response, 500, { error: { code: 'EXECUTION_ERROR', message: 'no' } }),
      502,
    ],
    ['hangs up', (response: ServerResponse) => void response.destroy(), 502],
    ['refuses the input', (response: ServerResponse) => answer(response, 400, {}), 422],
  ])('does not run again when the target %s', async (_name, behave, status) => {
    const { id, target } = await listed({ execute: (_call, response) => behave(response) });
    const name = named();
    const first = await gateway.execute(id, { function: 'f' }, name);
    const second = await gateway.execute(id, { function: 'f' }, name);
    expect([first.status, second.status, second.text]).toEqual([status, status, first.text]);
    expect(second.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(target.calls).toHaveLength(1);
  });

  it('can be repeated when it certainly did not run', async () => {
    const { id, target } = await counting();
    const name = named();
    await gateway.list(id, 'http://127.0.0.1:1');
    expect((await gateway.execute(id, { function: 'f' }, name)).body.code).toBe('target-unreachable');
    await gateway.list(id, target.url);
    const few = await gateway.another({ limits: { runningCalls: 0 } });
    const none = { name: `none-${kind}`, calls: 0, windowSeconds: 60 };
    const limited = await gateway.another({ limits: { targetCalls: none } });
    const asGateway = { ...name, authorization: `Bearer ${gateway.key}` };
    expect((await few.execute(id, { function: 'f' }, asGateway)).body.code).toBe('busy');
    expect((await limited.execute(id, { function: 'f' }, asGateway)).body.code).toBe('rate-limited');
    expect((await gateway.execute(id, { function: 'f' }, name)).status).toBe(200);
    // A stored answer is returned even when the limits are exceeded.
    expect((await few.execute(id, { function: 'f' }, asGateway)).status).toBe(200);
    expect((await limited.execute(id, { function: 'f' }, asGateway)).status).toBe(200);
    expect(target.calls).toHaveLength(1);
    await few.stop();
    await limited.stop();
    const unknown = named();
    expect((await gateway.execute(id, { function: 'g' }, unknown)).status).toBe(404);
    expect((await gateway.execute(id, { function: 'f' }, unknown)).status).toBe(200);
  });

  it.each([
    ['accepts no more calls', 429, { 'retry-after': '1' }, {}],
    ['refuses the directory', 401, {}, {}],
    ['denies its function', 400, {}, { error: { code: 'FUNCTION_NOT_FOUND', message: '' } }],
  ])('can be repeated when the target %s', async (_name, status, headers, body) => {
    let calls = 0;
    const { id } = await listed({
      execute: (_call, response) => {
        calls += 1;
        if (calls === 1) answer(response, status, body, headers);
        else answer(response, 200, { output: {} });
      },
    });
    const name = named();
    expect((await gateway.execute(id, { function: 'f' }, name)).status).toBeGreaterThanOrEqual(400);
    expect((await gateway.execute(id, { function: 'f' }, name)).status).toBe(200);
  });

  it('continues when its caller disconnects and the instance stops', async () => {
    const { id, target, held, release } = await holding();
    const other = await gateway.another();
    const name = { ...named(), authorization: `Bearer ${gateway.key}` };
    const leaving = new AbortController();
    const left = fetch(`${other.url}/v1/servers/${id}/execute`, {
      method: 'POST',
      headers: { ...name, 'content-type': 'application/json' },
      body: JSON.stringify({ function: 'f' }),
      signal: leaving.signal,
    }).catch(() => null);
    await eventually(
      () => held.length,
      (length) => length === 1,
    );
    leaving.abort();
    await left;
    const stopped = other.stop();
    expect(await Promise.race([stopped.then(() => 'stopped'), passed(300)])).toBeNull();
    release();
    await stopped;
    const given = await gateway.execute(id, { function: 'f' }, name);
    expect([given.status, given.body.output]).toEqual([200, { done: true }]);
    expect(target.calls).toHaveLength(1);
  });

  it('does not run again when its outcome is unknown', async () => {
    const { id, target } = await counting();
    const name = named();
    await gateway.execute(id, { function: 'f' }, name);
    const asIf = (startedAt: string) =>
      sql`update idempotent_calls set status = null, body = null, content_type = null,
        started_at = now() - ${startedAt}::interval where idempotency_key = ${name['idempotency-key']}`.execute(
        gateway.store.db,
      );
    await asIf('10 seconds');
    const recent = await gateway.execute(id, { function: 'f' }, name);
    expect([recent.status, recent.body.code]).toEqual([409, 'call-under-way']);
    await asIf('10 minutes');
    const dead = await gateway.execute(id, { function: 'f' }, name);
    expect([dead.status, dead.body.code, dead.body.called]).toEqual([409, 'outcome-unknown', 'unknown']);
    expect(dead.headers.has('retry-after')).toBe(false);
    expect(target.calls).toHaveLength(1);
    await asIf('25 hours');
    expect((await gateway.execute(id, { function: 'f' }, name)).body.output.served).toBe(2);
  });

  it('is deleted after its time', async () => {
    const { id } = await counting();
    const name = named();
    await gateway.execute(id, { function: 'f' }, name);
    const { db } = gateway.store;
    await purgeCalls(db);
    expect((await gateway.execute(id, { function: 'f' }, name)).body.output.served).toBe(1);
    await sql`update idempotent_calls set started_at = now() - interval '25 hours'`.execute(db);
    await purgeCalls(db);
    expect((await sql`select from idempotent_calls`.execute(db)).rows).toEqual([]);
    expect((await gateway.execute(id, { function: 'f' }, name)).body.output.served).toBe(2);
  });
});

function passed(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms));
}
