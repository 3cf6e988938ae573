import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import * as library from '../../src/index.ts';
import { DirectoryError, ExpectedError, OptionError, type Suite } from '../../src/index.ts';
import { contract } from '../contract/contracts.ts';
import { listingOf } from '../listing/listings.ts';
import { resultOf, row } from '../report/results.ts';

const URL = 'http://127.0.0.1:1';
const RESULT = resultOf([row('health/status-200', 'passed')]);
const LISTING = listingOf({ repository: null });
const DIFF = library.diffResults(RESULT, RESULT);
const SIGNAL = new AbortController().signal;
const ENGINE = { run: () => Promise.reject(new Error('the engine was called')) };
const TRANSPORT = { transport: 'lean', options: { ca: null, publicOnly: false, timeoutMs: 1000 } };
const TERMS = { reason: 'known', until: '2026-12-31', all: true };
const ENTRY = {
  requirement: 'health/status-200',
  outcome: 'failed',
  fingerprint: '0123456789abcdef',
  reason: 'known',
  until: '2026-12-31',
};
const SUITE: Suite = { target: 'server', id: 'own', title: 'Own', file: 'own.yaml', digest: '', steps: [] };
const DECIDE = { listing: LISTING, result: null, gathered: null, nowIso: '', requirements: [] };
const CLIENT = { baseUrl: `${URL}/v1`, apiKey: 'key' };

class Inheriting {
  get readOnly(): boolean {
    return true;
  }
}

// Called as from plain JavaScript, to test arguments that the types forbid.
const untyped = library as unknown as Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** The error that a call throws or rejects with. */
async function failureOf(name: string, ...args: unknown[]): Promise<unknown> {
  try {
    await done(untyped[name]?.(...args));
  } catch (error) {
    return error;
  }
  throw new Error(`${name} took what it was given`);
}

/** A generator refuses arguments when its first value is requested. */
async function done(given: unknown): Promise<unknown> {
  const isGenerator = typeof given === 'object' && given !== null && 'next' in given;
  return isGenerator ? (given as AsyncGenerator).next() : given;
}

/** Each function with options, with its other arguments and its required options. */
const WITH_OPTIONS: Readonly<Record<string, { before: unknown[]; needed?: object; after?: unknown[] }>> = {
  checkServer: { before: [URL] },
  checkServers: { before: [[]] },
  planRequests: { before: [URL] },
  prepareBench: { before: [URL], after: [ENGINE, SIGNAL] },
  measureOverhead: {
    before: [ENGINE],
    needed: TRANSPORT,
    after: [SIGNAL],
  },
  startReferenceServer: { before: [], needed: { form: 'B' } },
  renderTerminal: { before: [RESULT] },
  renderDiff: { before: [DIFF] },
  baselineOf: { before: [RESULT], needed: TERMS },
  gatherEvidence: { before: [LISTING], needed: { publicOnly: true, userAgent: '' } },
  decideListing: { before: [], needed: DECIDE },
  addListing: { before: [RESULT, LISTING] },
};

