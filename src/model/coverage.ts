/** How many of the listed functions gave at least one result that could be judged. */
export interface Coverage {
  readonly listed: number;
  /** Functions that the user did not want called. */
  readonly excluded: number;
  readonly exercised: number;
  /** With fewer, the run is incomplete. */
  readonly needed: number;
  /** Without the excluded ones. */
  readonly notExercised: readonly NotExercised[];
}

export interface NotExercised {
  readonly function: string;
  readonly why: string;
  /** What to give or change, so that it is exercised. */
  readonly remedy: string;
  /** The entry of `samples` in the configuration that the remedy is about, with the input that was tried. */
  readonly sample?: string;
}

/** How many functions must be exercised: a number, a share of them in percent, or all. */
export type MinCoverage = number | `${number}%` | 'all';

export const MIN_COVERAGE_WORDS = 'a number of functions, a percentage such as 80%, or all';
/** `80%` or `all`. */
export const SHARE_OF_FUNCTIONS = /^(?:all|(?:100|[1-9]?\d)%)$/;

export function isMinCoverage(value: unknown): value is MinCoverage {
  return typeof value === 'string'
    ? SHARE_OF_FUNCTIONS.test(value)
    : Number.isSafeInteger(value) && (value as number) >= 1;
}

/** How many of `wanted` functions must be exercised. A baseline has the number that was reached before. Pure. */
export function neededOf(wanted: number, minCoverage: MinCoverage | undefined, reached?: number): number {
  const share = (percent: number): number => Math.ceil((wanted * percent) / 100);
  const usual = reached === undefined ? share(50) : Math.min(reached, wanted);
  if (minCoverage === undefined) return Math.max(1, usual);
  if (typeof minCoverage === 'number') return minCoverage;
  return Math.max(1, share(minCoverage === 'all' ? 100 : Number.parseFloat(minCoverage)));
}
