import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { type RunningServer, startReferenceServer } from 'probity';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { storeCapabilities } from '../../src/entries/capabilities.ts';
import { type DirectoryUnderTest, type InstanceSettings, startDirectory } from '../directory-under-test.ts';
import {
  answer,
  type Behaviour,
  FORM_A,
  FORM_B,
  type SeenCall,
  startTarget,
  type Target,
} from '../target.ts';

const TOKEN = 'target-secret-4f0c9d2a77';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let gateway: DirectoryUnderTest;
/** Has a short time limit for calls; the others have a long one, because the machine may be slow. */
let impatient: DirectoryUnderTest;
const toClose: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  gateway = await startDirectory({
    environment: {
      PROBITY_TARGET_KEYED: TOKEN,
      PROBITY_TARGET_EMPTY: '',
      PATH_SECRET: 'not for targets',
    },
  });
  impatient = await gateway.another({ callTimeoutMs: 1500 });
});
afterEach(async () => {
  for (const server of toClose.splice(0)) await server.close();
});
afterAll(async () => {
  await impatient?.stop();
  await gateway?.stop();
});

async function target(behaviour: Behaviour): Promise<Target> {
  const started = await startTarget(behaviour);
  toClose.push(started);
  return started;
}

let count = 0;
/** Lists a target with this behaviour under a new id, and calls its function. */
async function callTo(execute: Behaviour['execute'], input: unknown = {}) {
  const started = await target({ execute });
  const id = await listed(started.url);
  return { started, id, given: await gateway.execute(id, { function: 'f', input }) };
}

async function listed(url: string): Promise<string> {
  count += 1;
  const id = `server-${count}`;
  await gateway.list(id, url);
  return id;
}

