/**
 * A number of JSON that a double would change, with its digits as they were written. It is a boxed text, because
 * JSON.parse makes none, postMessage keeps it, `Number(it)` is the nearest double, and JSON.stringify does not throw.
 */
export interface ExactNumber {
  readonly [exact]: true;
  readonly toString: () => string;
}
declare const exact: unique symbol;

export function isExactNumber(value: unknown): value is ExactNumber {
  return (
    typeof value === 'object' &&
    value !== null &&
    'length' in value &&
    // Not `instanceof`: test runners create another `String`.
    Object.prototype.toString.call(value) === '[object String]'
  );
}

/** The number that a literal of JSON stands for: a double, if that keeps its digits. */
export function numberFrom(literal: string): number | ExactNumber {
  const value = Number(literal);
  return keepsDigits(literal, value) ? value : (Object(literal) as ExactNumber);
}

/** Every decimal of up to 15 digits is written as itself when it was read as a double. */
const KEPT_CHARACTERS = 15;

/** Whether JavaScript writes the same number, if in another notation: 1.1 for 1.10. */
function keepsDigits(literal: string, value: number): boolean {
  if (literal.length <= KEPT_CHARACTERS && !/e/i.test(literal)) return true;
  return Number.isFinite(value) && comparable(literal) === comparable(String(value));
}

/** The digits without zeros at either end, and the power of ten that belongs to them. */
function comparable(literal: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const power = Number(exponent) + digits.length - end - fraction.length;
  return end === 0 ? '0' : `${sign}${digits.slice(0, end)}e${power}`;
}

/** The nearest double of a finite number; undefined for any other value. */
export function doubleOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && !isExactNumber(value)) return undefined;
  const double = Number(value);
  return Number.isFinite(double) ? double : undefined;
}

/** More digits are too large for a double, and take time. */
const MAX_INTEGER_CHARACTERS = 310;

/** An integer that is written without an exponent, digit by digit; null for any other number. */
export function integerOf(value: number | ExactNumber): bigint | null {
  const text = String(value);
  return text.length <= MAX_INTEGER_CHARACTERS && /^-?\d+$/.test(text) ? BigInt(text) : null;
}
