import { afterEach, describe, expect, it } from 'vitest';
import { isTestResult } from '../../src/client/answer-shapes.ts';
import { functionNames } from '../../src/client/function-names.ts';
import { TEST_RESULT_SCHEMA_ID } from '../../src/model/report.ts';
import { clientOf, type FakeDirectory, failureOf, json, record, startFake } from './fake-directory.ts';

let fake: FakeDirectory | undefined;
afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

const FRESH = { 'cache-control': 'private, max-age=30', etag: '"one"' };

interface Behaviour {
  readonly details?: unknown;
  readonly detailsStatus?: number;
  readonly output?: unknown;
}

async function startWith({
  details = {},
  detailsStatus = 200,
  output = { output: { sum: 3 } },
}: Behaviour): Promise<FakeDirectory> {
  fake = await startFake(({ method }, response) => {
    if (method === 'POST') json(response, output);
    else json(response, { ...record('calc'), ...(details as object) }, FRESH, detailsStatus);
  });
  return fake;
}

const requestsOf = ({ seen }: FakeDirectory): readonly string[] =>
  seen.map(({ method, url }) => `${method} ${url.replace('/v1/servers', '')}`);
const FUNCTIONS = { functions: [{ name: 'add' }, { name: 'divide', description: 'x' }] };

describe('execute', () => {
  it('reads the details once, then calls', async () => {
    const started = await startWith({ details: FUNCTIONS });
    const client = clientOf(started);
    expect(await client.execute('calc', 'add', { a: 1, b: 2 })).toEqual({ sum: 3 });
    expect(await client.execute('calc', 'divide')).toEqual({ sum: 3 });
    expect(requestsOf(started)).toEqual(['GET /calc', 'POST /calc/execute', 'POST /calc/execute']);
    expect(started.seen.slice(1).map(({ body }) => JSON.parse(body))).toEqual([
      { function: 'add', input: { a: 1, b: 2 } },
      { function: 'divide', input: {} },
    ]);
    expect(started.seen[1]?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(started.seen[1]?.headers['idempotency-key']).toBeUndefined();
  });

  it('suggests similar names without a call', async () => {
    const started = await startWith({ details: FUNCTIONS });
    const client = clientOf(started);
    const error = await failureOf(client.execute('calc', 'devide'));
    expect(error).toMatchObject({ code: 'unknown-function', status: null });
    expect(error.message).toContain('Did you mean "divide"?');
    expect((await failureOf(client.execute('calc', 'weather'))).message).toContain('It has "add", "divide".');
    expect(requestsOf(started)).not.toContain('POST /calc/execute');
  });

  it('reads the details again before it refuses, because functions may have been added', async () => {
    fake = await startFake(({ method }, response, index) => {
      const functions = index === 0 ? [{ name: 'add' }] : [{ name: 'add' }, { name: 'new' }];
      if (method === 'POST') json(response, { result: 5 });
      else json(response, { ...record('calc'), functions }, FRESH);
    });
    const client = clientOf(fake);
    await client.server('calc');
    expect(await client.execute('calc', 'new')).toBe(5);
    expect(requestsOf(fake)).toEqual(['GET /calc', 'GET /calc', 'POST /calc/execute']);
  });

  it.each([
    ['no functions', {}],
    ['an empty list', { functions: [] }],
    ['something else', { functions: 'many', capabilities: 5 }],
  ])('calls without a check if the details have %s', async (_, details) => {
    const started = await startWith({ details });
    expect(await clientOf(started).execute('calc', 'whatever')).toEqual({ sum: 3 });
  });

  it('calls without a check if the key may not read, and fails for an unknown server', async () => {
    const started = await startWith({ detailsStatus: 403 });
    expect(await clientOf(started).execute('calc', 'add')).toEqual({ sum: 3 });
    await started.close();
    const other = await startWith({ detailsStatus: 404 });
    expect(await failureOf(clientOf(other).execute('calc', 'add'))).toMatchObject({ status: 404 });
    expect(requestsOf(other)).toEqual(['GET /calc']);
  });

  it('says what is wrong with an answer without an output', async () => {
    const started = await startWith({ output: { sum: 3 } });
    expect((await failureOf(clientOf(started).execute('calc', 'add'))).message).toContain(
      'expected an object with output, or with result, received {"sum":3} (object)',
    );
  });

  it.each([502, 500, 503, 504])('is never sent again after %d', async (status) => {
    fake = await startFake(({ method }, response) =>
      method === 'POST'
        ? json(response, { code: 'target-failed' }, {}, status)
        : json(response, record('calc')),
    );
    const call = clientOf(fake).execute('calc', 'add', {}, { idempotencyKey: 'k' });
    expect(await failureOf(call)).toMatchObject({ status, code: 'target-failed' });
    expect(requestsOf(fake)).toEqual(['GET /calc', 'POST /calc/execute']);
  });

  it('is repeated after a broken connection only with its idempotency key', async () => {
    fake = await startFake(({ method }, response) => {
      if (method === 'POST') response.destroy();
      else json(response, record('calc'), FRESH);
    });
    const error = await failureOf(clientOf(fake).execute('calc', 'add'));
    expect(error).toMatchObject({ code: 'unreachable' });
    expect(error.message).toContain('It is unknown whether it was executed');
    expect(requestsOf(fake)).toEqual(['GET /calc', 'POST /calc/execute']);
    await fake.close();
    fake = await startFake(({ method }, response, index) => {
      if (method === 'POST' && index < 3) response.destroy();
      else json(response, method === 'POST' ? { output: 1 } : record('calc'));
    });
    expect(await clientOf(fake).execute('calc', 'add', {}, { idempotencyKey: 'k-1' })).toBe(1);
    expect(fake.seen.slice(1).map(({ headers }) => headers['idempotency-key'])).toEqual([
      'k-1',
      'k-1',
      'k-1',
    ]);
  });

  it('is not repeated after a time-out, even with a key', async () => {
    fake = await startFake(({ method }, response) => {
      if (method === 'GET') json(response, record('calc'));
    });
    const call = clientOf(fake).execute('calc', 'add', {}, { idempotencyKey: 'k', timeoutMs: 100 });
    expect(await failureOf(call)).toMatchObject({ code: 'timeout' });
    expect(fake.seen.length).toBeLessThanOrEqual(2);
  });

  it('sends and returns numbers digit by digit', async () => {
    fake = await startFake(({ method }, response) => {
      if (method === 'GET') return json(response, record('calc'));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"output":{"id":174322306148984899,"count":2}}');
    });
    const input = { id: Object('9007199254740993') as string, text: '#n7', list: [1.5] };
    const output = await clientOf(fake).execute('calc', 'add', input);
    expect(fake.seen[1]?.body).toBe(
      '{"function":"add","input":{"id":9007199254740993,"text":"#n7","list":[1.5]}}',
    );
    expect(output).toEqual({ id: Object('174322306148984899'), count: 2 });
  });

  it.each([
    [
      502,
      {
        code: 'target-failed',
        detail: 'The function reported an error: The disk is full.',
        target: { status: 500, error: { code: 'EXECUTION_ERROR', message: 'The disk is full.' } },
      },
    ],
    [500, { error: { code: 'EXECUTION_ERROR', message: 'The disk is full.' } }],
  ])('tells an error of the function itself as one, with status %d', async (status, problem) => {
    fake = await startFake(({ method }, response) =>
      method === 'POST' ? json(response, problem, {}, status) : json(response, record('calc')),
    );
    const { message } = await failureOf(clientOf(fake).execute('calc', 'add'));
    expect(message).toMatch(
      /failed: the function reported an error: The disk is full\. .*repeat the call only if/,
    );
    expect(message).not.toMatch(/refused|again later|operator/);
  });

  it.each([
    [404, { code: 'function-not-found' }],
    [400, { error: { code: 'FUNCTION_NOT_FOUND' } }],
  ])('says where to look for a function that is not found, with status %d', async (status, problem) => {
    fake = await startFake(({ method }, response) =>
      method === 'POST' ? json(response, problem, {}, status) : json(response, record('calc')),
    );
    const { message } = await failureOf(clientOf(fake).execute('calc', 'add'));
    expect(message).toMatch(/Look for the name of the function in the details of the server\.$/);
  });

  it('refuses an idempotency key that a header cannot contain', async () => {
    const started = await startWith({});
    for (const idempotencyKey of ['', 'a b', 'x\n', 'y'.repeat(256)])
      expect(await failureOf(clientOf(started).execute('calc', 'add', {}, { idempotencyKey }))).toMatchObject(
        {
          code: 'bad-argument',
        },
      );
    expect(started.seen).toEqual([]);
  });
});

