import { describe, expect, test } from 'vitest';
import { BAILED_FACT } from '../../src/model/report.ts';
import { latencyTrends, type TrendRun, trendRun, trendsOf } from '../../src/report/compare/trend.ts';
import { renderTrends, sparkline } from '../../src/report/terminal/trend-terminal.ts';
import { resultOf, row } from './results.ts';

const base = trendRun(resultOf([row('health/status-200', 'passed')]), 'a.json');

function runAt(index: number, changed: Partial<TrendRun> = {}): TrendRun {
  const startedAt = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
  return { ...base, id: `run-${index}`, startedAt, conditions: 'same', ...changed };
}

function timed(mediansMs: readonly number[], reliable = true): readonly TrendRun[] {
  return mediansMs.map((p50Ms, index) =>
    runAt(index, {
      times: [
        {
          name: 'health',
          p50Ms,
          p95Ms: p50Ms * 2,
          intervalMs: reliable ? ([p50Ms * 0.97, p50Ms * 1.03] as const) : null,
          fastest: reliable
            ? {
                of: 'tenth',
                withinMs: p50Ms * 0.9,
                intervalMs: [p50Ms * 0.88, p50Ms * 0.92],
              }
            : null,
          load: 'open',
        },
      ],
    }),
  );
}

test('counts nothing as repaired or undecided that a check with --bail did not ask for', () => {
  const rows = (...outcomes: readonly ('passed' | 'failed' | 'undecided')[]) =>
    resultOf([
      row('health/status-200', outcomes[0] ?? 'passed'),
      row('health/operational', outcomes[1] ?? 'passed'),
      row('execute/result', outcomes[2] ?? 'passed'),
    ]);
  const whole = rows('failed', 'failed', 'passed');
  const cut = { ...rows('failed', 'passed', 'undecided'), facts: [BAILED_FACT] };
  const runs = [whole, cut, rows('passed', 'failed', 'passed')].map((result, index) =>
    runAt(index, { outcomes: trendRun(result, 'a.json').outcomes }),
  );
  expect(trendsOf(runs)[0]?.runs.map(({ changes }) => changes)).toEqual([
    [],
    [],
    [{ id: 'health/status-200', before: 'failed', after: 'passed' }],
  ]);
});

test('compares each requirement with the last run that had an outcome of it', () => {
  const outcomesOf = (...rows: Parameters<typeof resultOf>[0]) => trendRun(resultOf(rows), 'a.json').outcomes;
  const [status, operational] = ['health/status-200', 'health/operational'] as const;
  const selected = outcomesOf(row(status, 'passed'));
  const runs = [
    outcomesOf(row(status, 'passed'), row(operational, 'passed')),
    selected,
    selected,
    outcomesOf(row(status, 'passed'), row(operational, 'failed')),
  ].map((outcomes, index) => runAt(index, { outcomes }));
  expect(trendsOf(runs)[0]?.runs.map(({ changes }) => changes)).toEqual([
    [],
    [],
    [],
    [{ id: operational, before: 'passed', after: 'failed' }],
  ]);
});

const decided = (...outcomes: readonly ('passed' | 'failed' | 'undecided')[]): readonly TrendRun[] =>
  outcomes.map((outcome, index) => runAt(index, { outcomes: new Map([['health/operational', outcome]]) }));

describe('a change of response times', () => {
  test('is shown after three runs on both sides, and undone after three more', () => {
    const [health] = latencyTrends(timed([2, 2.1, 2, 1.9, 3, 3.1, 2.9, 3, 2, 2.1, 1.9]));
    expect(health?.outcome).toBe('changed');
    expect(health?.changes.map(({ outcome, id }) => [outcome, id])).toEqual([
      ['slower', 'run-4'],
      ['faster', 'run-8'],
    ]);
    expect(health?.changes[0]).toMatchObject({ beforeMs: 2, afterMs: 3 });
  });

  test.each([
    ['two slow runs at the end', [2, 2, 2, 2, 3, 3]],
    ['one slow run among the others', [2, 2, 2, 9, 2, 2, 2]],
    ['slow runs that were there before', [2, 3.2, 3.1, 3, 3, 3]],
    ['a small difference', [2, 2, 2, 2.4, 2.4, 2.4]],
    ['a difference that does not matter', [0.1, 0.1, 0.1, 0.15, 0.15, 0.15]],
  ])('is not shown for %s', (_, mediansMs) => {
    expect(latencyTrends(timed(mediansMs))[0]).toMatchObject({ outcome: 'no-change-shown', changes: [] });
  });

  test('cannot be told from few or unreliable runs', () => {
    expect(latencyTrends(timed([2, 2, 9, 9, 9]))[0]).toMatchObject({ outcome: 'cannot-tell', comparable: 5 });
    expect(latencyTrends(timed([2, 2, 2, 9, 9, 9], false))[0]).toMatchObject({
      outcome: 'cannot-tell',
      comparable: 0,
    });
  });

  test('is found in most series with a slowdown of 1.5 times, and hardly ever in series of an unchanged server', () => {
    const random = generator(7);
    const series = (factor: number): readonly TrendRun[] =>
      timed(
        Array.from(
          { length: 20 },
          (_, index) => 2 * Math.exp(0.05 * normal(random)) * (index < 10 ? 1 : factor),
        ),
      );
    const changed = (factor: number): number =>
      Array.from({ length: 400 }, () => latencyTrends(series(factor))[0]?.outcome).filter(
        (outcome) => outcome === 'changed',
      ).length;
    expect(changed(1)).toBeLessThanOrEqual(4);
    expect(changed(1.5)).toBeGreaterThanOrEqual(380);
  });
});

describe('a flaky requirement', () => {
  test('is named with its rate', () => {
    const [trend] = trendsOf(decided('passed', 'failed', 'passed', 'passed', 'failed'));
    expect(trend?.flaky).toEqual([{ id: 'health/operational', changed: 3, pairs: 4 }]);
    expect(trend?.runs[1]?.changes).toEqual([
      { id: 'health/operational', before: 'passed', after: 'failed' },
    ]);
    expect(renderTrends(trend === undefined ? [] : [trend], {})).toContain(
      'health/operational: decided differently in 3 of 4 pairs of runs',
    );
  });

  test('is not one that changed once, was undecided, or had other conditions', () => {
    const flaky = (runs: readonly TrendRun[]) => trendsOf(runs)[0]?.flaky;
    expect(flaky(decided('failed', 'failed', 'passed', 'passed'))).toEqual([]);
    expect(flaky(decided('passed', 'undecided', 'passed', 'undecided'))).toEqual([]);
    const alternating = decided('passed', 'failed', 'passed', 'failed');
    expect(flaky(alternating.map((run) => ({ ...run, conditions: run.id })))).toEqual([]);
    expect(flaky(alternating.map((run) => ({ ...run, conditions: null })))).toEqual([]);
    expect(flaky(alternating)).toHaveLength(1);
  });
});

test('the same report counts once, and runs are sorted by time', () => {
  const [trend] = trendsOf([runAt(2), runAt(1), runAt(2)]);
  expect(trend?.runs.map(({ id }) => id)).toEqual(['run-1', 'run-2']);
});

test('a sparkline begins at 0 and has gaps', () => {
  expect(sparkline([0, null, 5, 10])).toBe('▁ ▅█');
  expect(sparkline([null, null])).toBe('  ');
});

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (state + 1) / 2_147_483_649;
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}
