import { describe, expect, test } from 'vitest';
import { encodeHistogram } from '../../src/latency/encoded-histogram.ts';
import { medianOf } from '../../src/latency/pooled-median.ts';
import { measurement } from '../checks/example.ts';
import { histogramOf } from './histogram-of.ts';

function measured(durationsMs: readonly number[]) {
  const histogram = histogramOf(durationsMs.map((ms) => ms * 1000));
  return measurement({ count: durationsMs.length, histogram: encodeHistogram(histogram) });
}

const times = (ms: number, count: number): readonly number[] => Array.from({ length: count }, () => ms);

describe('the pooled median of several measurements', () => {
  test('is the median of all calls, not of the medians', () => {
    const median = medianOf([measured(times(1, 10)), measured(times(2, 10)), measured(times(1.5, 100))]);
    expect(median?.valueMs).toBeCloseTo(1.5, 2);
    expect(median?.intervalMs[0]).toBeCloseTo(1.5, 2);
    expect(median?.intervalMs[1]).toBeCloseTo(1.5, 2);
  });

  test('has a confidence interval', () => {
    const median = medianOf([measured(times(1, 40)), measured(times(9, 36))]);
    expect(median?.valueMs).toBeCloseTo(1, 2);
    expect(median?.intervalMs[1]).toBeCloseTo(9, 1);
  });

  test('of one measurement is its median, and without measurements is null', () => {
    expect(medianOf([measurement()])).toEqual({ percentile: 'p50', valueMs: 10, intervalMs: [9, 11] });
    expect(medianOf([])).toBeNull();
  });

  test('is null for too few calls, and for an invalid histogram', () => {
    expect(medianOf([measured([1, 2]), measured([1, 2, 3])])).toBeNull();
    expect(medianOf([measured([1, 2, 3]), measured([1, 2, 3])])).not.toBeNull();
    expect(medianOf([measured(times(1, 9)), measurement({ histogram: 'nonsense' })])).toBeNull();
  });
});
