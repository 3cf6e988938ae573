import { settingsOf } from '../../../src/check/run-settings.ts';
import type { Received, SentRequest } from '../../../src/model/exchange.ts';
import type { Measurement } from '../../../src/model/measurement.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { type Level, severityOf } from '../../../src/model/requirement.ts';
import type { HttpExchange } from '../../../src/model/sent.ts';
import { finding, ROW_KINDS, type RowKind, resultOf, row } from '../results.ts';

export const LEVELS = ['MUST', 'SHOULD', 'MAY'] as const satisfies readonly Level[];

const DECIDED = { durationMs: 3.25, decidedBy: { exchange: 'execute/call[add]#0', count: 2 } } as const;

export interface Cell {
  readonly name: string;
  readonly kind: RowKind;
  readonly level: Level;
  readonly result: TestResult;
}

/** One requirement of every kind and level, each alone in a result. */
export const CELLS: readonly Cell[] = ROW_KINDS.flatMap((kind) =>
  LEVELS.map((level): Cell => {
    const { rows, findings } = partOf(kind, level);
    return { name: `${kind} ${level}`, kind, level, result: resultOf(rows, { findings }) };
  }),
);

function partOf(kind: RowKind, level: Level): Pick<Whole, 'rows' | 'findings'> {
  const id = `health/${kind}-${level.toLowerCase()}`;
  const rows = [
    row(id, kind, {
      level,
      ...(kind === 'passed' || kind === 'failed' ? DECIDED : {}),
      text: `The answer is of the kind that ${level} demands.`,
      ...(kind === 'blocked' ? { blockedBy: 'health/answered' } : {}),
      ...(kind === 'inapplicable' ? { reason: 'the target declares no function' } : {}),
    }),
  ];
  if (kind !== 'failed' && kind !== 'undecided') return { rows, findings: [] };
  const shared = { level, severity: severityOf(level, 'MUST'), outcome: kind };
  return {
    rows,
    findings: [
      finding(id, shared),
      finding(id, {
        ...shared,
        message: 'the body has no "status"',
        expected: '"ok" (string)',
        received: '{"state": "<up> & \\"running\\""} (object)',
        where: {
          suite: 'suites/server/health.suite.yaml',
          line: 22,
          column: 9,
          step: 'health/body',
          function: 'add',
          case: 'small',
          pointer: '/functions/3/name',
        },
        fault: kind === 'undecided' ? 'network' : 'server',
        curl: null,
        request: null,
        fingerprint: 'fedcba9876543210',
      }),
    ],
  };
}

interface Whole {
  readonly rows: readonly TestResult['results'][number][];
  readonly findings: TestResult['findings'];
}

const ACCEPTED = { reason: 'the vendor fixes it in spring', until: '2026-12-31' } as const;

export const MEASURED: Measurement = {
  key: 'latency/health#0',
  operation: 'health',
  count: 200,
  errors: 1,
  samples: 200,
  minMs: 1,
  meanMs: 2,
  p50Ms: 2,
  p95Ms: 2.9,
  maxMs: 2.99,
  intervals: { p50: [1.9, 2.1], p95: [2.8, 2.95] },
  load: {
    model: { kind: 'open', ratePerSecond: 100, arrivals: 'constant', maxConnections: 4 },
    transport: 'lean',
    planned: 200,
    attempts: 1,
    stoppedBy: null,
  },
  throughputPerSecond: 99.5,
  client: {
    pacing: 'spin',
    latenessMs: { p50Ms: 0, p99Ms: 0.1, maxMs: 1 },
    loopDelayP99Ms: 0.5,
    loopUtilisation: 1,
    waitedForCpu: 0.01,
    achievedShare: 1,
    waitedForConnection: 0,
    cpuMicrosecondsPerRequest: 9,
  },
  // Stored, not computed, because zlib's output differs between versions of Node.js.
  histogram: 'HISTFAAAAC94nJNpmSzMwMA4kYGBgZGBgYGZAQJAbIZrk5cwwPjn+ZkEhxnkZ2IfwhAACdQP4w==',
  unreliable: [],
  errorKinds: [{ code: 'ECONNRESET', message: 'the connection was reset', count: 1 }],
};

