import { describe, expect, test } from 'vitest';
import * as library from '../../src/index.ts';
import { DirectoryError, OptionError } from '../../src/index.ts';

const URL = 'http://127.0.0.1:1';
const RESULT = {};
const LISTING = { said: {}, problems: [] };
const DECIDE = { listing: LISTING, result: null, gathered: null, nowIso: '', requirements: [] };
const CLIENT = { baseUrl: `${URL}/v1`, apiKey: 'key' };

// As plain JavaScript calls them: what the types forbid is what is tried here.
const untyped = library as unknown as Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** What a call throws or rejects with. */
async function failureOf(name: string, ...args: unknown[]): Promise<unknown> {
  try {
    await untyped[name]?.(...args);
  } catch (error) {
    return error;
  }
  throw new Error(`${name} took what it was given`);
}

/** Each function that takes options, with what comes before them and what they have to hold. */
const WITH_OPTIONS: Readonly<Record<string, { before: unknown[]; needed?: object; after?: unknown[] }>> = {
  checkServer: { before: [URL] },
  planRequests: { before: [URL] },
  prepareBench: { before: [URL], after: [{}, new AbortController().signal] },
  measureOverhead: {
    before: [{}],
    needed: { transport: 'lean', options: {} },
    after: [new AbortController().signal],
  },
  startReferenceServer: { before: [], needed: { form: 'B' } },
  renderTerminal: { before: [RESULT] },
  renderDiff: { before: [{}] },
  baselineOf: { before: [RESULT], needed: { reason: '', until: '', all: true } },
  gatherEvidence: { before: [LISTING], needed: { publicOnly: true, userAgent: '' } },
  decideListing: { before: [], needed: DECIDE },
  addListing: { before: [RESULT, LISTING] },
};

/** Arguments that each function refuses, with the name of the one at fault. */
const REFUSED: Readonly<Record<string, readonly [string, ...unknown[]][]>> = {
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
    ['only', URL, { only: ['helth/*'] }],
  ],
  planRequests: [
    ['url', undefined],
    ['only', URL, { only: 'health/*' }],
  ],
  prepareBench: [
    ['options', URL],
    ['calls[0].weight', URL, { calls: [{ operation: 'health', functionName: null }] }],
    ['engine', URL, {}],
    ['signal', URL, {}, {}],
    ['yesLoad', 'http://192.0.2.1', {}, {}, new AbortController().signal],
  ],
  measureOverhead: [['engine']],
  judgeReport: [
    ['report', undefined],
    ['suites', RESULT, 'weather.suite.yaml'],
  ],
  loadSuites: [
    ['files', 'weather.suite.yaml'],
    ['kind', [], 'servre'],
  ],
  startReferenceServer: [['options'], ['form', {}], ['form', { form: 'b' }]],
  storeReport: [
    ['result', undefined, 'reports'],
    ['folder', RESULT],
  ],
  readReport: [['file']],
  renderTerminal: [['result'], ['columns', RESULT, { columns: '80' }]],
  renderFormat: [
    ['result', undefined, 'html'],
    ['format', RESULT, 'jnuit'],
    ['format', RESULT],
  ],
  renderDiff: [['diff']],
  baselineOf: [
    ['terms', RESULT],
    ['terms.reason', RESULT, {}],
  ],
  applyBaseline: [
    ['entries', RESULT],
    ['entries[0]', RESULT, ['a']],
  ],
  parseListing: [['text'], ['file', '{}']],
  parseListings: [['text'], ['file', '{}']],
  gatherEvidence: [['listing'], ['options', LISTING]],
  decideListing: [['options'], ['result', { ...DECIDE, result: 'report.json' }]],
  addListing: [['result'], ['listing', RESULT]],
};

describe('a function of the library', () => {
  test.each(Object.entries(WITH_OPTIONS))(
    '%s refuses an option that it does not know',
    async (name, call) => {
      const { before, needed = {}, after = [] } = call;
      const error = await failureOf(name, ...before, { ...needed, onyl: [] }, ...after);
      expect(error).toBeInstanceOf(OptionError);
      expect(error).toMatchObject({
        name: 'OptionError',
        message: expect.stringMatching(/there is no option `(terms\.)?onyl`\. /),
      });
      expect((error as OptionError).option.endsWith('onyl')).toBe(true);
    },
  );

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

  test('says what was probably meant, and how it is given', async () => {
    expect(await failureOf('checkServer', URL, { onyl: [] })).toHaveProperty(
      'message',
      'checkServer: there is no option `onyl`. Did you mean `only`?',
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

  test('keeps to itself what may be a secret', async () => {
    const secret = 's3cret';
    for (const options of [{ bearerToken: [secret] }, { headers: secret }, { headers: { key: [secret] } }])
      expect(await failureOf('checkServer', URL, options)).toHaveProperty(
        'message',
        expect.not.stringContaining(secret),
      );
  });

  test('takes an option that is undefined as left out', async () => {
    const plan = await library.planRequests(URL, { only: undefined } as unknown as object);
    expect(plan.unanswered.length).toBeGreaterThan(0);
  });

  test('is looked at here where it takes options', () => {
    // Those that take results, listings and comparisons only, and give what follows from them.
    const others = ['compareRuns', 'diffResults', 'functionNames', 'isTestResult', 'measuredIn', 'recordOf'];
    const further = [
      'createDirectoryClient',
      'readListings',
      'serialiseReport',
      'startLoadEngine',
      'wholeListing',
    ];
    const functions = Object.keys(library).filter((name) => /^[a-z]/.test(name));
    expect([...Object.keys(REFUSED), ...others, ...further].toSorted()).toEqual(functions.toSorted());
  });
});

describe('a directory client', () => {
  test.each([
    [undefined],
    [{ ...CLIENT, timeout: 1 }],
    [{ ...CLIENT, cache: 'no' }],
    [{ ...CLIENT, fetch: {} }],
    [{ baseUrl: CLIENT.baseUrl }],
  ])('is not made with %j', async (options) => {
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
  ])('refuses %s(%j, …) before it asks anybody', async (method, ...args) => {
    const client = library.createDirectoryClient({
      ...CLIENT,
      fetch: () => Promise.reject(new Error('the directory was asked')),
    });
    const call = (client as unknown as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>)[
      method
    ];
    await expect(call?.(...args)).rejects.toMatchObject({ name: 'DirectoryError', code: 'bad-argument' });
  });

  test('refuses a search of all servers alike', async () => {
    const all = library.createDirectoryClient(CLIENT).searchAll({ tag: 'a' } as object);
    await expect(all.next()).rejects.toMatchObject({ code: 'bad-argument' });
  });
});