/** Invalid arguments of each function, with the name of the invalid one. */
const REFUSED: Readonly<Record<string, readonly [string, ...unknown[]][]>> = {
  checkServers: [
    ['servers', { url: URL }],
    ['servers[0].url', [{}]],
    ['servers[0].options.onyl', [{ url: URL, options: { onyl: [] } }]],
    ['ca', [{ url: URL, options: { ca: 'no certificate' } }]],
    ['jobs', [], { jobs: 0 }],
  ],
  mergeReports: [
    ['reports[0].file', [{ result: RESULT }]],
    ['reports[0].result', [{ file: 'a.json', result: {} }]],
  ],
  renderTogether: [
    ['targets[0].name', [{ result: RESULT }], 'junit'],
    ['format', [], 'badge'],
    ['notes', [], 'junit', 'a note'],
  ],
  checkServer: [
    ['url', undefined],
    ['url', { url: URL }],
    ['form', URL, { form: 'b' }],
    ['seed', URL, { seed: 1.5 }],
    ['only', URL, { only: 'health/*' }],
    ['skip[0]', URL, { skip: [/health/] }],
    ['readOnly', URL, { readOnly: 'yes' }],
    ['publicOnly', URL, { publicOnly: 1 }],
    ['failOn', URL, { failOn: 'may' }],
    ['maxFunctions', URL, { maxFunctions: 0 }],
    ['concurrency', URL, { concurrency: '4' }],
    ['requestsPerSecond', URL, { requestsPerSecond: -1 }],
    ['ca', URL, { ca: ['pem'] }],
    ['ca', URL, { ca: 'no certificate' }],
    ['transports', URL, { transports: 'http' }],
    ['claimedResponseTimeMs', URL, { claimedResponseTimeMs: '80' }],
    ['listingGiven', URL, { listingGiven: {} }],
    ['mutating', URL, { mutating: 'never' }],
    ['mutating.never', URL, { mutating: { never: 'delete-*' } }],
    ['mutating.nevr', URL, { mutating: { nevr: [] } }],
    ['latency', URL, { latency: false }],
    ['latency.samples', URL, { latency: { samples: Number.NaN } }],
    ['latency.budgets', URL, { latency: { budgets: ['health.p95'] } }],
    ['deadlineMs', URL, { deadlineMs: '60s' }],
    ['requestTimeoutMs', URL, { requestTimeoutMs: 0 }],
    ['maxHeapMb', URL, { maxHeapMb: null }],
    ['samples.add', URL, { samples: { add: { input: {} } } }],
    ['samples.add[0].inputs', URL, { samples: { add: [{ inputs: {} }] } }],
    ['samples.add[0].input', URL, { samples: { add: [{ fails: true }] } }],
    ['directory', URL, { directory: true }],
    ['directory.entry', URL, { directory: { entry: 7 } }],
    ['headers', URL, { headers: ['X-Tenant: a'] }],
    ['headers.x-tenant', URL, { headers: { 'x-tenant': 7 } }],
    ['headers', URL, { headers: { 'x y': 'a' } }],
    ['bearerToken', URL, { bearerToken: null }],
    ['bearerEnv', URL, { bearerEnv: {} }],
    ['suites[0]', URL, { suites: ['weather.suite.yaml'] }],
    ['signal', URL, { signal: new AbortController() }],
    ['onProgress', URL, { onProgress: {} }],
    ['onSpan', URL, { onSpan: {} }],
    ['only', URL, { only: ['helth/*'] }],
    ['options', URL, Object.create({ readOnly: true })],
    ['options', URL, new Inheriting()],
    ['options', URL, new Map([['readOnly', true]])],
    ['readOnly', URL, Object.defineProperty({}, 'readOnly', { value: true })],
    ['Symbol(readOnly)', URL, { [Symbol('readOnly')]: true }],
    ['mutating', URL, { mutating: Object.create({ default: 'never' }) }],
    ['headers', URL, { headers: new Headers({ 'x-tenant': 'a' }) }],
    ['headers', URL, { headers: new Map([['x-tenant', 'a']]) }],
    ['headers.Symbol(x-tenant)', URL, { headers: { [Symbol('x-tenant')]: 'a' } }],
    ['headers', URL, { headers: { authorization: 'Basic YTpi' }, bearerToken: 'b' }],
    ['bearerToken', URL, { bearerToken: '' }],
    ['deadlineMs', URL, { deadlineMs: Number.POSITIVE_INFINITY }],
    ['deadlineMs', URL, { deadlineMs: 2 ** 31 }],
    ['requestTimeoutMs', URL, { requestTimeoutMs: 2 ** 31 }],
    ['requestsPerSecond', URL, { requestsPerSecond: Number.POSITIVE_INFINITY }],
    ['claimedResponseTimeMs', URL, { claimedResponseTimeMs: -5 }],
    ['claimedResponseTimeMs', URL, { claimedResponseTimeMs: Number.POSITIVE_INFINITY }],
    ['signal', URL, { signal: { aborted: false, addEventListener: 1 } }],
    ['suites[0]', URL, { suites: [{}] }],
    ['suites[0]', URL, { suites: [{ ...SUITE, steps: [{}] }] }],
    ['suites[0].more[0]', URL, { suites: [{ ...SUITE, more: [() => 1] }] }],
    ['samples.add[0].input.x', URL, samplesWith({ x: () => 1 })],
    ['samples.add[0].input.x', URL, samplesWith({ x: Number.NaN })],
    ['samples.add[0].input.x', URL, samplesWith({ x: 1n })],
    ['samples.add[0].input.x', URL, samplesWith({ x: new Date(0) })],
    ['samples.add[0].input.x[1]', URL, samplesWith({ x: [1, undefined] })],
    ['samples.add[0].input.in', URL, samplesWith(circular())],
  ],
  planRequests: [
    ['url', undefined],
    ['only', URL, { only: 'health/*' }],
  ],
  prepareBench: [
    ['options', URL],
    ['calls[0].weight', URL, { calls: [{ operation: 'health', functionName: null }] }],
    ['engine', URL, {}],
    ['engine', URL, {}, {}],
    ['signal', URL, {}, ENGINE],
    ['yesLoad', 'http://192.0.2.1', {}, ENGINE, SIGNAL],
    ['calls[0].functionName', URL, { calls: [{ operation: 'execute', weight: 1 }] }, ENGINE, SIGNAL],
  ],
  measureOverhead: [['engine'], ['engine', {}], ['ca', ENGINE, { ...TRANSPORT, options: {} }]],
  judgeReport: [
    ['report', undefined],
    ['suites', RESULT, 'weather.suite.yaml'],
  ],
  loadSuites: [
    ['files', 'weather.suite.yaml'],
    ['kind', [], 'servre'],
  ],
  startReferenceServer: [
    ['options'],
    ['form', {}],
    ['form', { form: 'b' }],
    ['port', { form: 'B', port: 99_999 }],
  ],
  storeReport: [
    ['result', undefined, 'reports'],
    ['folder', RESULT],
  ],
  readReport: [['file']],
  renderTerminal: [
    ['result'],
    ['result', { ...RESULT, schema: 'v2' }],
    ['result', { ...RESULT, findings: {} }],
    ['columns', RESULT, { columns: '80' }],
    ['columns', RESULT, { columns: -1 }],
    ['palette', RESULT, { palette: {} }],
  ],
  renderFormat: [
    ['result', undefined, 'html'],
    ['format', RESULT, 'jnuit'],
    ['format', RESULT],
  ],
  renderDiff: [['diff']],
  baselineOf: [
    ['terms', RESULT],
    ['terms.reason', RESULT, {}],
    ['terms.until', RESULT, { ...TERMS, until: 'tomorrow' }],
  ],
  applyBaseline: [
    ['baseline', RESULT],
    ['baseline', RESULT, [ENTRY]],
    ['baseline.entries', RESULT, {}],
    ['baseline.entries[0]', RESULT, { entries: ['a'] }],
    ['baseline.entries[0].requirement', RESULT, { entries: [{}] }],
    ['baseline.entries[0].fingerprint', RESULT, { entries: [{ ...ENTRY, fingerprint: undefined }] }],
    ['baseline.entries[0].reason', RESULT, { entries: [{ ...ENTRY, reason: '' }] }],
    ['baseline.entries[1].until', RESULT, { entries: [ENTRY, { ...ENTRY, until: '2026-02-30' }] }],
    ['baseline.exercised', RESULT, { entries: [], exercised: -1 }],
  ],
  parseListing: [['text'], ['file', '{}']],
  parseListings: [['text'], ['file', '{}']],
  gatherEvidence: [
    ['listing'],
    ['options', LISTING],
    ['timeoutMs', LISTING, { publicOnly: true, userAgent: '', timeoutMs: 2 ** 31 }],
    ['trustedRoot.kind', LISTING, { publicOnly: true, userAgent: '', trustedRoot: {} }],
  ],
  decideListing: [['options'], ['result', { ...DECIDE, result: 'report.json' }]],
  addListing: [
    ['result'],
    ['listing', RESULT],
    ['deadlineMs', RESULT, LISTING, { deadlineMs: Number.POSITIVE_INFINITY }],
  ],
};

