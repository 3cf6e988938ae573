import { callName, type TestResult } from '../../model/report.ts';
import { callWords, figuresOf, inMs } from '../view/figures.ts';
import { evidenceLines, type RequirementView } from '../view/judgement-view.ts';
import { type ReportView, reportView } from '../view/report-view.ts';
import type { RenderedFile } from './rendered-file.ts';
import { XML_DECLARATION, type XmlNode, xmlText } from './xml.ts';

/** In the form that Jenkins, GitLab and most other tools read. */
export function renderJunit(result: TestResult): readonly RenderedFile[] {
  const view = reportView(result);
  const suites = suitesOf(view);
  const all = suites.flatMap(({ cases }) => cases);
  const properties = propertiesOf(view);
  const text = xmlText({
    '?xml': XML_DECLARATION,
    testsuites: {
      '@_name': `probity ${view.target.url}`,
      ...counts(all, ['tests', 'failures', 'errors']),
      '@_time': (view.durationMs / 1000).toFixed(3),
      testsuite: suites.map(({ name, cases }) => ({
        '@_name': name,
        ...counts(cases, ['tests', 'failures', 'errors', 'skipped']),
        '@_timestamp': view.startedAt.replace(/\.\d+Z$/, ''),
        properties,
        testcase: cases.map((one) => testCase(one, name)),
      })),
    },
  });
  return [{ suffix: '.junit.xml', text }];
}

interface JunitCase {
  readonly name: string;
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped';
  /** The level, or another kind of failure. */
  readonly type: string;
  readonly message: string;
  readonly lines: readonly string[];
}

interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

function suitesOf(view: ReportView): readonly JunitSuite[] {
  const { areas, problems, needsVerdict, bench, word, words } = view;
  const suite = (name: string, cases: readonly JunitCase[]): readonly JunitSuite[] =>
    cases.length === 0 ? [] : [{ name, cases }];
  const verdict: JunitCase = {
    name: 'verdict',
    kind: 'error',
    type: 'verdict',
    message: `${word}: ${words}`,
    lines: [],
  };
  return [
    ...areas.flatMap(({ name, requirements }) => suite(name, requirements.map(requirementCase))),
    ...suite(
      'baseline',
      problems.map(({ name, message }) => ({
        name,
        kind: 'failure',
        type: 'baseline',
        message,
        lines: [message],
      })),
    ),
    ...suite('verdict', needsVerdict ? [verdict] : []),
    ...suite('bench', bench === undefined ? [] : [loadCase(view)]),
  ];
}

/**
 * A warning passes, as in the verdict, and is printed in the output. A blocked requirement is skipped, because it was
 * not tried; an undecided one was tried, so it is an error.
 */
const KINDS = {
  passed: 'passed',
  warning: 'passed',
  failed: 'failure',
  inconclusive: 'error',
  blocked: 'skipped',
  accepted: 'skipped',
  inapplicable: 'skipped',
} as const satisfies Readonly<Record<RequirementView['state'], JunitCase['kind']>>;

function requirementCase(one: RequirementView): JunitCase {
  const { id, level, state, reason, findings } = one;
  const hasLines = state === 'failed' || state === 'inconclusive' || findings.length > 0;
  return {
    name: id,
    kind: KINDS[state],
    type: state === 'inconclusive' ? 'inconclusive' : level,
    message: reason,
    lines: hasLines ? [...(state === 'warning' ? [`warning: ${reason}`] : []), ...evidenceLines(one)] : [],
  };
}

const LOAD_FIGURES: readonly string[] = ['p50', 'p95', 'p99', 'max'];

function loadCase({ measured, words }: ReportView): JunitCase {
  const lines = measured.map((times) => {
    const figures = figuresOf(times)
      .filter(([name]) => LOAD_FIGURES.includes(name))
      .map(([name, ms]) => `${name} ${inMs(ms)}`);
    return `${callName(times)}: ${[callWords(times), ...figures].join(', ')}`;
  });
  return { name: 'load', kind: 'skipped', type: 'load', message: words, lines };
}

function testCase({ name, kind, type, message, lines }: JunitCase, suite: string): XmlNode {
  const text = lines.join('\n');
  return {
    '@_classname': `probity.${suite}`,
    '@_name': name,
    ...(kind === 'failure' || kind === 'error'
      ? { [kind]: { '@_message': message, '@_type': type, '#text': text } }
      : {
          ...(kind === 'skipped' ? { skipped: { '@_message': message } } : {}),
          ...(text === '' ? {} : { 'system-out': text }),
        }),
  };
}

function counts(cases: readonly JunitCase[], names: readonly (keyof typeof COUNTED)[]): XmlNode {
  return Object.fromEntries(
    names.map((name) => [
      `@_${name}`,
      cases.filter(({ kind }) => COUNTED[name] === null || COUNTED[name] === kind).length,
    ]),
  );
}

const COUNTED = { tests: null, failures: 'failure', errors: 'error', skipped: 'skipped' } as const;

function propertiesOf({ harness, seed, target, word }: ReportView): XmlNode {
  const properties: readonly (readonly [string, string | undefined])[] = [
    ['probity.version', harness.version],
    ['probity.seed', String(seed)],
    ['probity.verdict', word],
    ['target.url', target.url],
    ['target.name', target.name],
    ['target.version', target.version],
  ];
  return {
    property: properties.flatMap(([name, value]) =>
      value === undefined ? [] : [{ '@_name': name, '@_value': value }],
    ),
  };
}
