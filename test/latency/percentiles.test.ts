import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimatePercentiles, intervalRanks, MIN_SAMPLES, QUANTILE } from '../../src/latency/percentiles.ts';
import { PERCENTILES, type Percentile } from '../../src/model/load.ts';
import { seededNumbers } from './seeded-numbers.ts';

/** The simplest estimate: the smallest sample with at least that share at or below it. */
function nearestRank(sorted: readonly number[], quantile: number): number {
  const found = sorted.find((_, index) => (index + 1) / sorted.length >= quantile - 1e-12);
  return found ?? Number.NaN;
}

/** The same ranks by summing the whole distribution from 0, which is too slow for many samples. */
function plainRanks(count: number, quantile: number): readonly [low: number, high: number] {
  let cumulative = 0;
  let low = 0;
  let high = count;
  let logTerm = count * Math.log(1 - quantile);
  for (let below = 0; below <= count; below += 1) {
    cumulative += Math.exp(logTerm);
    if (cumulative <= 0.0251) low = below + 1;
    if (cumulative >= 1 - 0.0251) {
      high = below + 1;
      break;
    }
    logTerm += Math.log(quantile / (1 - quantile)) + Math.log(count - below) - Math.log(below + 1);
  }
  return [Math.max(low, 1), Math.min(high, count)];
}

const ascending = (values: readonly number[]): readonly number[] =>
  values.toSorted((left, right) => left - right);
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('the minimum number of samples', () => {
  test('of each percentile', () => {
    expect(MIN_SAMPLES).toEqual({ p50: 6, p90: 35, p95: 72, p99: 367, 'p99.9': 3687 });
  });

  test.each(PERCENTILES)('is required for %s', (percentile) => {
    const minSamples = MIN_SAMPLES[percentile];
    const given = (count: number): boolean =>
      estimatePercentiles(upTo(count)).some((estimate) => estimate.percentile === percentile);
    expect(given(minSamples - 1)).toBe(false);
    expect(given(minSamples)).toBe(true);
  });

  test('is where the interval starts to end inside the samples', () => {
    for (const percentile of PERCENTILES) {
      const [, enough] = intervalRanks(MIN_SAMPLES[percentile], QUANTILE[percentile]);
      expect(enough).toBe(MIN_SAMPLES[percentile]);
      const below = MIN_SAMPLES[percentile] - 1;
      expect(1 - QUANTILE[percentile] ** below, percentile).toBeLessThan(0.975);
    }
  });

  test('is at least one', () => {
    expect(estimatePercentiles([])).toEqual([]);
    expect(estimatePercentiles([1, 2, 3, 4, 5])).toEqual([]);
  });
});

