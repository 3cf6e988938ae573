import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/model/probe.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { createReference } from '../../src/reference/contract.ts';
import type { EndpointAnswer } from '../../src/reference/endpoints.ts';
import { checkTarget, expectClean, rowsWith } from './expect-clean.ts';
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

function refuseWithout(
  token: string,
  isGuarded: (path: string) => boolean,
  refusal: EndpointAnswer = jsonAnswer(401, {
    error: { code: 'UNAUTHORIZED', message: 'A key is required.' },
  }),
): (form: Form) => Answering {
  return (form) => {
    const reference = createReference({ form });
    return async (request) =>
      isGuarded(request.path) && request.headers.authorization !== `Bearer ${token}`
        ? refusal
        : reference.answer(request);
  };
}

const everywhere = (): boolean => true;
const onlyExecute = (path: string): boolean => path === '/execute';

describe.concurrent('a required key', () => {
  test.each(FORMS)('on every path, and given, form %s', async (form) => {
    const answer = refuseWithout(TOKEN, everywhere)(form);
    expectClean(await checkTarget(serve(answer), { bearerToken: TOKEN }), { form });
  });

  test.each(FORMS)('on /execute only, and given, form %s', async (form) => {
    const answer = refuseWithout(TOKEN, onlyExecute)(form);
    expectClean(await checkTarget(serve(answer), { bearerToken: TOKEN }), { form });
  });

  test.each(FORMS)('in a custom header, form %s', async (form) => {
    const reference = createReference({ form });
    const answer: Answering = async (request) =>
      request.headers['x-api-key'] === TOKEN ? reference.answer(request) : jsonAnswer(403, { detail: 'No.' });
    expectClean(await checkTarget(serve(answer), { headers: { 'X-Api-Key': TOKEN } }), { form });
  });

  const REFUSALS: readonly (readonly [name: string, refusal: EndpointAnswer])[] = [
    ['401 with an error body', jsonAnswer(401, { error: { code: 'UNAUTHORIZED', message: 'No.' } })],
    ['401 with another body', jsonAnswer(401, { detail: 'Not authenticated' })],
    [
      '401 with a challenge and no body',
      { status: 401, headers: { 'www-authenticate': 'Bearer realm="mcp"' }, body: '' },
    ],
    [
      '403 with a page',
      { status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>Forbidden</h1>' },
    ],
  ];
  describe.each(REFUSALS)('and not given: %s', (_name, refusal) => {
    test.each(FORMS)('on every path: all undecided, with advice, form %s', async (form) => {
      const result = await checkTarget(serve(refuseWithout(TOKEN, everywhere, refusal)(form)));
      expectKeyRequired(result);
      expect(rowsWith(result, 'undecided')).toEqual(['health/status-200', 'capabilities/status-200']);
      expect(rowsWith(result, 'passed')).toEqual(['health/reachable', 'capabilities/reachable']);
      expect(result.reachable).toBe(true);
    });

    test.each(FORMS)('on /execute only: the reads are judged, the calls undecided, form %s', async (form) => {
      const result = await checkTarget(serve(refuseWithout(TOKEN, onlyExecute, refusal)(form)));
      expectKeyRequired(result);
      const read = result.results.filter(({ id }) => /^(health|capabilities|documentation)\//.test(id));
      expect(read.filter(({ outcome }) => outcome === 'undecided')).toEqual([]);
      const called = result.results.filter(({ id }) => /^(execute|errors)\//.test(id));
      expect(called.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id)).toEqual([
        'execute/reachable',
      ]);
    });
  });

  test.each(FORMS)('and a wrong key: the advice is to give an accepted one, form %s', async (form) => {
    const answer = refuseWithout(TOKEN, everywhere)(form);
    const result = await checkTarget(serve(answer), { bearerToken: 'not-the-right-one' });
    expect(rowsWith(result, 'failed')).toEqual([]);
    expect(result.verdict).toBe('incomplete');
    expect(new Set(result.findings.map(({ fix }) => fix))).toEqual(
      new Set(['Give a key that the target accepts.']),
    );
  });

  function expectKeyRequired(result: TestResult): void {
    expect(rowsWith(result, 'failed')).toEqual([]);
    expect(result.verdict).toBe('incomplete');
    expect(result.findings.length).toBeGreaterThan(0);
    for (const { message, fix, fault } of result.findings) {
      expect(message).toBe('the target requires a key');
      expect(fix).toContain('--bearer-env');
      expect(fault).toBe('harness');
    }
  }
});

function escapedAs(text: string, characters: RegExp, digits: (code: string) => string): string {
  return text.replaceAll(characters, (character) => {
    return `\\u${digits(character.charCodeAt(0).toString(16).padStart(4, '0'))}`;
  });
}

/** Encodings in which a target may repeat what it received. */
function spellings(secret: string): Readonly<Record<string, string>> {
  const padded = (before: string): string => Buffer.from(`${before}${secret} and more`).toString('base64');
  return {
    raw: secret,
    bearer: `Bearer ${secret}`,
    inWords: `You sent ${secret}!`,
    json: JSON.stringify(secret),
    jsonInJson: JSON.stringify(JSON.stringify({ authorization: `Bearer ${secret}` })),
    jsonAsPhp: JSON.stringify(secret).replaceAll('/', '\\/'),
    jsonAsDotNet: escapedAs(secret, /[&'+<>`"]/g, (code) => code.toUpperCase()),
    jsonAsGson: escapedAs(secret, /[&'=<>]/g, (code) => code),
    url: encodeURIComponent(secret),
    urlTwice: encodeURIComponent(encodeURIComponent(secret)),
    urlInSmallLetters: encodeURIComponent(secret).replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    form: new URLSearchParams({ token: secret }).toString(),
    base64: Buffer.from(secret).toString('base64'),
    base64Bearer: Buffer.from(`Bearer ${secret}`).toString('base64'),
    basic: `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`,
    base64At0: padded('abc'),
    base64At1: padded('a'),
    base64At2: padded('ab'),
    base64Url: Buffer.from(`ab${secret}`).toString('base64url'),
  };
}

/** Parts of a secret that must not be in stored results. */
function tracesOf(secret: string): readonly string[] {
  const quarters = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]).toString('base64');
    return encoded.slice(8, -8);
  });
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    ...quarters,
    ...quarters.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

function expectNoTrace(
  { served: _served, ...result }: TestResult & { readonly served: unknown },
  secret: string,
): void {
  const kept = JSON.stringify(result);
  // A report escapes texts again, and JSON bodies twice.
  const unescaped = kept.replaceAll('\\\\', '\\').replaceAll('\\"', '"').replaceAll('\\/', '/');
  const twice = unescaped.replaceAll('\\\\', '\\').replaceAll('\\"', '"').replaceAll('\\/', '/');
  for (const trace of tracesOf(secret)) {
    for (const text of [kept, unescaped, twice]) expect(text.includes(trace), trace).toBe(false);
  }
}

/** Typical characters of tokens: of JWTs, base64, hexadecimal keys and passwords. */
const TOKENS: readonly (readonly [kind: string, token: string])[] = [
  ['every kind of character', TOKEN],
  ['base64', 'q7+J/0bXl9v5d+z3mE/1uR+Xc7rK+2w/8Q=='],
  ['hexadecimal', '0f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a'],
  ['dots and dashes', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLW9mLWE_dG9rZW4'],
];

describe.concurrent.each(TOKENS)('a key of %s that the target repeats', (_kind, token) => {
  const forms = token === TOKEN ? FORMS : (['B'] as const);
  const echo = (request: ArrivedRequest): Readonly<Record<string, string>> =>
    spellings(String(request.headers.authorization).replace('Bearer ', ''));

  test.each(forms)('is not in the result: bodies, form %s', async (form) => {
    const answer = referenceWithJson(form, (value, request) => ({ ...value, echo: echo(request) }));
    const result = await checkTarget(serve(answer), { bearerToken: token });
    expect(result.served.arrived.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(
      true,
    );
    expectNoTrace(result, token);
    expect(JSON.stringify(result)).toContain('$PROBITY_TOKEN');
    expectClean(result, { form });
  });

  test.each(forms)('is not in the result: error messages, output and keys, form %s', async (form) => {
    const answer = referenceWithJson(form, (value, request) => {
      const said = Object.values(echo(request)).join(' | ');
      if (typeof value.error === 'object') return { ...value, error: { code: said, message: said } };
      const key = form === 'A' ? 'output' : 'result';
      return key in value ? { ...value, [key]: { [said]: said } } : value;
    });
    const result = await checkTarget(serve(answer), { bearerToken: token });
    expectNoTrace(result, token);
    expect(result.findings.some(({ received }) => received.includes('$PROBITY_TOKEN'))).toBe(true);
  });

  test.each(forms)('is not in the result: headers, form %s', async (form) => {
    const answer = referenceWith(form, (answered, request) => {
      const headers = Object.entries(echo(request)).map(([name, value]) => [
        `x-${name}`.toLowerCase(),
        value,
      ]);
      return { ...answered, headers: { ...answered.headers, ...Object.fromEntries(headers) } };
    });
    const result = await checkTarget(serve(answer), { bearerToken: token });
    expectNoTrace(result, token);
    expectClean(result, { form });
  });

  test.each([/[&'+<>`]/g, /[&'=<>]/g, /[A-Za-z/+=]/g])(
    'is not in the result: escaped as %s',
    async (letters) => {
      const answer = referenceWith('B', (answered, request) => {
        const said = JSON.stringify(String(request.headers.authorization)).slice(1, -1);
        const output = `"result":{"said":"${escapedAs(said, letters, (code) => code)}"}`;
        return { ...answered, body: answered.body.replace(/"result":\{[^}]*\}/, () => output) };
      });
      const result = await checkTarget(serve(answer), { bearerToken: token });
      expectNoTrace(result, token);
      expect(result.samples.some(({ output }) => JSON.stringify(output).includes('$PROBITY_TOKEN'))).toBe(
        true,
      );
    },
  );

  test('is not in the result: descriptors and names, form A', async () => {
    const answer = referenceWithJson('A', (value, request) => {
      if (!Array.isArray(value.functions)) return value;
      const said = Object.values(echo(request)).join(' | ');
      return {
        functions: (value.functions as readonly Members[]).map((fn) => ({
          ...fn,
          name: said,
          description: said,
        })),
      };
    });
    const result = await checkTarget(serve(answer), { bearerToken: token });
    expectNoTrace(result, token);
    expect(result.verdict).toBe('fail');
  });

  test('is not in the result: content coding and redirect', async () => {
    const answer = referenceWith('A', (answered, { path, headers }) => {
      const said = String(headers.authorization);
      if (path === '/health')
        return { ...answered, headers: { ...answered.headers, 'content-encoding': said } };
      return { status: 302, headers: { location: `/login?key=${encodeURIComponent(said)}` }, body: said };
    });
    const result = await checkTarget(serve(answer), { bearerToken: token });
    expectNoTrace(result, token);
  });

  test('is not in the result: given as a whole header', async () => {
    const answer = referenceWithJson('B', (value, request) => ({
      ...value,
      echo: {
        ...spellings(String(request.headers['x-key'])),
        ...spellings(String(request.headers.authorization).slice(6)),
      },
    }));
    const headers = { 'X-Key': token, Authorization: `Token ${token}` };
    const result = await checkTarget(serve(answer), { headers });
    expectNoTrace(result, token);
    expect(result.served.arrived.every((request) => request.headers['x-key'] === token)).toBe(true);
  });
});

describe.concurrent('a rate limiter', () => {
  function limited(
    form: Form,
    isRefused: (count: number) => boolean,
    retryAfter: () => string | undefined,
    clock: Clock = systemClock,
  ): Answering {
    const reference = createReference({ form, nowMs: clock.monotonicMs });
    let count = 0;
    return async (request) => {
      count += 1;
      if (!isRefused(count)) {
        const answer = await reference.answer(request);
        const value = JSON.parse(answer.body) as Members;
        return 'timestamp' in value
          ? jsonAnswer(200, { ...value, timestamp: new Date(clock.nowMs()).toISOString() })
          : answer;
      }
      const value = retryAfter();
      const answer = jsonAnswer(429, { error: { code: 'RATE_LIMITED', message: 'Later.' } });
      return {
        ...answer,
        headers: { ...answer.headers, ...(value === undefined ? {} : { 'retry-after': value }) },
      };
    };
  }
  /** A clock of the server and its client, which waiting moves forward, so that minutes of waiting take no time. */
  function sharedClock(): Clock {
    let aheadMs = 0;
    return {
      nowMs: () => Date.now() + aheadMs,
      monotonicMs: () => performance.now() + aheadMs,
      sleep: async (durationMs) => {
        aheadMs += durationMs;
      },
    };
  }
  const everyThird = (count: number): boolean => count % 3 === 0;

  test.each(FORMS)('that refuses every third request makes the check wait, form %s', async (form) => {
    const clock = sharedClock();
    const answer = limited(form, everyThird, () => '1', clock);
    const result = await checkTarget(serve(answer), {}, { clock });
    expectClean(result, { form });
    const refused = result.exchanges.filter(
      (exchange) => exchange.kind === 'answered' && exchange.response.status === 429,
    );
    expect(refused.length).toBeGreaterThan(5);
    expect(result.facts.filter(({ name }) => name === 'rate limit').map(({ text }) => text)).toEqual([
      `${refused.length} answers with status 429, with Retry-After: 1; the check waited`,
    ]);
    expect(result.errors).toEqual([]);
    for (const exchange of refused) {
      const { key } = exchange.request;
      // Generated inputs are no longer sent.
      if (key.startsWith('inputs/')) continue;
      const again = result.exchanges.find(({ request }) => request.key === nextKey(key));
      const waitedMs = (again?.timing.startedAtMs ?? 0) - exchange.timing.startedAtMs;
      expect(waitedMs, key).toBeGreaterThanOrEqual(999);
    }
  });

  test('that gives a date is understood', async () => {
    const clock = sharedClock();
    const inOneSecond = (): string => new Date(clock.nowMs() + 1000).toUTCString();
    const answer = limited('A', everyThird, inOneSecond, clock);
    expectClean(await checkTarget(serve(answer), {}, { clock }), { form: 'A' });
  });

  test('that sends Retry-After: 0 gets the request again at once', async () => {
    const clock = sharedClock();
    const answer = limited('B', everyThird, () => '0', clock);
    expectClean(await checkTarget(serve(answer), {}, { clock }), { form: 'B' });
  });

  test('that refuses everything leaves all undecided, within the deadline', async () => {
    const answer = limited('B', everywhere, () => '3600');
    const result = await checkTarget(serve(answer), { deadlineMs: 5000 });
    expect(rowsWith(result, 'failed')).toEqual([]);
    expect(result.verdict).toBe('incomplete');
    expect(result.findings.map(({ fix }) => fix).join(' ')).toContain('--deadline');
  });

  function nextKey(key: string): string {
    const [, start = key, wait = '0'] = /^(.*?)(?:!(\d+))?$/.exec(key) ?? [];
    return `${start}!${Number(wait) + 1}`;
  }
});
