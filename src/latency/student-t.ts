const NORMAL = 1.959963984540054;
/** For one to four degrees of freedom, where the series below is not exact enough. */
const FEW_DEGREES = [12.706205, 4.302653, 3.182446, 2.776445];
/** The Cornish-Fisher expansion around the normal quantile, in powers of one over the degrees of freedom. */
const TERMS = [
  (NORMAL ** 3 + NORMAL) / 4,
  (5 * NORMAL ** 5 + 16 * NORMAL ** 3 + 3 * NORMAL) / 96,
  (3 * NORMAL ** 7 + 19 * NORMAL ** 5 + 17 * NORMAL ** 3 - 15 * NORMAL) / 384,
  (79 * NORMAL ** 9 + 776 * NORMAL ** 7 + 1482 * NORMAL ** 5 - 1920 * NORMAL ** 3 - 945 * NORMAL) / 92_160,
];

/**
 * The number of standard errors to the end of a two-sided 95 % interval. Expects at least one degree of freedom;
 * fractions are rounded down, which widens the interval.
 */
export function tQuantile975(degreesOfFreedom: number): number {
  const degrees = Math.floor(degreesOfFreedom);
  return (
    FEW_DEGREES[degrees - 1] ??
    TERMS.reduce((sum, term, index) => sum + term / degrees ** (index + 1), NORMAL)
  );
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The variance of the mean, estimated from the values. Expects at least two values. */
export function varianceOfMean(values: readonly number[]): number {
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return squares / (values.length - 1) / values.length;
}