describe('a call through the gateway', () => {
  it.each(['A', 'B'] as const)('reaches a reference server of form %s', async (form) => {
    const server: RunningServer = await startReferenceServer({ form });
    toClose.push(server);
    const id = await listed(server.url);
    const sum = await gateway.execute(id, { function: 'add', input: { a: 2, b: 3 } });
    expect(sum.body).toMatchObject({ output: { sum: 5 }, server: id, function: 'add' });
    expect([sum.status, sum.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(sum.headers.get('content-type')).toMatch(/^application\/json/);
    expect(sum.body.requestId).toMatch(UUID);
    expect(sum.body.requestId).toBe(sum.headers.get('x-request-id'));
    expect(sum.body.durationMs).toBeGreaterThan(0);
    expect(typeof sum.body.executionTime).toBe(form === 'A' ? 'undefined' : 'number');
    const time = await gateway.execute(id, { function: 'current-time' });
    expect(time.status).toBe(200);

    const failed = await gateway.execute(id, { function: 'divide', input: { dividend: 1, divisor: 0 } });
    expect([failed.status, failed.body]).toMatchObject([
      502,
      {
        code: 'target-failed',
        called: true,
        target: {
          status: 500,
          error: { code: 'EXECUTION_ERROR', message: expect.stringContaining('divisor') },
        },
      },
    ]);
    const refused = await gateway.execute(id, { function: 'add', input: { a: 'two' } });
    expect([refused.status, refused.body]).toMatchObject([
      422,
      { code: 'input-refused', target: { status: 400, error: { code: 'INVALID_INPUT' } } },
    ]);
    const unknown = await gateway.execute(id, { function: 'subtract' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'function-not-found']);
    expect(unknown.body.detail).toContain('"subtract"');
  });

  it('is stored as an observation of its target', async () => {
    const { id } = await callTo((_call, response) => answer(response, 200, { output: {} }));
    const observed = await eventually(
      () =>
        sql`
          select up, operation, source, duration_us from observations join entries using (target_no)
          where id = ${id}`.execute(gateway.store.db),
      ({ rows }) => rows.length > 0,
    );
    expect(observed.rows).toMatchObject([
      { up: true, operation: 'execute', source: 'gateway', duration_us: expect.any(Number) },
    ]);
  });

  it('does not round numbers in the input or the output', async () => {
    const { started, given } = await callTo((_call, response) =>
      answer(response, 200, '{"output": {"id":9007199254740993, "huge": 1e999}, "other": [1, "}"]}'),
    );
    const id = await listed(started.url);
    const again = await gateway.execute(
      id,
      '{"input" : {"n":12345678901234567890,"t":"}\\""},"function":"f"}',
    );
    expect(started.calls[1]?.text).toBe('{"function":"f","input":{"n":12345678901234567890,"t":"}\\""}}');
    expect(given.text).toContain('"output":{"id":9007199254740993, "huge": 1e999}');
    expect(again.status).toBe(200);
  });

  it('refuses an invalid request before anything is sent', async () => {
    const started = await target({ execute: (_call, response) => answer(response, 200, { output: {} }) });
    const id = await listed(started.url);
    for (const [body, words] of [
      [{ function: 'f', parameters: {} }, /"parameters".*form B/],
      [{ function: 'f', input: {}, colour: 1, size: 2 }, /"colour", "size"/],
      [{ input: {} }, /"function" is missing/],
      [{ function: 7 }, /"function" must be a string that is not empty, not number/],
      [{ function: '' }, /"function" must be a string that is not empty, not ""/],
      [{ function: 'f', input: [] }, /"input" must be an object.*not array/],
      [[], /an array/],
      ['{"function":"f","input":{"a":1,"a":2}}', /occurs twice/],
      ['{"function":', /not JSON/],
      ['', /the body is empty.*Send \{"function"/],
    ] as const) {
      const given = await gateway.execute(id, body);
      expect([given.status, given.body.code]).toEqual([400, 'bad-body']);
      expect(given.body.detail).toMatch(words);
    }
    for (const key of ['with space', 'x'.repeat(256), 'é']) {
      const given = await gateway.execute(id, { function: 'f' }, { 'idempotency-key': key });
      expect([given.status, given.body.code]).toEqual([400, 'bad-request']);
      expect(given.body.detail).toMatch(/Idempotency-Key must be given once.*a fresh UUID/);
    }
    const text = await gateway.execute(id, 'hello', { 'content-type': 'text/plain' });
    expect([text.status, text.body.code]).toEqual([415, 'not-json']);
    const large = await gateway.execute(id, { function: 'f', input: { a: 'x'.repeat(1024 * 1024) } });
    expect([large.status, large.body.code]).toEqual([413, 'body-too-large']);
    const unauthorised = await gateway.execute(id, '{"function":', { authorization: 'Bearer nothing' });
    expect(unauthorised.status).toBe(401);
    const nowhere = await gateway.execute('nowhere', { function: 'f' });
    expect([nowhere.status, nowhere.body.code]).toEqual([404, 'server-not-found']);
    for (const key of ['', 'two words', 'x'.repeat(256), 'ä']) {
      const bad = await gateway.execute(id, { function: 'f' }, { 'idempotency-key': key });
      expect([bad.status, bad.body.code]).toEqual([400, 'bad-request']);
    }
    expect(started.connections()).toBe(0);
  });

  it('accepts __proto__ and constructor as parameter names', async () => {
    const { started } = await callTo((_call, response) => answer(response, 200, { output: {} }));
    const id = await listed(started.url);
    const given = await gateway.execute(
      id,
      '{"function":"f","input":{"__proto__":{"x":1},"constructor":{"prototype":1}}}',
    );
    expect(given.status).toBe(200);
    expect(started.calls[1]?.text).toContain('{"__proto__":{"x":1},"constructor":{"prototype":1}}');
  });
});

describe('keys', () => {
  it('does not show the caller’s key to the target, or the target’s key to the caller', async () => {
    const started = await target({
      execute: ({ headers, text }, response) =>
        answer(
          response,
          200,
          { output: { headers, text, again: headers.authorization } },
          { 'x-key': headers.authorization },
        ),
    });
    await gateway.list('keyed', started.url, { bearerEnv: 'PROBITY_TARGET_KEYED' });
    const given = await gateway.execute(
      'keyed',
      { function: 'f' },
      { cookie: 'session=callers-own', 'x-api-key': 'callers-own', 'idempotency-key': 'callers-own-key' },
    );
    expect(given.status).toBe(200);
    expect(started.calls[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    const sent = JSON.stringify(started.calls);
    expect(sent).not.toContain(gateway.key);
    expect(sent).not.toContain('callers-own');
    expect(given.text + JSON.stringify([...given.headers])).not.toContain(TOKEN);
    expect(given.body.output.again).toBe('Bearer $PROBITY_TOKEN');
  });
  it('does not log keys', async () => {
    const lines: string[] = [];
    const logging = await gateway.another({
      logger: { level: 'trace', stream: { write: (line: string) => void lines.push(line) } },
      environment: { PROBITY_TARGET_LOGGED: TOKEN },
    });
    const started = await target({
      execute: ({ headers }, response) =>
        answer(response, 500, { error: { code: 'EXECUTION_ERROR', message: headers.authorization } }),
    });
    await gateway.list('logged', started.url, { bearerEnv: 'PROBITY_TARGET_LOGGED' });
    const given = await logging.execute('logged', { function: 'f', input: { card: 'input-of-caller' } });
    await logging.stop();
    expect(given.body.target.error.message).toBe('Bearer $PROBITY_TOKEN');
    const log = lines.join('\n');
    expect(log).toContain('"serverId":"logged"');
    for (const secret of [TOKEN, logging.key, 'input-of-caller']) expect(log).not.toContain(secret);
  });
  it('sends no key to a target without one', async () => {
    const { started } = await callTo((_call, response) => answer(response, 200, { output: {} }));
    expect(started.calls[0]?.headers.authorization).toBeUndefined();
  });
  it.each([
    ['empty', 'PROBITY_TARGET_EMPTY', /no key for this server/],
    ['unset', 'PROBITY_TARGET_UNSET', /no key for this server/],
    ['unset-2', 'PROBITY_TARGET_UNSET', /wrong variable/],
    ['thief', 'PATH_SECRET', /wrong variable/],
    ['key', 'PROBITY_TARGET_KEYED', /wrong variable/],
  ])('sends nothing for %s, whose listing names %s', async (id, bearerEnv, words) => {
    const started = await target({ execute: (_call, response) => answer(response, 200, { output: {} }) });
    await gateway.list(id, started.url, { bearerEnv });
    const given = await gateway.execute(id, { function: 'f' });
    expect([given.status, given.body.code]).toEqual([502, 'target-refused']);
    expect(given.body.detail).toMatch(words);
    expect(given.text).not.toMatch(/PATH_SECRET|not for targets/);
    expect(started.connections()).toBe(0);
  });
});

describe('a target that misbehaves', () => {
  const drip = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  };
  const cases: readonly (readonly [string, Behaviour['execute'], number, string, RegExp])[] = [
    [
      'answers too much',
      (_call, response) => answer(response, 200, `{"output":{"a":"${'x'.repeat(5 * 1024 * 1024)}"}}`),
      502,
      'target-broken',
      /more than.*may have run/,
    ],
    [
      'answers too many values',
      (_call, response) => answer(response, 200, `{"output":{"a":[${'1,'.repeat(300_000)}1]}}`),
      502,
      'target-broken',
      /cannot be used.*more values/,
    ],
    [
      'redirects',
      (_call, response) => answer(response, 307, '', { location: '/elsewhere' }),
      502,
      'target-broken',
      /received 307, a redirect/,
    ],
    [
      'answers no JSON',
      (_call, response) => answer(response, 200, '{"output":'),
      502,
      'target-broken',
      /not JSON/,
    ],
    [
      'answers a list',
      (_call, response) => answer(response, 200, []),
      502,
      'target-broken',
      /expected an object "output" \(the server speaks form A\).*array/,
    ],
    [
      'answers in the other form',
      (_call, response) => answer(response, 200, { result: {}, executionTime: 1 }),
      502,
      'target-broken',
      /received an object with the keys \["result","executionTime"\]/,
    ],
    [
      'answers no object',
      (_call, response) => answer(response, 200, { output: 'x' }),
      502,
      'target-broken',
      /"output" is of type string/,
    ],
    [
      'answers an error with 200',
      (_call, response) => answer(response, 200, { error: { code: 'X', message: 'no\u001b[31m good' } }),
      502,
      'target-broken',
      /\["error"\]/,
    ],
    [
      'disconnects immediately',
      (_call, response) => response.destroy(),
      502,
      'target-broken',
      /may have run/,
    ],
    [
      'disconnects during the answer',
      (_call, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"output":{', () => response.destroy());
      },
      502,
      'target-broken',
      /may have run/,
    ],
    [
      'refuses the key',
      (_call, response) => answer(response, 401, {}),
      502,
      'target-refused',
      /missing or wrong/,
    ],
    [
      'has no /execute',
      (_call, response) => answer(response, 404, 'nothing here'),
      502,
      'target-broken',
      /received 404/,
    ],
    ['refuses POST', (_call, response) => answer(response, 405, {}), 502, 'target-broken', /received 405/],
    [
      'does not find the data',
      (_call, response) => answer(response, 404, { error: { code: 'NO_CITY', message: 'no such city' } }),
      422,
      'input-refused',
      /no such city/,
    ],
    [
      'is behind a proxy that refuses',
      (_call, response) => answer(response, 407, {}),
      502,
      'target-refused',
      /proxy.*407/,
    ],
    [
      'says that nothing was modified',
      (_call, response) => response.writeHead(304).end(),
      502,
      'target-broken',
      /received 304\./,
    ],
    ['is down', (_call, response) => answer(response, 503, '<html>'), 502, 'target-failed', /status 503/],
  ];
  it.each([
    [408, 504, 'target-timeout'],
    [425, 502, 'target-failed'],
  ])(
    'says nothing about the input with status %i, so that the call can be repeated',
    async (refusal, status, code) => {
      let calls = 0;
      const started = await target({
        execute: (_call, response) => {
          calls += 1;
          if (calls === 1) answer(response, refusal, { error: { code: 'LATER', message: 'later' } });
          else answer(response, 200, { output: { calls } });
        },
      });
      const id = await listed(started.url);
      const headers = { 'idempotency-key': `later-${refusal}` };
      const first = await gateway.execute(id, { function: 'f' }, headers);
      expect([first.status, first.body]).toMatchObject([status, { code, called: 'unknown' }]);
      expect(first.body.detail).toMatch(/later\. The call may have run/);
      const second = await gateway.execute(id, { function: 'f' }, headers);
      expect([second.status, second.body.output]).toEqual([200, { calls: 2 }]);
    },
  );

  it.each(cases)('%s', async (_name, execute, status, code, words) => {
    const { started, given } = await callTo(execute);
    expect([given.status, given.body.code, given.body.title]).toEqual([status, code, expect.any(String)]);
    expect(given.body.detail).toMatch(words);
    expect(started.calls).toHaveLength(1);
  });

  it.each([
    ['does not answer', () => undefined, /no answer within 1\.5 s.*may have run/],
    ['answers too slowly', (response: ServerResponse) => drip(response), /not complete.*may have run/],
  ])('%s', async (_name, behave, words) => {
    const started = await target({ execute: (_call, response) => behave(response) });
    const id = await listed(started.url);
    await storeCapabilities(gateway.store.db, { id, endpoint: started.url }, FORM_A, new Date());
    const given = await impatient.execute(id, { function: 'f' });
    expect([given.status, given.body.code, given.body.called]).toEqual([504, 'target-timeout', 'unknown']);
    expect(given.body.detail).toMatch(words);
    expect(started.calls).toHaveLength(1);
  });

  it('has its error message shortened and escaped', async () => {
    const message = `\u001b[2J\u202e::error::${'long '.repeat(1000)}`;
    const { given } = await callTo((_call, response) =>
      answer(response, 500, { error: { code: 'C'.repeat(1000), message, stack: 'secret' }, requestId: 'x' }),
    );
    const { error } = given.body.target;
    expect([...error.message].length).toBeLessThanOrEqual(500);
    expect(error.code.length).toBeLessThanOrEqual(100);
    expect(error.message).not.toMatch(/[\u001b\u202e]/);
    expect(given.text).not.toContain('secret');
  });
  it.each([
    ['7', '7'],
    ['999999', '3600'],
    ['soon', '10'],
    ['-5', '10'],
    ['', '10'],
    ['Fri, 01 Jan 2100 00:00:00 GMT', '3600'],
    ['Fri, 99 Jan 2100', '10'],
  ])('is busy: Retry-After %s', async (retryAfter, expected) => {
    const { given } = await callTo((_call, response) =>
      answer(response, 429, { error: { code: 'BUSY', message: 'slow down' } }, { 'retry-after': retryAfter }),
    );
    expect([given.status, given.body.code, given.headers.get('retry-after')]).toEqual([
      429,
      'rate-limited',
      expected,
    ]);
    expect(given.body.target.error.message).toBe('slow down');
  });
  it('cannot be reached', async () => {
    const started = await startTarget({ execute: () => undefined });
    await started.close();
    const given = await gateway.execute(await listed(started.url), { function: 'f' });
    expect([given.status, given.body.code]).toEqual([502, 'target-unreachable']);
    expect(given.body).toMatchObject({ called: false });
  });
  it('answers with the id of another request', async () => {
    const started = await target({
      capabilities: (_read, response) => answer(response, 200, FORM_B),
      execute: (_call, response) =>
        answer(response, 200, { requestId: 'other', result: {}, executionTime: 1 }),
    });
    const given = await gateway.execute(await listed(started.url), { function: 'f' });
    expect([given.status, given.body.code]).toEqual([502, 'target-broken']);
    expect(JSON.parse(started.calls[0]?.text ?? '')).toEqual({
      function: 'f',
      parameters: {},
      requestId: given.headers.get('x-request-id'),
    });
  });
});

describe('capabilities', () => {
  const served = (_call: SeenCall, response: ServerResponse): void => answer(response, 200, { output: {} });
  const age = (id: string, ms: number) =>
    gateway.store.db
      .updateTable('capabilities')
      .set({ read_at: new Date(Date.now() - ms) })
      .where('entry_id', '=', id)
      .execute();

  it('are read once for concurrent callers, and kept', async () => {
    const started = await target({ execute: served });
    const id = await listed(started.url);
    await Promise.all([1, 2, 3, 4].map(() => gateway.execute(id, { function: 'f' })));
    expect([started.calls.length, started.capabilityReads()]).toEqual([4, 1]);
    expect((await gateway.execute(id, { function: 'g' })).status).toBe(404);
    expect(started.capabilityReads()).toBe(1);
    await age(id, 11_000);
    expect((await gateway.execute(id, { function: 'g' })).status).toBe(404);
    expect(started.capabilityReads()).toBe(2);
    await age(id, 301_000);
    expect((await gateway.execute(id, { function: 'f' })).status).toBe(200);
    expect(started.capabilityReads()).toBe(3);
  });
  it('stay in use while newer ones cannot be read', async () => {
    const started = await target({
      capabilities: (read, response) =>
        read === 1 ? answer(response, 200, FORM_A) : answer(response, 500, {}),
      execute: served,
    });
    const id = await listed(started.url);
    await gateway.execute(id, { function: 'f' });
    await age(id, 301_000);
    expect((await gateway.execute(id, { function: 'f' })).status).toBe(200);
    expect(started.capabilityReads()).toBe(2);
  });
  it('are read again when the target denies a function that they list', async () => {
    const started = await target({
      execute: (_call, response) =>
        answer(response, 400, { error: { code: 'FUNCTION_NOT_FOUND', message: 'gone' } }),
    });
    const id = await listed(started.url);
    const given = await gateway.execute(id, { function: 'f' });
    expect([given.status, given.body.code]).toEqual([404, 'function-not-found']);
    await eventually(
      () =>
        gateway.store.db
          .selectFrom('capabilities')
          .select('read_at')
          .where('entry_id', '=', id)
          .executeTakeFirstOrThrow(),
      ({ read_at }) => read_at === null,
    );
    await gateway.execute(id, { function: 'f' });
    expect(started.capabilityReads()).toBe(2);
  });
  it.each([
    ['status 500', (response: ServerResponse) => answer(response, 500, {}), 'target-failed'],
    ['status 401', (response: ServerResponse) => answer(response, 401, {}), 'target-refused'],
    ['status 403', (response: ServerResponse) => answer(response, 403, {}), 'target-refused'],
    ['status 429', (response: ServerResponse) => answer(response, 429, {}), 'rate-limited'],
    ['no JSON', (response: ServerResponse) => answer(response, 200, '<html>'), 'target-broken'],
    ['no list', (response: ServerResponse) => answer(response, 200, { functions: 'many' }), 'target-broken'],
    [
      'too deep',
      (response: ServerResponse) => answer(response, 200, `{"functions":${'['.repeat(100_000)}`),
      'target-broken',
    ],
    [
      'too large',
      (response: ServerResponse) => answer(response, 200, { functions: [], x: 'x'.repeat(2 ** 21) }),
      'target-broken',
    ],
  ])('prevent the call when the answer is %s', async (_name, capabilities, code) => {
    const started = await target({
      capabilities: (_read, response) => capabilities(response),
      execute: served,
    });
    const given = await gateway.execute(await listed(started.url), { function: 'f' });
    expect([given.body.code, given.body.called]).toEqual([code, false]);
    expect(given.body.detail).toContain('not called');
    expect(started.calls).toHaveLength(0);
  });
  it('pass on how long the server asks to wait', async () => {
    const started = await target({
      capabilities: (_read, response) => answer(response, 429, {}, { 'retry-after': '40' }),
      execute: served,
    });
    const given = await gateway.execute(await listed(started.url), { function: 'f' });
    expect(given).toMatchObject({ status: 429, body: { called: false, retryAfterSeconds: 40 } });
    expect(given.headers.get('retry-after')).toBe('40');
    expect(given.body.detail).not.toContain('contract');
  });
  it('prevent the call when they never arrive', async () => {
    const started = await target({ capabilities: () => undefined, execute: served });
    const given = await impatient.execute(await listed(started.url), { function: 'f' });
    expect([given.status, given.body.code, given.body.called]).toEqual([504, 'target-timeout', false]);
    expect(started.calls).toHaveLength(0);
  });
  it('may contain invalid descriptors', async () => {
    const started = await target({
      capabilities: (_read, response) =>
        answer(response, 200, {
          functions: [
            null,
            7,
            'f',
            [],
            { name: { f: 1 } },
            { name: '\0\ud800' },
            { name: 'f', inputs: 7 },
            { name: 'f' },
          ],
          '\0': '\ud800',
          ['__proto__']: {},
        }),
      execute: served,
    });
    const id = await listed(started.url);
    expect((await gateway.execute(id, { function: 'f' })).status).toBe(200);
    expect((await gateway.execute(id, '{"function":"\\u0000\\ud800"}')).status).toBe(200);
    expect(started.capabilityReads()).toBe(1);
  });
});

describe('limits', () => {
  const instance = async (settings: InstanceSettings, run: (other: DirectoryUnderTest) => Promise<void>) => {
    const other = await gateway.another(settings);
    try {
      await run(other);
    } finally {
      await other.stop();
    }
  };
  it('apply to the calls of a target by all callers', async () => {
    const started = await target({ execute: (_call, response) => answer(response, 200, { output: {} }) });
    const id = await listed(started.url);
    const targetCalls = { name: 'few-calls', calls: 1, windowSeconds: 1e9 };
    await instance({ limits: { targetCalls } }, async (other) => {
      const first = await other.execute(id, { function: 'f' });
      expect(first.headers.get('ratelimit-policy')).toBe(
        '"execute";q=300;w=60, "few-calls";q=1;w=1000000000',
      );
      const second = await other.execute(id, { function: 'f' });
      expect([second.status, second.body.code, second.headers.has('retry-after')]).toEqual([
        429,
        'rate-limited',
        true,
      ]);
      expect(second.body.detail).toMatch(/^This server allows 1 calls/);
      expect(started.calls).toHaveLength(1);
    });
  });
  it('apply to concurrent calls', async () => {
    const waiting: ServerResponse[] = [];
    const started = await target({ execute: (_call, response) => void waiting.push(response) });
    const id = await listed(started.url);
    await instance({ limits: { runningCalls: 1 } }, async (other) => {
      const first = other.execute(id, { function: 'f' });
      await eventually(
        () => waiting.length,
        (length) => length === 1,
      );
      const second = await other.execute(id, { function: 'f' });
      expect([second.status, second.body.code, second.headers.get('retry-after')]).toEqual([
        429,
        'busy',
        '1',
      ]);
      for (const response of waiting) answer(response, 200, { output: {} });
      expect((await first).status).toBe(200);
    });
  });
});

describe('the OpenAPI document', () => {
  it('describes the gateway', async () => {
    const response = await fetch(`${gateway.url}/v1/openapi.json`);
    const { paths } = (await response.json()) as { paths: Record<string, { post: Record<string, unknown> }> };
    const { post } = paths['/servers/{serverId}/execute'] ?? { post: {} };
    expect(post).toMatchObject({
      operationId: 'executeFunction',
      requestBody: { content: { 'application/json': { schema: { required: ['function'] } } } },
      parameters: expect.arrayContaining([
        expect.objectContaining({ in: 'header', name: 'Idempotency-Key' }),
      ]),
    });
    expect(Object.keys(post.responses as object)).toEqual(
      expect.arrayContaining([
        '200',
        '400',
        '401',
        '403',
        '404',
        '409',
        '413',
        '415',
        '422',
        '429',
        '502',
        '504',
      ]),
    );
  });
});
