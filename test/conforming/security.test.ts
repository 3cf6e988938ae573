import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { createReference } from '../../src/reference/contract.ts';
import { acceptedEndpoints, refusedEndpoints, trustedPem } from '../probe/tls-endpoints.ts';
import { checkTarget, expectClean, findingsInBrief, rowsWith } from './expect-clean.ts';
import { described, offering, Refusal } from './offering.ts';
import {
  type Answering,
  type ArrivedRequest,
  jsonAnswer,
  type Members,
  referenceWith,
  referenceWithJson,
  serve,
} from './serve.ts';

const FORMS: readonly Form[] = ['A', 'B'];
const TOKEN = 'c4nary/T0ken+with=every"kind\\of~letter.0123456789';

/** All rows, because negative steps may leak too. */
const EVERYTHING: CheckOptions = { skip: [] };

function factOf({ facts }: TestResult, name: string): string | undefined {
  return facts.find((fact) => fact.name === name)?.text;
}

function outcomeOf({ results }: TestResult, row: string): string | undefined {
  return results.find(({ id }) => id === row)?.outcome;
}

const TRACE = [
  'Traceback (most recent call last):',
  '  File "/home/alice/notes.py", line 10, in <module>',
  'ZeroDivisionError: division by zero',
  '    at run (/home/alice/app/server.js:10:5)',
].join('\n');
const PATH = '/home/alice/notes.py';

describe.concurrent('functions that are about traces and sources', () => {
  const explain = (form: Form) => ({
    name: 'explain-trace',
    description: `Explains a trace such as "${TRACE}".`,
    descriptor: described(form, ['trace'], ['said', 'first', 'file'], [{ input: { trace: TRACE } }]),
    run: ({ trace }: Members) => ({ said: String(trace), first: TRACE, file: PATH }),
  });
  const read = (form: Form) => ({
    name: 'read-notes',
    descriptor: described(form, ['path'], ['said'], [{ input: { path: PATH } }]),
    run: ({ path }: Members) => {
      if (String(path).startsWith('/gone')) {
        throw new Refusal(500, {
          error: { code: 'EXECUTION_ERROR', message: `Cannot read "${path}": File not found`, path },
        });
      }
      return { said: String(path) };
    },
  });
  const parse = (form: Form) => ({
    name: 'parse-trace',
    descriptor: described(form, ['trace'], ['said'], [{ input: { trace: 'none' } }]),
    run: ({ trace }: Members) => {
      if (trace === 'none') return { said: 'none' };
      throw new Refusal(500, {
        error: {
          code: 'EXECUTION_ERROR',
          message: `This is no trace:\n${trace}\nIt ends at line 3 of your input.`,
        },
      });
    },
  });

  test.each(FORMS)('may return them, show them in examples and repeat their input, form %s', async (form) => {
    const samples = {
      'read-notes': [{ input: { path: PATH } }, { input: { path: '/gone/with/the/wind.py' }, fails: true }],
      'parse-trace': [{ input: { trace: 'none' } }, { input: { trace: TRACE }, fails: true }],
    };
    const functions = [explain(form), read(form), parse(form)];
    const result = await checkTarget(serve(offering(form, functions)), { ...EVERYTHING, samples });
    // Every function requires an input.
    expectClean(result, { form, inapplicable: form === 'A' ? [] : ['execute/parameters-default'] });
    expect(outcomeOf(result, 'errors/handler-failure-status')).toBe('passed');
    expect(outcomeOf(result, 'security/no-stack-trace')).toBe('passed');
  });
});

