import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isMultipleAfterRounding, isMultipleOf } from '../../../src/checks/json-schema/compare.ts';

test.each([
  [19.99, 0.01, true],
  [4.35, 0.01, true],
  [0.07, 0.01, true],
  [0.3, 0.1, true],
  [-0.3, 0.1, true],
  [0, 0.1, true],
  [0.35, 0.1, false],
  [0.00751, 0.0001, false],
  [4.5, 1.5, true],
  [7, 2, false],
  [1e308, 0.123456789, false],
  [1e308, 5e-324, true],
  [2 ** 53, 2, true],
  [12391239123, 1e-8, true],
])('%d is a multiple of %d: %s', (value, divisor, expected) => {
  expect(isMultipleOf(value, divisor)).toBe(expected);
});

test.each([
  [18.400000000000002, 0.1, true],
  [0.30000000000000004, 0.1, false],
  [18.35, 0.1, false],
  [7, 2, false],
  [2 ** 53 + 2, 3, false],
  [1e300, 0.7, false],
])('%d is a multiple of %d after rounding: %s', (value, divisor, expected) => {
  expect(isMultipleAfterRounding(value, divisor)).toBe(expected);
});

test('a product of whole numbers is a multiple, at any decimal place', () => {
  const whole = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(whole, whole, fc.integer({ min: 0, max: 3 }), (factor, step, places) => {
      const read = (digits: number): number => Number(`${digits}e-${places}`);
      expect(isMultipleOf(read(factor * step), read(step))).toBe(true);
      if (step > 1) expect(isMultipleOf(read(factor * step + 1), read(step))).toBe(false);
    }),
    { seed: 1, numRuns: 500 },
  );
});
