import { expect, test } from 'vitest';
import { tQuantile975, varianceOfMean } from '../../src/latency/student-t.ts';

test.each([
  [1, 12.7062],
  [2, 4.3027],
  [3, 3.1824],
  [4, 2.7764],
  [5, 2.5706],
  [6, 2.4469],
  [8, 2.306],
  [10, 2.2281],
  [20, 2.086],
  [29, 2.0452],
  [120, 1.9799],
  [1e9, 1.96],
])('the quantile with %i degrees of freedom is %f, as in tables', (degrees, quantile) => {
  expect(Math.abs(tQuantile975(degrees) - quantile)).toBeLessThan(0.0004);
});

test('degrees of freedom are rounded down', () => {
  expect(tQuantile975(5.9)).toBe(tQuantile975(5));
});

test('the variance of a mean', () => {
  expect(varianceOfMean([1, 2, 3])).toBeCloseTo(1 / 3, 12);
  expect(varianceOfMean([4, 4])).toBe(0);
});
