import { XML_DECLARATION, type XmlNode, xmlText } from './xml.ts';

export interface JunitDocument {
  readonly name: string;
  /** A timestamp in UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** Those without a value are left out. */
  readonly properties: readonly (readonly [name: string, value: string | undefined])[];
  readonly suites: readonly JunitSuite[];
}

export interface JunitCase {
  readonly name: string;
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped';
  /** The level, or another kind of failure. */
  readonly type: string;
  readonly message: string;
  /** Undefined if it is unknown. */
  readonly durationMs?: number | undefined;
  readonly lines: readonly string[];
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
  /** If it has others than the document. */
  readonly about?: Pick<JunitDocument, 'startedAt' | 'properties'>;
}

/** In the form that Jenkins, GitLab and most other tools read. */
export function junitText({ name, startedAt, durationMs, properties, suites }: JunitDocument): string {
  const all = suites.flatMap(({ cases }) => cases);
  return xmlText({
    '?xml': XML_DECLARATION,
    testsuites: {
      '@_name': name,
      ...counts(all, ['tests', 'failures', 'errors']),
      '@_time': (durationMs / 1000).toFixed(3),
      testsuite: suites.map((suite) => ({
        '@_name': suite.name,
        ...counts(suite.cases, ['tests', 'failures', 'errors', 'skipped']),
        '@_timestamp': (suite.about?.startedAt ?? startedAt).replace(/\.\d+Z$/, ''),
        properties: propertyNodes(suite.about?.properties ?? properties),
        testcase: suite.cases.map((one) => testCase(one, suite.name)),
      })),
    },
  });
}

function propertyNodes(properties: JunitDocument['properties']): XmlNode {
  return {
    property: properties.flatMap(([name, value]) =>
      value === undefined ? [] : [{ '@_name': name, '@_value': value }],
    ),
  };
}

function testCase({ name, kind, type, message, durationMs, lines }: JunitCase, suite: string): XmlNode {
  const text = lines.join('\n');
  return {
    '@_classname': `probity.${suite}`,
    '@_name': name,
    ...(durationMs === undefined ? {} : { '@_time': (durationMs / 1000).toFixed(6) }),
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