const EXECUTED: Measurement = {
  ...MEASURED,
  key: 'latency/execute#0',
  operation: 'execute',
  function: 'add',
  unreliable: ['one in a hundred requests was sent more than 12.0 ms late'],
};

const REQUEST: SentRequest = {
  key: 'health/read#0',
  method: 'GET',
  url: 'http://127.0.0.1:3000/health?verbose=1',
  headers: [
    ['accept', 'application/json'],
    ['authorization', 'Bearer $PROBITY_TOKEN'],
  ],
  body: null,
};
const TYPED = [['content-type', 'application/json']] as const;
const RESPONSE: Received = {
  status: 200,
  headers: TYPED,
  body: { text: '{"status":"ok"}' },
  repeatedSecrets: [],
  oddities: [],
};
const AT_MS = Date.UTC(2026, 0, 31, 12);

/** An answer, one over an open connection that is not text, a body that broke off, and no answer. */
export const EXCHANGES: readonly HttpExchange[] = [
  {
    kind: 'answered',
    request: {
      ...REQUEST,
      key: 'execute/call[add]#0',
      method: 'POST',
      headers: TYPED,
      body: { text: '{"a":1}' },
    },
    response: { ...RESPONSE, headers: [['content-type', 'image/png']], body: { base64: '/9j/4A==' } },
    connection: { reused: true, tls: null },
    timing: { startedAtMs: AT_MS + 20, connectMs: null, firstByteMs: 4, durationMs: 5.5 },
  },
  {
    kind: 'answered',
    request: REQUEST,
    response: RESPONSE,
    connection: { reused: false, tls: null },
    timing: { startedAtMs: AT_MS, connectMs: 1.25, firstByteMs: 3.5, durationMs: 4 },
  },
  {
    kind: 'answered',
    request: {
      ...REQUEST,
      key: 'robustness/large#0',
      method: 'POST',
      headers: TYPED,
      body: {
        parts: [
          { text: '["', times: 1 },
          { text: 'x', times: 5_000_000 },
          { base64: '/w==', times: 1 },
        ],
      },
    },
    response: {
      ...RESPONSE,
      body: { text: '' },
      bodyProblem: { code: 'closed-early', fault: 'server', message: 'the connection ended inside the body' },
    },
    connection: { reused: false, tls: null },
    timing: { startedAtMs: AT_MS + 40, connectMs: 1, firstByteMs: 2, durationMs: 3 },
  },
  {
    kind: 'unanswered',
    request: { ...REQUEST, key: 'health/again#0' },
    reason: { code: 'connection-refused', fault: 'network', message: 'nothing listens there' },
    timing: { startedAtMs: AT_MS + 60, connectMs: null, firstByteMs: null, durationMs: 2 },
  },
  {
    kind: 'unanswered',
    request: { ...REQUEST, key: 'execute/call[none]#0' },
    reason: { code: 'no-valid-input', fault: 'harness', message: 'no valid input was found' },
    timing: { startedAtMs: AT_MS + 80, connectMs: null, firstByteMs: null, durationMs: 0 },
  },
];

/** A result with all optional parts. */
export const WHOLE: TestResult = wholeResult();

