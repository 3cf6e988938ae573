import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { eventually } from '../eventually.ts';
import { bridgeTo, httpBridge, stdioBridge, type TestedBridge } from './bridges.ts';

const BRIDGES: readonly (readonly [name: string, open: () => Promise<TestedBridge>])[] = [
  ['over stdio', () => stdioBridge()],
  ['over stdio, between lines that are no messages', () => stdioBridge({ noise: true })],
  ['over streamable HTTP', async () => (await httpBridge()).bridge],
  ['over streamable HTTP with events', async () => (await httpBridge({ answers: 'events' })).bridge],
  ['over SSE', async () => (await httpBridge({ older: true })).bridge],
];

const functionsOf = ({ functions }: JsonObject) => functions as readonly JsonObject[];

describe.each(BRIDGES)('a bridge %s', (_name, open) => {
  it('answers GET /health', async () => {
    const { status, body } = await (await open()).get('/health');
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ok', version: '1.2.3', uptime: expect.any(Number) });
    expect(Math.abs(Date.parse(String(body.timestamp)) - Date.now())).toBeLessThan(60_000);
  });

  it('lists the tools with everything that they declare', async () => {
    const { status, body } = await (await open()).get('/capabilities');
    expect(status).toBe(200);
    expect(body.server).toMatchObject({ name: 'subject', version: '1.2.3', description: 'A subject' });
    const [add, greet] = functionsOf(body);
    expect(add).toEqual({
      name: 'add',
      description: 'Adds the numbers a and b.',
      annotations: { readOnlyHint: true },
      parameters: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'The first number.' },
          b: { $ref: '#/$defs/addend' },
        },
        required: ['a', 'b'],
        $defs: { addend: { type: 'number', description: 'The other number.' } },
      },
      returns: {
        type: 'object',
        properties: { sum: { type: 'number', description: 'The sum.' } },
        required: ['sum'],
      },
    });
    expect(greet).toMatchObject({ title: 'Greets somebody', description: 'Greets somebody' });
  });

  it('calls tools, and returns structured content or else the content', async () => {
    const bridge = await open();
    const added = await bridge.call('add', { a: 2, b: 3 }, { requestId: 'r 1' });
    expect(added).toMatchObject({ status: 200, body: { requestId: 'r 1', result: { sum: 5 } } });
    expect(added.body.executionTime).toEqual(expect.any(Number));
    expect((await bridge.call('greet', { name: 'Zoë' })).body.result).toEqual({
      content: [{ type: 'text', text: 'Hello, Zoë!' }],
    });
    const shown = (await bridge.call('show')).body.result?.content;
    expect(shown).toEqual([
      { type: 'text', text: 'a text', annotations: { priority: 1 } },
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///notes.txt', name: 'notes' },
      { type: 'resource', resource: { uri: 'file:///notes.txt', text: 'embedded' } },
    ]);
  });

  it('refuses a function that is not listed, without calling the server', async () => {
    const bridge = await open();
    for (const name of ['nothing', 'constructor', '__proto__', ''])
      expect(await bridge.call(name)).toMatchObject({
        status: 400,
        body: { error: { code: 'FUNCTION_NOT_FOUND' } },
      });
    expect((await bridge.call('stats')).body.result).toMatchObject({ seen: 1 });
  });

  it('gives each kind of failure its own error', async () => {
    const bridge = await open();
    const errorOf = async (name: string) => {
      const { status, body } = await bridge.call(name, {}, { requestId: 'r2' });
      expect(body.requestId).toBe('r2');
      return [status, body.error?.code, body.error?.message];
    };
    expect(await errorOf('fail')).toEqual([500, 'EXECUTION_ERROR', 'The disk is full.']);
    expect(await errorOf('pick')).toEqual([
      400,
      'INVALID_INPUT',
      expect.stringContaining('colour must be red'),
    ]);
    expect(await errorOf('refuse')).toEqual([502, 'PROTOCOL_ERROR', expect.stringContaining('not today')]);
    expect(await errorOf('odd')).toEqual([
      502,
      'INVALID_ANSWER',
      expect.stringContaining('no list called content'),
    ]);
  });

  it('refuses answers that break the protocol', async () => {
    const bridge = await open();
    const words = {
      odd: 'no list called content',
      untyped: 'item 0 of content has no type',
      unstructured: 'has no structuredContent',
      yes: 'isError is neither true nor false',
    };
    for (const [name, problem] of Object.entries(words))
      expect(await bridge.call(name)).toMatchObject({
        status: 502,
        body: { error: { code: 'INVALID_ANSWER', message: expect.stringContaining(problem) } },
      });
  });

  it('answers many calls at once, each with its own answer', async () => {
    const bridge = await open();
    const sums = await Promise.all(
      Array.from(
        { length: 40 },
        async (_, index) => (await bridge.call('add', { a: index, b: 1000 })).body.result,
      ),
    );
    expect(sums).toEqual(Array.from({ length: 40 }, (_, index) => ({ sum: index + 1000 })));
  });
});