/** Valid arguments of each function; other tests check the results. */
const CONTRACT = contract();

const TAKEN: Readonly<Record<string, readonly unknown[]>> = {
  addListing: [RESULT, LISTING, {}],
  applyBaseline: [RESULT, { entries: [ENTRY] }],
  baselineOf: [RESULT, TERMS, { entries: [ENTRY] }],
  checkServer: [URL, {}],
  checkServers: [[], {}],
  compareContracts: [CONTRACT, CONTRACT],
  compareRuns: [[{ p50Ms: 1, meanMs: 1 }], [{ p50Ms: 1, meanMs: 1 }]],
  contractOf: [RESULT],
  createDirectoryClient: [CLIENT, undefined],
  decideListing: [DECIDE],
  diffResults: [RESULT, RESULT],
  functionNames: [{}],
  gatherEvidence: [LISTING, { publicOnly: true, userAgent: '' }],
  isTestResult: [RESULT],
  judgeReport: [RESULT, [SUITE]],
  loadSuites: [[], 'server'],
  measureOverhead: [ENGINE, TRANSPORT, SIGNAL],
  measuredIn: [RESULT],
  mergeReports: [[{ file: 'a.json', result: RESULT }]],
  parseListing: ['', 'listing.yaml'],
  parseListings: ['', 'listing.yaml'],
  planRequests: [URL, {}],
  prepareBench: [URL, {}, ENGINE, SIGNAL],
  readContract: ['contract.json'],
  readListings: ['listing.yaml'],
  readReport: ['report.json'],
  recordOf: [LISTING.said, null],
  renderDiff: [DIFF, {}],
  renderFormat: [RESULT, 'html'],
  renderTerminal: [RESULT, {}],
  renderTogether: [[{ name: 'a', result: RESULT }], 'junit', []],
  serialiseReport: [RESULT],
  startLoadEngine: [],
  startReferenceServer: [{ form: 'B' }],
  storeReport: [RESULT, 'reports'],
  wholeListing: [LISTING, null],
  writeContract: ['contract.json', CONTRACT],
};

