import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import { renderTap } from '../../../src/report/formats/tap.ts';
import { resultOf, row } from '../results.ts';
import { BENCH, CELLS, failingOnShould, PASSING, UNREACHABLE, WHOLE } from './cells.ts';
import { type TapPoint, tapEvents, tapPoints } from './read-tap.ts';

function textOf(result: TestResult): string {
  return renderTap(result)[0]?.text ?? '';
}

function pointsOf(result: TestResult): ReadonlyMap<string, TapPoint> {
  return new Map(tapPoints(textOf(result)).map((point) => [point.name, point]));
}

/** Whether a TAP harness reports a pass. */
function passes(result: TestResult): boolean {
  const complete = tapEvents(textOf(result)).find(([event]) => event === 'complete');
  return (complete?.[1] as { readonly ok: boolean } | undefined)?.ok ?? false;
}

describe('a result as TAP', () => {
  test.each([
    ...CELLS.map(({ name, result }) => [name, result] as const),
    ['whole', WHOLE] as const,
    ['passing', PASSING] as const,
    ['unreachable', UNREACHABLE] as const,
  ])('passes if the run does: %s', (_, result) => {
    expect(textOf(result)).toMatch(/^TAP version 14\n1\.\.\d+\n/);
    expect(passes(result)).toBe(result.verdict === 'pass');
  });

  test('is a pass only with warnings and passed requirements', () => {
    const rows = [row('health/a', 'passed'), row('health/b', 'failed', { level: 'SHOULD' })];
    expect(passes(resultOf(rows))).toBe(true);
    expect(passes(failingOnShould(resultOf(rows)))).toBe(false);
    expect(passes(resultOf([...rows, row('health/c', 'blocked', { blockedBy: 'health/b' })]))).toBe(false);
    expect(passes(resultOf([...rows, row('health/c', 'undecided', { level: 'MAY' })]))).toBe(false);
    expect(passes(resultOf([]))).toBe(false);
  });

  test('distinguishes failed, undecided, blocked, accepted and passed', () => {
    const points = pointsOf(WHOLE);
    const flags = (name: string): readonly unknown[] => {
      const point = points.get(name);
      return [point?.ok, Boolean(point?.skip), Boolean(point?.todo)];
    };
    expect(flags('health/passed-must')).toEqual([true, false, false]);
    expect(flags('health/failed-must')).toEqual([false, false, false]);
    expect(flags('health/failed-should')).toEqual([false, false, true]);
    expect(flags('health/undecided-may')).toEqual([false, false, false]);
    expect(flags('health/inapplicable-must')).toEqual([true, true, false]);
    expect(flags('health/blocked-must')).toEqual([true, true, false]);
    expect(flags('execute/accepted')).toEqual([true, true, false]);
    expect(flags('baseline, expired: health/failed-must')).toEqual([false, false, false]);
    expect(points.get('health/blocked-must')?.skip).toBe(
      'blocked by health/answered, which was not decided in this run',
    );
  });

  test('has diagnostics that a YAML parser reads unchanged', () => {
    expect(pointsOf(WHOLE).get('health/failed-must')?.diag).toMatchObject({
      message: 'the status is 503, and 1 more finding',
      severity: 'fail',
      level: 'MUST',
      findings: [
        { message: 'the status is 503', expected: 'status 200', curl: expect.stringContaining('curl -sS') },
        {
          received: '{"state": "<up> & \\"running\\""} (object)',
          function: 'add',
          pointer: '/functions/3/name',
        },
      ],
    });
  });

  test('of a load has no test, with the reason', () => {
    expect(textOf(BENCH)).toContain('\n1..0 # SKIP A load measures, and decides no requirement.\n');
    expect(tapPoints(textOf(BENCH))).toEqual([]);
  });

  test('escapes directives in a description', () => {
    const result = resultOf([row('own/a \\ # SKIP x', 'failed'), row('own/b {', 'passed')]);
    const points = tapPoints(textOf(result));
    expect(points.map(({ name, skip, ok }) => [name, skip, ok])).toEqual([
      ['own/a \\ # SKIP x', false, false],
      ['own/b \\u{7B}', false, true],
    ]);
  });
});
