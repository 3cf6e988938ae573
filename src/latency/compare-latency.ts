import { listOf, notNegative, record, requireArguments, required } from '../model/arguments.ts';
import type { Comparison } from '../model/bench.ts';
import { createRandom } from './random.ts';
import { meanOf, tQuantile975, varianceOfMean } from './student-t.ts';

/** Smaller differences do not matter in practice, however certain they are. */
const MIN_EFFECT_SHARE = 0.05;
const MIN_EFFECT_MS = 0.1;
const MIN_RUNS = 6;
/** Probability of a false difference; divided among the compared figures. */
const ALPHA = 0.01;

export interface RunFigures {
  readonly p50Ms: number;
  readonly p90Ms?: number;
  readonly p99Ms?: number;
  readonly meanMs: number;
}

export type FigureComparison = {
  /** B / A, of the geometric means over the runs; null if a side has no runs, or figures of 0. */
  readonly ratio: number | null;
  /** Of the two-sided permutation test; null if `ratio` is. */
  readonly pValue: number | null;
  /** 95 % interval; null if a side has fewer than two runs. */
  readonly intervalRatio: readonly [low: number, high: number] | null;
} & (
  | { readonly outcome: 'better' | 'worse' }
  | { readonly outcome: 'no-difference-shown'; readonly because: string }
);

export interface RunsComparison {
  /** Worse if any figure is: a gain in one does not compensate a loss in the other. */
  readonly outcome: Comparison;
  readonly p50: FigureComparison;
  /** Null if not every run has it. */
  readonly p99: FigureComparison | null;
}

const RUNS = required(
  listOf(
    record({
      p50Ms: required(notNegative),
      p90Ms: notNegative,
      p99Ms: notNegative,
      meanMs: required(notNegative),
    }),
  ),
);

/**
 * Compares runs, not samples: two runs of the same server differ by more than their samples show. The runs must
 * alternate (A B B A A B …); otherwise a change over time would be blamed on B.
 *
 * @throws OptionError when an argument is not a list of figures
 */
export function compareRuns(runsA: readonly RunFigures[], runsB: readonly RunFigures[]): RunsComparison {
  requireArguments('compareRuns', { runsA, runsB }, { runsA: RUNS, runsB: RUNS });
  const p99A = allP99Ms(runsA);
  const p99B = allP99Ms(runsB);
  const both = p99A !== null && p99B !== null;
  const alpha = both ? ALPHA / 2 : ALPHA;
  const p50 = compareFigure(
    runsA.map((run) => run.p50Ms),
    runsB.map((run) => run.p50Ms),
    alpha,
  );
  const p99 = both ? compareFigure(p99A, p99B, alpha) : null;
  const outcomes = [p50.outcome, p99?.outcome];
  const outcome = (['worse', 'better'] as const).find((one) => outcomes.includes(one));
  return { outcome: outcome ?? 'no-difference-shown', p50, p99 };
}

function compareFigure(
  valuesA: readonly number[],
  valuesB: readonly number[],
  alpha: number,
): FigureComparison {
  const logsA = valuesA.map(Math.log);
  const logsB = valuesB.map(Math.log);
  if (logsA.length === 0 || logsB.length === 0 || ![...logsA, ...logsB].every(Number.isFinite)) {
    const because = 'there are no figures above 0 to compare';
    return { ratio: null, pValue: null, intervalRatio: null, outcome: 'no-difference-shown', because };
  }
  const beforeMs = Math.exp(meanOf(logsA));
  const afterMs = Math.exp(meanOf(logsB));
  const pValue = permutationPValue(logsA, logsB);
  const figures = { ratio: afterMs / beforeMs, pValue, intervalRatio: intervalOfRatio(logsA, logsB) };
  const because = whyNotShown();
  if (because !== null) return { ...figures, outcome: 'no-difference-shown', because };
  return { ...figures, outcome: afterMs < beforeMs ? 'better' : 'worse' };

  function whyNotShown(): string | null {
    const fewest = Math.min(valuesA.length, valuesB.length);
    if (fewest < MIN_RUNS) return `each side needs ${MIN_RUNS} runs, and one has ${fewest}`;
    if (pValue > alpha)
      return `the difference is within the variation between runs (p = ${pValue.toFixed(3)})`;
    if (Math.abs(afterMs - beforeMs) < Math.max(MIN_EFFECT_SHARE * beforeMs, MIN_EFFECT_MS)) {
      return `the difference is below the relevant minimum (${MIN_EFFECT_SHARE * 100} % and ${MIN_EFFECT_MS} ms)`;
    }
    return null;
  }
}

