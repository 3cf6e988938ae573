import { isMeasurement, type TestResult } from '../../model/report.ts';
import { type Case, caseLines, casesOf, NO_REQUIREMENTS, needsVerdict, problemName } from '../view/cases.ts';
import { inMs } from '../view/figures.ts';
import { printable } from '../view/printable.ts';
import { verdictWord, verdictWords } from '../view/words.ts';
import type { RenderedFile } from './rendered-file.ts';
import { XML_DECLARATION, type XmlNode, xmlText } from './xml.ts';

/** As Jenkins, GitLab and most others read it. */
export function renderJunit(result: TestResult): readonly RenderedFile[] {
  const suites = suitesOf(result);
  const all = suites.flatMap(({ cases }) => cases);
  const properties = propertiesOf(result);
  const text = xmlText({
    '?xml': XML_DECLARATION,
    testsuites: {
      '@_name': printable(`probity ${result.target.url}`),
      ...counts(all, ['tests', 'failures', 'errors']),
      '@_time': (result.durationMs / 1000).toFixed(3),
      testsuite: suites.map(({ name, cases }) => ({
        '@_name': name,
        ...counts(cases, ['tests', 'failures', 'errors', 'skipped']),
        '@_timestamp': printable(result.startedAt.replace(/\.\d+Z$/, '')),
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
  /** The level, or what else tells readers one failure from another. */
  readonly type: string;
  readonly message: string;
  readonly lines: readonly string[];
}

interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

function suitesOf(result: TestResult): readonly JunitSuite[] {
  const cases = casesOf(result);
  const areas = [...new Set(cases.map(({ area }) => area))];
  const problems = result.baseline?.problems ?? [];
  return [
    ...areas.map((area) => ({
      name: printable(area),
      cases: cases.filter((one) => one.area === area).map(requirementCase),
    })),
    ...(problems.length === 0
      ? []
      : [
          {
            name: 'baseline',
            cases: problems.map((problem): JunitCase => {
              const message = printable(problem.message);
              return {
                name: problemName(problem),
                kind: 'failure',
                type: 'baseline',
                message,
                lines: [message],
              };
            }),
          },
        ]),
    ...(needsVerdict(result, cases) ? [{ name: 'verdict', cases: [verdictCase(result)] }] : []),
    ...(result.bench === undefined ? [] : [{ name: 'bench', cases: [loadCase(result)] }]),
  ];
}

/**
 * A warning passes, as it does in the verdict, and is told in the output. What is blocked was not tried, so it is skipped;
 * what is undecided was tried, and is an error.
 */
const KINDS = {
  passed: 'passed',
  warning: 'passed',
  failed: 'failure',
  inconclusive: 'error',
  blocked: 'skipped',
  accepted: 'skipped',
  inapplicable: 'skipped',
} as const satisfies Readonly<Record<Case['state'], JunitCase['kind']>>;

function requirementCase(one: Case): JunitCase {
  const { row, state, reason, findings } = one;
  const told = state === 'failed' || state === 'inconclusive' || findings.length > 0;
  return {
    name: printable(row.id),
    kind: KINDS[state],
    type: state === 'inconclusive' ? 'inconclusive' : printable(row.level),
    message: reason,
    lines: told ? [...(state === 'warning' ? [`warning: ${reason}`] : []), ...caseLines(one)] : [],
  };
}

function verdictCase(result: TestResult): JunitCase {
  const message = `${verdictWord(result)}: ${verdictWords(result)}`;
  return { name: 'verdict', kind: 'error', type: 'verdict', message: printable(message), lines: [] };
}

function loadCase({ responseTimes }: TestResult): JunitCase {
  const lines = responseTimes
    .filter(isMeasurement)
    .map(({ operation, function: name, count, errors, ...times }) => {
      const figures = (['p50Ms', 'p95Ms', 'p99Ms', 'maxMs'] as const).flatMap((key) => {
        const value = times[key];
        return value === undefined ? [] : [`${key.slice(0, -2)} ${inMs(value)}`];
      });
      const called = printable(name === undefined ? operation : `${operation} ${name}`);
      return `${called}: ${[`${count} calls`, `${errors} in error`, ...figures].join(', ')}`;
    });
  return { name: 'load', kind: 'skipped', type: 'load', message: NO_REQUIREMENTS, lines };
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

function propertiesOf(result: TestResult): XmlNode {
  const { harness, seed, target } = result;
  const properties: readonly (readonly [string, string | undefined])[] = [
    ['probity.version', harness.version],
    ['probity.seed', String(seed)],
    ['probity.verdict', verdictWord(result)],
    ['target.url', target.url],
    ['target.name', target.name],
    ['target.version', target.version],
  ];
  return {
    property: properties.flatMap(([name, value]) =>
      value === undefined ? [] : [{ '@_name': name, '@_value': printable(value) }],
    ),
  };
}