describe('a bridge', () => {
  it('speaks form A', async () => {
    const bridge = await stdioBridge({}, { form: 'A' });
    const { body } = await bridge.get('/capabilities');
    expect(Object.keys(body)).toEqual(['functions']);
    expect(functionsOf(body).slice(0, 2)).toEqual([
      { name: 'add', description: 'Adds the numbers a and b.', inputs: ['a', 'b'], outputs: ['sum'] },
      { name: 'greet', description: 'Greets somebody', inputs: ['name'], outputs: ['content'] },
    ]);
    const called = await bridge.call('add', {}, { input: { a: 1, b: 1 } });
    expect(called).toMatchObject({ status: 200, body: { output: { sum: 2 } } });
  });

  it('reads all pages of tools', async () => {
    const bridge = await stdioBridge({ pageSize: 2 });
    const names = functionsOf((await bridge.get('/capabilities')).body).map(({ name }) => name);
    expect(names).toHaveLength(19);
    expect(new Set(names).size).toBe(19);
    expect((await bridge.call('stats')).status).toBe(200);
  });

  it('does not follow pages without end, and lists each of their tools once', async () => {
    const bridge = await stdioBridge({ pageSize: 2, endless: true });
    const { status, body } = await bridge.get('/capabilities');
    expect(status).toBe(200);
    const names = functionsOf(body).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    ['announces', false],
    ['does not announce', true],
  ])('finds a tool that the server %s', async (_name, quiet) => {
    const bridge = await stdioBridge({ quiet });
    expect((await bridge.call('later')).status).toBe(400);
    expect((await bridge.call('grow')).status).toBe(200);
    expect(await bridge.call('later')).toMatchObject({
      status: 200,
      body: { result: { content: [{ text: 'here' }] } },
    });
    const { body } = await bridge.get('/capabilities');
    expect(functionsOf(body).map(({ name }) => name)).toContain('later');
  });

  it('answers in time although the tool does not, and tells the server', async () => {
    const bridge = await stdioBridge({}, { timeoutMs: 1000 });
    // The time of a call includes that for the list of tools, unless the list is known.
    await eventually(
      () => bridge.call('stats'),
      ({ status }) => status === 200,
    );
    expect(await bridge.call('hang')).toMatchObject({ status: 504, body: { error: { code: 'TIMEOUT' } } });
    const cancelled = await eventually(
      async () => (await bridge.call('stats')).body.result?.cancelled,
      (count) => count !== undefined && count !== 0,
    );
    expect(cancelled).toBe(1);
  });

  it('tells the server when the caller does not wait', async () => {
    const bridge = await stdioBridge();
    const leaving = new AbortController();
    const called = bridge.call('hang', {}, {}, leaving.signal).catch(() => 'left');
    await eventually(
      async () => (await bridge.call('stats')).body.result?.seen,
      (seen) => Number(seen) >= 2,
    );
    leaving.abort();
    expect(await called).toBe('left');
    const cancelled = await eventually(
      async () => (await bridge.call('stats')).body.result?.cancelled,
      (count) => count !== 0,
    );
    expect(cancelled).toBe(1);
  });

  it('answers calls under way when the server ends, and starts it again', async () => {
    const bridge = await stdioBridge();
    const before = (await bridge.call('stats')).body.result?.pid;
    const [waiting, crashed] = await Promise.all([bridge.call('hang'), bridge.call('crash')]);
    for (const answer of [waiting, crashed])
      expect(answer).toMatchObject({ status: 502, body: { error: { code: 'SERVER_ENDED' } } });
    const after = await bridge.call('stats');
    expect(after.status).toBe(200);
    expect(after.body.result).toMatchObject({ seen: 1 });
    expect(after.body.result?.pid).not.toBe(before);
    expect(bridge.lost[0]).toContain('exit code 3');
  });

  it('keeps several sessions apart', async () => {
    const bridge = await stdioBridge({}, { sessions: 2 });
    // Both are open when two calls at once reach two processes.
    const pids = await eventually(
      async () => {
        const waiting = bridge.call('wait', { ms: 50 });
        const { body } = await bridge.call('stats');
        await waiting;
        return new Set([body.result?.pid, (await bridge.call('stats')).body.result?.pid]);
      },
      ({ size }) => size === 2,
    );
    const hanging = bridge.call('wait', { ms: 400 });
    expect((await bridge.call('crash')).status).toBe(502);
    expect(await hanging).toMatchObject({ status: 200 });
    expect(pids.size).toBe(2);
  });

  it('passes on the variables that are named, and hides their values', async () => {
    process.env.SUBJECT_KEY = 'a-secret-of-the-subject';
    process.env.SUBJECT_OTHER = 'another';
    const without = await stdioBridge();
    const named = await stdioBridge({}, {}, { env: ['SUBJECT_KEY'] });
    await Promise.all([without.get('/health'), named.get('/health')]);
    await eventually(
      () => [without.stderr.length, named.stderr.length],
      (lengths) => lengths.every((length) => length > 0),
    );
    expect(without.stderr[0]).toBe('serving, with no key');
    expect(named.stderr[0]).toBe('serving, with $SUBJECT_KEY');
  });

  it('does not wait for another answer when one breaks JSON-RPC', async () => {
    const bridge = await stdioBridge();
    expect(await bridge.call('empty')).toMatchObject({
      status: 502,
      body: {
        error: { code: 'INVALID_ANSWER', message: expect.stringContaining('neither an object as result') },
      },
    });
  });

  it('hides each line of a secret', async () => {
    process.env.SUBJECT_KEY = 'first-line-of-it\nsecond-line-of-it';
    const bridge = await stdioBridge({}, {}, { env: ['SUBJECT_KEY'] });
    await eventually(
      () => bridge.stderr.length,
      (lines) => lines >= 2,
    );
    expect(bridge.stderr).toEqual(['serving, with $SUBJECT_KEY', '$SUBJECT_KEY']);
  });

  it('gives the reason of a server that refuses to be initialised', async () => {
    const bridge = await stdioBridge({ refusal: 'The licence has expired.' });
    await expect(bridge.first).rejects.toThrow('The licence has expired.');
  });

  it('says why there is no server', async () => {
    const bridge = await bridgeTo([process.execPath, '--eval', 'console.error("no disk"); process.exit(4)']);
    await expect(bridge.first).rejects.toThrow(/exit code 4\n {2}no disk/);
    const answer = await bridge.call('add');
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'SERVER_UNAVAILABLE' } } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await bridge.get('/health')).toMatchObject({ status: 503, body: { status: 'unavailable' } });
  });
});

