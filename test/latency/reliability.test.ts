import { describe, expect, test } from 'vitest';
import { unreliableBecause } from '../../src/latency/reliability.ts';
import type { ClientFigures, LoadModel } from '../../src/model/load.ts';

const OPEN: LoadModel = { kind: 'open', ratePerSecond: 200, arrivals: 'constant', maxConnections: 1 };
const CLOSED: LoadModel = { kind: 'closed', connections: 4 };
const P50_MS = 5;

/** Recorded on a machine with nothing else to do, as reports/examples/reference-b.json tells of `health`. */
const sound: ClientFigures = {
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

describe('figures of an idle machine', () => {
  test.each([
    ['an open', OPEN, {}],
    ['a closed', CLOSED, { latenessMs: null, achievedShare: null, waitedForConnection: null }],
    ['one on a system that tells no waiting for a CPU, of an open', OPEN, { waitedForCpu: null }],
  ] as const)('of %s loop are not doubted', (_what, model, change) => {
    expect(unreliableBecause(model, { ...sound, ...change }, P50_MS)).toEqual([]);
  });
});

/** Each with the most that is believed, and with little more. */
describe.each([
  [
    'lateness',
    2,
    2.1,
    (value: number) => ({ latenessMs: latenessOf(value) }),
    /2\.1 ms late \(at most 2\.0 ms/,
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
])('%s', (_name, most, more, figures, words) => {
  test('at its limit is reliable', () => {
    expect(unreliableBecause(OPEN, { ...sound, ...figures(most) }, P50_MS)).toEqual([]);
  });

  test('beyond it is the only reason', () => {
    expect(unreliableBecause(OPEN, { ...sound, ...figures(more) }, P50_MS)).toEqual([
      expect.stringMatching(words),
    ]);
  });
});

describe('what makes figures unreliable', () => {
  test('of a slow target is lateness of more than a tenth of its answers', () => {
    expect(unreliableBecause(OPEN, { ...sound, latenessMs: latenessOf(15) }, 150)).toEqual([]);
    expect(unreliableBecause(OPEN, { ...sound, latenessMs: latenessOf(15.1) }, 150)).toHaveLength(1);
    expect(unreliableBecause(OPEN, { ...sound, latenessMs: latenessOf(15) }, null)).toHaveLength(1);
  });

  test('names the target where it kept all connections busy', () => {
    const kept = { ...sound, achievedShare: 0.5, waitedForConnection: 0.5 };
    expect(unreliableBecause(OPEN, kept, P50_MS)).toEqual([
      expect.stringContaining('kept all connections busy, at most 1'),
    ]);
  });

  test('is everything that is wrong', () => {
    const busy = {
      ...sound,
      latenessMs: latenessOf(40),
      loopDelayP99Ms: 30,
      achievedShare: 0.7,
      waitedForCpu: 0.6,
    };
    expect(unreliableBecause(OPEN, busy, P50_MS)).toHaveLength(4);
  });
});
