import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/check/run-settings.ts';
import { encodeHistogram } from '../../src/latency/encoded-histogram.ts';
import type { BenchFigures } from '../../src/model/bench.ts';
import type { Measurement } from '../../src/model/measurement.ts';
import type { TestResult } from '../../src/model/report.ts';
import { benchResult, compareWithBaseline } from '../../src/report/compare/compare-reports.ts';
import { renderBench } from '../../src/report/terminal/bench-terminal.ts';
import { histogramOf } from '../latency/histogram-of.ts';

const histogram = histogramOf(Array.from({ length: 200 }, (_, index) => 1000 + 10 * index));

function measured(change: Partial<Measurement> = {}): Measurement {
  return {
    key: 'bench/health#0',
    operation: 'health',
    count: 200,
    errors: 0,
    samples: 200,
    minMs: 1,
    meanMs: 2,
    p50Ms: 2,
    maxMs: 2.99,
    intervals: { p50: [1.9, 2.1] },
    load: {
      model: { kind: 'open', ratePerSecond: 100, arrivals: 'constant', maxConnections: 4 },
      transport: 'lean',
      planned: 200,
      attempts: 1,
      stoppedBy: null,
    },
    throughputPerSecond: 99.5,
    client: {
      pacing: 'spin',
      latenessMs: { p50Ms: 0, p99Ms: 0.1, maxMs: 1 },
      loopDelayP99Ms: 0.5,
      loopUtilisation: 1,
      waitedForCpu: 0.01,
      achievedShare: 1,
      waitedForConnection: 0,
      cpuMicrosecondsPerRequest: 9,
    },
    histogram: encodeHistogram(histogram),
    unreliable: [],
    errorKinds: [],
    ...change,
  };
}

const figures: BenchFigures = {
  overhead: { count: 100, percentiles: [{ percentile: 'p50', valueMs: 0.02, intervalMs: [0.01, 0.03] }] },
  phases: null,
  warmUp: { count: 10, durationMs: 400, steady: false },
};

function resultOf(measurements: readonly Measurement[], more: Partial<BenchFigures> = {}): TestResult {
  return benchResult({
    id: '0000',
    harnessVersion: '0.0.0',
    targetUrl: 'http://127.0.0.1:1',
    settings: settingsOf({ seed: 1 }),
    calls: [],
    measurements,
    figures: { ...figures, ...more },
    startedAtMs: 0,
    finishedAtMs: 1000,
  });
}

describe('the printed result of a load', () => {
  test('shows text from a target without effect on a terminal', () => {
    const hostile = '\u001B[2Jx\u202E\n::error::';
    const text = renderBench(
      resultOf([
        measured({
          operation: 'execute',
          function: hostile,
          errors: 1,
          errorKinds: [{ code: 'HTTP_500', message: hostile, count: 1 }],
          unreliable: [hostile],
        }),
      ]),
    );
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text).not.toMatch(/^::error/m);
  });

  test('keeps to the width, even a narrow one', () => {
    for (const columns of [44, 80, 300]) {
      const lines = renderBench(resultOf([measured()]), { columns }).split('\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(Math.min(columns, 100));
    }
  });

  test('marks unsteady and unreliable figures', () => {
    const text = renderBench(resultOf([measured({ unreliable: ['the client was late'] })]));
    expect(text).toMatch(/did not settle/);
    expect(text).toMatch(/Unreliable:\n- the client was late/);
  });

  test('shows which rates of a ramp held, which broke, and why', () => {
    const step = { count: 10, errors: 0, p50Ms: 1, p99Ms: 2, achievedShare: 1, because: null };
    const text = renderBench(
      resultOf([measured()], {
        ramp: {
          lowPerSecond: 10,
          highPerSecond: 100,
          maxP99Ms: 50,
          maxErrorShare: 0.01,
          steps: [
            { ...step, ratePerSecond: 10, holds: true },
            { ...step, ratePerSecond: 15, holds: false, p99Ms: null, because: 'p99 is 80.0 ms' },
          ],
          heldPerSecond: 10,
          brokePerSecond: 15,
          stoppedBy: null,
        },
      }),
    );
    expect(text).toMatch(/ 15 +10 +0 +1\.000 ms +– {2}breaks: p99 is 80\.0 ms/);
    expect(text).toContain('it held up to 10 requests a second and broke at 15 requests a second');
  });
});

describe('a comparison with a saved result', () => {
  const saved = resultOf([measured()]);
  const timesUs = (factor: number) => Array.from({ length: 200 }, (_, index) => factor * (1000 + 10 * index));
  const changed = (factor: number, change: Partial<Measurement> = {}) =>
    compareWithBaseline(saved, [
      measured({ p50Ms: 2 * factor, histogram: encodeHistogram(histogramOf(timesUs(factor))), ...change }),
    ]);

  test.each([
    [1.1, 'no-difference-shown'],
    [2, 'worse'],
    [0.5, 'better'],
  ])('of a server that takes %d times as long shows %s', (factor, outcome) => {
    expect(changed(factor)).toMatchObject({
      rows: [
        { operation: 'health', fastest: 'tenth', outcome, percentiles: [{ percentile: 'p50', beforeMs: 2 }] },
      ],
      notes: [],
    });
  });

  test('does not judge a slower half, because other work on the machine makes it', () => {
    const disturbed = timesUs(1).map((time, index) => (index < 60 ? time : 5 * time));
    const baseline = changed(1, { p50Ms: 10, histogram: encodeHistogram(histogramOf(disturbed)) });
    expect(baseline.rows).toMatchObject([{ outcome: 'no-difference-shown' }]);
    const text = renderBench(resultOf([measured()], { baseline })).replaceAll(/\s+/g, ' ');
    expect(text).toContain('for the fastest tenth of its calls no difference shown');
    expect(text).toContain('p50 2.000 ms → 10.00 ms');
    expect(text).toContain('Percentiles are not judged');
  });

  test('needs some samples', () => {
    const few = encodeHistogram(histogramOf([1000, 1100, 1200]));
    expect(changed(1, { samples: 3, histogram: few })).toMatchObject({
      rows: [],
      notes: ['health: there are too few samples'],
    });
  });

  test.each<[what: string, change: Partial<Measurement>, note: RegExp]>([
    [
      'unreliable figures',
      { unreliable: ['late'] },
      /^health: the figures of this run cannot be relied on: late/,
    ],
    [
      'another kind of load',
      { load: { ...measured().load, model: { kind: 'closed', connections: 1 } } },
      /closed loop/,
    ],
    [
      'figures that the baseline lacks',
      { operation: 'capabilities' },
      /^capabilities: the baseline has no figures for it/,
    ],
  ])('is not made for %s, with the reason', (_what, change, note) => {
    expect(changed(3, change)).toMatchObject({ rows: [], notes: [expect.stringMatching(note)] });
  });
});
