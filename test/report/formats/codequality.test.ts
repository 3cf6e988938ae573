import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import { renderCodequality } from '../../../src/report/formats/codequality.ts';
import { finding, resultOf, row } from '../results.ts';
import { BENCH, CELLS, failingOnShould, PASSING, UNREACHABLE, WHOLE } from './cells.ts';
import { readCodequality } from './read-json.ts';

interface Issue {
  readonly description: string;
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: string;
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

function issuesOf(result: TestResult): readonly Issue[] {
  return JSON.parse(renderCodequality(result)[0]?.text ?? '') as readonly Issue[];
}

function severities(result: TestResult): Readonly<Record<string, string>> {
  return Object.fromEntries(issuesOf(result).map((issue) => [issue.check_name, issue.severity]));
}

describe('a result as a Code Quality report', () => {
  test.each([
    ...CELLS.map(({ name, result }) => [name, result] as const),
    ['whole', WHOLE] as const,
    ['passing', PASSING] as const,
    ['bench', BENCH] as const,
    ['unreachable', UNREACHABLE] as const,
  ])('is what GitLab documents: %s', (_, result) => {
    expect(readCodequality(renderCodequality(result)[0]).faults).toEqual([]);
  });

  test('has an issue for each finding, with its place', () => {
    expect(issuesOf(WHOLE)[0]).toEqual({
      description:
        'the status is 503; expected: status 200; received: status 503; fix: Answer with status 200.',
      check_name: 'health/failed-must',
      fingerprint: expect.stringMatching(/^0123456789abcdef(?::\d+)?$/),
      severity: 'critical',
      location: { path: 'suites/server/health.suite.yaml', lines: { begin: 10 } },
    });
  });

  test('ranks what fails the run above what leaves it undecided', () => {
    expect(severities(WHOLE)).toMatchObject({
      'health/failed-must': 'critical',
      'health/failed-should': 'minor',
      'health/failed-may': 'minor',
      'health/undecided-must': 'major',
      'health/undecided-should': 'minor',
    });
    expect(severities(failingOnShould(WHOLE))).toMatchObject({
      'health/failed-should': 'critical',
      'health/undecided-should': 'major',
    });
  });

  test('leaves out what the baseline accepts, and shows entries that are out of date', () => {
    expect(issuesOf(WHOLE).filter((issue) => issue.check_name.startsWith('execute/'))).toEqual([]);
    expect(issuesOf(WHOLE).filter((issue) => issue.check_name === 'baseline')).toHaveLength(3);
  });

  test('has no issue for a pass, and one for a run that decided nothing', () => {
    expect(issuesOf(PASSING)).toEqual([]);
    expect(issuesOf(resultOf([row('a/b', 'blocked', { blockedBy: 'a/c' })]))).toMatchObject([
      {
        check_name: 'verdict',
        description: 'INCOMPLETE: Not everything could be decided, so this is not a pass.',
      },
    ]);
  });

  test.each([
    ['own\\windows.yaml', 'own/windows.yaml'],
    ['./own.yaml', 'own.yaml'],
    ['', 'probity.config.yaml'],
  ])('has a path from the root of the repository for %j', (suite, path) => {
    const where = { ...finding('a/b').where, suite };
    const [issue] = issuesOf(resultOf([row('a/b', 'failed')], { findings: [finding('a/b', { where })] }));
    expect(issue?.location.path).toBe(path);
  });
});
