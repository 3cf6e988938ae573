import type { CTRFReport, Test } from 'ctrf';
import type { TestResult } from '../../model/report.ts';
import type { NamedResult, RenderedFile } from '../target-entry.ts';
import { figuresOf } from '../view/figures.ts';
import { evidenceLines } from '../view/finding-lines.ts';
import type { RequirementView } from '../view/judgement-view.ts';
import { eachNotExercised, namedView, type ReportView, reportView } from '../view/report-view.ts';

/** Common Test Report Format, https://ctrf.io. */
export function renderCtrf(result: TestResult): readonly RenderedFile[] {
  const view = reportView(result);
  const { target, bench } = view;
  const tests = testsOf(view);
  const about = {
    ...(UUID.test(view.id) ? { reportId: view.id } : {}),
    ...(Number.isNaN(Date.parse(view.finishedAt)) ? {} : { timestamp: view.finishedAt }),
  };
  return fileOf([view], about, {
    summary: {
      ...summaryOf(tests, [view]),
      extra: { verdict: view.word, told: view.words, counts: view.counts },
    },
    tests: [...tests],
    environment: {
      ...(target.name === undefined ? {} : { appName: target.name }),
      ...(target.version === undefined ? {} : { appVersion: target.version }),
      ...(bench === undefined ? { healthy: view.verdict === 'pass' && view.reachable } : {}),
      extra: { url: target.url, form: target.form, seed: view.seed, failOn: view.settings.failOn },
    },
    extra: { responseTimes: timesOf(view) },
  });
}

/** Several targets: the name of each is before its tests, and is their first suite. */
export function renderCtrfTogether(targets: readonly NamedResult[]): readonly RenderedFile[] {
  const named = targets.map(namedView);
  const views = named.map(({ view }) => view);
  const tests = named.flatMap(({ name, view }) =>
    testsOf(view).map((test) => ({
      ...test,
      name: `${name}: ${test.name}`,
      testId: `${name}: ${test.testId}`,
      suite: [name, ...(test.suite ?? [])],
    })),
  );
  const about = named.map(({ name, view }) => ({
    name,
    url: view.target.url,
    verdict: view.word,
    told: view.words,
    responseTimes: timesOf(view),
  }));
  return fileOf(views, {}, { summary: summaryOf(tests, views), tests, extra: { targets: about } });
}

function fileOf(
  [first]: readonly ReportView[],
  about: Pick<CTRFReport, 'reportId' | 'timestamp'>,
  results: Omit<CTRFReport['results'], 'tool'>,
): readonly RenderedFile[] {
  const version = first?.harness.version ?? '';
  const report: CTRFReport = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    ...about,
    generatedBy: `probity ${version}`,
    results: { tool: { name: 'probity', version }, ...results },
  };
  return [{ suffix: '.ctrf.json', text: `${JSON.stringify(report, null, 2)}\n` }];
}

function summaryOf(tests: readonly Test[], views: readonly ReportView[]): CTRFReport['results']['summary'] {
  const count = (status: Test['status']): number => tests.filter((test) => test.status === status).length;
  const starts = views.map(({ startedAt }) => milliseconds(startedAt));
  return {
    tests: tests.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    pending: count('pending'),
    other: count('other'),
    suites: new Set(tests.map(({ suite }) => suite?.slice(0, 2).join(' '))).size,
    start: Math.min(...starts),
    stop: Math.max(...starts, ...views.map(({ finishedAt }) => milliseconds(finishedAt))),
    duration: Math.round(views.reduce((sum, { durationMs }) => sum + durationMs, 0)),
  };
}

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function milliseconds(timestamp: string): number {
  return Date.parse(timestamp) || 0;
}

function testsOf(view: ReportView): readonly Test[] {
  const { requirements, problems, needsVerdict, word, words } = view;
  return [
    ...requirements.map(testOf),
    ...problems.map(
      ({ name, kind, message }): Test => ({
        ...whole(`baseline, ${name}`, 'baseline'),
        status: 'failed',
        rawStatus: kind,
        message,
      }),
    ),
    ...eachNotExercised(view).map(
      ({ name, words: message }): Test => ({
        ...whole(`function ${name}`, 'coverage'),
        status: 'skipped',
        rawStatus: 'not-exercised',
        message,
      }),
    ),
    ...(needsVerdict
      ? [{ ...whole('verdict', 'verdict'), status: 'other', rawStatus: word, message: words } as const]
      : []),
  ];
}

function whole(name: string, suite: string): Pick<Test, 'name' | 'testId' | 'duration' | 'suite' | 'type'> {
  // The duration of one requirement is unknown, because many share an answer. An empty name is not allowed.
  const id = name === '' ? '(no name)' : name;
  return { name: id, testId: id, duration: 0, suite: [suite], type: 'conformance' };
}

/**
 * `skipped` is for requirements that do not apply, are accepted, or are about functions that were not exercised. Blocked
 * and undecided ones are `other`, because `pending` would mean that they were not due yet.
 */
const STATUSES = {
  passed: 'passed',
  warning: 'passed',
  failed: 'failed',
  inapplicable: 'skipped',
  accepted: 'skipped',
  'not-exercised': 'skipped',
  blocked: 'other',
  undecided: 'other',
} as const satisfies Readonly<Record<RequirementView['state'], Test['status']>>;

function testOf(one: RequirementView): Test {
  const { id, area, level, spec, text, state, reason, findings } = one;
  const [first] = findings;
  const extra = {
    ...(text === undefined ? {} : { requirement: text }),
    ...(first && { why: first.why, fix: first.fix, fingerprints: findings.map((one) => one.fingerprint) }),
  };
  return {
    ...whole(id, area),
    status: STATUSES[state],
    rawStatus: state,
    ...(reason === '' ? {} : { message: reason }),
    ...(first && {
      trace: evidenceLines(one).join('\n'),
      filePath: first.where.suite,
      line: first.where.line,
    }),
    tags: [level, ...(state === 'warning' ? ['warning'] : [])],
    labels: { level, section: spec },
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function timesOf({ measured }: ReportView): readonly Readonly<Record<string, unknown>>[] {
  return measured.map((times) => ({
    operation: times.operation,
    ...(times.function === undefined ? {} : { function: times.function }),
    count: times.count,
    errors: times.errors,
    ...Object.fromEntries(figuresOf(times).map(([name, ms]) => [`${name}Ms`, ms])),
    reliable: times.unreliable.length === 0,
  }));
}
