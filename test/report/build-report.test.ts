import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { collect } from '../../src/check/check.ts';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import { settingsOf } from '../../src/check/run-settings.ts';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { stringifyExactly } from '../../src/json/exact-json.ts';
import { judgeRun } from '../../src/judge/judge-run.ts';
import type { PlannedCall } from '../../src/model/call.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import type { PlannedHttp, PlannedRequest } from '../../src/model/probe.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { HttpExchange } from '../../src/model/sent.ts';
import { bytesOf } from '../../src/model/sent.ts';
import type { Step } from '../../src/model/suite.ts';
import { createReplayingProbe, replayClock } from '../../src/probe/replaying-probe.ts';
import { buildReport, type ReportInput } from '../../src/report/build-report.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import type { RunRecord, StepRun } from '../../src/run/state/record.ts';
import { selectSteps } from '../../src/run/steps/selection.ts';
import { packageRoot } from '../../src/suite/product-files.ts';
import { type AnswerParts, answer, call, noAnswer, STARTED_AT_MS } from '../checks/example.ts';
import { loadText, product, suiteOf } from '../suite/loading.ts';

const TARGET = 'http://target.example';
const schema = JSON.parse(
  readFileSync(path.join(packageRoot(), 'schemas', 'test-result.schema.json'), 'utf8'),
) as object;
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);

function expectValid(result: TestResult): void {
  validate(JSON.parse(serialiseReport(result)));
  expect(validate.errors ?? []).toEqual([]);
}

const settings = settingsOf({ seed: 7 });
const schemas = createSchemaEvaluator();

const at = (operation: string, parts: AnswerParts): HttpExchange => {
  const exchange = answer(parts);
  const method = operation === 'execute' ? 'POST' : 'GET';
  return { ...exchange, request: { ...exchange.request, method, url: `${TARGET}/${operation}` } };
};

const suite = loadText(
  suiteOf(`- { id: health, request: { get: /health }, expect: { status: { is: 200, id: up, level: MUST } } }
- { id: capabilities, request: { get: /capabilities }, expect: { status: { is: 200, id: listed } } }
- { id: call, request: { execute: add }, expect: { status: { is: 200, id: called } } }
- { id: crowd, request: { execute: add }, repeat: { times: 2, atOnce: true }, expect: { status: { is: 200, id: crowded } } }
- { id: never, when: { form: A }, request: { get: / }, expect: { status: { is: 200, id: formal } } }`),
);
const stepNamed = (id: string): Step => {
  const step = suite.steps.find((candidate) => candidate.id === `mine/${id}`);
  if (step === undefined) throw new Error(id);
  return step;
};

const ran = (id: string, exchanges: readonly Exchange[], planned: PlannedCall | null = null): StepRun => ({
  kind: 'ran',
  step: stepNamed(id),
  instances: [
    {
      key: id,
      item: undefined,
      functionName: planned?.functionName ?? null,
      caseId: null,
      call: planned,
      exchanges,
      timed: null,
    },
  ],
});

function reportOf(
  steps: readonly StepRun[],
  parts: Partial<RunRecord> = {},
  input: Partial<ReportInput> = {},
): TestResult {
  const record: RunRecord = {
    steps,
    forms: { capabilities: { form: 'B' }, execute: { form: 'B' } },
    saved: new Map(),
    exchanges: steps.flatMap((run) =>
      run.kind === 'ran' ? run.instances.flatMap(({ exchanges }) => exchanges) : [],
    ),
    conversations: [],
    opened: null,
    omissions: [],
    restrained: [],
    learned: [],
    created: [],
    hasBailed: false,
    ...parts,
  };
  const result = buildReport({
    id: 'id-1',
    harnessVersion: '9.8.7',
    suites: [suite],
    settings,
    targetUrl: TARGET,
    requirements: selectSteps([suite], settings).requirements,
    record,
    judgements: judgeRun({ record, settings, targetUrl: TARGET, schemas }),
    startedAtMs: STARTED_AT_MS,
    finishedAtMs: STARTED_AT_MS + 1234,
    ...input,
  });
  expectValid(result);
  return result;
}

const add = call({ functionName: 'add', input: { a: 1 } });
const healthy = at('health', {
  key: 'health#0',
  value: { status: 'ok', version: '0.1', mcpVersion: '1.1', timestamp: '2026-01-31T12:00:03Z' },
  durationMs: 10,
});
const listing = at('capabilities', {
  key: 'capabilities#0',
  value: { mcpVersion: '1.0', server: { name: 'calculator', version: '1.2.3' }, functions: [] },
});
const served = at('execute', { key: 'call#0', value: { result: { sum: 3 } }, durationMs: 30 });
const refusedCall = at('execute', {
  key: 'call#1',
  status: 500,
  value: { error: { code: 'EXECUTION_ERROR', message: 'it broke' } },
});

