import type { CTRFReport, Test } from 'ctrf';
import { isMeasurement, type TestResult } from '../../model/report.ts';
import { type Case, caseLines, casesOf, NO_REQUIREMENTS, needsVerdict, problemName } from '../view/cases.ts';
import { printable } from '../view/printable.ts';
import { summaryItems, verdictWord, verdictWords } from '../view/words.ts';
import type { RenderedFile } from './rendered-file.ts';

/** Common Test Report Format, https://ctrf.io. */
export function renderCtrf(result: TestResult): readonly RenderedFile[] {
  return [{ suffix: '.ctrf.json', text: `${JSON.stringify(reportOf(result), null, 2)}\n` }];
}

function reportOf(result: TestResult): CTRFReport {
  const { harness, target, bench } = result;
  const tests = testsOf(result);
  const count = (status: Test['status']): number => tests.filter((test) => test.status === status).length;
  const start = milliseconds(result.startedAt);
  return {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    ...(UUID.test(result.id) ? { reportId: result.id } : {}),
    ...(Number.isNaN(Date.parse(result.finishedAt)) ? {} : { timestamp: result.finishedAt }),
    generatedBy: printable(`probity ${harness.version}`),
    results: {
      tool: { name: 'probity', version: printable(harness.version) },
      summary: {
        tests: tests.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: count('pending'),
        other: count('other'),
        suites: new Set(tests.map(({ suite }) => suite?.[0])).size,
        start,
        stop: Math.max(start, milliseconds(result.finishedAt)),
        duration: Math.round(result.durationMs),
        extra: {
          verdict: verdictWord(result),
          told: bench === undefined ? verdictWords(result) : NO_REQUIREMENTS,
          counts: summaryItems(result.summary),
        },
      },
      tests: [...tests],
      environment: {
        ...(target.name === undefined ? {} : { appName: printable(target.name) }),
        ...(target.version === undefined ? {} : { appVersion: printable(target.version) }),
        ...(bench === undefined ? { healthy: result.verdict === 'pass' && result.reachable } : {}),
        extra: {
          url: printable(target.url),
          form: target.form,
          seed: result.seed,
          failOn: result.settings.failOn,
        },
      },
      extra: { responseTimes: measured(result) },
    },
  };
}

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function milliseconds(timestamp: string): number {
  return Date.parse(timestamp) || 0;
}

function testsOf(result: TestResult): readonly Test[] {
  const cases = casesOf(result);
  const problems = (result.baseline?.problems ?? []).map((problem): Test => {
    const name = `baseline, ${problemName(problem)}`;
    return {
      ...whole(name, 'baseline'),
      status: 'failed',
      rawStatus: problem.kind,
      message: printable(problem.message),
    };
  });
  const verdict: Test = {
    ...whole('verdict', 'verdict'),
    status: 'other',
    rawStatus: verdictWord(result),
    message: printable(verdictWords(result)),
  };
  return [...cases.map(testOf), ...problems, ...(needsVerdict(result, cases) ? [verdict] : [])];
}

function whole(name: string, suite: string): Pick<Test, 'name' | 'testId' | 'duration' | 'suite' | 'type'> {
  // How long one requirement took is not known: many share an answer.
  // An empty name is not allowed.
  const told = name === '' ? '(no name)' : name;
  return { name: told, testId: told, duration: 0, suite: [suite], type: 'conformance' };
}

/**
 * Skipped is what was left out on purpose. What is blocked or undecided was wanted and is not known, and for that there
 * is no status but `other`: pending means that it was not to be run yet.
 */
const STATUSES = {
  passed: 'passed',
  warning: 'passed',
  failed: 'failed',
  inapplicable: 'skipped',
  accepted: 'skipped',
  blocked: 'other',
  inconclusive: 'other',
} as const satisfies Readonly<Record<Case['state'], Test['status']>>;

function testOf(one: Case): Test {
  const { row, state, area, reason, findings } = one;
  const [first] = findings;
  return {
    ...whole(printable(row.id), printable(area)),
    status: STATUSES[state],
    rawStatus: state,
    ...(reason === '' ? {} : { message: reason }),
    ...(first === undefined
      ? {}
      : {
          trace: caseLines(one).join('\n'),
          filePath: printable(first.where.suite),
          line: first.where.line,
        }),
    tags: [printable(row.level), ...(state === 'warning' ? ['warning'] : [])],
    labels: { level: printable(row.level), section: printable(row.spec) },
    ...(row.text === undefined && first === undefined
      ? {}
      : {
          extra: {
            ...(row.text === undefined ? {} : { requirement: printable(row.text) }),
            ...(first === undefined ? {} : { why: printable(first.why), fix: printable(first.fix) }),
            ...(first === undefined
              ? {}
              : { fingerprints: findings.map(({ fingerprint }) => printable(fingerprint)) }),
          },
        }),
  };
}

function measured({ responseTimes }: TestResult): readonly Readonly<Record<string, unknown>>[] {
  return responseTimes
    .filter(isMeasurement)
    .map(({ operation, function: name, count, errors, ...times }) => ({
      operation: printable(operation),
      ...(name === undefined ? {} : { function: printable(name) }),
      count,
      errors,
      p50Ms: times.p50Ms,
      p95Ms: times.p95Ms,
      p99Ms: times.p99Ms,
      reliable: times.unreliable.length === 0,
    }));
}
