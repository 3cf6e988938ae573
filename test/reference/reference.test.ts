import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReference } from '../../src/reference/contract.ts';
import type { ReferenceFunction } from '../../src/reference/define-function.ts';
import type { WireForm } from '../../src/reference/endpoints.ts';
import { referenceFunctions } from '../../src/reference/functions.ts';
import { type RunningServer, startReferenceServer } from '../../src/reference/server.ts';
import { type ObjectSchema, validateInput } from '../../src/reference/validate-input.ts';
import { startExpressServer } from '../fixtures/express-server.ts';
import { startPythonServer, whyNoPython } from '../fixtures/python-server.ts';
import { unless } from '../set-up/skips.ts';

type Implementation = {
  readonly name: string;
  readonly missing: string | null;
  readonly start: (options: { readonly form: WireForm }) => Promise<RunningServer>;
};

type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
};

type Descriptor = Readonly<Record<string, unknown>>;

const implementations: readonly Implementation[] = [
  { name: 'fastify', missing: null, start: startReferenceServer },
  { name: 'express', missing: null, start: startExpressServer },
  { name: 'python', missing: whyNoPython(), start: startPythonServer },
];

const secret = 'Bearer s3cret-not-to-be-repeated';
const functionNames = ['current-time', 'add', 'divide', 'greet', 'price-order', 'wait'];
const jsonTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object'];
const isoDateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Sends a request, and checks what is true for every answer of a conforming server. */
const send = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const headers = new Headers(init.headers);
  headers.set('authorization', secret);
  const response = await fetch(url, { ...init, headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  expect(response.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
  expect([...response.headers.values(), text].join('\n')).not.toContain('s3cret');
  expect(text).not.toMatch(/\n\s+at |Traceback|node_modules|\.(ts|js|py)\b/);
  const json: unknown = JSON.parse(text);
  expect(json).toEqual(expect.any(Object));
  return { status: response.status, headers: response.headers, text, json: json as Record<string, unknown> };
};

const post = (
  server: RunningServer,
  body: string | Uint8Array<ArrayBuffer>,
  contentType = 'application/json',
) => send(`${server.url}/execute`, { method: 'POST', headers: { 'content-type': contentType }, body });

const readDescriptors = async (server: RunningServer) =>
  (await send(`${server.url}/capabilities`)).json.functions as Descriptor[];

const expectError = (answer: Answer, status: number, code: string, requestId?: string) => {
  const requestIdPart = requestId === undefined ? {} : { requestId };
  expect(answer.json).toEqual({ error: { code, message: expect.stringMatching(/\S/) }, ...requestIdPart });
  expect(answer.status).toBe(status);
};

/** One row per value: test.each would spread a value that is an array. */
const rowsOf = (...values: readonly unknown[]) => values.map((value) => [value]);

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe.each(implementations)('$name', ({ missing, start }) => {
  describe.each(['A', 'B'] as const)('form %s', unless(missing), (form) => {
    const inputKey = form === 'A' ? 'input' : 'parameters';
    const outputKey = form === 'A' ? 'output' : 'result';
    let server: RunningServer;

    const callFunction = (name: unknown, input?: unknown, more: object = {}) =>
      post(server, JSON.stringify({ function: name, [inputKey]: input, ...more }));

    beforeAll(async () => {
      server = await start({ form });
    });
    afterAll(() => server?.close());

    describe('health', () => {
      test('is operational, with uptime and version', async () => {
        const beforeMs = Date.now();
        const { status, json } = await send(`${server.url}/health`);
        const afterMs = Date.now();
        expect(status).toBe(200);
        expect(json).toEqual({
          status: 'ok',
          uptime: expect.any(Number),
          timestamp: expect.stringMatching(isoDateTime),
          version: expect.any(String),
          mcpVersion: '1.0',
        });
        const stampedMs = Date.parse(String(json.timestamp));
        expect(stampedMs).toBeGreaterThanOrEqual(beforeMs);
        expect(stampedMs).toBeLessThanOrEqual(afterMs);
      });

      test('counts its uptime in seconds, with a new timestamp for each read', async () => {
        const beforeMs = performance.now();
        const first = (await send(`${server.url}/health`)).json;
        const betweenMs = performance.now();
        await delay(400);
        const waitedMs = performance.now() - betweenMs;
        const second = (await send(`${server.url}/health`)).json;
        const wholeMs = performance.now() - beforeMs;
        // Of numbers with fractions, the last digits may differ.
        const advancedMs = 1000 * (Number(second.uptime) - Number(first.uptime));
        expect(advancedMs).toBeGreaterThanOrEqual(waitedMs - 1);
        expect(advancedMs).toBeLessThanOrEqual(wholeMs + 1);
        expect(second.timestamp).not.toBe(first.timestamp);
      });

      test('ignores a query', async () => {
        expect((await send(`${server.url}/health?probe=1`)).status).toBe(200);
      });
    });

    describe('capabilities', () => {
      test('lists the functions in the wire form, the same on each read', async () => {
        const first = await send(`${server.url}/capabilities`);
        expect(first.status).toBe(200);
        expect((first.json.functions as Descriptor[]).map(({ name }) => name)).toEqual(functionNames);
        const text = expect.stringMatching(/\S/);
        expect(first.json).toEqual({
          functions: expect.any(Array),
          ...(form === 'B' && {
            mcpVersion: '1.0',
            server: { name: text, version: text, description: text },
          }),
        });
        expect((await send(`${server.url}/capabilities`)).text).toBe(first.text);
      });

      test('agrees with health about the versions', async () => {
        const { json: health } = await send(`${server.url}/health`);
        const { json } = await send(`${server.url}/capabilities`);
        if (form === 'B')
          expect(json).toMatchObject({ mcpVersion: '1.0', server: { version: health.version } });
      });

      test('describes every function, with inputs, outputs and an example', async () => {
        for (const descriptor of await readDescriptors(server)) {
          const keys = form === 'A' ? ['inputs', 'outputs'] : ['parameters', 'returns'];
          expect(Object.keys(descriptor).sort()).toEqual(['name', 'description', 'examples', ...keys].sort());
          expect(String(descriptor.description).split(' ').length).toBeGreaterThan(3);
          expect((descriptor.examples as unknown[]).length).toBeGreaterThan(0);
          if (form === 'A') {
            expectNames(descriptor.inputs);
            expectNames(descriptor.outputs);
          } else {
            expectDocumented(descriptor.parameters as ObjectSchema);
            expectDocumented(descriptor.returns as ObjectSchema);
          }
        }
      });
    });

    describe('execute', () => {
      test.each(functionNames)('%s answers its examples', async (name) => {
        const descriptor = (await readDescriptors(server)).find((fn) => fn.name === name) ?? {};
        const returns = descriptor.returns as ObjectSchema | undefined;
        const outputs = (descriptor.outputs ?? Object.keys(returns?.properties ?? {})) as string[];
        const examples = descriptor.examples as Descriptor[];
        expect(examples.length).toBeGreaterThan(0);
        for (const example of examples) {
          const started = performance.now();
          const answer = await callFunction(name, example[inputKey]);
          const tookMs = performance.now() - started;
          expect(answer.status).toBe(200);
          expect(Object.keys(answer.json).sort()).toEqual(
            form === 'A' ? ['output'] : ['executionTime', 'result'],
          );
          expect(Object.keys(answer.json[outputKey] as object).sort()).toEqual([...outputs].sort());
          if (example[outputKey] !== undefined) expect(answer.json[outputKey]).toEqual(example[outputKey]);
          if (form === 'B') {
            expect(Number.isInteger(answer.json.executionTime)).toBe(true);
            expect(answer.json.executionTime).toBeGreaterThanOrEqual(0);
            expect(answer.json.executionTime).toBeLessThanOrEqual(tookMs);
          }
        }
      });

      test('wait waits', async () => {
        const started = performance.now();
        const { json } = await callFunction('wait', { durationMs: 150 });
        expect(performance.now() - started).toBeGreaterThan(140);
        if (form === 'B') expect(json.executionTime).toBeGreaterThan(140);
      });

      test('treats an omitted input as empty', async () => {
        expect((await callFunction('current-time')).status).toBe(200);
        expectError(await callFunction('add'), 400, 'INVALID_INPUT');
      });

      test('ignores unknown parameters, including __proto__', async () => {
        const input = '{"a":1,"b":2,"more":[],"__proto__":{"a":9},"constructor":0}';
        const { status, json } = await post(server, `{"function":"add","${inputKey}":${input}}`);
        expect(status).toBe(200);
        expect(json[outputKey]).toEqual({ sum: 3 });
      });

      test('does not find its parameters in __proto__', async () => {
        const answer = await post(server, `{"function":"add","${inputKey}":{"__proto__":{"a":1,"b":2}}}`);
        expectError(answer, 400, 'INVALID_INPUT');
      });

      test('accepts a charset, and any case, in the content type', async () => {
        const body = JSON.stringify({ function: 'current-time' });
        expect((await post(server, body, 'Application/JSON; charset=utf-8')).status).toBe(200);
      });

      test('keeps concurrent calls apart', async () => {
        const numbers = Array.from({ length: 60 }, (_, index) => index);
        const answers = await Promise.all(
          numbers.map((index) =>
            index % 3 === 0
              ? callFunction('wait', { durationMs: index })
              : callFunction(
                  'add',
                  { a: index, b: 1_000 },
                  form === 'B' ? { requestId: `call ${index}` } : {},
                ),
          ),
        );
        for (const [index, { json }] of answers.entries()) {
          expect(json[outputKey]).toEqual(index % 3 === 0 ? { waitedMs: index } : { sum: index + 1_000 });
          if (form === 'B' && index % 3 !== 0) expect(json.requestId).toBe(`call ${index}`);
        }
      });

      const nastyIds = {
        empty: '',
        plain: 'req-1',
        quotes: `"'\\/\b\f\n\r\t`,
        'a NUL': 'before\0after',
        emoji: '👩🏽‍🚀 ünïcödé \u202e 漢字',
        'line separators': '\u2028\u2029\ufeff',
        markup: '</script>&amp;{{id}}%s$1',
        'the name of a prototype': '__proto__',
        '4,000 characters': 'é'.repeat(4_000),
      };
      test.each(Object.entries(nastyIds))('echoes a requestId exactly: %s', async (_title, requestId) => {
        const answer = await callFunction('add', { a: 1, b: 2 }, { requestId });
        expect(answer.status).toBe(200);
        if (form === 'B') expect(answer.json.requestId).toBe(requestId);
        expectError(
          await callFunction('no-such-function', {}, { requestId }),
          400,
          'FUNCTION_NOT_FOUND',
          requestId,
        );
        const failed = await callFunction('divide', { dividend: 1, divisor: 0 }, { requestId });
        expectError(failed, 500, 'EXECUTION_ERROR', requestId);
        expectError(await callFunction('add', { a: 1 }, { requestId }), 400, 'INVALID_INPUT', requestId);
        expectError(await callFunction(undefined, {}, { requestId }), 400, 'INVALID_REQUEST', requestId);
      });

      test.each(rowsOf(null, 7, true, [], {}))('refuses the requestId %j', async (requestId) => {
        expectError(await callFunction('add', { a: 1, b: 2 }, { requestId }), 400, 'INVALID_REQUEST');
      });
    });

    describe('errors', () => {
      test.each(['no-such-function', '', 'ADD', '__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
        'has no function %j',
        async (name) => {
          expectError(await callFunction(name, {}), 400, 'FUNCTION_NOT_FOUND');
        },
      );

      test('has no function with a name of 64 KiB, and does not repeat it', async () => {
        const answer = await callFunction('x'.repeat(65_536), {});
        expectError(answer, 400, 'FUNCTION_NOT_FOUND');
        expect(answer.text.length).toBeLessThan(1_000);
      });

      test('reports why a division by 0 failed', async () => {
        const answer = await callFunction('divide', { dividend: 1, divisor: 0 });
        expectError(answer, 500, 'EXECUTION_ERROR');
        expect(answer.text).toContain('divisor');
      });

      test('fails rather than answer with a number that JSON does not have', async () => {
        expectError(await callFunction('add', { a: 1.7e308, b: 1.7e308 }), 500, 'EXECUTION_ERROR');
        expectError(
          await callFunction('divide', { dividend: 1e308, divisor: 1e-10 }),
          500,
          'EXECUTION_ERROR',
        );
      });

      const order = { customer: { name: 'Ada', country: 'GB' }, items: [] };
      const item = { sku: 'PEN-01', quantity: 1, unitPriceCents: 1 };
      test.each([
        ['add', { a: 1 }, 'b'],
        ['add', { a: 1, b: '2' }, 'b'],
        ['add', { a: true, b: 2 }, 'a'],
        ['add', { a: null, b: 2 }, 'a'],
        ['greet', { name: 7 }, 'name'],
        ['greet', { name: 'Ada', language: 'xx' }, 'language'],
        ['greet', { name: 'Ada', language: 'toString' }, 'language'],
        ['wait', { durationMs: 0.5 }, 'durationMs'],
        ['wait', { durationMs: -1 }, 'durationMs'],
        ['wait', { durationMs: 201 }, 'durationMs'],
        ['price-order', { order: [] }, 'order'],
        ['price-order', { order: { ...order, customer: { name: 'Ada' } } }, 'order.customer.country'],
        ['price-order', { order: { ...order, items: {} } }, 'order.items'],
        [
          'price-order',
          { order: { ...order, items: [item, { ...item, quantity: '3' }] } },
          'order.items[1].quantity',
        ],
      ])('%s refuses %j, naming the parameter', async (name, input, parameter) => {
        const answer = await callFunction(name, input);
        expectError(answer, 400, 'INVALID_INPUT');
        expect((answer.json.error as { message: string }).message.split(' ')[0]).toBe(parameter);
      });

      test('refuses a number that is too large', async () => {
        const answer = await post(server, `{"function":"add","${inputKey}":{"a":1e999,"b":1}}`);
        expectError(answer, 400, 'INVALID_INPUT');
      });
    });

    describe('robustness', () => {
      test.each([
        '{',
        '{"function":"add"',
        'not json',
        "{'function':'add'}",
        '{} {}',
        '[1,]',
        '{"function":NaN}',
        ' ',
      ])('refuses %j, which is not JSON', async (body) => {
        expectError(await post(server, body), 400, 'INVALID_REQUEST');
      });

      test.each(['null', '[]', '"execute"', '7', 'true'])(
        'refuses %s, which is not an object',
        async (body) => {
          expectError(await post(server, body), 400, 'INVALID_REQUEST');
        },
      );

      test('refuses an empty body, with and without a content type', async () => {
        expectError(await post(server, ''), 400, 'INVALID_REQUEST');
        expectError(await send(`${server.url}/execute`, { method: 'POST' }), 400, 'INVALID_REQUEST');
      });

      test.each(rowsOf(undefined, null, 7, [], {}, ['add']))('refuses the function %j', async (name) => {
        expectError(await callFunction(name, {}), 400, 'INVALID_REQUEST');
      });

      test.each(rowsOf(null, [], 'text', 7, true))('refuses the input %j', async (input) => {
        expectError(await callFunction('current-time', input), 400, 'INVALID_REQUEST');
      });

      test.each([
        'text/plain',
        'application/xml',
        'application/jsonp',
        'application/x-www-form-urlencoded',
        'nonsense',
      ])('refuses the content type %s', async (contentType) => {
        expectError(
          await post(server, '{"function":"current-time"}', contentType),
          415,
          'UNSUPPORTED_MEDIA_TYPE',
        );
      });

      test('refuses a body without a content type', async () => {
        const body = new TextEncoder().encode('{"function":"current-time"}');
        expectError(
          await send(`${server.url}/execute`, { method: 'POST', body }),
          415,
          'UNSUPPORTED_MEDIA_TYPE',
        );
      });

      test.each([
        ['a stray byte', [0xff]],
        ['a lone surrogate', [0xed, 0xa0, 0x80]],
        ['an overlong form', [0xc0, 0xaf]],
      ])('refuses a body that is not UTF-8: %s', async (_title, bytes) => {
        const [before, after] = ['{"function":"greet","requestId":"', '"}'].map((part) => Buffer.from(part));
        const body = Uint8Array.from([...(before ?? []), ...bytes, ...(after ?? [])]);
        expectError(await post(server, body), 400, 'INVALID_REQUEST');
      });

      test('refuses UTF-16', async () => {
        const body = Uint8Array.from(Buffer.from('{"function":"current-time"}', 'utf16le'));
        expectError(await post(server, body), 400, 'INVALID_REQUEST');
      });

      test.each([
        ['a value', `{"function":"greet","${inputKey}":{"name":${nested(10_000)}}}`],
        ['an extra parameter', `{"function":"greet","${inputKey}":{"name":"Ada","more":${nested(10_000)}}}`],
        ['objects', `{"function":"greet","${inputKey}":${'{"name":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
        ['the whole body', nested(10_000)],
      ])('survives an input nested 10,000 deep: %s', async (_title, body) => {
        expect((await post(server, body)).status).toBeLessThan(500);
      });

      test('accepts a body of 3 MB, and refuses one of 8 MB', async () => {
        const name = 'x'.repeat(3_000_000);
        expect((await callFunction('greet', { name })).json[outputKey]).toEqual({
          greeting: `Hello, ${name}!`,
        });
        // An answer before the whole body was sent ends the connection, and fetch may then see no answer.
        const refused = await callFunction('greet', { name: 'x'.repeat(8_000_000) }).catch(() => undefined);
        if (refused !== undefined) expectError(refused, 413, 'PAYLOAD_TOO_LARGE');
        expect((await send(`${server.url}/health`)).status).toBe(200);
      });

      test.each(['/', '', '/nothing', '/health/', '/Health', '/execute/add', '/%68ealth', '/%zz'])(
        'has nothing at the path %j',
        async (path) => {
          const answer = await send(`${server.url}${path}`);
          expect(path === '/%zz' ? [400, 404] : [404]).toContain(answer.status);
          expect(answer.json.error).toEqual({ code: expect.any(String), message: expect.any(String) });
        },
      );

      test.each([
        ['GET', '/execute', 'POST'],
        ['PUT', '/execute', 'POST'],
        ['DELETE', '/execute', 'POST'],
        ['POST', '/health', 'GET, HEAD'],
        ['POST', '/capabilities', 'GET, HEAD'],
        ['OPTIONS', '/capabilities', 'GET, HEAD'],
      ])('refuses %s %s', async (method, path, allow) => {
        const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {};
        const answer = await send(`${server.url}${path}`, { method, ...body });
        expectError(answer, 405, 'METHOD_NOT_ALLOWED');
        expect(answer.headers.get('allow')).toBe(allow);
      });

      test('answers HEAD like GET, without the body', async () => {
        const response = await fetch(`${server.url}/capabilities`, { method: 'HEAD' });
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
        expect(await response.text()).toBe('');
      });

      test('survives a client that disconnects, and one that does not speak HTTP', async () => {
        const before = (await send(`${server.url}/health`)).json;
        await sendAndLeave(
          server,
          'POST /execute HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"function":',
        );
        await sendAndLeave(server, 'GET /hea');
        await sendAndLeave(server, 'this is not HTTP\r\n\r\n');
        expect((await callFunction('add', { a: 1, b: 1 })).status).toBe(200);
        const after = (await send(`${server.url}/health`)).json;
        expect(after.status).toBe('ok');
        expect(Number(after.uptime)).toBeGreaterThan(Number(before.uptime));
      });
    });

    test('closes while a connection is kept open, and does not wait for its client', async () => {
      const closing = await start({ form });
      const { hostname, port } = new URL(closing.url);
      const idle = createConnection(Number(port), hostname);
      try {
        idle.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
        await once(idle, 'data');
        // This client never closes the connection; a server that waits for it never ends.
        await closing.close();
        await expect(fetch(`${closing.url}/health`)).rejects.toThrow();
      } finally {
        idle.destroy();
      }
    });
  });
});

describe('startReferenceServer', () => {
  test.each(['/mcp', 'mcp/', '/mcp/v1/'])('serves the contract below the base path %s', async (basePath) => {
    const server = await startReferenceServer({ form: 'B', basePath });
    try {
      expect(server.url).toMatch(/\d\/mcp(\/v1)?$/);
      expect((await send(`${server.url}/health`)).status).toBe(200);
      expect((await post(server, '{"function":"current-time"}')).status).toBe(200);
      expectError(await send(new URL('/health', server.url).href), 404, 'NOT_FOUND');
      expectError(await send(`${server.url}health`), 404, 'NOT_FOUND');
    } finally {
      await server.close();
    }
  });

  test('returns an IPv6 address in brackets', async ({ skip }) => {
    const server = await startReferenceServer({ form: 'A', host: '::1' }).catch(() => undefined);
    if (server === undefined) return skip('no IPv6 loopback');
    expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await send(`${server.url}/health`)).status).toBe(200);
    await server.close();
  });

  test('rejects if the port is in use', async () => {
    const server = await startReferenceServer({ form: 'A' });
    const port = Number(new URL(server.url).port);
    await expect(startReferenceServer({ form: 'A', port })).rejects.toThrow('EADDRINUSE');
    await server.close();
  });
});

describe('createReference', () => {
  const read = { method: 'GET', path: '/health', contentType: undefined, body: new Uint8Array() };

  test('takes uptime from the monotonic clock', async () => {
    let nowMs = 5_000;
    const reference = createReference({ form: 'A', nowMs: () => nowMs });
    nowMs += 1_250;
    expect(JSON.parse((await reference.answer(read)).body).uptime).toBe(1.25);
  });

  test('rounds executionTime down', async () => {
    const readings = [0, 10, 12.9];
    const reference = createReference({ form: 'B', nowMs: () => readings.shift() ?? Number.NaN });
    const body = new TextEncoder().encode('{"function":"current-time"}');
    const call = { method: 'POST', path: '/execute', contentType: 'application/json', body };
    expect(JSON.parse((await reference.answer(call)).body).executionTime).toBe(2);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no such file: /srv/secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no such file: /srv/secret'))],
    [
      'throws a value that is not an error',
      () => {
        throw '/srv/secret';
      },
    ],
    ['returns a value without a JSON form', () => ({ time: 1n })],
  ])('does not reveal why a function failed that %s', async (_title, run) => {
    const failing = { ...(referenceFunctions[0] as ReferenceFunction), run };
    const body = new TextEncoder().encode(`{"function":"${failing.name}","requestId":"r"}`);
    const call = { method: 'POST', path: '/execute', contentType: 'application/json', body };
    const answer = await createReference({ form: 'B', functions: [failing] }).answer(call);
    expect(answer.status).toBe(500);
    const error = { code: 'EXECUTION_ERROR', message: 'The function failed.' };
    expect(JSON.parse(answer.body)).toEqual({ error, requestId: 'r' });
  });

  test('accepts the examples of its own functions', () => {
    for (const { parameters, examples } of referenceFunctions) {
      for (const { input } of examples) expect(validateInput(parameters, input)).toBeUndefined();
    }
  });
});

const expectNames = (names: unknown) => {
  expect(Array.isArray(names)).toBe(true);
  for (const name of names as unknown[]) expect(name).toEqual(expect.stringMatching(/\S/));
  expect(new Set(names as unknown[]).size).toBe((names as unknown[]).length);
};

const expectDocumented = (schema: ObjectSchema) => {
  expect(schema.type).toBe('object');
  for (const name of schema.required ?? []) expect(Object.keys(schema.properties)).toContain(name);
  for (const property of Object.values(schema.properties)) {
    expect(jsonTypes).toContain(property.type);
    expect(String(property.description).split(' ').length).toBeGreaterThan(1);
    if (property.type === 'object') expectDocumented(property);
    if (property.type === 'array' && property.items.type === 'object') expectDocumented(property.items);
  }
};

const sendAndLeave = async (server: RunningServer, bytes: string) => {
  const { hostname, port } = new URL(server.url);
  const socket = createConnection(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(bytes);
  await delay(50);
  socket.destroy();
};
