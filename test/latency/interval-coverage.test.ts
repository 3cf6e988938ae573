import { describe, expect, test } from 'vitest';
import { intervalRanks, QUANTILE } from '../../src/latency/percentiles.ts';
import { SampleRecorder } from '../../src/latency/sample-recorder.ts';
import type { LatencySummary, Percentile } from '../../src/model/load.ts';
import { seededNormals, seededNumbers } from './seeded-numbers.ts';

const NORMAL_QUANTILE = { p50: 0, p90: 1.2815515655446004, p99: 2.3263478740408408 };
type TestedPercentile = keyof typeof NORMAL_QUANTILE;
const TESTED: readonly TestedPercentile[] = ['p50', 'p90', 'p99'];

/** Samples arrive in blocks of a second; `drawUs` receives the index of the block. */
function summarise(blocks: number, perBlock: number, drawUs: (block: number) => number): LatencySummary {
  const recorder = new SampleRecorder();
  for (let sample = 0; sample < blocks * perBlock; sample += 1) {
    recorder.record(drawUs(Math.floor(sample / perBlock)), (sample * 1000) / perBlock);
  }
  const summary = recorder.summary();
  if (summary === null) throw new Error('nothing was recorded');
  return summary;
}

function covers(summary: LatencySummary, percentile: Percentile, truthUs: number): boolean {
  const [low, high] = summary.percentiles.find((one) => one.percentile === percentile)?.intervalMs ?? [1, 0];
  return low * 1000 <= truthUs && truthUs <= high * 1000;
}

/** The share of repetitions in which each interval contains the true value. */
function coverage(
  rounds: number,
  one: () => Readonly<Record<TestedPercentile, boolean>>,
): Record<TestedPercentile, number> {
  const held = { p50: 0, p90: 0, p99: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const outcome = one();
    for (const percentile of TESTED) held[percentile] += outcome[percentile] ? 1 / rounds : 0;
  }
  return held;
}

const bimodalUs = (share: number): number =>
  share < 0.7 ? 1000 + (share / 0.7) * 500 : 20_000 + ((share - 0.7) / 0.3) * 5000;
const uniformUs = (share: number): number => 500 + share * 9500;

describe('with independent samples, the 95 % interval contains the true percentile', () => {
  const normals = seededNormals(11);
  const bimodal = seededNumbers(12);
  const uniform = seededNumbers(13);

  test.each<[string, () => number, (percentile: TestedPercentile) => number]>([
    [
      'lognormal',
      () => 3000 * Math.exp(0.6 * normals()),
      (percentile) => 3000 * Math.exp(0.6 * NORMAL_QUANTILE[percentile]),
    ],
    ['bimodal', () => bimodalUs(bimodal()), (percentile) => bimodalUs(QUANTILE[percentile])],
    ['uniform', () => uniformUs(uniform()), (percentile) => uniformUs(QUANTILE[percentile])],
  ])('%s latencies', (_, drawUs, truthUs) => {
    const shares = coverage(400, () => {
      const summary = summarise(12, 130, drawUs);
      return {
        p50: covers(summary, 'p50', truthUs('p50')),
        p90: covers(summary, 'p90', truthUs('p90')),
        p99: covers(summary, 'p99', truthUs('p99')),
      };
    });
    for (const percentile of TESTED) {
      expect(shares[percentile], percentile).toBeGreaterThanOrEqual(0.93);
      expect(shares[percentile], percentile).toBeLessThan(1);
    }
  });
});

describe('with a level that varies by 10 % between blocks', () => {
  const BLOCKS = 20;
  const PER_BLOCK = 400;
  const SPREAD = 0.5;
  const DRIFT = 0.1;
  const normals = seededNormals(21);
  const truthUs = (percentile: TestedPercentile): number =>
    3000 * Math.exp(Math.hypot(SPREAD, DRIFT) * NORMAL_QUANTILE[percentile]);

  const byRanks = (sortedUs: Float64Array, percentile: TestedPercentile): boolean => {
    const [low, high] = intervalRanks(sortedUs.length, QUANTILE[percentile]);
    const at = (rank: number): number => sortedUs[rank - 1] ?? Number.NaN;
    return at(low) <= truthUs(percentile) && truthUs(percentile) <= at(high);
  };

  test('the interval contains the long-run percentile, far more often than one by ranks alone', () => {
    const alone = { p50: 0, p90: 0, p99: 0 };
    const rounds = 300;
    const shares = coverage(rounds, () => {
      const levels = Array.from({ length: BLOCKS }, () => Math.exp(DRIFT * normals()));
      const drawnUs: number[] = [];
      const summary = summarise(BLOCKS, PER_BLOCK, (block) => {
        const us = 3000 * (levels[block] ?? Number.NaN) * Math.exp(SPREAD * normals());
        drawnUs.push(us);
        return us;
      });
      const sortedUs = Float64Array.from(drawnUs).sort();
      for (const percentile of TESTED) alone[percentile] += byRanks(sortedUs, percentile) ? 1 / rounds : 0;
      return {
        p50: covers(summary, 'p50', truthUs('p50')),
        p90: covers(summary, 'p90', truthUs('p90')),
        p99: covers(summary, 'p99', truthUs('p99')),
      };
    });
    for (const percentile of TESTED) expect(shares[percentile], percentile).toBeGreaterThanOrEqual(0.9);
    expect(alone.p50).toBeLessThan(0.6);
    expect(alone.p90).toBeLessThan(0.75);
    expect(alone.p99).toBeLessThan(shares.p99);
  });
});
