import { createHistogram, type Histogram, recordLatency } from '../../src/latency/histogram.ts';

export function histogramOf(latenciesUs: readonly number[]): Histogram {
  const histogram = createHistogram();
  for (const us of latenciesUs) recordLatency(histogram, us);
  return histogram;
}
