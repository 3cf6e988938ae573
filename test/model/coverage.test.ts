import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMinCoverage, type MinCoverage, neededOf } from '../../src/model/judgement.ts';

describe('how many functions are needed', () => {
  test.each<[number, MinCoverage | undefined, number | undefined, number]>([
    [8, undefined, undefined, 4],
    [7, undefined, undefined, 4],
    [1, undefined, undefined, 1],
    [0, undefined, undefined, 1],
    [8, 'all', undefined, 8],
    [0, 'all', undefined, 1],
    [8, '80%', undefined, 7],
    [8, '0%', undefined, 1],
    [8, '100%', undefined, 8],
    [8, 3, undefined, 3],
    [2, 3, undefined, 3],
    [8, undefined, 6, 6],
    [8, undefined, 2, 2],
    [5, undefined, 6, 5],
    [8, undefined, 0, 1],
    [8, 'all', 2, 8],
    [8, 1, 6, 1],
  ])('of %i functions, with %s and %s in the baseline: %i', (wanted, minCoverage, reached, needed) => {
    expect(neededOf(wanted, minCoverage, reached)).toBe(needed);
  });

  test('is at least one, and no more than there are unless a number asks for more', () => {
    const anyMin = fc.constantFrom<MinCoverage | undefined>(undefined, 'all', '0%', '1%', '99%');
    fc.assert(
      fc.property(fc.nat(500), anyMin, fc.option(fc.nat(600), { nil: undefined }), (wanted, min, reached) => {
        const needed = neededOf(wanted, min, reached);
        expect(needed).toBeGreaterThanOrEqual(1);
        expect(needed).toBeLessThanOrEqual(Math.max(1, wanted));
      }),
    );
  });
});

test.each<[unknown, boolean]>([
  [1, true],
  [10_000, true],
  ['all', true],
  ['0%', true],
  ['80%', true],
  ['100%', true],
  [0, false],
  [-1, false],
  [1.5, false],
  [Number.NaN, false],
  ['101%', false],
  ['080%', false],
  ['80 %', false],
  ['8', false],
  ['half', false],
  ['', false],
  [null, false],
  [undefined, false],
  [true, false],
])('%j is a minimum of coverage: %s', (value, expected) => {
  expect(isMinCoverage(value)).toBe(expected);
});
