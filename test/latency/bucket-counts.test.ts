import fc from 'fast-check';
import { build } from 'hdr-histogram-js';
import { describe, expect, test } from 'vitest';
import {
  BUCKET_COUNT,
  type BucketCounts,
  bucketIndexOf,
  createBucketCounts,
  HIGHEST_US,
  highestOfBucketUs,
  lowestOfBucketUs,
  possibleRangeUs,
} from '../../src/latency/bucket-counts.ts';
import { seededNumbers } from './seeded-numbers.ts';

const PERCENTS = [0, 0.1, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100];

/** Latencies of every size: a plain double would hardly ever be a short one. */
const latencyUs = fc.oneof(
  fc.integer({ min: 0, max: 5000 }),
  fc.double({ min: 0, max: 4000, noNaN: true }),
  fc.double({ min: 0, max: 22, noNaN: true }).map((power) => Math.min(Math.exp(power), HIGHEST_US)),
);
const latenciesUs = fc.array(latencyUs, { minLength: 1, maxLength: 400 });

function countsOf(valuesUs: readonly number[]): BucketCounts {
  const counts = createBucketCounts();
  for (const us of valuesUs) counts.record(us);
  return counts;
}

function bucketsOf(counts: BucketCounts): readonly (readonly [number, number])[] {
  const buckets: [number, number][] = [];
  counts.forEachBucket((index, count) => buckets.push([index, count]));
  return buckets;
}

const totalsOf = ({ count, minUs, maxUs, meanUs }: BucketCounts) => ({ count, minUs, maxUs, meanUs });

describe('the buckets', () => {
  test('cover every microsecond once, in order', () => {
    expect(lowestOfBucketUs(0)).toBe(0);
    for (let index = 0; index < BUCKET_COUNT; index += 1) {
      expect(highestOfBucketUs(index) + 1).toBe(lowestOfBucketUs(index + 1));
    }
  });

  test('hold their own bounds', () => {
    for (let index = 0; index <= bucketIndexOf(HIGHEST_US); index += 1) {
      expect(bucketIndexOf(lowestOfBucketUs(index))).toBe(index);
      expect(bucketIndexOf(highestOfBucketUs(index))).toBe(index);
    }
  });

  test('are no wider than a thousandth, or a microsecond', () => {
    for (let index = 0; index < BUCKET_COUNT; index += 1) {
      const low = lowestOfBucketUs(index);
      expect(highestOfBucketUs(index) - low).toBeLessThanOrEqual(low / 1000);
    }
  });

  test('tell what a sample can have been', () => {
    expect(possibleRangeUs(0)).toEqual([0, 0.5]);
    expect(possibleRangeUs(7)).toEqual([6.5, 7.5]);
    expect(possibleRangeUs(4097)).toEqual([4095.5, 4099.5]);
    fc.assert(
      fc.property(latencyUs, (us) => {
        const [low, high] = possibleRangeUs(countsOf([us]).valueAtRankUs(1));
        expect(low).toBeLessThanOrEqual(us);
        expect(high).toBeGreaterThanOrEqual(us);
      }),
    );
  });
});

