import { describe, expect, test } from 'vitest';
import { unreliableBecause } from '../../src/latency/reliability.ts';
import type { ClientFigures, LoadModel } from '../../src/model/load.ts';

const OPEN: LoadModel = { kind: 'open', ratePerSecond: 200, arrivals: 'constant', maxConnections: 1 };
const CLOSED: LoadModel = { kind: 'closed', connections: 4 };
const P50_MS = 5;

/** Recorded on an idle machine, like `health` in reports/examples/reference-b.json. */
const idle: ClientFigures = {
  pacing: 'spin',
  latenessMs: { p50Ms: 0.017, p99Ms: 0.063, maxMs: 3.771 },
  loopDelayP99Ms: 2.743,
  loopUtilisation: 0.319,
  waitedForCpu: 0.019,
  cpuMicrosecondsPerRequest: 593,
  achievedShare: 1,
  waitedForConnection: 0,
};

const latenessOf = (p99Ms: number): ClientFigures['latenessMs'] => ({ p50Ms: 0.2, p99Ms, maxMs: p99Ms });

describe('figures from an idle machine', () => {
  test.each([
    ['an open loop', OPEN, {}],
    ['a closed loop', CLOSED, { latenessMs: null, achievedShare: null, waitedForConnection: null }],
    ['an open loop without CPU wait times', OPEN, { waitedForCpu: null }],
  ] as const)('of %s are reliable', (_what, model, change) => {
    expect(unreliableBecause(model, { ...idle, ...change }, P50_MS)).toEqual([]);
  });
});

/** Each with its limit, and a value just beyond it. */
describe.each([
  [
    'lateness',
    2,
    2.1,
    (value: number) => ({ latenessMs: latenessOf(value) }),
    /2\.1 ms late \(limit: 2\.0 ms\)/,
  ],
  ['delay of the event loop', 5, 5.1, (value: number) => ({ loopDelayP99Ms: value }), /held up for 5\.1 ms/],
  [
    'share of calls',
    0.99,
    0.98,
    (value: number) => ({ achievedShare: value }),
    /only 98\.0 % of the requests/,
  ],
  [
    'waiting for a CPU',
    0.1,
    0.11,
    (value: number) => ({ waitedForCpu: value }),
    /waited 11\.0 % of the time for a CPU/,
  ],
])('%s', (_name, limit, beyond, figures, words) => {
  test('at its limit is reliable', () => {
    expect(unreliableBecause(OPEN, { ...idle, ...figures(limit) }, P50_MS)).toEqual([]);
  });

  test('beyond its limit is the only reason', () => {
    expect(unreliableBecause(OPEN, { ...idle, ...figures(beyond) }, P50_MS)).toEqual([
      expect.stringMatching(words),
    ]);
  });
});

describe('figures are unreliable', () => {
  test('if the lateness is more than a tenth of the latency of a slow target', () => {
    expect(unreliableBecause(OPEN, { ...idle, latenessMs: latenessOf(15) }, 150)).toEqual([]);
    expect(unreliableBecause(OPEN, { ...idle, latenessMs: latenessOf(15.1) }, 150)).toHaveLength(1);
    expect(unreliableBecause(OPEN, { ...idle, latenessMs: latenessOf(15) }, null)).toHaveLength(1);
  });

  test('if the target kept all connections busy', () => {
    const kept = { ...idle, achievedShare: 0.5, waitedForConnection: 0.5 };
    expect(unreliableBecause(OPEN, kept, P50_MS)).toEqual([
      expect.stringContaining('the target kept all 1 connections busy'),
    ]);
  });

  test('for several reasons at once', () => {
    const busy = {
      ...idle,
      latenessMs: latenessOf(40),
      loopDelayP99Ms: 30,
      achievedShare: 0.7,
      waitedForCpu: 0.6,
    };
    expect(unreliableBecause(OPEN, busy, P50_MS)).toHaveLength(4);
  });
});
