/**
 * Whether a number is a multiple of another, both taken as the decimals that they are written as: 0.07 is a multiple
 * of 0.01, though dividing the doubles leaves a remainder. Exact for all doubles, whose exponents bound the work.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const dividend = decimalOf(value);
  const step = decimalOf(divisor);
  const exponent = Math.min(dividend.exponent, step.exponent);
  const scaled = ({ digits, exponent: own }: Decimal): bigint => digits * 10n ** BigInt(own - exponent);
  return scaled(dividend) % scaled(step) === 0n;
}

/** `digits` times ten to the power of `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The shortest decimal that reads as this double, which is what JavaScript writes. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