/** Error texts that do not leak internals. */
const HARMLESS: readonly string[] = [
  'The shop opens at 10:30:15 (local).',
  'at 10:30:15 (local)',
  'File not found',
  'File "notes.txt", line 3',
  'error at line 3 of your input',
  'See https://example.com/docs/a/b.js:1:2 for more.',
  'https://example.com/docs/a/b.js:1:2',
  'There is nothing like /var/data/report.pdf here.',
  '2026-01-31T12:00:00Z ERROR [worker-1] com.example.Job - job 7 failed: out of stock',
  'INFO:     127.0.0.1:53210 - "POST /execute HTTP/1.1" 400 Bad Request',
  'request 0f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a was refused',
  'goroutine safety is up to the caller',
  'Stack traces are kept to ourselves.',
];

describe.concurrent('errors in many words', () => {
  test.each(FORMS)('are not reported as traces, form %s', async (form) => {
    const answer = referenceWithJson(form, (value, { path }) => {
      if (typeof value.error !== 'object' || value.error === null) return value;
      const message = [...HARMLESS, `There is no such function at ${path}.`].join('\n');
      return { ...value, error: { ...value.error, message, details: HARMLESS } };
    });
    expectClean(await checkTarget(serve(answer), EVERYTHING), { form });
  });

  test.each(FORMS)('may quote the requested address, form %s', async (form) => {
    const basePath = '/mcp/v1/index.php';
    const answer = referenceWithJson(form, (value, { path }) => {
      if (typeof value.error !== 'object') return value;
      return { ...value, error: { ...value.error, message: `Refused: ${basePath}${path}`, path: basePath } };
    });
    expectClean(await checkTarget(serve(answer, { basePath }), EVERYTHING), { form });
  });

  test.each(FORMS)('may be a page of the site, with its scripts, form %s', async (form) => {
    const page = [
      '<!doctype html><html><head><title>404</title>',
      '<link rel="stylesheet" href="/assets/css/site.css"><script src="/_next/static/chunks/main.js"></script>',
      '<script>import("/assets/js/app.ts").then((app) => app.start())</script></head>',
      '<body><h1>Not found</h1><p>Try <a href="/docs/start.php">the documentation</a>.</p></body></html>',
    ].join('\n');
    const answer = referenceWith(form, (answered) =>
      answered.status === 404
        ? {
            status: 404,
            headers: { 'content-type': 'text/html', link: '</assets/js/app.js>; rel=preload' },
            body: page,
          }
        : answered,
    );
    expectClean(await checkTarget(serve(answer), EVERYTHING), { form });
  });

  test('are not found in answers with `error: null`', async () => {
    const traced = offering('B', [
      {
        name: 'last-trace',
        descriptor: described('B', ['job'], ['trace'], [{ parameters: { job: '7' } }]),
        run: () => ({ trace: TRACE }),
      },
    ]);
    const answer: Answering = async (request) => {
      const answered = await traced(request);
      const value = JSON.parse(answered.body) as Members;
      return 'result' in value ? { ...answered, body: JSON.stringify({ ...value, error: null }) } : answered;
    };
    // A function that answers everything alike is not called often enough to compare.
    const inapplicable = [
      'execute/parameters-default',
      'execute/concurrent-isolation',
      'errors/handler-failure-status',
    ];
    expectClean(await checkTarget(serve(answer), EVERYTHING), {
      form: 'B',
      inapplicable: [...inapplicable, 'errors/handler-failure-code'],
    });
  });
});

