import { type CTRFReport, validate } from 'ctrf';
import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import { renderCtrf } from '../../../src/report/formats/ctrf.ts';
import { resultOf, row } from '../results.ts';
import { BENCH, CELLS, failingOnShould, PASSING, UNREACHABLE, WHOLE } from './cells.ts';

function reportOf(result: TestResult): CTRFReport {
  return JSON.parse(renderCtrf(result)[0]?.text ?? '') as CTRFReport;
}

function statusesOf(result: TestResult): Readonly<Record<string, string>> {
  return Object.fromEntries(reportOf(result).results.tests.map(({ name, status }) => [name, status]));
}

describe('a result as CTRF', () => {
  test.each([
    ...CELLS.map(({ name, result }) => [name, result] as const),
    ['whole', WHOLE] as const,
    ['passing', PASSING] as const,
    ['bench', BENCH] as const,
    ['unreachable', UNREACHABLE] as const,
  ])('is valid, and its summary counts its tests: %s', (_, result) => {
    const report = reportOf(result);
    expect(validate(report)).toMatchObject({ valid: true });
    const { summary, tests } = report.results;
    expect(summary.tests).toBe(tests.length);
    for (const status of ['passed', 'failed', 'skipped', 'pending', 'other'] as const)
      expect(summary[status]).toBe(tests.filter((one) => one.status === status).length);
  });

  test('distinguishes failed, undecided, blocked, accepted and passed', () => {
    expect(statusesOf(WHOLE)).toMatchObject({
      'health/passed-must': 'passed',
      'health/failed-must': 'failed',
      'health/failed-should': 'passed',
      'health/failed-may': 'passed',
      'health/undecided-may': 'other',
      'health/blocked-must': 'other',
      'health/inapplicable-must': 'skipped',
      'execute/accepted': 'skipped',
      'execute/accepted-blocked': 'skipped',
      'baseline, no longer occurs: health/passed-must': 'failed',
    });
    expect(statusesOf(failingOnShould(WHOLE))).toMatchObject({
      'health/failed-should': 'failed',
      'health/failed-may': 'passed',
    });
  });

  test('marks a warning, which passes', () => {
    const warning = reportOf(WHOLE).results.tests.find(({ name }) => name === 'health/failed-should');
    expect(warning).toMatchObject({ status: 'passed', rawStatus: 'warning', tags: ['SHOULD', 'warning'] });
    expect(warning?.message).toContain('the status is 503');
    expect(warning?.trace).toContain('curl -sS');
  });

  test('has the times and the areas of the run', () => {
    expect(reportOf(WHOLE).results.summary).toMatchObject({
      start: Date.parse('2026-01-31T12:00:00.000Z'),
      stop: Date.parse('2026-01-31T12:00:02.500Z'),
      duration: 2500,
      suites: 4,
    });
    expect(reportOf(WHOLE).results.environment).toMatchObject({ appName: 'calculator', healthy: false });
    expect(reportOf(PASSING).results.environment?.healthy).toBe(true);
    expect(reportOf(UNREACHABLE).results.environment?.healthy).toBe(false);
    expect(reportOf(BENCH).results.environment).not.toHaveProperty('healthy');
  });

  test('is not a pass if nothing was decided', () => {
    const accepted = resultOf([row('health/a', 'failed', { accepted: true })]);
    expect(statusesOf(accepted)).toEqual({ 'health/a': 'skipped', verdict: 'other' });
    expect(statusesOf(resultOf([]))).toEqual({ verdict: 'other' });
  });
});
