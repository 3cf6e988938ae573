import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { TestResult } from '../../../src/model/report.ts';
import { renderJunit } from '../../../src/report/formats/junit.ts';
import { finding, resultOf, row } from '../results.ts';
import { BENCH, CELLS, failingOnShould, PASSING, UNREACHABLE, WHOLE } from './cells.ts';
import { parseXml, type XmlElement } from './read-xml.ts';

const XSD = readFileSync(new URL('schemas/junit-10.xsd', import.meta.url), 'utf8');

function textOf(result: TestResult): string {
  return renderJunit(result)[0]?.text ?? '';
}

/** The content of each test case, by name. */
function cases(result: TestResult): ReadonlyMap<string, XmlElement> {
  return new Map(
    parseXml(textOf(result))
      .children.flatMap(({ children }) => children)
      .filter(({ name }) => name === 'testcase')
      .map((element) => [element.attributes.name ?? '', element]),
  );
}

function kindsOf(result: TestResult): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    [...cases(result)].map(([name, { children }]) => [name, children.map((child) => child.name)]),
  );
}

describe('a result as JUnit XML', () => {
  test('matches the Jenkins schema for every outcome and level', async () => {
    const results = [...CELLS.map(({ result }) => result), WHOLE, PASSING, BENCH, UNREACHABLE];
    const xml = results.map((result, index) => ({ fileName: `${index}.xml`, contents: textOf(result) }));
    const { valid, errors } = await validateXML({ xml, schema: XSD });
    expect(errors).toEqual([]);
    expect(valid).toBe(true);
  });

  test('has a suite for each area, with counts', () => {
    const root = parseXml(textOf(WHOLE));
    expect(root.name).toBe('testsuites');
    expect(root.children.map(({ attributes }) => attributes.name)).toEqual([
      'health',
      'execute',
      'baseline',
      'coverage',
    ]);
    const counted = (element: XmlElement, kind: string): number =>
      element.name === 'testcase'
        ? Number(kind === 'tests' || element.children.some(({ name }) => name === kind))
        : element.children.reduce((sum, child) => sum + counted(child, kind), 0);
    for (const element of [root, ...root.children])
      expect(element.attributes).toMatchObject({
        tests: String(counted(element, 'tests')),
        failures: String(counted(element, 'failure')),
        errors: String(counted(element, 'error')),
        ...(element === root ? {} : { skipped: String(counted(element, 'skipped')) }),
      });
    expect(root.attributes).toMatchObject({ tests: '26', failures: '4', errors: '3', time: '2.500' });
  });

  test('distinguishes failed, undecided, blocked, accepted and passed', () => {
    expect(kindsOf(WHOLE)).toMatchObject({
      'health/passed-must': [],
      'health/failed-must': ['failure'],
      'health/failed-should': ['system-out'],
      'health/failed-may': ['system-out'],
      'health/undecided-must': ['error'],
      'health/undecided-may': ['error'],
      'health/blocked-must': ['skipped'],
      'health/inapplicable-must': ['skipped'],
      'execute/accepted': ['skipped', 'system-out'],
      'execute/accepted-undecided': ['skipped', 'system-out'],
      'execute/accepted-blocked': ['skipped'],
    });
    const skipped = (name: string): string | undefined =>
      cases(WHOLE).get(name)?.children[0]?.attributes.message;
    expect(skipped('health/blocked-must')).toBe(
      'blocked by health/answered, which was not decided in this run',
    );
    expect(skipped('health/inapplicable-must')).toBe('the target declares no function');
    const accepted = 'accepted until 2026-12-31: the vendor fixes it in spring';
    expect(skipped('execute/accepted')).toBe(accepted);
    expect(skipped('execute/accepted-blocked')).toBe(accepted);
  });

  test('fails on SHOULD if the run does', () => {
    expect(kindsOf(failingOnShould(WHOLE))).toMatchObject({
      'health/failed-must': ['failure'],
      'health/failed-should': ['failure'],
      'health/failed-may': ['system-out'],
    });
  });

  test('has all findings of a failure, with where, why and how to fix it', () => {
    const [failure] = cases(WHOLE).get('health/failed-must')?.children ?? [];
    expect(failure?.attributes).toEqual({ message: 'the status is 503, and 1 more finding', type: 'MUST' });
    for (const told of [
      'the status is 503',
      'status 200',
      'the body has no "status" (function "add", case small, /functions/3/name)',
      '{"state": "<up> & \\"running\\""} (object)',
      'suites/server/health.suite.yaml:22:9',
      "curl -sS -i -H 'accept: application/json' http://127.0.0.1:3000/health",
      'Load balancers look at the status line first.',
      'Answer with status 200.',
      'probity check http://127.0.0.1:3000 --only health/failed-must --seed 7',
    ])
      expect(failure?.text).toContain(told);
  });

  test('has the time of the exchanges that decide a requirement, where it is known', () => {
    const result = resultOf([row('health/a', 'passed', { durationMs: 12.345 }), row('health/b', 'passed')]);
    expect(cases(result).get('health/a')?.attributes.time).toBe('0.012345');
    expect(cases(result).get('health/b')?.attributes).not.toHaveProperty('time');
  });

  test('has a failure for each entry of the baseline that no longer holds', () => {
    const { baseline } = WHOLE;
    const problems = parseXml(textOf(WHOLE)).children.find(
      ({ attributes }) => attributes.name === 'baseline',
    );
    expect(problems?.attributes).toMatchObject({ tests: '3', failures: '3' });
    expect(baseline?.problems).toHaveLength(3);
  });

  test.each([
    ['only blocked requirements', [row('health/a', 'blocked', { blockedBy: 'health/b' })]],
    ['only inapplicable requirements', [row('health/a', 'inapplicable', { reason: 'none' })]],
    ['only accepted requirements', [row('health/a', 'failed', { accepted: true })]],
    [
      'what a warning blocks',
      [
        row('health/a', 'failed', { level: 'MAY' }),
        row('health/b', 'blocked', { blockedBy: 'health/a' }),
        row('health/c', 'passed'),
      ],
    ],
    ['no requirements', []],
  ] as const)('is not a pass with %s', (_, rows) => {
    const result = resultOf(rows);
    expect(result.verdict).toBe('incomplete');
    expect(kindsOf(result)).toMatchObject({ verdict: ['error'] });
    expect(parseXml(textOf(result)).attributes.errors).toBe('1');
  });

  test('keeps the value "true", which the library would leave out', () => {
    const result = resultOf([row('health/a', 'passed')], {
      target: { url: 'http://127.0.0.1:3000', form: { capabilities: 'B', execute: 'B' }, name: 'true' },
    });
    expect(textOf(result)).toContain('value="true"');
  });

  test('of a load has one case, which is skipped and has the figures', () => {
    const load = cases(BENCH).get('load');
    expect(load?.children.map(({ name }) => name)).toEqual(['skipped', 'system-out']);
    expect(load?.children[1]?.text).toMatch(/^health: 200 calls, 1 in error, p50 2\.000 ms/);
  });

  test('of a row without findings has its reason', () => {
    const result = resultOf([row('health/a', 'undecided', { reason: 'nothing was judged' })], {
      findings: [finding('health/other')],
    });
    expect(cases(result).get('health/a')?.children[0]?.attributes.message).toBe('nothing was judged');
  });
});
