import type { ComparedCall } from '../../model/bench.ts';
import { type ApplyingBudget, BUDGETED_OPERATIONS, budgetsFor, limitInWords } from '../../model/budget.ts';
import { type LoadModel, PERCENTILES } from '../../model/load.ts';
import {
  isMeasurement,
  type Measurement,
  type ResponseTimes,
  slowestFirst,
} from '../../model/measurement.ts';
import type { TestResult } from '../../model/report.ts';
import { madeVisible } from './visible-result.ts';
import { counted } from './words.ts';

export function callWords({ count, errors }: ResponseTimes): string {
  return `${counted(count, 'call')}${errors > 0 ? `, ${errors} in error` : ''}`;
}

/** Why the figures are unreliable; empty if they are reliable. */
export function doubtWords(times: ResponseTimes): string {
  return isMeasurement(times) ? times.unreliable.join('; ') : '';
}

/** Always names a closed loop: its figures are not the response times that callers on a schedule would see. */
export function loadWords(model: LoadModel): string {
  return model.kind === 'closed'
    ? `closed loop, ${counted(model.connections, 'connection')}`
    : `open loop, ${Number(model.ratePerSecond.toFixed(1))} requests a second`;
}

const MAX_FUNCTIONS = 10;

/** The operations, and the functions that may need attention: unreliable ones and the slowest. */
export function notableTimes<T extends Measurement>(measured: readonly T[]) {
  const functions = slowestFirst(measured.filter((times) => times.function !== undefined));
  const chosen = functions
    .toSorted((left, right) => Number(right.unreliable.length > 0) - Number(left.unreliable.length > 0))
    .slice(0, MAX_FUNCTIONS);
  return {
    notable: [...measured.filter((times) => times.function === undefined), ...slowestFirst(chosen)],
    // The number of other functions.
    more: functions.length - chosen.length,
  };
}

/** Three or four significant digits. */
export function inMs(value: number): string {
  const digits = value >= 100 ? 1 : value >= 10 ? 2 : 3;
  return `${value.toFixed(digits)} ms`;
}

/** Without the unit, for narrow places where it is shown elsewhere. */
export function inBrief(ms: number): string {
  return ms.toFixed(ms < 10 ? 1 : 0);
}

const FIGURES = ['min', 'mean', ...PERCENTILES, 'max'] as const;
export type FigureName = (typeof FIGURES)[number];
type Figures = { readonly [Name in FigureName as `${Name}Ms`]?: number };

/** The existing figures of response times, with their names. Pure. */
export function figuresOf(times: Figures): readonly (readonly [FigureName, number])[] {
  return FIGURES.flatMap((name) => {
    const ms = times[`${name}Ms`];
    return ms === undefined ? [] : [[name, ms] as const];
  });
}

/** The figures that show the typical and the slow calls. Pure. */
export function typicalAndSlow(times: Figures): readonly (readonly [FigureName, number])[] {
  return figuresOf(times).filter(([name]) => name !== 'min' && name !== 'mean');
}

/** `9.2 ms → 19 ms, 2.07 times`. */
export function changeWords({ beforeMs, afterMs }: Pick<ComparedCall, 'beforeMs' | 'afterMs'>): string {
  const times = beforeMs === 0 ? '' : `, ${(afterMs / beforeMs).toFixed(2)} times`;
  return `${inMs(beforeMs)} → ${inMs(afterMs)}${times}`;
}

export type BudgetView = NonNullable<ReturnType<typeof budgetView>>;
export type Budgets = ReadonlyMap<string, readonly BudgetView[]>;

/** By the key of the measurement. A load and the measurements of other suites have no budgets of the settings. Pure. */
export function budgetsOf({ responseTimes, settings, bench }: TestResult): Budgets {
  if (bench !== undefined) return new Map();
  const measured = responseTimes.filter(isMeasurement).filter(({ key }) => key.startsWith('performance/'));
  const health = measured.find(({ operation }) => operation === 'health');
  return new Map(
    measured.map((times) => {
      const operation = BUDGETED_OPERATIONS.find((known) => known === times.operation);
      const given = operation ? budgetsFor(settings.latency.budgets, operation, times.function ?? null) : [];
      return [madeVisible(times.key), given.flatMap((budget) => budgetView(budget, times, health) ?? [])];
    }),
  );
}

function budgetView(
  { figure, limit, isDefault }: ApplyingBudget,
  times: Measurement,
  health: Measurement | undefined,
) {
  const value = times[`${figure}Ms`];
  const healthMs = health?.[`${figure}Ms`];
  // A default limit is judged only if there are enough calls for its percentile.
  if (value === undefined && isDefault) return null;
  if ('timesHealth' in limit && healthMs === undefined) return null;
  const limitMs = 'ms' in limit ? limit.ms : limit.timesHealth * (healthMs ?? 0);
  const short = 'ms' in limit ? limitInWords(limit) : inMs(limitMs);
  const basis = 'ms' in limit ? '' : ` (${limitInWords(limit)})`;
  return {
    figure,
    limitMs,
    words: `${figure} at most ${short}${basis}`,
    short,
    isOver: value !== undefined && value > limitMs,
  };
}
