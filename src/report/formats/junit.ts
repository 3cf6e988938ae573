import type { TestResult } from '../../model/report.ts';
import type { NamedResult, RenderedFile } from '../target-entry.ts';
import { callWords, inMs, typicalAndSlow } from '../view/figures.ts';
import { evidenceLines } from '../view/finding-lines.ts';
import type { RequirementView } from '../view/judgement-view.ts';
import { eachNotExercised, namedView, type ReportView, reportView } from '../view/report-view.ts';
import { type JunitCase, type JunitDocument, type JunitSuite, junitText } from './junit-document.ts';

export function renderJunit(result: TestResult): readonly RenderedFile[] {
  const view = reportView(result);
  const text = junitText({
    name: `probity ${view.target.url}`,
    startedAt: view.startedAt,
    durationMs: view.durationMs,
    properties: propertiesOf(view),
    suites: suitesOf(view),
  });
  return [{ suffix: '.junit.xml', text }];
}

/** Several targets: the suites of each begin with its name. */
export function renderJunitTogether(targets: readonly NamedResult[]): readonly RenderedFile[] {
  const views = targets.map(namedView);
  const text = junitText({
    name: 'probity',
    startedAt: views[0]?.view.startedAt ?? '',
    durationMs: views.reduce((sum, { view }) => sum + view.durationMs, 0),
    properties: [],
    suites: views.flatMap(({ name, view }) =>
      suitesOf(view).map((suite) => ({
        ...suite,
        name: `${name}: ${suite.name}`,
        about: { startedAt: view.startedAt, properties: propertiesOf(view) },
      })),
    ),
  });
  return [{ suffix: '.junit.xml', text }];
}

function suitesOf(view: ReportView): readonly JunitSuite[] {
  const { areas, problems, needsVerdict, bench, word, words } = view;
  const suite = (name: string, cases: readonly JunitCase[]): readonly JunitSuite[] =>
    cases.length === 0 ? [] : [{ name, cases }];
  return [
    ...areas.flatMap(({ name, requirements }) => suite(name, requirements.map(requirementCase))),
    ...suite(
      'baseline',
      problems.map(({ name, message }) => plainCase(name, 'failure', 'baseline', message, [message])),
    ),
    ...suite(
      'coverage',
      eachNotExercised(view).map(({ name, words: why }) =>
        plainCase(name, 'skipped', 'coverage', `not exercised: ${why}`),
      ),
    ),
    ...suite('verdict', needsVerdict ? [plainCase('verdict', 'error', 'verdict', `${word}: ${words}`)] : []),
    ...suite('bench', bench === undefined ? [] : [loadCase(view)]),
  ];
}

function plainCase(
  name: string,
  kind: JunitCase['kind'],
  type: string,
  message: string,
  lines: readonly string[] = [],
): JunitCase {
  return { name, kind, type, message, lines };
}

/**
 * A warning passes, as in the verdict, and is printed in the output. A blocked requirement is skipped, because it was
 * not tried; an undecided one was tried, so it is an error.
 */
const KINDS = {
  passed: 'passed',
  warning: 'passed',
  failed: 'failure',
  undecided: 'error',
  blocked: 'skipped',
  'not-exercised': 'skipped',
  accepted: 'skipped',
  inapplicable: 'skipped',
} as const satisfies Readonly<Record<RequirementView['state'], JunitCase['kind']>>;

function requirementCase(one: RequirementView): JunitCase {
  const { id, level, state, reason, findings, durationMs } = one;
  const hasLines = state === 'failed' || state === 'undecided' || findings.length > 0;
  return {
    name: id,
    kind: KINDS[state],
    type: state === 'undecided' ? 'undecided' : level,
    message: reason,
    durationMs,
    lines: hasLines ? [...(state === 'warning' ? [`warning: ${reason}`] : []), ...evidenceLines(one)] : [],
  };
}

function loadCase({ measured, words }: ReportView): JunitCase {
  const lines = measured.map((times) => {
    const figures = typicalAndSlow(times).map(([name, ms]) => `${name} ${inMs(ms)}`);
    return `${times.label}: ${[callWords(times), ...figures].join(', ')}`;
  });
  return plainCase('load', 'skipped', 'load', words, lines);
}

function propertiesOf({ harness, seed, target, word }: ReportView): JunitDocument['properties'] {
  return [
    ['probity.version', harness.version],
    ['probity.seed', String(seed)],
    ['probity.verdict', word],
    ['target.url', target.url],
    ['target.name', target.name],
    ['target.version', target.version],
  ];
}
