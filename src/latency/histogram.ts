import type { JsHistogram } from 'hdr-histogram-js/dist/JsHistogram.js';
import { constructorFromBucketSize } from 'hdr-histogram-js/dist/JsHistogramFactory.js';
import { intervalRanks } from './percentiles.ts';

/** HdrHistogram's counts of latencies in whole microseconds. */
export type Histogram = JsHistogram;

export const SIGNIFICANT_DIGITS = 3;
export const HIGHEST_US = 3_600_000_000;

// Not from the library's index: that brings WebAssembly, a second deflate and an `eval`.
const Float64Histogram = constructorFromBucketSize(64);

export function createHistogram(): Histogram {
  const histogram = new Float64Histogram(1, 2, SIGNIFICANT_DIGITS);
  histogram.autoResize = true;
  return histogram;
}

/** Counts values above the highest as the highest. Throws if the value is negative or not finite. */
export function recordLatency(histogram: Histogram, us: number): void {
  if (!(us >= 0 && us <= Number.MAX_VALUE))
    throw new RangeError(`A latency is at least 0 µs and finite, not ${us}.`);
  histogram.recordValue(us < HIGHEST_US ? Math.round(us) : HIGHEST_US);
}

/** The non-empty buckets, in ascending order, each with its highest value. */
export function* bucketsOf(histogram: Histogram): Iterable<readonly [highestUs: number, count: number]> {
  for (let index = 0; index < histogram.countsArrayLength; index += 1) {
    const count = histogram.getCountAtIndex(index);
    if (count > 0) yield [histogram.highestEquivalentValue(histogram.valueFromIndex(index)), count];
  }
}

/** The highest value of the bucket with the sample of this rank (from 1); 0 without samples. */
export function valueAtRankUs(histogram: Histogram, rank: number): number {
  // The library rounds the percentile up to a rank. The middle between two ranks is safe from rounding errors.
  return histogram.getValueAtPercentile((100 * (rank - 0.5)) / histogram.totalCount);
}

/** The 95 % interval of a quantile by its ranks, widened by the rounding of samples to microseconds. */
export function rangeOfQuantileUs(
  histogram: Histogram,
  quantile: number,
): readonly [lowUs: number, highUs: number] {
  const [lowRank, highRank] = intervalRanks(histogram.totalCount, quantile);
  const lowestUs = histogram.lowestEquivalentValue(valueAtRankUs(histogram, lowRank));
  return [Math.max(0, lowestUs - 0.5), valueAtRankUs(histogram, highRank) + 0.5];
}
