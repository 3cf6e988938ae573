import type { PercentileMs } from '../model/load.ts';
import type { Measurement } from '../model/report.ts';
import { decodeHistogram } from './encoded-histogram.ts';
import { createHistogram, type Histogram, rangeOfQuantileUs } from './histogram.ts';
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
  const histograms = measurements.flatMap(({ histogram }) => (histogram === null ? [] : [histogram]));
  const merged = mergedOf(histograms);
  if (merged === null || merged.totalCount < MIN_SAMPLES.p50) return null;
  const [lowUs, highUs] = rangeOfQuantileUs(merged, QUANTILE.p50);
  return {
    percentile: 'p50',
    valueMs: merged.getValueAtPercentile(50) / 1000,
    intervalMs: [Math.floor(lowUs) / 1000, Math.ceil(highUs) / 1000],
  };
}

/** Null if a text is not a histogram, because users can edit a saved report. */
function mergedOf(histograms: readonly string[]): Histogram | null {
  const merged = createHistogram();
  try {
    for (const text of histograms) merged.add(decodeHistogram(text));
    return merged;
  } catch {
    return null;
  }
}
