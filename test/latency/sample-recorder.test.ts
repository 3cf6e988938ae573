import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blockOf, groupBlocks, mergeBlocks } from '../../src/latency/block-groups.ts';
import { decodeHistogram, encodeHistogram } from '../../src/latency/encoded-histogram.ts';
import { MIN_SAMPLES } from '../../src/latency/percentiles.ts';
import { SampleRecorder } from '../../src/latency/sample-recorder.ts';
import type { LatencySummary } from '../../src/model/load.ts';
import { PERCENTILES } from '../../src/model/load.ts';
import { histogramOf } from './histogram-of.ts';

/** One sample per millisecond. */
function summaryOf(latenciesUs: readonly number[], blockMs = 1000): LatencySummary {
  const recorder = new SampleRecorder(blockMs);
  for (const [atMs, us] of latenciesUs.entries()) recorder.record(us, atMs);
  const summary = recorder.summary();
  if (summary === null) throw new Error('nothing was recorded');
  return summary;
}

const repeated = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value);

const encoded = (latenciesUs: readonly number[]): string => encodeHistogram(histogramOf(latenciesUs));

describe('the summary', () => {
  test('of nothing is null', () => {
    expect(new SampleRecorder().summary()).toBeNull();
  });

  test('of one repeated value is that value', () => {
    expect(summaryOf(repeated(5000, 2500))).toEqual({
      count: 5000,
      minMs: 2.5,
      meanMs: 2.5,
      maxMs: 2.5,
      percentiles: PERCENTILES.map((percentile) => ({ percentile, valueMs: 2.5, intervalMs: [2.5, 2.5] })),
      histogram: encoded(repeated(5000, 2500)),
    });
  });

  test('has microsecond precision', () => {
    const latenciesUs = [1, 2, 3, 4, 5, 1234.56];
    const { minMs, meanMs, maxMs, percentiles } = summaryOf(latenciesUs);
    expect({ minMs, meanMs, maxMs }).toEqual({ minMs: 0.001, meanMs: 0.208, maxMs: 1.235 });
    expect(percentiles).toEqual([{ percentile: 'p50', valueMs: 0.003, intervalMs: [0.001, 1.235] }]);
  });

  test.each(PERCENTILES)('has %s only with enough samples', (percentile) => {
    const minSamples = MIN_SAMPLES[percentile];
    const names = (count: number) => summaryOf(repeated(count, 7)).percentiles.map((one) => one.percentile);
    expect(names(minSamples - 1)).not.toContain(percentile);
    expect(names(minSamples)).toContain(percentile);
  });

  test('includes all samples of finished and unfinished blocks', () => {
    const latencyUs = fc.double({ min: 0, max: 100_000, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(latencyUs, { minLength: 1, maxLength: 500 }),
        fc.integer({ min: 1, max: 600 }),
        (latenciesUs, blockMs) => {
          const summary = summaryOf(latenciesUs, blockMs);
          expect(summary.count).toBe(latenciesUs.length);
          expect(summary.minMs).toBe(Math.round(Math.min(...latenciesUs)) / 1000);
          expect(summary.maxMs).toBe(Math.round(Math.max(...latenciesUs)) / 1000);
          expect(summary.histogram).toBe(encoded(latenciesUs));
          expect(decodeHistogram(summary.histogram)?.totalCount).toBe(latenciesUs.length);
        },
      ),
    );
  });

  test('has no percentile outside its interval or above the largest sample', () => {
    const latencyUs = fc.oneof(fc.double({ min: 0, max: 300_000, noNaN: true }), fc.constant(4999.6));
    fc.assert(
      fc.property(fc.array(latencyUs, { minLength: 6, maxLength: 500 }), (latenciesUs) => {
        const { percentiles, minMs, maxMs } = summaryOf(latenciesUs, 40);
        for (const { valueMs, intervalMs } of percentiles) {
          expect(intervalMs[0]).toBeLessThanOrEqual(valueMs);
          expect(intervalMs[1]).toBeGreaterThanOrEqual(valueMs);
          expect(intervalMs[0]).toBeGreaterThanOrEqual(0);
          expect(valueMs).toBeGreaterThanOrEqual(minMs);
          expect(valueMs).toBeLessThanOrEqual(maxMs);
        }
      }),
    );
  });

  test('can be read at any time without side effects', () => {
    const read = new SampleRecorder(50);
    const unread = new SampleRecorder(50);
    for (let atMs = 0; atMs < 700; atMs += 1) {
      read.record(atMs * 3, atMs);
      unread.record(atMs * 3, atMs);
      if (atMs % 30 === 0) read.summary();
    }
    expect(read.summary()).toEqual(unread.summary());
    expect(read.blockMediansUs()).toEqual(unread.blockMediansUs());
  });
});

