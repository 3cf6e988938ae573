import type { PercentileMs } from '../model/load.ts';
import type { Measurement } from '../model/measurement.ts';
import { decodeHistogram } from './encoded-histogram.ts';
import { createHistogram, rangeOfQuantileUs } from './histogram.ts';
import { MIN_SAMPLES, QUANTILE } from './percentiles.ts';

/** The median of all timed calls of several measurements; null if there are too few. Pure. */
export function medianOf(measurements: readonly Measurement[]): PercentileMs | null {
  const [first, ...others] = measurements;
  if (first === undefined) return null;
  if (others.length === 0) {
    const { p50Ms, intervals } = first;
    if (p50Ms === undefined || intervals.p50 === undefined) return null;
    return { percentile: 'p50', valueMs: p50Ms, intervalMs: intervals.p50 };
  }
  const merged = createHistogram();
  for (const { histogram } of measurements) {
    const decoded = histogram === null ? createHistogram() : decodeHistogram(histogram);
    if (decoded === null) return null;
    merged.add(decoded);
  }
  if (merged.totalCount < MIN_SAMPLES.p50) return null;
  const [lowUs, highUs] = rangeOfQuantileUs(merged, QUANTILE.p50);
  return {
    percentile: 'p50',
    valueMs: merged.getValueAtPercentile(50) / 1000,
    intervalMs: [Math.floor(lowUs) / 1000, Math.ceil(highUs) / 1000],
  };
}
