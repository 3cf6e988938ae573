import { PERCENTILES, type Percentile } from '../model/suite.ts';

const QUANTILE: Readonly<Record<Percentile, number>> = {
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

/**
 * The fewest samples that carry a percentile: below it, the largest sample is still inside the 95 % interval, so the
 * interval has no upper end.
 */
export const MIN_SAMPLES: Readonly<Record<Percentile, number>> = Object.fromEntries(
  PERCENTILES.map((percentile) => [
    percentile,
    Math.ceil(Math.log(0.025) / Math.log(QUANTILE[percentile]) - COUNT_SLACK),
  ]),
) as Record<Percentile, number>;

export interface PercentileEstimate {
  readonly percentile: Percentile;
  readonly value: number;
  /** 95 % confidence interval by order statistics; assumes nothing of the distribution. */
  readonly interval: readonly [low: number, high: number];
}

/** Those percentiles that the samples can carry. Expects the samples in ascending order. */
export function estimatePercentiles(sorted: readonly number[]): readonly PercentileEstimate[] {
  return PERCENTILES.filter((percentile) => sorted.length >= MIN_SAMPLES[percentile]).map((percentile) => {
    const quantile = QUANTILE[percentile];
    const rank = Math.ceil(quantile * sorted.length);
    const [low, high] = intervalRanks(sorted.length, quantile);
    const at = (position: number): number =>
      sorted[Math.min(Math.max(position, 1), sorted.length) - 1] ?? Number.NaN;
    return { percentile, value: at(rank), interval: [at(low), at(high)] };
  });
}

/**
 * Ranks (from 1) of the order statistics that enclose a quantile: the number of samples below it is binomial, so the
 * interval runs between that distribution's tails.
 */
export function intervalRanks(count: number, quantile: number): readonly [low: number, high: number] {
  let cumulative = 0;
  let low = 0;
  let high = count;
  let logTerm = count * Math.log(1 - quantile);
  const logOdds = Math.log(quantile) - Math.log(1 - quantile);
  for (let below = 0; below <= count; below += 1) {
    cumulative += Math.exp(logTerm);
    if (cumulative <= TAIL) low = below + 1;
    if (cumulative >= 1 - TAIL) {
      high = below + 1;
      break;
    }
    logTerm += logOdds + Math.log(count - below) - Math.log(below + 1);
  }
  return [Math.max(low, 1), Math.min(high, count)];
}
