import { PERCENTILES, type Percentile } from '../model/load.ts';

export const QUANTILE: Readonly<Record<Percentile, number>> = {
  p50: 0.5,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  'p99.9': 0.999,
};

/** One tail of a 95 % interval; the last digit lets p90, p99 and p99.9 be given from their usual floors on. */
const TAIL = 0.0251;
/** 35.01, 367.04 and 3687.04 samples are 35, 367 and 3687. */
const COUNT_SLACK = 0.05;
/** Relative to the weight of the mode: smaller weights cannot change a tail. */
const NEGLIGIBLE = 1e-18;

/**
 * The minimum number of samples for each percentile. With fewer, the largest sample is inside the 95 % interval, so the
 * interval has no upper end.
 */
export const MIN_SAMPLES: Readonly<Record<Percentile, number>> = Object.fromEntries(
  PERCENTILES.map((percentile) => [
    percentile,
    Math.ceil(Math.log(0.025) / Math.log(QUANTILE[percentile]) - COUNT_SLACK),
  ]),
) as Record<Percentile, number>;

/**
 * The percentiles with enough samples, each with its 95 % interval by order statistics, for any distribution. Expects
 * the samples in ascending order.
 */
export function estimatePercentiles(sorted: readonly number[]) {
  return PERCENTILES.filter((percentile) => sorted.length >= MIN_SAMPLES[percentile]).map((percentile) => {
    const quantile = QUANTILE[percentile];
    const rank = Math.ceil(quantile * sorted.length);
    const [low, high] = intervalRanks(sorted.length, quantile);
    const at = (position: number): number =>
      sorted[Math.min(Math.max(position, 1), sorted.length) - 1] ?? Number.NaN;
    return { percentile, value: at(rank), interval: [at(low), at(high)] as const };
  });
}

/**
 * Ranks (from 1) of the order statistics that enclose a quantile. The number of samples below it is binomial, so the
 * interval runs between that distribution's tails.
 *
 * The distribution is summed outwards from its mode, whose weight is taken as 1. This takes some tens of standard
 * deviations, which is fast even for millions of samples, and no relevant weight underflows.
 */
export function intervalRanks(count: number, quantile: number): readonly [low: number, high: number] {
  const odds = quantile / (1 - quantile);
  const mode = Math.min(count, Math.floor((count + 1) * quantile));
  const oneLess = (below: number): number => below / (count - below + 1) / odds;
  const oneMore = (below: number): number => ((count - below) / (below + 1)) * odds;

  let under = 0;
  for (let below = mode, weight = 1; below > 0 && weight > NEGLIGIBLE; below -= 1) {
    weight *= oneLess(below);
    under += weight;
  }
  let over = 0;
  for (let below = mode, weight = 1; below < count && weight > NEGLIGIBLE; below += 1) {
    weight *= oneMore(below);
    over += weight;
  }

  const tail = TAIL * (under + 1 + over);
  let low = mode;
  for (let weight = 1; low > 0 && under > tail; low -= 1) {
    weight *= oneLess(low);
    under -= weight;
  }
  let high = mode;
  for (let weight = 1; high < count && over > tail; high += 1) {
    weight *= oneMore(high);
    over -= weight;
  }
  return [Math.max(low, 1), Math.min(high + 1, count)];
}