describe.concurrent('a given key', () => {
  test.each(FORMS)('is not reported for similar text, form %s', async (form) => {
    let count = 0;
    const answer = referenceWith(form, (answered) => {
      count += 1;
      const id = Buffer.from(`request ${count}`).toString('base64url');
      return {
        ...answered,
        headers: {
          ...answered.headers,
          'x-request-id': id,
          traceparent: `00-${id.padEnd(32, '0')}-0000000000000001-01`,
          'set-cookie': `session=${id}; HttpOnly`,
        },
      };
    });
    const result = await checkTarget(serve(answer), { ...EVERYTHING, bearerToken: TOKEN });
    expectClean(result, { form });
    expect(outcomeOf(result, 'security/no-secret-echo')).toBe('passed');
  });

  test.each(FORMS)('is not reported for the challenge that requests one, form %s', async (form) => {
    const challenge = {
      ...jsonAnswer(401, { error: { code: 'UNAUTHORIZED', message: 'Send Authorization: Bearer <key>.' } }),
      headers: {
        'content-type': 'application/json',
        'www-authenticate': 'Bearer realm="tools", error="invalid_token"',
      },
    };
    const reference = createReference({ form });
    const answer: Answering = async (request) =>
      request.headers.authorization === `Bearer ${TOKEN}` ? reference.answer(request) : challenge;
    const result = await checkTarget(serve(answer), { ...EVERYTHING, bearerToken: TOKEN });
    expectClean(result, { form });
    expect(outcomeOf(result, 'security/no-secret-echo')).toBe('passed');
  });

  test('is not reported if no Authorization was sent', async () => {
    const answer = referenceWithJson('A', (value, { headers }) => ({
      ...value,
      tenant: headers['x-tenant'],
    }));
    const headers = { 'X-Tenant': 'functions' };
    const result = await checkTarget(serve(answer), { skip: [], readOnly: true, headers });
    expect(findingsInBrief(result)).toEqual([]);
    expect(outcomeOf(result, 'security/no-secret-echo')).toBe('inapplicable');
  });
});

function guarded(form: Form, isOpen: (request: ArrivedRequest) => boolean, status = 401): Answering {
  const reference = createReference({ form });
  return async (request) =>
    isOpen(request) || request.headers.authorization === `Bearer ${TOKEN}`
      ? reference.answer(request)
      : jsonAnswer(status, { error: { code: 'UNAUTHORIZED', message: 'A key is required.' } });
}

describe.concurrent('access is reported as a fact', () => {
  const onlyAdd = ({ path, body }: ArrivedRequest): boolean =>
    path !== '/execute' || Buffer.from(body).toString().includes('"add"');
  const cases: readonly (readonly [
    string,
    (request: ArrivedRequest) => boolean,
    CheckOptions,
    string | undefined,
  ])[] = [
    [
      'an open server, and no key',
      () => true,
      {},
      'health: open to anyone, capabilities: open to anyone, execute: open to anyone',
    ],
    [
      'an open server, and a key',
      () => true,
      { bearerToken: TOKEN },
      'health: open to anyone, capabilities: open to anyone, execute: open to anyone',
    ],
    [
      'a closed server, and a key',
      () => false,
      { bearerToken: TOKEN },
      'health: needs a key, capabilities: needs a key, execute: needs a key',
    ],
    ['a closed server, and no key', () => false, {}, 'health: needs a key, capabilities: needs a key'],
    ['a closed server, and a wrong key', () => false, { bearerToken: 'not-the-right-one' }, undefined],
    [
      'a server whose calls need a key, and a key',
      ({ path }) => path !== '/execute',
      { bearerToken: TOKEN },
      'health: open to anyone, capabilities: open to anyone, execute: needs a key',
    ],
    [
      'a server whose calls need a key, and no key',
      ({ path }) => path !== '/execute',
      {},
      'health: open to anyone, capabilities: open to anyone, execute: needs a key',
    ],
    [
      'a server with one open function, and no key',
      onlyAdd,
      {},
      'health: open to anyone, capabilities: open to anyone, execute: some requests need a key',
    ],
    [
      'a server with an open /health, and a key',
      ({ path }) => path === '/health',
      { bearerToken: TOKEN },
      'health: open to anyone, capabilities: needs a key, execute: needs a key',
    ],
    [
      'an open server, and headers that are not keys',
      () => true,
      {
        headers: {
          Accept: 'application/json, text/plain',
          'User-Agent': 'partner/2',
          'Accept-Language': 'de',
        },
      },
      'health: open to anyone, capabilities: open to anyone, execute: open to anyone',
    ],
  ];

  test.each(cases)('%s', async (_name, isOpen, options, text) => {
    const result = await checkTarget(serve(guarded('B', isOpen)), { ...EVERYTHING, ...options });
    expect(factOf(result, 'access')).toBe(text);
    // A server that refuses everything gets no further requests.
    const isAsked = result.target.form.capabilities !== null;
    expect(outcomeOf(result, 'security/access')).toBe(isAsked ? 'passed' : 'undecided');
    expect(outcomeOf(result, 'security/no-stack-trace')).toBe('passed');
    expect(outcomeOf(result, 'security/no-secret-echo')).not.toBe('failed');
  });

  test('a server that refuses the default User-Agent needs a key, without a contradiction', async () => {
    const reference = createReference({ form: 'B' });
    const answer: Answering = async (request) =>
      request.headers['user-agent'] === 'partner/2'
        ? reference.answer(request)
        : jsonAnswer(403, { error: { code: 'FORBIDDEN', message: 'No robots.' } });
    const headers = { 'User-Agent': 'partner/2' };
    const result = await checkTarget(serve(answer), { ...EVERYTHING, headers });
    expectClean(result, { form: 'B' });
    expect(outcomeOf(result, 'security/access')).toBe('passed');
  });

  test('a rate limiter is not a contradiction', async () => {
    let count = 0;
    const answer = referenceWith('A', (answered) => {
      count += 1;
      return count % 5 === 0 ? { ...jsonAnswer(429, {}), headers: { 'retry-after': '0' } } : answered;
    });
    const result = await checkTarget(serve(answer), { skip: ['robustness/*'] });
    expectClean(result, { form: 'A' });
    expect(outcomeOf(result, 'security/access')).toBe('passed');
  });
});