const ODD = { undefined, null: null, five: 5, 'an empty list': [], 'an empty object': {} } as const;

/** Unusual but valid arguments, by function and position. */
const RIGHT_EVEN_SO: Readonly<Record<string, readonly (keyof typeof ODD)[]>> = {
  'addListing 2': ['undefined', 'an empty object'],
  'baselineOf 2': ['undefined'],
  'checkServer 1': ['undefined', 'an empty object'],
  'checkServers 0': ['an empty list'],
  'checkServers 1': ['undefined', 'an empty object'],
  'compareRuns 0': ['an empty list'],
  'compareRuns 1': ['an empty list'],
  'createDirectoryClient 1': ['undefined'],
  'functionNames 0': ['an empty object'],
  'isTestResult 0': ['undefined', 'null', 'five', 'an empty list', 'an empty object'],
  'judgeReport 1': ['undefined'],
  'loadSuites 0': ['undefined', 'an empty list'],
  'loadSuites 1': ['undefined'],
  'mergeReports 0': ['an empty list'],
  'planRequests 1': ['undefined', 'an empty object'],
  'recordOf 1': ['null', 'an empty object'],
  'renderDiff 1': ['undefined', 'an empty object'],
  'renderTerminal 1': ['undefined', 'an empty object'],
  'renderTogether 0': ['an empty list'],
  'renderTogether 2': ['undefined', 'an empty list'],
  'wholeListing 1': ['undefined', 'null'],
};

