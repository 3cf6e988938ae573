import { type Arbitrary, type DoubleConstraints, double, integer } from 'fast-check';
import type { Json } from '../model/json.ts';
import type { Conjunction } from './alternatives.ts';
import { boundOf, valuesOf } from './keywords-together.ts';
import type { Variety } from './making.ts';

const MAX_INTEGER = 2 ** 31 - 1;
const MAX_PLAIN_INTEGER = 99;

export function numberArbitrary(all: Conjunction, whole: boolean, variety: Variety): Arbitrary<Json> | null {
  const above = boundOf(all, 'exclusiveMinimum', 'largest') ?? -Infinity;
  const below = boundOf(all, 'exclusiveMaximum', 'smallest') ?? Infinity;
  const low = Math.max(boundOf(all, 'minimum', 'largest') ?? -Infinity, above);
  const high = Math.min(boundOf(all, 'maximum', 'smallest') ?? Infinity, below);
  const steps = valuesOf(all, 'multipleOf').filter(
    (step) => typeof step === 'number' && step > 0,
  ) as number[];
  if (low > high) return null;
  if (whole || steps.length > 0) {
    const step = commonMultiple(whole ? [1, ...steps] : steps);
    const first = low === above ? Math.floor(low / step) + 1 : Math.ceil(low / step);
    const last = high === below ? Math.ceil(high / step) - 1 : Math.floor(high / step);
    const [min, max] = windowOf(first, last, variety === 'plain' ? MAX_PLAIN_INTEGER : MAX_INTEGER);
    if (min > max) return null;
    return integer({ min, max }).map((count) => inDecimals(count * step));
  }
  const [first, last] = [Math.floor(low) + 1, Math.ceil(high) - 1];
  if (variety === 'plain' && first <= last) {
    const [min, max] = windowOf(first, last, MAX_PLAIN_INTEGER);
    if (min <= max) return integer({ min, max });
  }
  return doublesWithin({
    ...(low > -Infinity ? { min: low, minExcluded: low === above } : {}),
    ...(high < Infinity ? { max: high, maxExcluded: high === below } : {}),
  });
}

/** Without the error of the last digit: 3 * 0.1 is not what a schema in steps of 0.1 means. */
export function inDecimals(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

function doublesWithin(range: DoubleConstraints): Arbitrary<Json> | null {
  try {
    // JSON has no negative zero.
    return double({ ...range, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  } catch {
    // No double is between the bounds.
    return null;
  }
}

/** The part of a range that integers can be drawn from, nearest to zero. */
function windowOf(first: number, last: number, reach: number): readonly [number, number] {
  const min = Math.max(first, Math.min(-reach, last - reach));
  const max = Math.min(last, Math.max(reach, first + reach));
  return [Math.max(min, Number.MIN_SAFE_INTEGER), Math.min(max, Number.MAX_SAFE_INTEGER)];
}

const MAX_FACTOR = 10_000;

function commonMultiple(steps: readonly number[]): number {
  return steps.reduce((left, right) => {
    for (let factor = 1; factor <= MAX_FACTOR; factor += 1) {
      const multiple = Number((left * factor).toPrecision(15));
      if (Number.isInteger(Number((multiple / right).toPrecision(12)))) return multiple;
    }
    return left;
  });
}
