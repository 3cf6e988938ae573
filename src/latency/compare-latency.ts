import { listOf, notNegative, record, requireArguments, required } from '../model/arguments.ts';
import { permutationPValue } from './permutation-test.ts';
import { meanOf, tQuantile975, varianceOfMean } from './student-t.ts';

/** Smaller differences do not matter in practice, however certain they are. */
const MIN_EFFECT_SHARE = 0.05;
const MIN_EFFECT_MS = 0.1;
const MIN_RUNS = 6;
/** Probability of a false difference; divided among the compared figures. */
const ALPHA = 0.01;

export type Outcome = 'better' | 'worse' | 'no-difference-shown';

/** The figures of one short run. */
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
  readonly outcome: Outcome;
  readonly p50: FigureComparison;
  /** Null if not every run has it. */
  readonly p99: FigureComparison | null;
}

const RUNS = required(
  listOf(
    record<RunFigures>({
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
  return { ...figures, outcome: direction(beforeMs, afterMs) };

  function whyNotShown(): string | null {
    const fewest = Math.min(valuesA.length, valuesB.length);
    if (fewest < MIN_RUNS) return `each side needs ${MIN_RUNS} runs, and one has ${fewest}`;
    if (pValue > alpha)
      return `the difference is within the variation between runs (p = ${pValue.toFixed(3)})`;
    if (!matters(beforeMs, afterMs)) {
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

function matters(beforeMs: number, afterMs: number): boolean {
  return Math.abs(afterMs - beforeMs) >= Math.max(MIN_EFFECT_SHARE * beforeMs, MIN_EFFECT_MS);
}

function direction(beforeMs: number, afterMs: number): 'better' | 'worse' {
  return afterMs < beforeMs ? 'better' : 'worse';
}