function samplesWith(input: object): object {
  return { samples: { add: [{ input }] } };
}

function circular(): object {
  const input: Record<string, unknown> = {};
  input.in = input;
  return input;
}

describe('a function of the library', () => {
  test.each(Object.entries(WITH_OPTIONS))('%s refuses an unknown option', async (name, call) => {
    const { before, needed = {}, after = [] } = call;
    const error = await failureOf(name, ...before, { ...needed, onyl: [] }, ...after);
    expect(error).toBeInstanceOf(OptionError);
    expect(error).toMatchObject({
      name: 'OptionError',
      message: expect.stringMatching(/unknown option `(terms\.)?onyl`\. /),
    });
    expect((error as OptionError).option.endsWith('onyl')).toBe(true);
  });

  test.each(
    Object.entries(REFUSED).flatMap(([name, calls]) =>
      calls.map(([option, ...args]) => [name, option, args] as const),
    ),
  )('%s refuses a wrong %s', async (name, option, args) => {
    const error = await failureOf(name, ...args);
    expect(error).toBeInstanceOf(OptionError);
    expect(error).toMatchObject({ option, message: expect.stringMatching(/\. \S/) });
    expect((error as OptionError).message).not.toMatch(/(^|\s)--[a-z]/);
  });

  test('suggests the probable option and its form', async () => {
    expect(await failureOf('checkServer', URL, { onyl: [] })).toHaveProperty(
      'message',
      'checkServer: unknown option `onyl`. Did you mean `only`?',
    );
    expect(await failureOf('checkServer', URL, { only: 'health/*' })).toHaveProperty(
      'message',
      'checkServer: `only` is a string. Give a list: ["health/*"].',
    );
    expect(await failureOf('checkServer')).toHaveProperty(
      'message',
      'checkServer: `url` is missing. Give the base address of the server, such as http://127.0.0.1:3000.',
    );
  });

  test('does not repeat a possible secret', async () => {
    const secret = 's3cret';
    for (const options of [{ bearerToken: [secret] }, { headers: secret }, { headers: { key: [secret] } }])
      expect(await failureOf('checkServer', URL, options)).toHaveProperty(
        'message',
        expect.not.stringContaining(secret),
      );
  });

  test('treats an undefined option as left out', async () => {
    const plan = await library.planRequests(URL, { only: undefined } as unknown as object);
    expect(plan.unanswered.length).toBeGreaterThan(0);
  });

  test('is tested here', () => {
    const functions = Object.keys(library).filter((name) => /^[a-z]/.test(name));
    expect(Object.keys(TAKEN).toSorted()).toEqual(functions.toSorted());
    const withoutOptions = [
      'compareContracts',
      'compareRuns',
      'createDirectoryClient',
      'diffResults',
      'functionNames',
    ];
    const ofOneArgument = [
      'contractOf',
      'readContract',
      'isTestResult',
      'measuredIn',
      'readListings',
      'recordOf',
      'serialiseReport',
    ];
    const others = ['startLoadEngine', 'wholeListing', 'writeContract'];
    expect([...Object.keys(REFUSED), ...withoutOptions, ...ofOneArgument, ...others].toSorted()).toEqual(
      functions.toSorted(),
    );
  });

  describe.each(
    Object.entries(TAKEN).flatMap(([name, args]) => args.map((_, place) => [name, place, args] as const)),
  )('%s, as its argument %i', (name, place, args) => {
    const right = RIGHT_EVEN_SO[`${name} ${place}`] ?? [];
    test.each(Object.keys(ODD) as (keyof typeof ODD)[])('is given %s', async (odd) => {
      const call = (): unknown => untyped[name]?.(...args.with(place, ODD[odd]));
      if (right.includes(odd)) {
        await expect(Promise.resolve(done(call())).then(() => 'taken')).resolves.toBe('taken');
        return;
      }
      expect(await failureOf(name, ...args.with(place, ODD[odd]))).toBeInstanceOf(ExpectedError);
    });
  });

  test('describes the right form of a wrong argument', async () => {
    const refusals: [object, string][] = [
      [{ headers: new Headers() }, '`headers` is a Headers. Give Object.fromEntries(headers).'],
      [new Map(), '`options` is a Map. Give Object.fromEntries(options).'],
      [
        new Inheriting(),
        '`options` is an object that inherits from another. Give a plain object: inherited properties would be lost.',
      ],
      [
        Object.create({ readOnly: true }),
        '`options` is an object that inherits from another. Give a plain object: inherited properties would be lost.',
      ],
      [samplesWith({ x: () => 1 }), '`samples.add[0].input.x` is a function. Give JSON.'],
      [{ suites: [{}] }, '`suites[0]` is an object without `target`. Give a suite from loadSuites.'],
      [{ deadlineMs: 2 ** 31 }, '`deadlineMs` is 2147483648. Give milliseconds, from 1 to 2147483647.'],
    ];
    for (const [options, message] of refusals)
      expect(await failureOf('checkServer', URL, options)).toHaveProperty(
        'message',
        `checkServer: ${message}`,
      );
  });

  test('accepts plain objects of any realm', async () => {
    for (const options of [
      runInNewContext('({ readOnly: true, samples: { add: [{ input: { x: 1 } }] } })'),
      Object.assign(Object.create(null), { readOnly: true }),
    ]) {
      const plan = await library.planRequests(URL, options);
      expect(plan.requests.map(({ method }) => method)).not.toContain('POST');
    }
  });

  test('accepts the data of a listing, a suite of the product and a saved measurement', async () => {
    const { suites } = await library.loadSuites();
    const plan = await library.planRequests(URL, { suites, claimedResponseTimeMs: 0 });
    expect(plan.unanswered.length).toBeGreaterThan(0);
  });

  test('requires a function name only for calls', async () => {
    expect(
      await failureOf('prepareBench', URL, { calls: [{ operation: 'health', weight: 1 }] }, ENGINE, SIGNAL),
    ).toBeInstanceOf(library.TargetSilent);
  });
});

