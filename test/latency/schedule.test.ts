import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMix } from '../../src/latency/call-source.ts';
import { createSchedule } from '../../src/latency/open-loop.ts';
import { createRandom } from '../../src/latency/random.ts';
import { unreliableBecause } from '../../src/latency/reliability.ts';
import type { ClientFigures, LoadModel } from '../../src/model/load.ts';

describe('the schedule', () => {
  test('of constant arrivals does not drift', () => {
    const schedule = createSchedule(3, 'constant', 1000, createRandom(1));
    for (let count = 0; count < 300_000; count += 1) schedule.advance();
    expect(schedule.nextDueMs()).toBeCloseTo(1000 + 100_000_000, 3);
  });

  test('of random arrivals is a Poisson process of that rate', () => {
    const schedule = createSchedule(1000, 'poisson', 0, createRandom(7));
    const gaps: number[] = [];
    for (let count = 0; count < 100_000; count += 1) {
      const before = schedule.nextDueMs();
      schedule.advance();
      gaps.push(schedule.nextDueMs() - before);
    }
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
    expect(mean).toBeCloseTo(1, 1);
    expect(deviation / mean).toBeCloseTo(1, 1);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
  });

  test('is the same for the same seed', () => {
    const dues = (seed: number): readonly number[] => {
      const schedule = createSchedule(100, 'poisson', 0, createRandom(seed));
      return Array.from({ length: 20 }, () => {
        schedule.advance();
        return schedule.nextDueMs();
      });
    };
    expect(dues(4)).toEqual(dues(4));
    expect(dues(4)).not.toEqual(dues(5));
  });
});

test('a mix follows its weights', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      fc.nat(),
      (weights, seed) => {
        const pick = createMix(weights, createRandom(seed));
        const counts = weights.map(() => 0);
        for (let call = 0; call < 5000; call += 1) {
          const index = pick();
          counts[index] = (counts[index] ?? 0) + 1;
        }
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        for (const [index, weight] of weights.entries())
          expect((counts[index] ?? 0) / 5000).toBeCloseTo(weight / total, 1);
      },
    ),
    { numRuns: 30 },
  );
});

describe('unreliable figures', () => {
  const open: LoadModel = { kind: 'open', ratePerSecond: 100, arrivals: 'constant', maxConnections: 4 };
  const idle: ClientFigures = {
    pacing: 'spin',
    latenessMs: { p50Ms: 0.1, p99Ms: 1.9, maxMs: 50 },
    loopDelayP99Ms: 4.9,
    loopUtilisation: 1,
    waitedForCpu: 0.09,
    achievedShare: 0.991,
    waitedForConnection: 0,
    cpuMicrosecondsPerRequest: 10,
  };
  const late = { p50Ms: 0.1, p99Ms: 2.1, maxMs: 3 };

  test('have no reason within all limits', () => expect(unreliableBecause(open, idle, 1)).toEqual([]));

  test.each<[what: string, change: Partial<ClientFigures>, words: RegExp]>([
    ['late requests', { latenessMs: late }, /more than 2\.1 ms late \(limit: 2\.0 ms\)/],
    ['a client that is held up', { loopDelayP99Ms: 5.1 }, /held up for 5\.1 ms/],
    ['a rate that is not achieved', { achievedShare: 0.989 }, /only 98\.9 %/],
    [
      'a target that keeps all connections busy',
      { achievedShare: 0.5, waitedForConnection: 0.6 },
      /only 50\.0 % .* the target kept all 4 connections busy/,
    ],
    [
      'a CPU that others use, whoever they are',
      { waitedForCpu: 0.11 },
      /waited 11\.0 % of the time for a CPU \(limit/,
    ],
  ])('where %s', (_what, change, words) => {
    expect(unreliableBecause(open, { ...idle, ...change }, 1)).toEqual([expect.stringMatching(words)]);
  });

  test('allow more lateness for a slow target, and ignore unknown figures', () => {
    expect(unreliableBecause(open, { ...idle, latenessMs: late, waitedForCpu: null }, 30)).toEqual([]);
    const closed: LoadModel = { kind: 'closed', connections: 2 };
    expect(unreliableBecause(closed, { ...idle, latenessMs: null, achievedShare: null }, null)).toEqual([]);
  });
});