describe('estimates', () => {
  test('of a hundred', () => {
    expect(estimatePercentiles(upTo(100))).toEqual([
      { percentile: 'p50', value: 50, interval: [40, 61] },
      { percentile: 'p90', value: 90, interval: [84, 96] },
      { percentile: 'p95', value: 95, interval: [90, 100] },
    ]);
  });

  test('of one repeated value', () => {
    for (const { value, interval } of estimatePercentiles(Array.from({ length: 4000 }, () => 7))) {
      expect([value, ...interval]).toEqual([7, 7, 7]);
    }
  });

  test('use the nearest rank', () => {
    const numbers = seededNumbers(1);
    for (const count of [6, 7, 10, 35, 72, 99, 100, 101, 140, 180, 367, 1000, 3687, 4000, 5000]) {
      const sorted = ascending(Array.from({ length: count }, () => Math.round(numbers() * 1000)));
      for (const { percentile, value } of estimatePercentiles(sorted)) {
        expect(value, `${percentile} of ${count}`).toBe(nearestRank(sorted, QUANTILE[percentile]));
      }
    }
  });

  test('are in their intervals, which are within the samples', () => {
    const samples = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(samples, (values) => {
        const sorted = ascending(values);
        for (const { value, interval } of estimatePercentiles(sorted)) {
          const [low, high] = interval;
          expect(low).toBeLessThanOrEqual(value);
          expect(value).toBeLessThanOrEqual(high);
          for (const one of [low, value, high]) expect(sorted).toContain(one);
          expect(low).toBeGreaterThanOrEqual(sorted[0] ?? Number.NaN);
          expect(high).toBeLessThanOrEqual(sorted.at(-1) ?? Number.NaN);
        }
      }),
    );
  });

  test('increase with the percentile, as do the ends of the intervals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 6, max: 6000 }), (count) => {
        const estimates = estimatePercentiles(upTo(count));
        for (const [index, { value, interval }] of estimates.entries()) {
          const next = estimates[index + 1];
          if (next === undefined) continue;
          expect(next.value).toBeGreaterThanOrEqual(value);
          expect(next.interval[0]).toBeGreaterThanOrEqual(interval[0]);
          expect(next.interval[1]).toBeGreaterThanOrEqual(interval[1]);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('the ranks of an interval', () => {
  test('of the median are the known ones', () => {
    expect(intervalRanks(6, 0.5)).toEqual([1, 6]);
    expect(intervalRanks(10, 0.5)).toEqual([2, 9]);
    expect(intervalRanks(20, 0.5)).toEqual([6, 15]);
    expect(intervalRanks(100, 0.5)).toEqual([40, 61]);
  });

  test('enclose the rank of the quantile for any number of samples', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200_000 }),
        fc.constantFrom(0.5, 0.9, 0.95, 0.99, 0.999),
        (count, quantile) => {
          const [low, high] = intervalRanks(count, quantile);
          const rank = Math.max(1, Math.ceil(quantile * count - 1e-9));
          expect(low).toBeGreaterThanOrEqual(1);
          expect(low).toBeLessThanOrEqual(rank);
          expect(high).toBeGreaterThanOrEqual(rank);
          expect(high).toBeLessThanOrEqual(count);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('are the same as with a sum over all counts', () => {
    for (let count = 0; count < 1200; count += 7) {
      for (const percentile of PERCENTILES) {
        expect(intervalRanks(count, QUANTILE[percentile])).toEqual(plainRanks(count, QUANTILE[percentile]));
      }
    }
    for (const count of [20_000, 123_456, 1_000_000]) {
      expect(intervalRanks(count, 0.5)).toEqual(plainRanks(count, 0.5));
      expect(intervalRanks(count, 0.999)).toEqual(plainRanks(count, 0.999));
    }
  });

  test.each([1e6, 1e7, 1e9])('of %i samples are those of the normal distribution', (count) => {
    for (const percentile of PERCENTILES) {
      const quantile = QUANTILE[percentile];
      const [low, high] = intervalRanks(count, quantile);
      const reach = 1.9584 * Math.sqrt(count * quantile * (1 - quantile));
      expect(Math.abs(low - (count * quantile - reach))).toBeLessThan(5);
      expect(Math.abs(high - (count * quantile + reach))).toBeLessThan(5);
    }
  });

  test('are symmetric for the median', () => {
    for (let count = 6; count < 300; count += 1) {
      const [low, high] = intervalRanks(count, 0.5);
      expect(low + high).toBe(count + 1);
    }
  });

  test('get narrower with more samples', () => {
    const width = (count: number): number => {
      const [low, high] = intervalRanks(count, 0.9);
      return (high - low) / count;
    };
    expect(width(10_000)).toBeLessThan(width(1000));
    expect(width(1000)).toBeLessThan(width(100));
  });

  test.each<[Percentile, number]>([
    ['p50', 6],
    ['p50', 40],
    ['p90', 35],
    ['p90', 120],
    ['p95', 72],
    ['p99', 367],
    ['p99', 1000],
    ['p99.9', 3687],
  ])('of %s contain the true quantile in at least 93 of 100 samples of %i', (percentile, count) => {
    const rounds = count > 1000 ? 1500 : 3000;
    const quantile = QUANTILE[percentile];
    const [low, high] = intervalRanks(count, quantile);
    const numbers = seededNumbers(20_260_131 + count);
    let held = 0;
    for (let round = 0; round < rounds; round += 1) {
      // For uniform samples from 0 to 1, the true quantile is the quantile itself, so only the number below it matters.
      let below = 0;
      for (let sample = 0; sample < count; sample += 1) if (numbers() < quantile) below += 1;
      if (low <= below && below < high) held += 1;
    }
    expect(held / rounds).toBeGreaterThanOrEqual(0.93);
  });

  test('contain it for skewed samples too', () => {
    const numbers = seededNumbers(99);
    const rounds = 1500;
    let held = 0;
    for (let round = 0; round < rounds; round += 1) {
      const sorted = ascending(Array.from({ length: 100 }, () => -10 * Math.log(1 - numbers())));
      const [, p90] = estimatePercentiles(sorted);
      const truth = -10 * Math.log(1 - 0.9);
      if (p90 !== undefined && p90.interval[0] <= truth && truth <= p90.interval[1]) held += 1;
    }
    expect(held / rounds).toBeGreaterThanOrEqual(0.93);
    expect(held / rounds).toBeLessThan(1);
  });
});