describe('a report', () => {
  test('contains the run, its time, its settings and its outcome', () => {
    const result = reportOf([
      ran('health', [healthy]),
      { kind: 'inapplicable', step: stepNamed('never'), reason: 'only for form A' },
    ]);
    expect(result).toMatchObject({
      schema: 'https://probity.invalid/schemas/test-result/v2',
      id: 'id-1',
      harness: { name: 'probity', version: '9.8.7' },
      suites: [{ id: 'mine', digest: suite.digest }],
      seed: 7,
      settings,
      startedAt: '2026-01-31T12:00:00.000Z',
      finishedAt: '2026-01-31T12:00:01.234Z',
      durationMs: 1234,
      verdict: 'incomplete',
      reachable: true,
      summary: { passed: 1, failed: 0, warnings: 0, inapplicable: 1, undecided: 3 },
    });
    expect(result.results.map(({ id, outcome, reason = '' }) => `${id} ${outcome} ${reason}`.trim())).toEqual(
      [
        'mine/up passed',
        'mine/listed undecided nothing was judged: a defect of the harness',
        'mine/called undecided nothing was judged: a defect of the harness',
        'mine/crowded undecided nothing was judged: a defect of the harness',
        'mine/formal inapplicable only for form A',
      ],
    );
  });

  test('describes the target from its answers, capabilities first', () => {
    expect(reportOf([ran('health', [healthy]), ran('capabilities', [listing])]).target).toEqual({
      url: TARGET,
      form: { capabilities: 'B', execute: 'B' },
      name: 'calculator',
      version: '1.2.3',
      mcpVersion: '1.0',
    });
    expect(reportOf([ran('health', [healthy])]).target).toMatchObject({ version: '0.1', mcpVersion: '1.1' });
    const silent = reportOf([ran('health', [at('health', { value: { version: 1 } })])]).target;
    expect(silent).not.toHaveProperty('version');
    expect(silent).not.toHaveProperty('name');
  });

  test('for a target that never answered', () => {
    const reset = noAnswer({ code: 'connection-refused', fault: 'network', message: 'nothing listens' });
    const result = reportOf([ran('health', [reset])], {
      forms: { capabilities: { form: null, because: 'x' }, execute: { form: null, because: 'x' } },
    });
    expect(result).toMatchObject({
      reachable: false,
      verdict: 'fail',
      target: { form: { capabilities: null, execute: null } },
    });
    expect(result.facts).toEqual([]);
  });

  test('if warnings fail the run', () => {
    const broken = ran('capabilities', [at('capabilities', { status: 404 })]);
    expect(reportOf([broken]).summary).toMatchObject({ failed: 0, warnings: 1 });
    expect(reportOf([broken], {}, { settings: settingsOf({ seed: 7, failOn: 'should' }) })).toMatchObject({
      summary: { failed: 1, warnings: 0 },
      verdict: 'fail',
    });
  });
});

test.each<CheckOptions>([
  { requestsPerSecond: 0.5 },
  { minCoverage: '80%', concurrency: 100 },
  { transports: ['websocket'], only: ['health/*'], readOnly: true, requestTimeoutMs: 500 },
])('the schema accepts what the library accepts: %o', (options) => {
  const given = settingsOf({ seed: 7, ...options });
  expect(reportOf([ran('health', [healthy])], {}, { settings: given }).settings).toMatchObject(options);
});

describe('response times', () => {
  test('cover each operation and function, from requests that were meant to work', () => {
    const result = reportOf([
      ran('health', [healthy, at('health', { key: 'health#1', durationMs: 20.0004 })]),
      ran('call', [served, refusedCall], add),
      ran('crowd', [at('execute', { key: 'crowd#0', durationMs: 9999 })], add),
    ]);
    expect(result.responseTimes).toEqual([
      { operation: 'health', count: 2, errors: 0, minMs: 10, meanMs: 15, maxMs: 20.0004, intervals: {} },
      { operation: 'execute', count: 2, errors: 1, minMs: 30, meanMs: 30, maxMs: 30, intervals: {} },
      {
        operation: 'execute',
        function: 'add',
        count: 2,
        errors: 1,
        minMs: 30,
        meanMs: 30,
        maxMs: 30,
        intervals: {},
      },
    ]);
  });

  test('have percentiles only if there are enough samples', () => {
    const many = Array.from({ length: 80 }, (_, index) =>
      at('health', { key: `health#${index}`, durationMs: index + 1 }),
    );
    const [times] = reportOf([ran('health', many)]).responseTimes;
    expect(times).toMatchObject({
      count: 80,
      minMs: 1,
      meanMs: 40.5,
      p50Ms: 40,
      p90Ms: 72,
      p95Ms: 76,
      maxMs: 80,
    });
    expect(times).not.toHaveProperty('p99Ms');
    expect(Object.keys(times?.intervals ?? {})).toEqual(['p50', 'p90', 'p95']);
  });

  test('exclude invalid calls, and count each exchange once', () => {
    const wrong = ran('call', [refusedCall], call({ ...add, inputSource: 'made-wrong' }));
    expect(reportOf([wrong]).responseTimes).toEqual([]);
    expect(reportOf([wrong]).errors).toEqual([]);
    expect(reportOf([ran('health', [healthy]), ran('health', [healthy])]).responseTimes).toMatchObject([
      { count: 1 },
    ]);
  });
});

