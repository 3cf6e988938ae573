import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  nextRate,
  type RateOutcome,
  type RateRange,
  rateSearchResult,
} from '../../src/latency/rate-search.ts';

/** The rates that are tried with a server that holds up to `holdsUpTo`. */
function search(range: RateRange, holdsUpTo: number) {
  const outcomes: RateOutcome[] = [];
  for (let rate = nextRate(range, outcomes); rate !== null; rate = nextRate(range, outcomes)) {
    outcomes.push({ ratePerSecond: rate, holds: rate <= holdsUpTo });
    if (outcomes.length > 100) throw new Error('the search does not end');
  }
  return {
    rates: outcomes.map((outcome) => outcome.ratePerSecond),
    result: rateSearchResult(range, outcomes),
  };
}

const RANGE = { lowPerSecond: 100, highPerSecond: 1000 };

describe('the search', () => {
  test('goes up in equal ratios to the highest rate', () => {
    expect(search(RANGE, 5000)).toEqual({
      rates: [100, 147, 215, 316, 464, 681, 1000],
      result: { kind: 'held-throughout', heldPerSecond: 1000 },
    });
  });

  test('narrows down between the last rate that held and the first that broke', () => {
    expect(search(RANGE, 400)).toEqual({
      rates: [100, 147, 215, 316, 464, 383, 422, 402],
      result: { kind: 'bracketed', heldPerSecond: 383, brokePerSecond: 402 },
    });
  });

  test('ends at once if the lowest rate breaks', () => {
    expect(search(RANGE, 50)).toEqual({
      rates: [100],
      result: { kind: 'never-held', brokePerSecond: 100 },
    });
  });

  test('tries a single rate once', () => {
    const one = { lowPerSecond: 20, highPerSecond: 20 };
    expect(search(one, 30).result).toEqual({ kind: 'held-throughout', heldPerSecond: 20 });
    expect(search(one, 10).result).toEqual({ kind: 'never-held', brokePerSecond: 20 });
  });

  test('reports its progress if it is ended early', () => {
    expect(rateSearchResult(RANGE, [])).toEqual({
      kind: 'unfinished',
      heldPerSecond: null,
      brokePerSecond: null,
    });
    const outcomes = [
      { ratePerSecond: 100, holds: true },
      { ratePerSecond: 147, holds: false },
    ];
    expect(rateSearchResult(RANGE, outcomes)).toEqual({
      kind: 'unfinished',
      heldPerSecond: 100,
      brokePerSecond: 147,
    });
  });

  test('ignores a rate that held above one that broke', () => {
    const outcomes = [
      { ratePerSecond: 100, holds: true },
      { ratePerSecond: 300, holds: true },
      { ratePerSecond: 104, holds: false },
    ];
    expect(rateSearchResult(RANGE, outcomes)).toEqual({
      kind: 'bracketed',
      heldPerSecond: 100,
      brokePerSecond: 104,
    });
  });

  test('finds any limit within 5 % in few steps', () => {
    const limits = fc.tuple(
      fc.double({ min: 0.01, max: 1e5, noNaN: true }),
      fc.double({ min: 1, max: 1000, noNaN: true }),
      fc.double({ min: -0.2, max: 1.2, noNaN: true }),
    );
    fc.assert(
      fc.property(limits, ([lowPerSecond, ratio, place]) => {
        const range = { lowPerSecond, highPerSecond: lowPerSecond * ratio };
        const limit = lowPerSecond * ratio ** place;
        const { rates, result } = search(range, limit);
        expect(new Set(rates).size).toBe(rates.length);
        expect(rates.length).toBeLessThanOrEqual(25);
        for (const rate of rates) {
          expect(rate).toBeGreaterThanOrEqual(range.lowPerSecond);
          expect(rate).toBeLessThanOrEqual(range.highPerSecond);
        }
        if (limit < range.lowPerSecond) expect(result.kind).toBe('never-held');
        else if (limit >= range.highPerSecond) expect(result.kind).toBe('held-throughout');
        else if (result.kind === 'bracketed') {
          expect(result.heldPerSecond).toBeLessThanOrEqual(limit);
          expect(result.brokePerSecond).toBeGreaterThan(limit);
          expect(result.brokePerSecond / result.heldPerSecond).toBeLessThanOrEqual(1.05 + 1e-9);
        } else expect.fail(`the limit is in the range, and the result is ${result.kind}`);
      }),
      { numRuns: 500 },
    );
  });
});
