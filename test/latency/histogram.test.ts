import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bucketsOf,
  createHistogram,
  HIGHEST_US,
  rangeOfQuantileUs,
  recordLatency,
  valueAtRankUs,
} from '../../src/latency/histogram.ts';
import { histogramOf } from './histogram-of.ts';
import { seededNumbers } from './seeded-numbers.ts';

const PERCENTS = [0.1, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100];

/** Latencies of every order of magnitude: a plain double would rarely be short. */
const latencyUs = fc.oneof(
  fc.integer({ min: 0, max: 5000 }),
  fc.double({ min: 0, max: 4000, noNaN: true }),
  fc.double({ min: 0, max: 22, noNaN: true }).map((power) => Math.min(Math.exp(power), HIGHEST_US)),
);
const latenciesUs = fc.array(latencyUs, { minLength: 1, maxLength: 400 });

function lowestOfBucketUs(us: number): number {
  return createHistogram().lowestEquivalentValue(us);
}

/** The nearest rank. */
function rankOf(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent / 100) * count - 1e-9));
}

describe('the buckets', () => {
  test('contain each microsecond once, and are at most a thousandth or one microsecond wide', () => {
    for (let us = 0; us < HIGHEST_US; ) {
      const [[highestUs, count] = [Number.NaN, 0]] = bucketsOf(histogramOf([us]));
      expect(count).toBe(1);
      expect(highestUs - us).toBeGreaterThanOrEqual(0);
      expect(highestUs - us).toBeLessThanOrEqual(us / 1000);
      expect([...bucketsOf(histogramOf([us, highestUs, highestUs + 1]))]).toHaveLength(
        highestUs < HIGHEST_US ? 2 : 1,
      );
      // Every small bucket, and some of each larger size.
      const furtherUs = us < 5000 ? us + 1 : Math.ceil(us * 1.07);
      us = Math.max(highestUs + 1, lowestOfBucketUs(furtherUs));
    }
  });

  test('include the values of a sample before rounding', () => {
    expect(rangeOfQuantileUs(histogramOf([0]), 0.5)).toEqual([0, 0.5]);
    expect(rangeOfQuantileUs(histogramOf([7]), 0.5)).toEqual([6.5, 7.5]);
    expect(rangeOfQuantileUs(histogramOf([4097]), 0.5)).toEqual([4095.5, 4099.5]);
    fc.assert(
      fc.property(latencyUs, (us) => {
        const [low, high] = rangeOfQuantileUs(histogramOf([us]), 0.5);
        expect(low).toBeLessThanOrEqual(us);
        expect(high).toBeGreaterThanOrEqual(us);
      }),
    );
  });
});

describe('percentiles', () => {
  test('are those of the sorted samples, within the width of a bucket', () => {
    fc.assert(
      fc.property(latenciesUs, fc.constantFrom(...PERCENTS), (valuesUs, percent) => {
        const sorted = valuesUs.toSorted((left, right) => left - right);
        const rank = rankOf(percent, sorted.length);
        const exact = sorted[rank - 1] ?? Number.NaN;
        const histogram = histogramOf(valuesUs);
        expect(histogram.totalCount).toBe(valuesUs.length);
        expect(histogram.getValueAtPercentile(percent)).toBe(valueAtRankUs(histogram, rank));
        expect(Math.abs(valueAtRankUs(histogram, rank) - exact)).toBeLessThanOrEqual(
          Math.max(1, exact / 1000),
        );
      }),
    );
  });

  test('are correct for many samples at every rank', () => {
    const numbers = seededNumbers(5);
    const valuesUs = Array.from({ length: 30_000 }, () => Math.exp(numbers() * 12));
    const histogram = histogramOf(valuesUs);
    let rank = 0;
    for (const [highestUs, count] of bucketsOf(histogram)) {
      expect(valueAtRankUs(histogram, rank + 1)).toBe(highestUs);
      rank += count;
      expect(valueAtRankUs(histogram, rank)).toBe(highestUs);
    }
    expect(rank).toBe(valuesUs.length);
    for (let tenths = 1; tenths <= 1000; tenths += 1) {
      const percent = tenths / 10;
      expect(histogram.getValueAtPercentile(percent)).toBe(
        valueAtRankUs(histogram, rankOf(percent, valuesUs.length)),
      );
    }
  });

  test('without samples are 0', () => {
    const histogram = createHistogram();
    expect(PERCENTS.map((percent) => histogram.getValueAtPercentile(percent))).toEqual(PERCENTS.map(() => 0));
    expect(valueAtRankUs(histogram, 1)).toBe(0);
    expect([...bucketsOf(histogram)]).toEqual([]);
  });
});

describe('recording', () => {
  test('counts a value above the highest as the highest', () => {
    expect([...bucketsOf(histogramOf([9e9, 1e300]))]).toEqual([
      [histogramOf([]).highestEquivalentValue(HIGHEST_US), 2],
    ]);
  });

  test.each([-0.001, -5, Number.NaN, Number.POSITIVE_INFINITY])('%d is refused without a change', (us) => {
    const histogram = histogramOf([1]);
    expect(() => recordLatency(histogram, us)).toThrow('A latency is at least 0 µs');
    expect([...bucketsOf(histogram)]).toEqual([[1, 1]]);
    expect(histogram.totalCount).toBe(1);
  });

  test('after a reset starts empty', () => {
    fc.assert(
      fc.property(latenciesUs, latenciesUs, (before, after) => {
        const histogram = histogramOf(before);
        histogram.reset();
        expect([...bucketsOf(histogram)]).toEqual([]);
        for (const us of after) recordLatency(histogram, us);
        expect([...bucketsOf(histogram)]).toEqual([...bucketsOf(histogramOf(after))]);
        expect(histogram.totalCount).toBe(after.length);
      }),
    );
  });
});

test('in several histograms adds up to the histogram of all samples', () => {
  fc.assert(
    fc.property(latenciesUs, fc.oneof(latenciesUs, fc.constant([])), (first, second) => {
      const sum = histogramOf(first);
      sum.add(histogramOf(second));
      expect([...bucketsOf(sum)]).toEqual([...bucketsOf(histogramOf([...first, ...second]))]);
      expect(sum.totalCount).toBe(first.length + second.length);
    }),
  );
});
