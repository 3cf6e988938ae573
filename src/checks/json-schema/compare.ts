import { type ExactNumber, integerOf, isExactNumber } from '../../json/exact-number.ts';
import { isJsonObject, type Json, jsonTypeOf } from '../../json/json.ts';
import type { Spend } from './outcome.ts';

/** Deeper values get no canonical text: each level takes a frame on the stack. */
export const MAX_COMPARED_DEPTH = 1000;

/** `unknown`: two numbers too large for a double are both read as Infinity, and may differ. */
export type Comparison = 'same' | 'different' | 'unknown';

/** Compares by value: 1 and 1.0 are the same, 0 and false are not, and the order of keys does not matter. */
export function compareJson(left: Json, right: Json, spend: Spend): Comparison {
  spend(1);
  if (left === right) return typeof left === 'number' && !Number.isFinite(left) ? 'unknown' : 'same';
  if (isExactNumber(left) || isExactNumber(right)) return compareNumbers(left, right);
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length) return 'different';
    return compareParts(left.keys(), (index) =>
      compareJson(left[index] as Json, right[index] as Json, spend),
    );
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return 'different';
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return 'different';
  return compareParts(names, (name) =>
    Object.hasOwn(right, name) ? compareJson(left[name] as Json, right[name] as Json, spend) : 'different',
  );
}

/** Integers by their digits, because these may be ids. Fractions are meant as doubles: 0.10000000000000001 is 0.1. */
function compareNumbers(left: Json, right: Json): Comparison {
  const bothNumbers = jsonTypeOf(left) === 'number' && jsonTypeOf(right) === 'number';
  if (!bothNumbers || Number(left) !== Number(right)) return 'different';
  if (!Number.isFinite(Number(left))) return 'unknown';
  const [one, other] = [comparableNumber(left as NumberOfJson), comparableNumber(right as NumberOfJson)];
  return typeof one === 'bigint' && typeof other === 'bigint' && one !== other ? 'different' : 'same';
}

type NumberOfJson = number | ExactNumber;

/** To be compared with others by `<` and `>`: large integers by their digits, as they are written. */
export function comparableNumber(value: NumberOfJson): number | bigint {
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  return integerOf(value) ?? Number(value);
}

function compareParts<Step>(steps: Iterable<Step>, compare: (step: Step) => Comparison): Comparison {
  let found: Comparison = 'same';
  for (const step of steps) {
    const comparison = compare(step);
    if (comparison === 'different') return comparison;
    if (comparison === 'unknown') found = comparison;
  }
  return found;
}

class TooDeep extends Error {}

/**
 * A text that is equal for two values exactly if the values are equal, to compare many values at once; null where the
 * value is too deep. Not exact where a number is too large for a double.
 */
export function canonicalText(
  value: Json,
  spend: Spend,
): { readonly text: string; readonly isExact: boolean } | null {
  let isExact = true;
  const write = (part: Json, depth: number): string => {
    spend(1);
    if (depth > MAX_COMPARED_DEPTH) throw new TooDeep();
    if (Array.isArray(part)) {
      let text = '[';
      for (const item of part as readonly Json[]) text += `${write(item, depth + 1)},`;
      return `${text}]`;
    }
    if (isJsonObject(part)) {
      let text = '{';
      for (const name of Object.keys(part).sort())
        text += `${JSON.stringify(name)}:${write(part[name] as Json, depth + 1)},`;
      return `${text}}`;
    }
    if (isExactNumber(part) && integerOf(part) !== null && Number.isFinite(Number(part))) return String(part);
    const plain = isExactNumber(part) ? Number(part) : part;
    if (typeof plain !== 'number' || Number.isFinite(plain)) return JSON.stringify(plain);
    isExact = false;
    return String(plain);
  };
  try {
    return { text: write(value, 0), isExact };
  } catch (error) {
    if (error instanceof TooDeep) return null;
    throw error;
  }
}

/**
 * Whether a number is a multiple of another, compared as decimals: 0.07 is a multiple of 0.01, although dividing the
 * doubles leaves a remainder. Exact for all doubles.
 */
export function isMultipleOf(value: NumberOfJson, divisor: NumberOfJson): boolean {
  if (isSafeInteger(value) && isSafeInteger(divisor)) return value % divisor === 0;
  const dividend = decimalOf(value);
  const step = decimalOf(divisor);
  const exponent = Math.min(dividend.exponent, step.exponent);
  const scaled = ({ digits, exponent: own }: Decimal): bigint => digits * 10n ** BigInt(own - exponent);
  return scaled(dividend) % scaled(step) === 0n;
}

function isSafeInteger(value: NumberOfJson): value is number {
  return Number.isSafeInteger(value);
}

/** Whether the quotient of the doubles is a whole number. Whole numbers are divided exactly, so they need no rounding. */
export function isMultipleAfterRounding(value: number, divisor: number): boolean {
  const areWhole = Number.isInteger(value) && Number.isInteger(divisor);
  return !areWhole && Number.isSafeInteger(value / divisor);
}

/** `digits` times ten to the power of `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Of an integer the digits, else the shortest decimal that reads as this double, which is what JavaScript writes. */
function decimalOf(value: NumberOfJson): Decimal {
  const number = comparableNumber(value);
  const [mantissa = '', exponent = '0'] = String(number).replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
