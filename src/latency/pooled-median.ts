import type { PercentileMs } from '../model/load.ts';
import type { Measurement } from '../model/report.ts';
import { possibleRangeUs } from './bucket-counts.ts';
import { mergeHistograms } from './encoded-histogram.ts';
import { intervalRanks, MIN_SAMPLES } from './percentiles.ts';

/** The median of all timed calls of several measurements together; null where there are too few. Pure. */
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
  if (merged === null || merged.count < MIN_SAMPLES.p50) return null;
  const [lowRank, highRank] = intervalRanks(merged.count, 0.5);
  const [lowUs] = possibleRangeUs(merged.valueAtRankUs(lowRank));
  const [, highUs] = possibleRangeUs(merged.valueAtRankUs(highRank));
  return {
    percentile: 'p50',
    valueMs: merged.valueAtRankUs(Math.ceil(merged.count / 2)) / 1000,
    intervalMs: [Math.floor(lowUs) / 1000, Math.ceil(highUs) / 1000],
  };
}

/** A saved report is a file like any other, and may hold what is no histogram. */
function mergedOf(histograms: readonly string[]): ReturnType<typeof mergeHistograms> | null {
  try {
    return mergeHistograms(histograms);
  } catch {
    return null;
  }
}