describe('test', () => {
  it('sends the input and the function, and recognises results of Probity', async () => {
    const own = { schema: TEST_RESULT_SCHEMA_ID, verdict: 'pass', results: [] };
    const started = await startWith({ output: own });
    const result = await clientOf(started).test('calc', { input: { a: 1 }, function: 'add' });
    expect(isTestResult(result) && result.verdict).toBe('pass');
    expect(JSON.parse(started.seen[0]?.body ?? '')).toEqual({ input: { a: 1 }, function: 'add' });
    await started.close();
    const other = await startWith({ output: ['fine'] });
    const foreign = await clientOf(other).test('calc');
    expect(isTestResult(foreign)).toBe(false);
    expect(foreign).toEqual(['fine']);
    expect(JSON.parse(other.seen[0]?.body ?? '')).toEqual({ input: {} });
  });
});

describe('what cannot be sent', () => {
  it('is an error of the caller', async () => {
    const started = await startWith({});
    const client = clientOf(started);
    const input = { big: 1n as unknown as number };
    expect(await failureOf(client.test('calc', { input }))).toMatchObject({ code: 'bad-argument' });
    for (const timeoutMs of [0, -1, Number.NaN, 2 ** 31])
      expect(await failureOf(client.test('calc', { timeoutMs }))).toMatchObject({ code: 'bad-argument' });
    // TypeScript refuses one argument too many; in JavaScript, what it says would have no effect.
    const late = { timeoutMs: 5 } as never;
    const calls = [
      client.test('calc', {}, late),
      client.execute('calc', 'add', {}, {}, late),
      client.search({}, {}, late),
      client.searchAll({}, {}, late).next(),
      client.server('calc', {}, late),
      client.changes(null, {}, late),
      client.dump(() => undefined, {}, late),
    ];
    for (const call of calls)
      expect((await failureOf(call)).message).toContain('too many arguments. All of its options are in');
    expect(started.seen).toEqual([]);
  });
});

describe('the functions of the details', () => {
  it('are read from all known places', () => {
    const details = (more: object) => ({ ...record('a'), ...more }) as Parameters<typeof functionNames>[0];
    expect(functionNames(details({ capabilities: { functions: [{ name: 'a' }] } }))).toEqual(['a']);
    expect(functionNames(details({ capabilities: ['a', 'b'] }))).toEqual(['a', 'b']);
    expect(functionNames(details({ functions: [{ name: '' }, 5, null, { name: 'a' }] }))).toEqual(['a']);
    expect(functionNames(details({}))).toBeNull();
  });
});
