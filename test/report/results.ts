import { settingsOf } from '../../src/check/run-settings.ts';
import type { Judgement, ReportedFinding, Row } from '../../src/model/judgement.ts';
import { failingLevel, TEST_RESULT_SCHEMA_ID, type TestResult } from '../../src/model/report.ts';
import { summarise, verdictOf } from '../../src/report/rows.ts';

/** The outcomes, with the undecided rows in their three kinds. */
export const ROW_KINDS = [
  'passed',
  'failed',
  'inapplicable',
  'blocked',
  'undecided',
  'not-exercised',
] as const;
export type RowKind = (typeof ROW_KINDS)[number];

export function row(id: string, kind: RowKind, parts: Partial<Row> = {}): Row {
  return { id, level: 'MUST', spec: '4.2', ...OUTCOME_OF[kind], ...parts };
}

const OUTCOME_OF: Readonly<Record<RowKind, Pick<Row, 'outcome' | 'because' | 'blockedBy'>>> = {
  passed: { outcome: 'passed' },
  failed: { outcome: 'failed' },
  inapplicable: { outcome: 'inapplicable' },
  undecided: { outcome: 'undecided', because: 'cut-short' },
  blocked: { outcome: 'undecided', blockedBy: 'a/cause' },
  'not-exercised': { outcome: 'undecided', because: 'not-exercised' },
};

export function finding(id: string, parts: Partial<ReportedFinding> = {}): ReportedFinding {
  return {
    id,
    level: 'MUST',
    severity: 'error',
    outcome: 'failed',
    ...(parts.outcome === 'undecided' ? { because: 'cut-short' } : {}),
    subject: parts.where?.function ?? null,
    message: 'the status is 503',
    expected: 'status 200',
    received: 'status 503',
    where: { suite: 'suites/server/health.suite.yaml', line: 10, column: 15, step: 'health/read' },
    request: { method: 'GET', url: 'http://127.0.0.1:3000/health' },
    curl: "curl -sS -i -H 'accept: application/json' http://127.0.0.1:3000/health",
    check: `probity check http://127.0.0.1:3000 --only ${id} --seed 7`,
    why: 'Load balancers look at the status line first.',
    fix: 'Answer with status 200.',
    spec: '4.2',
    fault: 'server',
    fingerprint: '0123456789abcdef',
    ...parts,
  };
}

/** A result with these rows; summary and verdict follow from them. */
export function resultOf(results: readonly Row[], parts: Partial<TestResult> = {}): TestResult {
  const settings = parts.settings ?? settingsOf({ seed: 7 });
  const summary = summarise(results, failingLevel(settings));
  return {
    schema: TEST_RESULT_SCHEMA_ID,
    id: '1f2e3d4c-0000-4000-8000-000000000000',
    harness: { name: 'probity', version: '9.8.7' },
    suites: [{ id: 'health', digest: `sha256:${'0'.repeat(64)}` }],
    seed: 7,
    settings,
    target: {
      url: 'http://127.0.0.1:3000',
      form: { capabilities: 'B', execute: 'B' },
      name: 'calculator',
      version: '1.2.3',
      mcpVersion: '1.0',
    },
    startedAt: '2026-01-31T12:00:00.000Z',
    finishedAt: '2026-01-31T12:00:02.500Z',
    durationMs: 2500,
    verdict: verdictOf({ results, summary, ...parts }, settings),
    reachable: true,
    summary,
    results,
    findings: [],
    responseTimes: [],
    errors: [],
    samples: [],
    facts: [],
    exchanges: [],
    ...parts,
  };
}

export function judgement(
  requirement: string,
  found: Judgement['finding'],
  parts: Partial<Judgement> = {},
): Judgement {
  return {
    requirement,
    subject: parts.where?.function ?? null,
    level: 'MUST',
    spec: '4.2',
    why: 'why',
    fix: 'fix',
    finding: found,
    where: { suite: 's.yaml', line: 1, column: 1, step: 'health/read' },
    curl: null,
    request: null,
    ...parts,
  };
}
