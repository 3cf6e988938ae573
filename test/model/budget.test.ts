import { describe, expect, test } from 'vitest';
import { type Budget, budgetsFor, parseBudget, withoutOverridden } from '../../src/model/budget.ts';

function budget(line: string): Budget {
  const parsed = parseBudget(line);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed;
}

describe('a budget in one line', () => {
  test.each<[string, Budget]>([
    ['health.p95=300ms', { operation: 'health', function: null, figure: 'p95', limit: { ms: 300 } }],
    [
      'capabilities.p99=1.5s',
      { operation: 'capabilities', function: null, figure: 'p99', limit: { ms: 1500 } },
    ],
    ['execute.p99.9=2s', { operation: 'execute', function: null, figure: 'p99.9', limit: { ms: 2000 } }],
    ['execute.max=10s', { operation: 'execute', function: null, figure: 'max', limit: { ms: 10_000 } }],
    [
      'execute:add.p50=20x',
      { operation: 'execute', function: 'add', figure: 'p50', limit: { timesHealth: 20 } },
    ],
    // Servers may choose any function name.
    [
      'execute:a.p50=b.p95=1s',
      { operation: 'execute', function: 'a.p50=b', figure: 'p95', limit: { ms: 1000 } },
    ],
    ['execute:x:y z.p50=1ms', { operation: 'execute', function: 'x:y z', figure: 'p50', limit: { ms: 1 } }],
    [
      'execute:a.p99.p99.9=1s',
      { operation: 'execute', function: 'a.p99', figure: 'p99.9', limit: { ms: 1000 } },
    ],
  ])('%s', (line, expected) => {
    expect(parseBudget(line)).toEqual(expected);
  });

  test.each([
    ['health.p95', 'is not a budget', 'OPERATION.PERCENTILE=LIMIT'],
    ['health=300ms', 'is not a budget', 'health.p95=300ms'],
    ['helth.p95=1s', '"helth" is not an operation with a budget', 'execute:NAME'],
    ['execute:.p95=1s', '"execute:" is not an operation', 'execute:NAME'],
    ['health.p96=1s', '"p96" is not a percentile', 'p99.9, max'],
    ['health.p95=300', '"300" is not a limit', '300ms'],
    ['health.p95=', '"" is not a limit', '300ms'],
    ['health.p95=0ms', '"0ms" is not a limit', '300ms'],
    ['health.p95=-1s', '"-1s" is not a limit', '300ms'],
    ['health.p95=11m', '"11m" is not a limit', '2s'],
    ['health.p95=601s', 'longer than ten minutes', '2s'],
    ['health.p95=2x', 'compares /health with itself', '300ms'],
  ])('%s is refused with a remedy', (line, problem, remedy) => {
    expect(parseBudget(line)).toEqual({
      problem: expect.stringContaining(problem),
      remedy: expect.stringContaining(remedy),
    });
  });
});

describe('the budgets that apply', () => {
  const inBrief = (given: readonly string[], operation: Budget['operation'], name: string | null = null) =>
    budgetsFor(given.map(budget), operation, name).map(
      ({ figure, limit, isDefault }) =>
        `${figure} ${'ms' in limit ? `${limit.ms} ms` : `${limit.timesHealth}x`}${isDefault ? ' by default' : ''}`,
    );

  test('are the defaults if none are given', () => {
    expect(inBrief([], 'health')).toEqual([
      'p50 500 ms by default',
      'p95 1000 ms by default',
      'p99 2000 ms by default',
    ]);
    expect(inBrief([], 'execute', 'add')).toEqual([
      'p50 3000 ms by default',
      'p95 6000 ms by default',
      'p99 9000 ms by default',
    ]);
  });

  test('replace only the default of the same operation and percentile', () => {
    expect(inBrief(['health.p95=50ms', 'capabilities.p50=1ms', 'health.max=3s'], 'health')).toEqual([
      'p50 500 ms by default',
      'p95 50 ms',
      'p99 2000 ms by default',
      'max 3000 ms',
    ]);
  });

  test('prefer one for a function to one for all functions, in any order', () => {
    for (const given of [
      ['execute:add.p50=5x', 'execute.p50=1s'],
      ['execute.p50=1s', 'execute:add.p50=5x'],
    ]) {
      expect(inBrief(given, 'execute', 'add')[0]).toBe('p50 5x');
      expect(inBrief(given, 'execute', 'toString')[0]).toBe('p50 1000 ms');
    }
  });

  test('use the later of two for the same figure', () => {
    const kept = withoutOverridden(['health.p50=1s', 'execute:a.p50=1s', 'health.p50=2s'].map(budget));
    expect(kept).toEqual([budget('health.p50=2s'), budget('execute:a.p50=1s')]);
  });
});