/** Welch's t interval of the difference of the logarithms, because the two variances may differ. */
function intervalOfRatio(
  logsA: readonly number[],
  logsB: readonly number[],
): readonly [low: number, high: number] | null {
  if (logsA.length < 2 || logsB.length < 2) return null;
  const difference = meanOf(logsB) - meanOf(logsA);
  const varianceA = varianceOfMean(logsA);
  const varianceB = varianceOfMean(logsB);
  const variance = varianceA + varianceB;
  if (variance === 0) return [Math.exp(difference), Math.exp(difference)];
  const degrees = variance ** 2 / (varianceA ** 2 / (logsA.length - 1) + varianceB ** 2 / (logsB.length - 1));
  const halfWidth = tQuantile975(Math.max(1, degrees)) * Math.sqrt(variance);
  return [Math.exp(difference - halfWidth), Math.exp(difference + halfWidth)];
}

function allP99Ms(runs: readonly RunFigures[]): readonly number[] | null {
  const values = runs.map((run) => run.p99Ms).filter((value) => value !== undefined);
  return values.length === runs.length ? values : null;
}

/** Enough for all splits of 16 values into two groups of eight. */
const MAX_EXACT_SPLITS = 20_000;
const RANDOM_SPLITS = 20_000;
/** Sums of the same values in another order may differ in their last digits. */
const SLACK = 1e-12;

/**
 * The share of splits of the same values into two groups whose means differ by at least as much, in either direction.
 * All splits are counted if they are few; otherwise random ones, with a fixed seed. Assumes nothing about the
 * distribution.
 */
export function permutationPValue(valuesA: readonly number[], valuesB: readonly number[]): number {
  const pooled = [...valuesA, ...valuesB];
  const total = pooled.reduce((sum, value) => sum + value, 0);
  // For fixed sizes, the difference of the means grows with the distance of one group's sum from its share of the
  // total.
  const share = (total * valuesA.length) / pooled.length;
  const distance = (sum: number): number => Math.abs(sum - share);
  const observed = distance(valuesA.reduce((sum, value) => sum + value, 0));
  const magnitude = pooled.reduce((sum, value) => sum + Math.abs(value), 0);
  const isAsFar = (sum: number): boolean => distance(sum) >= observed - SLACK * magnitude;
  return splitsOf(pooled.length, valuesA.length) <= MAX_EXACT_SPLITS
    ? exactShare(pooled, valuesA.length, isAsFar)
    : randomShare(pooled, valuesA.length, isAsFar);
}

function exactShare(pooled: readonly number[], size: number, isAsFar: (sum: number) => boolean): number {
  let splits = 0;
  let asFar = 0;
  const choose = (from: number, wanted: number, sum: number): void => {
    if (wanted === 0) {
      splits += 1;
      if (isAsFar(sum)) asFar += 1;
      return;
    }
    for (let at = from; at <= pooled.length - wanted; at += 1) {
      choose(at + 1, wanted - 1, sum + (pooled[at] as number));
    }
  };
  choose(0, size, 0);
  return asFar / splits;
}

function randomShare(pooled: readonly number[], size: number, isAsFar: (sum: number) => boolean): number {
  const dealt = Float64Array.from(pooled);
  // A fixed seed, so that the same figures always give the same result.
  const random = createRandom(0x5eed);
  // The observed split is one of the possible ones; without it, the result could be 0.
  let asFar = 1;
  for (let split = 0; split < RANDOM_SPLITS; split += 1) {
    let sum = 0;
    for (let at = 0; at < size; at += 1) {
      const from = at + Math.floor(random() * (dealt.length - at));
      const value = dealt[from] as number;
      dealt[from] = dealt[at] as number;
      dealt[at] = value;
      sum += value;
    }
    if (isAsFar(sum)) asFar += 1;
  }
  return asFar / (RANDOM_SPLITS + 1);
}

function splitsOf(count: number, size: number): number {
  let splits = 1;
  for (let taken = 1; taken <= size; taken += 1) splits = (splits * (count - size + taken)) / taken;
  return splits;
}