describe.concurrent('a server over TLS', () => {
  test.each(acceptedEndpoints)('$name', async ({ name, serverFor, days }) => {
    const answer = createReference({ form: 'B' }).answer;
    const result = await checkTarget(serve(answer, { serverFor, scheme: 'https' }), {
      ...EVERYTHING,
      ca: trustedPem,
    });
    expectClean(result, { form: 'B' });
    expect(rowsWith(result, 'passed')).toEqual(
      expect.arrayContaining(['security/https', 'security/certificate', 'transport/keep-alive']),
    );
    const protocol = name === 'TLS 1.2 only' ? 'TLSv1.2' : 'TLSv1.3';
    // The certificate may have been made before midnight.
    const dates = [0, -60_000].map((ms) =>
      new Date(Date.now() + ms + days * 86_400_000).toISOString().slice(0, 10),
    );
    expect(dates.map((date) => `${protocol}, the certificate is valid to ${date}`)).toContain(
      factOf(result, 'TLS'),
    );
    expect(JSON.stringify(result)).not.toContain('BEGIN CERTIFICATE');
  });

  test('a handshake that the deadline cut short is not blamed on the server', async () => {
    const silent = refusedEndpoints.find(({ hangs }) => hangs);
    const target = serve(createReference({ form: 'B' }).answer, {
      serverFor: (answer) => silent?.serverFor(answer) ?? createServer(answer),
      scheme: 'https',
    });
    const result = await checkTarget(target, { ...EVERYTHING, deadlineMs: 2000 });
    expect(rowsWith(result, 'failed')).toEqual([]);
    expect(result.verdict).toBe('incomplete');
    expect(new Set(result.findings.map(({ received }) => received))).toEqual(new Set(['none: deadline']));
  });

  test('plain http has no such fact, and the certificate row is inapplicable', async () => {
    const result = await checkTarget(serve(createReference({ form: 'A' }).answer), EVERYTHING);
    expectClean(result, { form: 'A' });
    expect(factOf(result, 'TLS')).toBeUndefined();
    expect(outcomeOf(result, 'security/certificate')).toBe('inapplicable');
    expect(outcomeOf(result, 'security/https')).toBe('passed');
  });
});