describe('samples that the client held up', () => {
  const recorded = (samples: readonly (readonly [latencyUs: number, heldUpUs: number])[]): LatencySummary => {
    const recorder = new SampleRecorder();
    for (const [atMs, [latencyUs, heldUpUs]] of samples.entries()) recorder.record(latencyUs, atMs, heldUpUs);
    const summary = recorder.summary();
    if (summary === null) throw new Error('nothing was recorded');
    return summary;
  };
  const p99Of = ({ percentiles }: LatencySummary) =>
    percentiles.find(({ percentile }) => percentile === 'p99');
  /** Five in a hundred take much longer. */
  const samples = (heldUpUs: number, slowUs = 9000) =>
    Array.from({ length: 2000 }, (_, index): readonly [number, number] =>
      index % 20 === 7 ? [slowUs, heldUpUs] : [5000, 0],
    );

  test('count in a percentile like the others between their bounds, and as they were seen in everything else', () => {
    const summary = recorded(samples(4000));
    expect(p99Of(summary)).toEqual({ percentile: 'p99', valueMs: 5.003, intervalMs: [5, 9] });
    expect(summary.count).toBe(2000);
    expect(summary.maxMs).toBe(9);
    expect(summary.meanMs).toBe(5.2);
    expect(summary.histogram).toBe(encoded(samples(4000).map(([latencyUs]) => latencyUs)));
  });

  test.each([
    ['at their lower bound, if no other is between', 5000, 8700],
    ['like the others between their bounds', 8800, 8800],
    ['at their lower bound like others that are exactly there', 8700, 8700],
    ['like others that are exactly where they were seen', 9000, 9000],
    ['there if those are only a little faster than they were seen', 8990, 8990],
  ])('count %s', (_, clearUs, countsAtUs) => {
    const others = samples(300).map(([latencyUs, heldUpUs], index): readonly [number, number] =>
      index % 100 === 3 ? [clearUs, 0] : [latencyUs, heldUpUs],
    );
    const { valueMs, intervalMs } = p99Of(recorded(others)) ?? { valueMs: 0, intervalMs: [] };
    // Bounds are kept in steps of 0.2 %.
    expect(Math.abs(valueMs - countsAtUs / 1000)).toBeLessThan(0.003 * valueMs);
    expect(intervalMs[1]).toBeGreaterThanOrEqual(9);
  });

  test('are spread like the others, not all counted in their middle', () => {
    const ascending = Array.from({ length: 1000 }, (_, index): readonly [number, number] => [
      5000 + 5 * index,
      0,
    ]);
    const heldUp = Array.from({ length: 500 }, (): readonly [number, number] => [10_000, 5000]);
    const { percentiles } = recorded([...ascending, ...heldUp]);
    const valueMs = Object.fromEntries(percentiles.map((one) => [one.percentile, one.valueMs]));
    expect(valueMs.p50).toBeCloseTo(7.5, 1);
    expect(valueMs.p90).toBeCloseTo(9.5, 1);
  });

  test('widen the interval by the variation between blocks as they were seen', () => {
    const slow = (block: number) => (block % 2 === 0 ? 10_000 : 30_000);
    const intervalOf = (heldUpUs: number) => {
      const recorder = new SampleRecorder(100);
      for (let sample = 0; sample < 600; sample += 1) {
        const isSlow = sample % 20 < 3;
        const latencyUs = isSlow ? slow(Math.floor(sample / 100)) : 1000;
        recorder.record(latencyUs, sample, isSlow ? Math.min(heldUpUs, latencyUs - 500) : 0);
      }
      return recorder.summary()?.percentiles.find(({ percentile }) => percentile === 'p95')?.intervalMs[1];
    };
    expect(intervalOf(30_000)).toBe(intervalOf(0));
  });

  test.each([
    { heldUpUs: 150, slowUs: 4900, valueMs: 5 },
    { heldUpUs: 300, slowUs: 10_500, valueMs: 10.5 },
  ])(
    'count like others if they were held up for as little as $heldUpUs µs of $slowUs',
    ({ heldUpUs, slowUs, valueMs }) => {
      expect(p99Of(recorded(samples(heldUpUs, slowUs)))?.valueMs).toBe(valueMs);
    },
  );

  test('count like others if they are more than half of all, because the rest would not represent them', () => {
    const mostly = Array.from({ length: 2000 }, (_, index): readonly [number, number] =>
      index % 3 === 0 ? [5000, 0] : [9000, 4000],
    );
    expect(p99Of(recorded(mostly))?.valueMs).toBeGreaterThan(8.99);
  });
});