function wholeResult(): TestResult {
  const parts = CELLS.map(({ kind, level }) => partOf(kind, level));
  const accepted = [
    row('execute/accepted', 'failed', { accepted: true }),
    row('execute/accepted-undecided', 'undecided', { accepted: true, level: 'SHOULD' }),
    row('execute/accepted-blocked', 'blocked', { accepted: true, blockedBy: 'execute/accepted' }),
  ];
  return resultOf([...parts.flatMap(({ rows }) => rows), ...accepted], {
    verdict: 'fail',
    findings: [
      ...parts.flatMap(({ findings }) => findings),
      finding('execute/accepted', { accepted: ACCEPTED }),
      finding('execute/accepted-undecided', { outcome: 'undecided', level: 'SHOULD', accepted: ACCEPTED }),
    ],
    baseline: {
      entries: [
        {
          requirement: 'execute/accepted',
          outcome: 'failed',
          fingerprint: '0123456789abcdef',
          ...ACCEPTED,
        },
        {
          requirement: 'execute/accepted-blocked',
          outcome: 'blocked',
          fingerprint: '1111111111111111',
          ...ACCEPTED,
        },
      ],
      problems: [
        {
          kind: 'expired',
          requirement: 'health/failed-must',
          message: 'it was accepted until 2026-01-30 and still occurs: fix it or extend the entry',
        },
        {
          kind: 'changed',
          requirement: 'health/failed-should',
          function: 'add',
          message: 'the finding changed: the status is 503',
        },
        {
          kind: 'gone',
          requirement: 'health/passed-must',
          message: 'the accepted finding no longer occurs: remove the entry',
        },
      ],
    },
    coverage: {
      listed: 7,
      excluded: 1,
      exercised: 4,
      needed: 3,
      notExercised: [
        {
          function: 'mark_paid',
          why: '"mark_paid" refused an input that was generated from its descriptor: status 404',
          remedy: 'Give an input that it accepts under samples.',
          sample: '"mark_paid": [{ input: {"id":"a"} }]',
        },
        {
          function: 'wait <b>',
          why: 'it was not called',
          remedy: 'Give the check more time with --deadline.',
        },
      ],
    },
    responseTimes: [
      MEASURED,
      EXECUTED,
      {
        operation: 'capabilities',
        count: 3,
        errors: 0,
        minMs: 1,
        meanMs: 2,
        maxMs: 3,
        p50Ms: 2,
        intervals: {},
      },
    ],
    errors: [{ operation: 'health', code: 'ECONNRESET', message: 'the connection was reset', count: 1 }],
    samples: [{ function: 'add', input: { a: 1, b: 2 }, output: { sum: 3 }, durationMs: 12 }],
    facts: [
      { name: 'form', text: 'form B' },
      { name: 'bound', text: 'three functions of seven were called' },
    ],
  });
}

/** A result of `probity bench`: measured, without decided requirements. */
export const BENCH: TestResult = resultOf([], {
  responseTimes: [MEASURED],
  bench: {
    overhead: { count: 100, percentiles: [{ percentile: 'p50', valueMs: 0.02, intervalMs: [0.01, 0.03] }] },
    phases: null,
    warmUp: { count: 10, durationMs: 400, steady: false },
  },
});

export const UNREACHABLE: TestResult = resultOf(
  [
    row('health/answered', 'undecided'),
    row('health/status', 'blocked', { blockedBy: 'health/answered' }),
    row('execute/answered', 'blocked', { blockedBy: 'health/answered' }),
  ],
  {
    reachable: false,
    target: { url: 'http://127.0.0.1:3000', form: { capabilities: null, execute: null } },
    findings: [
      finding('health/answered', {
        outcome: 'undecided',
        message: 'nothing listens there',
        expected: 'an answer',
        received: 'ECONNREFUSED',
        fault: 'network',
      }),
    ],
  },
);

/** Every requirement that applies is met. */
export const PASSING: TestResult = resultOf([
  row('health/one', 'passed'),
  row('health/two', 'passed'),
  row('execute/three', 'inapplicable', { reason: 'the target declares no function' }),
]);

/** The same findings in a run that also fails on SHOULD. */
export function failingOnShould(result: TestResult): TestResult {
  const { findings, results } = result;
  return resultOf(results, { findings, settings: settingsOf({ seed: 7, failOn: 'should' }) });
}
