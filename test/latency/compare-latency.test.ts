import { describe, expect, test } from 'vitest';
import { compareRuns, permutationPValue, type RunFigures } from '../../src/latency/compare-latency.ts';
import { seededNormals } from './seeded-numbers.ts';

describe('the permutation test', () => {
  test('of known values', () => {
    expect(permutationPValue([1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12])).toBeCloseTo(2 / 924, 12);
    expect(permutationPValue([1, 2], [3, 4])).toBeCloseTo(2 / 6, 12);
    expect(permutationPValue([1, 4], [2, 3])).toBe(1);
    expect(permutationPValue([0.1, 0.1, 0.1], [0.1, 0.1, 0.1])).toBe(1);
  });

  test('with groups of different sizes is two-sided', () => {
    expect(permutationPValue([1], [2, 3, 4, 5])).toBeCloseTo(2 / 5, 12);
    expect(permutationPValue([10], [0, 0, 0, 0])).toBeCloseTo(1 / 5, 12);
  });

  test('uses random splits if there are too many, with a repeatable result near the exact one', () => {
    const others = Array.from({ length: 250 }, (_, index) => index);
    const pair = [235.5, 240.5];
    const pooled = [...pair, ...others];
    const share = (2 * pooled.reduce((sum, value) => sum + value, 0)) / pooled.length;
    const sums = pooled.flatMap((left, at) => pooled.slice(at + 1).map((right) => left + right));
    const exact = sums.filter((sum) => Math.abs(sum - share) >= 476 - share).length / sums.length;
    expect(sums.length).toBeGreaterThan(20_000);
    expect(Math.abs(permutationPValue(pair, others) - exact)).toBeLessThan(0.001);
    expect(permutationPValue(pair, others)).toBe(permutationPValue(pair, others));
  });

  test('with random splits is never 0', () => {
    const low = Array.from({ length: 15 }, (_, index) => index);
    const high = low.map((value) => value + 1000);
    expect(permutationPValue(low, high)).toBeCloseTo(1 / 20_001, 9);
  });

  test('has a false positive rate of at most alpha', () => {
    const normals = seededNormals(42);
    const rounds = 1500;
    let found = 0;
    for (let round = 0; round < rounds; round += 1) {
      const values = Array.from({ length: 12 }, normals);
      if (permutationPValue(values.slice(0, 6), values.slice(6)) <= 0.05) found += 1;
    }
    expect(found / rounds).toBeLessThan(0.065);
    expect(found / rounds).toBeGreaterThan(0.035);
  });
});

/** Runs around a level with random deviations, larger in the tail than in the median. */
function runs(normals: () => number, count: number, levelMs: number, noise: number): readonly RunFigures[] {
  return Array.from({ length: count }, () => {
    const p50Ms = levelMs * Math.exp(noise * normals());
    return { p50Ms, p99Ms: 3 * p50Ms * Math.exp(noise * normals()), meanMs: 1.2 * p50Ms };
  });
}

describe('runs', () => {
  const steady = (p50Ms: number, count = 6): readonly RunFigures[] =>
    Array.from({ length: count }, (_, index) => ({ p50Ms: p50Ms * (1 + index / 1000), meanMs: p50Ms }));

  test.each([0.02, 0.04])('of the same server, with noise of %f, show no difference', (noise) => {
    const normals = seededNormals(51);
    const claims = Array.from({ length: 1000 }, () =>
      compareRuns(runs(normals, 6, 10, noise), runs(normals, 6, 10, noise)),
    ).filter(({ outcome }) => outcome !== 'no-difference-shown');
    expect(claims.length).toBeLessThanOrEqual(10);
  });

  test('of the same server with much noise, beyond the minimum effect, show no difference', () => {
    const normals = seededNormals(52);
    const claims = Array.from({ length: 1000 }, () =>
      compareRuns(runs(normals, 6, 10, 0.3), runs(normals, 6, 10, 0.3)),
    ).filter(({ outcome }) => outcome !== 'no-difference-shown');
    expect(claims.length).toBeLessThanOrEqual(15);
    expect(claims.length).toBeGreaterThan(0);
  });

  test.each<[number, string]>([
    [1.1, 'worse'],
    [1 / 1.1, 'better'],
  ])('of a server that takes %f times as long show a difference', (factor, outcome) => {
    const normals = seededNormals(53);
    const found = Array.from({ length: 500 }, () =>
      compareRuns(runs(normals, 6, 10, 0.02), runs(normals, 6, 10 * factor, 0.02)),
    ).filter((comparison) => comparison.outcome === outcome);
    expect(found.length / 500).toBeGreaterThanOrEqual(0.95);
  });

  test('have an interval that contains the true ratio in about 95 of 100', () => {
    const normals = seededNormals(54);
    const held = Array.from({ length: 1000 }, () =>
      compareRuns(runs(normals, 6, 10, 0.04), runs(normals, 8, 10.7, 0.02)),
    ).filter(({ p50: { intervalRatio } }) => {
      const [low, high] = intervalRatio ?? [2, 0];
      return low <= 1.07 && 1.07 <= high;
    });
    expect(held.length / 1000).toBeGreaterThan(0.93);
    expect(held.length / 1000).toBeLessThan(0.98);
  });

  test('show no difference if a side has fewer than six', () => {
    const { outcome, p50: figure, p99 } = compareRuns(steady(10, 5), steady(20, 6));
    expect(outcome).toBe('no-difference-shown');
    expect(figure).toMatchObject({ because: 'each side needs 6 runs, and one has 5' });
    expect(figure.ratio).toBeCloseTo(2, 2);
    expect(p99).toBeNull();
  });

  test('show no difference below the minimum effect', () => {
    expect(compareRuns(steady(10), steady(10.4)).p50).toMatchObject({
      outcome: 'no-difference-shown',
      because: 'the difference is below the relevant minimum (5 % and 0.1 ms)',
    });
    expect(compareRuns(steady(0.1), steady(0.19)).outcome).toBe('no-difference-shown');
    expect(compareRuns(steady(10), steady(10.6)).outcome).toBe('worse');
  });

  test('show no difference if they overlap', () => {
    const scattered = steady(10).map((run, index) => ({ ...run, p50Ms: index === 0 ? 30 : run.p50Ms }));
    expect(compareRuns(scattered, steady(11)).p50).toMatchObject({
      outcome: 'no-difference-shown',
      because: expect.stringContaining('within the variation between runs'),
    });
  });

  test('are worse with a loss in the tail and a gain in the median', () => {
    const withTail = (p50Ms: number, p99Ms: number) =>
      steady(p50Ms).map((run, index) => ({ ...run, p99Ms: p99Ms * (1 + index / 1000) }));
    const comparison = compareRuns(withTail(10, 50), withTail(8, 90));
    expect(comparison.p50.outcome).toBe('better');
    expect(comparison.p99?.outcome).toBe('worse');
    expect(comparison.outcome).toBe('worse');
  });

  test('cannot be compared if they are empty or have figures of 0', () => {
    const nothing = { ratio: null, pValue: null, intervalRatio: null, outcome: 'no-difference-shown' };
    expect(compareRuns([], []).p50).toMatchObject(nothing);
    expect(compareRuns(steady(0), steady(10)).p50).toMatchObject(nothing);
  });
});