describe('a bridge to a remote server', () => {
  it('opens another session when the server forgot the first', async () => {
    const { server, bridge } = await httpBridge();
    expect((await bridge.call('add', { a: 1, b: 2 })).status).toBe(200);
    server.forget();
    expect(await bridge.call('add', { a: 1, b: 2 })).toMatchObject({
      status: 200,
      body: { result: { sum: 3 } },
    });
    expect(server.opened()).toBe(2);
  });

  it('sends the headers that were given, and does not repeat their values', async () => {
    process.env.REMOTE_TOKEN = 'a-token-of-the-caller';
    const change = (message: object) =>
      JSON.parse(JSON.stringify(message).replace('Hello, you!', 'Hello, a-token-of-the-caller!')) as unknown;
    const { server, bridge } = await httpBridge(
      { change },
      {},
      { bearerEnv: 'REMOTE_TOKEN', header: ['X-Team: blue'] },
    );
    const { body } = await bridge.call('greet', { name: 'you' });
    expect(server.received.at(-1)).toMatchObject({
      authorization: 'Bearer a-token-of-the-caller',
      'x-team': 'blue',
    });
    expect(body.result).toEqual({ content: [{ type: 'text', text: 'Hello, $PROBITY_TOKEN!' }] });
  });

  it.each([
    [
      'without an error of the protocol',
      'out of order',
      [502, 'INVALID_ANSWER', 'the status 500: out of order'],
    ],
    [
      'with an error of the protocol',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no such colour"}}',
      [400, 'INVALID_INPUT', 'no such colour'],
    ],
  ] as const)(
    'calls a tool once if the answer has the status 500, %s',
    async (_name, failing, [status, code, words]) => {
      const { server, bridge } = await httpBridge({ failing });
      const before = server.received.length;
      const answer = await bridge.call('greet', { name: 'you' });
      expect(answer).toMatchObject({
        status,
        body: { error: { code, message: expect.stringContaining(words) } },
      });
      expect(answer.headers.get('retry-after')).toBeNull();
      expect(server.calls()).toBe(1);
      expect(server.received.length).toBeGreaterThan(before);
    },
  );

  it.each(['json', 'events'] as const)('refuses an answer of more than 16 MB, as %s', async (answers) => {
    const change = (message: object) =>
      JSON.stringify(message).includes('Hello')
        ? { ...message, padding: 'x'.repeat(17 * 1024 * 1024) }
        : message;
    const { bridge } = await httpBridge({ answers, change }, { timeoutMs: 5000 });
    const { status } = await bridge.call('greet', { name: 'you' });
    expect(status).toBeGreaterThanOrEqual(502);
    const next = await eventually(
      () => bridge.call('add', { a: 1, b: 2 }),
      (answer) => answer.status === 200,
    );
    expect(next.status).toBe(200);
  });

  it('connects only to public addresses if told to', async () => {
    await expect(httpBridge({}, {}, { publicOnly: true })).rejects.toThrow(/not on the public internet/);
  });
});