describe('blocks', () => {
  test('have the configured length, and are reported when they are finished', () => {
    const recorder = new SampleRecorder(100);
    for (let atMs = 0; atMs < 350; atMs += 1) recorder.record(100 * (1 + Math.floor(atMs / 100)), atMs);
    expect(recorder.blockMediansUs()).toEqual([100, 200, 300]);
  });

  test('begin with a sample, also after a pause', () => {
    const recorder = new SampleRecorder(100);
    for (const start of [0, 10_000, 10_090.5]) {
      for (let sample = 0; sample < 10; sample += 1) recorder.record(start + 1, start + sample);
    }
    // The samples at 10,090 to 10,099.5 are within 100 ms of the first sample of their block, which is unfinished.
    expect(recorder.blockMediansUs()).toEqual([1]);
  });

  test('are longer with slow answers, so that a median has enough samples', () => {
    const recorder = new SampleRecorder(100);
    for (let sample = 0; sample < 13; sample += 1) recorder.record(700_000, sample * 700);
    expect(recorder.blockMediansUs()).toHaveLength(2);
  });

  test('have all samples after merging', () => {
    const latenciesUs = fc.array(fc.double({ min: 0, max: 100_000, noNaN: true }), { maxLength: 100 });
    fc.assert(
      fc.property(latenciesUs, latenciesUs, (first, second) => {
        const merged = mergeBlocks([blockOf(histogramOf(first)), blockOf(histogramOf(second))]);
        expect(blockOf(merged)).toEqual(blockOf(histogramOf([...first, ...second])));
      }),
    );
  });

  test('are merged into up to thirty groups with enough samples', () => {
    const sizes = (counts: readonly number[], minSamples: number) =>
      groupBlocks(
        counts.map((count) => blockOf(histogramOf(repeated(count, 100)))),
        minSamples,
      ).map((group) => group.reduce((sum, { count }) => sum + count, 0));
    expect(sizes([10, 10, 10, 10, 10], 20)).toEqual([20, 30]);
    expect(sizes([10, 30, 10], 20)).toEqual([40 + 10]);
    expect(sizes([10], 20)).toEqual([]);
    expect(sizes([], 20)).toEqual([]);
    expect(sizes(repeated(600, 10), 6)).toEqual(repeated(30, 200));
  });

  test('are longer in a very long run, without losing samples', () => {
    const latenciesUs = Array.from({ length: 20_000 }, (_, index) => 1000 + (index % 90));
    const recorder = new SampleRecorder(10);
    for (const [atMs, us] of latenciesUs.entries()) recorder.record(us, atMs);
    // 600 blocks of 10 ms, 100 of 20, 100 of 40, and 99 of 80; the last one is unfinished.
    expect(recorder.blockMediansUs()).toHaveLength(899);
    expect(recorder.summary()?.histogram).toBe(encoded(latenciesUs));
  });
});
