import { type ApplyingBudget, BUDGETED_OPERATIONS, budgetsFor, limitInWords } from '../../model/budget.ts';
import { isMeasurement, type Measurement } from '../../model/measurement.ts';
import type { TestResult } from '../../model/report.ts';
import { inMs } from './figures.ts';
import { madeVisible } from './visible-result.ts';

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
