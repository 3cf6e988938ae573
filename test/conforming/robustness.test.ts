import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { createReference } from '../../src/reference/contract.ts';
import type { EndpointAnswer } from '../../src/reference/endpoints.ts';
import type { KindOfRow } from '../row-kind.ts';
import { checkTarget, expectClean, findingsInBrief, rowsWith } from './expect-clean.ts';
import {
  type Answering,
  type ArrivedRequest,
  jsonAnswer,
  type Looking,
  type Members,
  referenceWith,
  referenceWithJson,
  serve,
} from './serve.ts';

const FORMS: readonly Form[] = ['A', 'B'];
const EVERYTHING = { skip: [] } as const;

const page = (status: number, text: string): EndpointAnswer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><title>${text}</title><h1>${text}</h1>`,
});
const empty = (status: number, headers: EndpointAnswer['headers'] = {}): EndpointAnswer => ({
  status,
  headers,
  body: '',
});

/** Combines each row with one of the forms, alternately, because the form does not matter here. */
function inTurn<Row extends readonly [name: string, ...unknown[]]>(
  rows: readonly Row[],
): readonly (readonly [name: string, form: Form, row: Row])[] {
  return rows.map((row, index) => [row[0], index % 2 === 0 ? 'A' : 'B', row]);
}

/** The error code of a refusal of the reference. */
const codeOf = ({ body }: EndpointAnswer): unknown =>
  ((JSON.parse(body) as Members).error as Members | undefined)?.code;

function refusing(otherwise: Readonly<Record<string, (answer: EndpointAnswer) => EndpointAnswer>>) {
  return (form: Form): Answering =>
    referenceWith(form, (answer) => otherwise[String(codeOf(answer))]?.(answer) ?? answer);
}

const UNUSUAL: readonly (readonly [name: string, answering: (form: Form) => Answering])[] = [
  [
    'a page of HTML with 400, as a proxy writes it',
    refusing({ INVALID_REQUEST: () => page(400, 'Bad Request') }),
  ],
  ['422 for invalid calls', refusing({ INVALID_REQUEST: () => jsonAnswer(422, { detail: [] }) })],
  ['409, which is a 4xx status too', refusing({ INVALID_REQUEST: () => empty(409) })],
  ['404 in HTML for other paths', refusing({ NOT_FOUND: () => page(404, 'Not Found') })],
  ['404 without a body for other paths', refusing({ NOT_FOUND: () => empty(404) })],
  ['404 where the method is wrong', refusing({ METHOD_NOT_ALLOWED: () => page(404, 'Cannot GET /execute') })],
  [
    '405 without a body, but with Allow',
    refusing({ METHOD_NOT_ALLOWED: ({ headers }) => empty(405, { allow: headers.allow ?? '' }) }),
  ],
  ['406 for other media types', refusing({ UNSUPPORTED_MEDIA_TYPE: () => empty(406) })],
  [
    '403 for requests that look like an attack, as of a firewall',
    refusing({
      INVALID_REQUEST: () => page(403, 'Blocked'),
      UNSUPPORTED_MEDIA_TYPE: () => page(403, 'Blocked'),
    }),
  ],
  [
    'other media types read as JSON all the same',
    (form) => {
      const reference = createReference({ form });
      return (request) =>
        reference.answer(
          request.path === '/execute' ? { ...request, contentType: 'application/json' } : request,
        );
    },
  ],
  [
    'bytes that are not UTF-8 replaced',
    (form) => {
      const reference = createReference({ form });
      return (request) =>
        reference.answer({ ...request, body: Buffer.from(Buffer.from(request.body).toString('utf8')) });
    },
  ],
  ['uptime in whole seconds', uptime((seconds) => Math.floor(seconds))],
  ['uptime in seconds, rounded to the next', uptime((seconds) => Math.round(seconds + 7200))],
  ['uptime of a clock that is sometimes set back slightly', uptime(stepping())],
  [
    'every answer after a delay',
    (form) =>
      referenceWith(form, async (answer) => {
        await delay(60);
        return answer;
      }),
  ],
  [
    'status healthy',
    (form) =>
      referenceWithJson(form, (value, { path }) =>
        path === '/health' ? { ...value, status: 'healthy' } : value,
      ),
  ],
];

function uptime(count: (seconds: number) => number): (form: Form) => Answering {
  return (form) =>
    referenceWithJson(form, (value, { path, method }) =>
      path === '/health' && method === 'GET' ? { ...value, uptime: count(Number(value.uptime)) } : value,
    );
}

/** Every other read is 50 ms less. */
function stepping(): (seconds: number) => number {
  let reads = 0;
  return (seconds) => {
    reads += 1;
    return seconds + 60 - (reads % 2) * 0.05;
  };
}

describe.concurrent('an unusual server:', () => {
  test.each(inTurn(UNUSUAL))('%s, form %s', async (_name, form, [, answering]) => {
    expectClean(await checkTarget(serve(answering(form)), EVERYTHING), { form });
  });

  test.each(FORMS)(
    'EXECUTION_ERROR for an input that is not an object or too deep, form %s',
    async (form) => {
      const answer = referenceWith(form, (answered, { body }) => {
        const text = Buffer.from(body).toString();
        const isOdd = text.includes('[[[') || /"(input|parameters)":("text"|42|\[1,2\])/.test(text);
        if (!isOdd) return answered;
        return jsonAnswer(500, { error: { code: 'EXECUTION_ERROR', message: 'Cannot work with that.' } });
      });
      expectClean(await checkTarget(serve(answer), EVERYTHING), { form });
    },
  );
});

const isLarge = ({ headers }: IncomingMessage): boolean => Number(headers['content-length']) > 1_000_000;
const TOO_LARGE = JSON.stringify({ error: { code: 'PAYLOAD_TOO_LARGE', message: 'Too large.' } });

const refuseUnread: Looking = (incoming, response) => {
  response
    .writeHead(413, { 'content-type': 'application/json', connection: 'close' })
    .end(TOO_LARGE, () => incoming.destroy());
  return true;
};

const LARGE_BODIES: readonly (readonly [name: string, look: Looking])[] = [
  ['answered with 413 before it is read, and the connection closed', refuseUnread],
  [
    'answered with 413 before it is read, and then read and discarded',
    (incoming, response) => {
      response.writeHead(413, { 'content-type': 'application/json' }).end(TOO_LARGE);
      incoming.resume();
      return true;
    },
  ],
  [
    'answered in the middle of it, and reset',
    (incoming, response) => {
      incoming.once('data', () => {
        response.writeHead(413).end(TOO_LARGE, () => incoming.socket.resetAndDestroy());
      });
      return true;
    },
  ],
  [
    'reset without an answer',
    (incoming) => {
      incoming.socket.resetAndDestroy();
      return true;
    },
  ],
  [
    'closed without an answer while it is read',
    (incoming) => {
      incoming.once('data', () => incoming.socket.destroy());
      return true;
    },
  ],
  [
    'read to its end, and the connection closed without an answer',
    (incoming) => {
      incoming.resume().once('end', () => incoming.socket.end());
      return true;
    },
  ],
  [
    'answered with half an answer',
    (incoming, response) => {
      response.writeHead(413, { 'content-length': 1000 }).write(TOO_LARGE, () => incoming.socket.destroy());
      return true;
    },
  ],
];

describe.concurrent('a large body is', () => {
  test.each(inTurn(LARGE_BODIES))('%s, form %s', async (_name, form, [, look]) => {
    const beforeBody: Looking = (incoming, response) => isLarge(incoming) && look(incoming, response);
    expectClean(await checkTarget(serve(createReference({ form }).answer, { beforeBody }), EVERYTHING), {
      form,
    });
  });
});

describe.concurrent('a body over 16 KiB', () => {
  test.each(FORMS)('is refused unread, and the connection closed, form %s', async (form) => {
    const beforeBody: Looking = (incoming, response) =>
      Number(incoming.headers['content-length']) > 16_384 && refuseUnread(incoming, response);
    const target = serve(createReference({ form }).answer, { beforeBody });
    expectClean(await checkTarget(target, EVERYTHING), { form });
  });
});

describe.concurrent('the connection', () => {
  test.each(FORMS)('is closed after each 4xx status, form %s', async (form) => {
    const target = serve(createReference({ form }).answer, {
      write: (response, { status, headers, body }) => {
        response.writeHead(status, status < 400 ? headers : { ...headers, connection: 'close' });
        response.end(body, () => {
          if (status >= 400) response.socket?.destroy();
        });
      },
    });
    expectClean(await checkTarget(target, EVERYTHING), { form });
  });
});

describe.concurrent('a function', () => {
  test.each(FORMS)('that repeats its input may repeat a deep one, form %s', async (form) => {
    const key = form === 'A' ? 'output' : 'result';
    const answer = referenceWith(form, (answered, { body }) => {
      const [deep] = /\[{1000,}\]{1000,}/.exec(Buffer.from(body).toString()) ?? [];
      // JSON.stringify would exceed the stack.
      return deep === undefined
        ? answered
        : { ...answered, body: `{"${key}":{"said":${deep}},"executionTime":0}` };
    });
    const result = await checkTarget(serve(answer), EVERYTHING);
    expectClean(result, { form });
    const exchange = result.exchanges.find(({ request }) => request.key.includes('deep-nesting'));
    expect(exchange?.kind === 'answered' && JSON.stringify(exchange.response.body)).toContain('[[[[');
  });
});

describe.concurrent('several instances with different uptimes', () => {
  const turns: readonly (readonly [name: string, pick: (count: number) => number])[] = [
    ['alternating', (count) => count % 2],
    ['alternating in threes', (count) => Math.floor(count / 3) % 2],
    ['the older one at first, the younger one for the negative steps', (count) => (count < 20 ? 1 : 0)],
    ['the younger one at first, the older one for the negative steps', (count) => (count < 20 ? 0 : 1)],
  ];
  test.each(inTurn(turns))('%s, form %s', async (_name, form, [, pick]) => {
    const upForSeconds = [300, 90_000];
    let count = 0;
    const target = serve(
      referenceWithJson(form, (value, { path, method }) => {
        count += 1;
        if (path !== '/health' || method !== 'GET') return value;
        return { ...value, uptime: Number(value.uptime) + (upForSeconds[pick(count)] ?? 0) };
      }),
    );
    expectRobust(await checkTarget(target, { ...EVERYTHING, only: ['robustness/*'] }));
  });

  /** Separate servers behind a proxy that alternates between them. */
  test.each(FORMS)('behind a proxy, form %s', async (form) => {
    const older = createReference({ form, nowMs: clockFrom(86_400_000) });
    const younger = createReference({ form, nowMs: clockFrom(60_000) });
    let count = 0;
    const target = serve((request) => {
      count += 1;
      return (count % 2 === 0 ? older : younger).answer(request);
    });
    expectRobust(await checkTarget(target, { ...EVERYTHING, only: ['robustness/*'] }));
  });

  /** The reference counts from the first time that it reads. */
  function clockFrom(upForMs: number): () => number {
    let isStarted = false;
    return () => {
      if (isStarted) return performance.now();
      isStarted = true;
      return performance.now() - upForMs;
    };
  }
});

describe.concurrent('problems from before the negative steps are not blamed on them', () => {
  const inHealth =
    (change: (value: Members) => Members) =>
    (form: Form): Answering =>
      referenceWithJson(form, (value, { path, method }) =>
        path === '/health' && method === 'GET' ? change(value) : value,
      );
  const WRONG: readonly (readonly [
    name: string,
    answering: (form: Form) => Answering,
    failed: readonly string[],
    survives: string,
  ])[] = [
    [
      'a status that is degraded',
      inHealth((value) => ({ ...value, status: 'degraded' })),
      ['health/operational'],
      'undecided',
    ],
    [
      'a status that is not a string',
      inHealth((value) => ({ ...value, status: true })),
      ['health/status-string'],
      'undecided',
    ],
    [
      '/health with status 503',
      (form) =>
        referenceWith(form, (answer, { path, method }) =>
          path === '/health' && method === 'GET' ? { ...answer, status: 503 } : answer,
        ),
      ['health/status-200'],
      'undecided',
    ],
    ['no uptime', inHealth(({ uptime: _uptime, ...value }) => value), ['health/uptime-number'], 'passed'],
    [
      'an uptime in milliseconds',
      inHealth((value) => ({ ...value, uptime: Number(value.uptime) * 1000 })),
      ['health/uptime-seconds'],
      'passed',
    ],
    [
      'an uptime that does not change',
      inHealth((value) => ({ ...value, uptime: 17 })),
      ['health/uptime-seconds'],
      'passed',
    ],
    [
      '/execute in another form than the descriptors',
      (form) => {
        const described = createReference({ form });
        const executed = createReference({ form: form === 'A' ? 'B' : 'A' });
        return (request) => (request.path === '/execute' ? executed : described).answer(request);
      },
      ['capabilities/form-uniform'],
      'passed',
    ],
  ];
  describe.each(WRONG)('%s', (_name, answering, failed, survives) => {
    test.each(FORMS)('form %s', async (form) => {
      const result = await checkTarget(serve(answering(form)), EVERYTHING);
      expect(rowsWith(result, 'failed'), findingsInBrief(result).join('\n')).toEqual(failed);
      expect(result.results.find(({ id }) => id === 'robustness/survives')?.outcome).toBe(survives);
    });
  });
});

describe.concurrent('a required key that is not given', () => {
  const refusalOf: Readonly<Record<string, EndpointAnswer>> = {
    '401': jsonAnswer(401, { error: { code: 'UNAUTHORIZED', message: 'A key is required.' } }),
    '403': page(403, 'Forbidden'),
  };
  const guarded = (form: Form, status: string, isGuarded: (request: ArrivedRequest) => boolean): Answering =>
    referenceWith(form, (answer, request) => (isGuarded(request) ? (refusalOf[status] ?? answer) : answer));

  describe.each(Object.keys(refusalOf))('status %s', (status) => {
    test.each(FORMS)('everywhere: no negative step runs, form %s', async (form) => {
      const result = await checkTarget(serve(guarded(form, status, () => true)), EVERYTHING);
      expect(rowsWith(result, 'failed')).toEqual([]);
      expect(robustness(result, 'blocked')).toHaveLength(15);
      expect(result.served.arrived.every(({ method }) => method === 'GET')).toBe(true);
      expectAdvice(result);
    });

    test.each(FORMS)('everywhere but /health and /capabilities, form %s', async (form) => {
      const isOpen = new Set(['/health', '/capabilities']);
      const result = await checkTarget(
        serve(guarded(form, status, ({ path }) => !isOpen.has(path))),
        EVERYTHING,
      );
      expect(rowsWith(result, 'failed'), findingsInBrief(result).join('\n')).toEqual([]);
      // A refusal for a missing key is a valid answer.
      expect(robustness(result, 'passed')).toEqual([
        'robustness/large-body',
        'robustness/client-abort',
        'robustness/survives',
      ]);
      expect(robustness(result, 'undecided')).toHaveLength(12);
      expectAdvice(result);
    });
  });

  function expectAdvice({ findings, verdict }: TestResult): void {
    expect(verdict).toBe('incomplete');
    expect(findings.length).toBeGreaterThan(0);
    for (const { message, fix } of findings) {
      expect(message).toBe('the target requires a key');
      expect(fix).toContain('--bearer-env');
    }
  }
});

describe.concurrent('a rate limiter that counts only negative requests', () => {
  const isNegative = ({ method, path, body }: ArrivedRequest): boolean =>
    path.startsWith('/probity') ||
    (method === 'POST' && path === '/health') ||
    (path === '/execute' &&
      (method === 'GET' || body.length > 10_000 || /not JSON|42/.test(String(Buffer.from(body)))));

  test.each([
    ['A', '0', 2],
    ['B', '0', 2],
    ['A', '1', 4],
    ['B', '1', 4],
  ] as const)('makes the check wait, form %s, Retry-After: %s', async (form, retryAfter, every) => {
    let count = 0;
    const answer = referenceWith(form, (answered, request) => {
      if (!isNegative(request)) return answered;
      count += 1;
      if (count % every !== 0) return answered;
      const refusal = jsonAnswer(429, { error: { code: 'RATE_LIMITED', message: 'Later.' } });
      return { ...refusal, headers: { ...refusal.headers, 'retry-after': retryAfter } };
    });
    const result = await checkTarget(serve(answer), EVERYTHING);
    expectClean(result, { form });
    const refused = result.exchanges.filter(
      (exchange) => exchange.kind === 'answered' && exchange.response.status === 429,
    );
    expect(refused.length).toBeGreaterThanOrEqual(2);
  });

  test.each(FORMS)('and refuses all of them leaves them undecided, form %s', async (form) => {
    const refusal = jsonAnswer(429, { error: { code: 'RATE_LIMITED', message: 'Later.' } });
    const answer = referenceWith(form, (answered, request) =>
      isNegative(request) ? { ...refusal, headers: { ...refusal.headers, 'retry-after': '3600' } } : answered,
    );
    const result = await checkTarget(serve(answer), EVERYTHING);
    expect(rowsWith(result, 'failed'), findingsInBrief(result).join('\n')).toEqual([]);
    expect(result.verdict).toBe('incomplete');
    expect(robustness(result, 'passed')).toContain('robustness/survives');
  });
});

describe.concurrent('a server that blocks the client after a negative step', () => {
  test.each(FORMS)('blocks or leaves open only the rows after it, form %s', async (form) => {
    const reference = createReference({ form });
    const server = createServer();
    server.on('request', async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const {
        status,
        headers,
        body: text,
      } = await reference.answer({
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        contentType: incoming.headers['content-type'],
        body,
      });
      response.writeHead(status, headers).end(text);
      if (body.toString() === '42') server.close();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const target = { url: `http://127.0.0.1:${port}`, close: async () => server.closeAllConnections() };
    const result = await checkTarget(target, EVERYTHING);
    expect(rowsWith(result, 'failed')).toEqual(['robustness/survives']);
    expect(robustness(result, 'undecided')).toEqual(['robustness/function-missing']);
    expect(robustness(result, 'passed')).toEqual([
      'robustness/malformed-json',
      'robustness/empty-body',
      'robustness/non-object-body',
    ]);
    const blocked = result.results.filter(({ blockedBy }) => blockedBy !== undefined);
    expect(new Set(blocked.map(({ blockedBy }) => blockedBy))).toEqual(
      new Set(['robustness/function-missing']),
    );
    const causes = result.findings.map(({ id, fault }) => `${id}: ${fault}`);
    expect(causes).toEqual(['robustness/function-missing: network', 'robustness/survives: network']);
  });
});

function robustness(result: TestResult, kind: KindOfRow): readonly string[] {
  return rowsWith(result, kind).filter((id) => id.startsWith('robustness/'));
}

/** Expects that every robustness row passed, and nothing else is open. */
function expectRobust(result: TestResult): void {
  expect(findingsInBrief(result)).toEqual([]);
  expect(robustness(result, 'passed')).toHaveLength(15);
  expect(result.verdict).toBe('pass');
}