describe('errors and samples', () => {
  test('errors are counted by kind', () => {
    const late = noAnswer({ code: 'timeout', fault: 'server', message: 'no answer within 10 s' });
    const lateCall: HttpExchange = {
      ...late,
      request: { ...late.request, key: 'call#9', method: 'POST', url: `${TARGET}/execute` },
    };
    const again = { ...refusedCall, request: { ...refusedCall.request, key: 'call#2' } };
    const page = at('execute', { key: 'call#3', status: 502, body: { text: '<html>' } });
    expect(reportOf([ran('call', [served, refusedCall, again, page, lateCall], add)]).errors).toEqual([
      { operation: 'execute', code: 'EXECUTION_ERROR', message: 'it broke', status: 500, count: 2 },
      { operation: 'execute', code: 'HTTP_502', message: 'status 502', status: 502, count: 1 },
      { operation: 'execute', code: 'timeout', message: 'no answer within 10 s', count: 1 },
    ]);
  });

  test('a sample keeps the digits of numbers that a double changes', () => {
    const exchange = at('execute', { body: { text: '{"result":{"sum":-1e999,"id":174322306148984899}}' } });
    const [sample] = reportOf([ran('call', [exchange], add)]).samples;
    expect(stringifyExactly(sample?.output)).toBe('{"sum":-1e999,"id":174322306148984899}');
  });

  test('the first successful call of each function is a sample of limited size', () => {
    const big = at('execute', { key: 'call#5', value: { result: { text: 'x'.repeat(10_000) } } });
    const { samples } = reportOf([
      ran('call', [refusedCall, served], add),
      ran('call', [big], call({ ...add, functionName: 'big' })),
    ]);
    expect(samples).toMatchObject([
      { function: 'add', input: { a: 1 }, output: { sum: 3 }, durationMs: 30 },
      { function: 'big', output: expect.stringMatching(/^\{"text":"x+… \(\d+ characters in total\)$/) },
    ]);
  });
});

describe('facts', () => {
  const factsOf = (steps: readonly StepRun[], parts: Partial<RunRecord> = {}) =>
    Object.fromEntries(reportOf(steps, parts).facts.map(({ name, text }) => [name, text]));

  test('form, clock, rate limit, coding and bound', () => {
    const limited = at('health', { key: 'health#1', status: 429, headers: [['retry-after', '3']] });
    const encoded = at('health', { key: 'health#2', headers: [['content-encoding', 'gzip']] });
    expect(
      factsOf([ran('health', [healthy, limited, encoded])], {
        omissions: [
          { step: 'mine/call', listed: 80, called: 50 },
          { step: 'mine/crowd', listed: 80, called: 50 },
        ],
        forms: { capabilities: { form: 'A' }, execute: { form: 'B' } },
      }),
    ).toEqual({
      form: 'functions are described in form A, /execute speaks form B',
      bound:
        '50 of 80 functions were called by mine/call, mine/crowd, spread evenly over the list; --max-functions raises the bound of 50',
      'clock offset': '3.0 s between the target’s clock and this one',
      'rate limit': '1 answer with status 429, with Retry-After: 3; the check waited',
      access: 'health: open to anyone',
      'content coding': 'answers come as gzip although identity was requested',
    });
  });

  test('no offset of minus zero', () => {
    const offsetOf = (timestamp: string): string | undefined =>
      factsOf([ran('health', [at('health', { value: { timestamp } })])])['clock offset'];
    const exact = Date.parse('2026-01-31T12:00:00Z');
    expect(
      [-30, 0, 30].map((ms) => offsetOf(new Date(exact + ms).toISOString())?.replace(/ s .*/, '')),
    ).toEqual(['0.0', '0.0', '0.0']);
  });

  test('only those that apply', () => {
    expect(factsOf([ran('health', [at('health', { value: { timestamp: '2026-01-31T12:00:00' } })])])).toEqual(
      { form: 'form B', access: 'health: open to anyone' },
    );
  });
});

/** The answers of a conforming server to the requests of a run. */
function conformingAnswer(key: string, url: string, method: string, body: string): Exchange {
  const repetition = Number(/#([0-9]+)$/.exec(key)?.[1] ?? 0);
  const startedAtMs = STARTED_AT_MS + repetition * 1200;
  const parts = { key, startedAtMs, durationMs: 20 };
  if (url.endsWith('/health')) {
    const timestamp = new Date(startedAtMs).toISOString();
    const uptime = 100 + (startedAtMs - STARTED_AT_MS) / 1000;
    return at('health', { ...parts, value: { status: 'ok', uptime, timestamp, version: '1.0.0' } });
  }
  if (url.endsWith('/capabilities')) {
    const functions = [
      {
        name: 'add',
        description: 'Adds two numbers.',
        inputs: ['a', 'b'],
        outputs: ['sum'],
        examples: [{ input: { a: 1, b: 2 } }],
      },
    ];
    return at('capabilities', { ...parts, value: { functions } });
  }
  const asked = JSON.parse(body) as { readonly function: string };
  return asked.function === 'add'
    ? at('execute', { ...parts, value: { output: { sum: 3 } } })
    : at('execute', {
        ...parts,
        status: 400,
        value: { error: { code: 'FUNCTION_NOT_FOUND', message: method } },
      });
}

function httpOnly(request: PlannedRequest): PlannedHttp {
  if ('url' in request) return request;
  throw new Error('a message of the Model Context Protocol');
}

describe('a whole run of the product’s suites', () => {
  // The answers above cover only valid requests.
  const ofContract = { ...settings, skip: ['robustness/*', 'security/*', 'transport/*', 'performance/*'] };
  const run = async (): Promise<TestResult> => {
    const settings = ofContract;
    const selection = selectSteps(product.suites, settings);
    const record = await collect({
      selection,
      targetUrl: TARGET,
      settings,
      probe: {
        send: async (request) => {
          const { key, url, method, body } = httpOnly(request);
          return conformingAnswer(key, url, method, bytesOf(body ?? []).toString());
        },
        close: () => undefined,
      },
      sampler: { measure: async () => null },
      clock: replayClock,
      signal: new AbortController().signal,
      endsAtMs: 60_000,
      schemas,
      commonHeaders: [],
    });
    return buildReport({
      id: 'id-2',
      harnessVersion: '9.8.7',
      suites: product.suites,
      settings,
      targetUrl: TARGET,
      requirements: selection.requirements,
      record,
      judgements: judgeRun({ record, settings, targetUrl: TARGET, schemas }),
      startedAtMs: STARTED_AT_MS,
      finishedAtMs: STARTED_AT_MS + 2500,
    });
  };

  test('on a conforming server of form A is a valid report without findings', async () => {
    const result = await run();
    expectValid(result);
    expect(result.findings).toEqual([]);
    const planned = [...product.registry.keys()].filter(
      // What only some users ask for is not planned without them.
      (id) =>
        product.registry.get(id)?.extra !== true &&
        ![...ofContract.skip, 'directory/*', 'listing/*', 'mcp/*'].includes(`${id.split('/', 1)[0]}/*`),
    );
    expect(result.results.map(({ id }) => id).toSorted()).toEqual(planned.toSorted());
    expect(Object.values(result.summary).reduce((sum, count) => sum + count, 0)).toBe(planned.length);
    expect(result.summary).toMatchObject({ failed: 0, warnings: 0, undecided: 0 });
    expect(result.verdict).toBe('pass');
    expect(result.target.form).toEqual({ capabilities: 'A', execute: 'A' });
    expect(result.samples).toMatchObject([{ function: 'add', input: { a: 1, b: 2 }, output: { sum: 3 } }]);
  });

  test('gives the same result when its report is judged again', async () => {
    const result = await run();
    const stored = JSON.parse(serialiseReport(result)) as TestResult;
    const again = await judgeReport(stored, product.suites);
    expect({ ...again, harness: result.harness }).toEqual(result);
  });

  test('decides nothing when judged again without its exchanges', async () => {
    const result = await run();
    const probe = createReplayingProbe([]);
    expect(
      await probe.send({
        key: 'x',
        method: 'GET',
        url: TARGET,
        headers: [],
        body: null,
        abortAfterBytes: null,
        timeoutMs: 1,
        feedsLaterSteps: false,
        anonymous: false,
        connection: null,
        upgrade: null,
      }),
    ).toMatchObject({
      kind: 'unanswered',
      reason: { code: 'not-recorded', fault: 'harness' },
    });
    const empty = await judgeReport({ ...result, exchanges: [] }, product.suites);
    expect(empty.summary.passed).toBe(0);
    expect(empty.verdict).toBe('incomplete');
  });
});