describe('a directory client', () => {
  test.each([
    [undefined],
    [{ ...CLIENT, timeout: 1 }],
    [{ ...CLIENT, cache: 'no' }],
    [{ ...CLIENT, fetch: {} }],
    [{ baseUrl: CLIENT.baseUrl }],
  ])('refuses the options %j', async (options) => {
    const error = await failureOf('createDirectoryClient', options);
    expect(error).toBeInstanceOf(DirectoryError);
    expect(error).toHaveProperty('code', 'bad-argument');
  });

  test.each<[string, ...unknown[]]>([
    ['search', { tag: 'a' }],
    ['search', { tags: 'a' }],
    ['search', { audited: 'yes' }],
    ['search', {}, { timeout: 1 }],
    ['server', 'weather', { signal: {} }],
    ['test', 'weather', { fn: 'forecast' }],
    ['execute', 'weather'],
    ['execute', 'weather', 'forecast', 'Paris'],
    ['execute', 'weather', 'forecast', {}, { idempotency: 'a' }],
  ])('refuses %s(%j, …) without a request', async (method, ...args) => {
    const client = library.createDirectoryClient({
      ...CLIENT,
      fetch: () => Promise.reject(new Error('the directory was called')),
    });
    const call = (client as unknown as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>)[
      method
    ];
    await expect(call?.(...args)).rejects.toMatchObject({ name: 'DirectoryError', code: 'bad-argument' });
  });

  test('refuses invalid arguments of searchAll too', async () => {
    const all = library.createDirectoryClient(CLIENT).searchAll({ tag: 'a' } as object);
    await expect(all.next()).rejects.toMatchObject({ code: 'bad-argument' });
  });
});