describe('percentiles', () => {
  test('are those of HdrHistogram', () => {
    fc.assert(
      fc.property(latenciesUs, (valuesUs) => {
        const theirs = build({ highestTrackableValue: HIGHEST_US, autoResize: false, bitBucketSize: 64 });
        for (const us of valuesUs) theirs.recordValue(Math.floor(us + 0.5));
        const ours = countsOf(valuesUs);
        expect(ours.count).toBe(theirs.totalCount);
        for (const percent of PERCENTS) {
          expect(ours.valueAtPercentileUs(percent), `p${percent}`).toBe(theirs.getValueAtPercentile(percent));
        }
      }),
    );
  });

  test('of many samples too', () => {
    const numbers = seededNumbers(5);
    const valuesUs = Array.from({ length: 30_000 }, () => Math.exp(numbers() * 12));
    const theirs = build({ highestTrackableValue: HIGHEST_US, autoResize: false });
    for (const us of valuesUs) theirs.recordValue(Math.round(us));
    const ours = countsOf(valuesUs);
    for (let percent = 0; percent <= 100; percent += 0.1) {
      expect(ours.valueAtPercentileUs(percent)).toBe(theirs.getValueAtPercentile(percent));
    }
  });

  test('are those of the sorted samples, but for the width of a bucket', () => {
    fc.assert(
      fc.property(latenciesUs, fc.constantFrom(50, 90, 95, 99, 99.9), (valuesUs, percent) => {
        const sorted = valuesUs.toSorted((left, right) => left - right);
        const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length - 1e-9));
        const exact = sorted[rank - 1] ?? Number.NaN;
        const counts = countsOf(valuesUs);
        expect(counts.valueAtPercentileUs(percent)).toBe(counts.valueAtRankUs(rank));
        expect(Math.abs(counts.valueAtRankUs(rank) - exact)).toBeLessThanOrEqual(Math.max(1, exact / 1000));
      }),
    );
  });

  test('of nothing are 0, and there is no least, mean or greatest', () => {
    const counts = createBucketCounts();
    expect(PERCENTS.map(counts.valueAtPercentileUs)).toEqual(PERCENTS.map(() => 0));
    expect(totalsOf(counts)).toEqual({ count: 0, minUs: null, maxUs: null, meanUs: null });
  });
});

describe('what is kept exactly', () => {
  test('least, greatest and mean', () => {
    const counts = countsOf([1000.25, 3.5, 70_000.125]);
    expect(totalsOf(counts)).toEqual({ count: 3, minUs: 3.5, maxUs: 70_000.125, meanUs: 71_003.875 / 3 });
  });

  test('those of a value beyond the highest, which is counted at the top', () => {
    const counts = countsOf([9e9, 1e300]);
    expect(bucketsOf(counts)).toEqual([[bucketIndexOf(HIGHEST_US), 2]]);
    expect(counts.minUs).toBe(9e9);
  });

  test.each([-0.001, -5, Number.NaN, Number.POSITIVE_INFINITY])(
    '%d is refused, and changes nothing',
    (us) => {
      const counts = countsOf([1]);
      expect(() => counts.record(us)).toThrow('A latency is at least 0 µs');
      expect(totalsOf(counts)).toEqual(totalsOf(countsOf([1])));
    },
  );
});

describe('parts and wholes', () => {
  test('samples added up are the samples recorded together', () => {
    fc.assert(
      fc.property(latenciesUs, latenciesUs, fc.boolean(), (first, second, sparsely) => {
        const sum = countsOf(first);
        const other = countsOf(second);
        if (sparsely) sum.addSparse(other.drain());
        else sum.add(other);
        const together = countsOf([...first, ...second]);
        expect(bucketsOf(sum)).toEqual(bucketsOf(together));
        expect({ ...totalsOf(sum), meanUs: 0 }).toEqual({ ...totalsOf(together), meanUs: 0 });
        expect(sum.meanUs).toBeCloseTo(together.meanUs ?? Number.NaN, 3);
      }),
    );
  });

  test.each<['reset' | 'drain']>([['reset'], ['drain']])('after a %s there is nothing of before', (how) => {
    fc.assert(
      fc.property(latenciesUs, latenciesUs, (before, after) => {
        const counts = countsOf(before);
        counts[how]();
        expect(bucketsOf(counts)).toEqual([]);
        for (const us of after) counts.record(us);
        expect(bucketsOf(counts)).toEqual(bucketsOf(countsOf(after)));
        expect(totalsOf(counts)).toEqual(totalsOf(countsOf(after)));
      }),
    );
  });

  test('nothing added is nothing changed, and a histogram can be added to itself', () => {
    const counts = countsOf([5, 5000]);
    counts.add(createBucketCounts());
    counts.addSparse(createBucketCounts().drain());
    expect(totalsOf(counts)).toEqual(totalsOf(countsOf([5, 5000])));
    counts.add(counts);
    expect(bucketsOf(counts)).toEqual(bucketsOf(countsOf([5, 5, 5000, 5000])));
  });
});
