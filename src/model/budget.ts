import { PERCENTILES, type Percentile } from './load.ts';

export const BUDGETED_OPERATIONS = ['health', 'capabilities', 'execute'] as const;
export type BudgetedOperation = (typeof BUDGETED_OPERATIONS)[number];

export const BUDGETED_FIGURES = [...PERCENTILES, 'max'] as const;
export type BudgetedFigure = Percentile | 'max';

/** A time, or a multiple of the latency of the target's /health at the same percentile. */
export type BudgetLimit = { readonly ms: number } | { readonly timesHealth: number };

export interface Budget {
  readonly operation: BudgetedOperation;
  /** Null: all timed functions; always null for /health and /capabilities. */
  readonly function: string | null;
  readonly figure: BudgetedFigure;
  readonly limit: BudgetLimit;
}

/** Limits that a slow but working server meets. */
export const DEFAULT_BUDGETS: readonly Budget[] = [
  ...defaults('health', { p50: 500, p95: 1000, p99: 2000 }),
  ...defaults('capabilities', { p50: 1000, p95: 2000, p99: 4000 }),
  ...defaults('execute', { p50: 3000, p95: 6000, p99: 9000 }),
];

function defaults(
  operation: BudgetedOperation,
  limitsMs: Readonly<Partial<Record<Percentile, number>>>,
): readonly Budget[] {
  return Object.entries(limitsMs).map(([figure, ms]) => {
    return { operation, function: null, figure: figure as Percentile, limit: { ms } };
  });
}

export interface BudgetProblem {
  readonly problem: string;
  readonly remedy: string;
}

const MAX_MS = 600_000;
const MAX_TIMES = 100_000;
const LIMIT = /^(\d+(?:\.\d+)?)(ms|s|x)$/;
const LIMIT_REMEDY =
  'Write it as 300ms, 2s, or 20x (20 times the latency of /health at the same percentile).';

export function parseLimit(text: string): BudgetLimit | BudgetProblem {
  const [, digits, unit] = LIMIT.exec(text) ?? [];
  const value = Number(digits);
  if (unit === undefined || !(value > 0))
    return { problem: `"${text}" is not a limit of a budget`, remedy: LIMIT_REMEDY };
  if (unit === 'x')
    return value <= MAX_TIMES
      ? { timesHealth: value }
      : { problem: `"${text}" is more than ${MAX_TIMES}x`, remedy: LIMIT_REMEDY };
  const ms = unit === 's' ? value * 1000 : value;
  return ms <= MAX_MS ? { ms } : { problem: `"${text}" is longer than ten minutes`, remedy: LIMIT_REMEDY };
}

/** In the syntax of `--budget`. */
export function budgetLine({ operation, function: name, figure, limit }: Budget): string {
  const of = name === null ? operation : `${operation}:${name}`;
  return `${of}.${figure}=${'ms' in limit ? `${limit.ms}ms` : `${limit.timesHealth}x`}`;
}

/** The operation of a budget: `health`, `capabilities`, `execute`, or one function as `execute:NAME`. */
export function parseBudgeted(text: string): Pick<Budget, 'operation' | 'function'> | BudgetProblem {
  const operation = BUDGETED_OPERATIONS.find((known) => known === text);
  if (operation !== undefined) return { operation, function: null };
  const name = text.startsWith('execute:') ? text.slice('execute:'.length) : '';
  if (name !== '') return { operation: 'execute', function: name };
  return {
    problem: `"${text}" is not an operation with a budget`,
    remedy: 'Name health, capabilities, execute, or one function as execute:NAME.',
  };
}

/** A budget in one line, such as `health.p95=300ms`. The name of a function may contain dots and equals signs. */
export function parseBudget(line: string): Budget | BudgetProblem {
  const [, target, figureText, limitText] = /^(.+)\.(p\d[\d.]*|[a-z]+)=([^=]*)$/s.exec(line) ?? [];
  if (target === undefined || figureText === undefined || limitText === undefined)
    return {
      problem: `"${line}" is not a budget`,
      remedy: 'Write OPERATION.PERCENTILE=LIMIT, such as health.p95=300ms or execute:add.p50=20x.',
    };
  const budgeted = parseBudgeted(target);
  if ('problem' in budgeted) return budgeted;
  const figure = BUDGETED_FIGURES.find((known) => known === figureText);
  if (figure === undefined)
    return {
      problem: `"${figureText}" is not a percentile with a budget`,
      remedy: `Name one of ${BUDGETED_FIGURES.join(', ')}.`,
    };
  const limit = parseLimit(limitText);
  if ('problem' in limit) return limit;
  if (budgeted.operation === 'health' && 'timesHealth' in limit)
    return {
      problem: `"${line}" compares /health with itself`,
      remedy: 'Give the budget of health as a time, such as 300ms.',
    };
  return { ...budgeted, figure, limit };
}

/** The later of two budgets for the same figure counts. */
export function withoutOverridden(budgets: readonly Budget[]): readonly Budget[] {
  const byPlace = new Map(
    budgets.map((budget) => [JSON.stringify([budget.operation, budget.function, budget.figure]), budget]),
  );
  return [...byPlace.values()];
}

export interface ApplyingBudget extends Budget {
  /** A default limit, not set by the user. */
  readonly isDefault: boolean;
}

/** The budgets that apply to an operation or a function: for each figure the most specific one, or the default. */
export function budgetsFor(
  given: readonly Budget[],
  operation: BudgetedOperation,
  functionName: string | null,
): readonly ApplyingBudget[] {
  const own = (budgets: readonly Budget[], name: string | null, isDefault: boolean) =>
    budgets
      .filter((budget) => budget.operation === operation && budget.function === name)
      .map((budget): ApplyingBudget => ({ ...budget, isDefault }));
  const widestFirst = [
    ...own(DEFAULT_BUDGETS, null, true),
    ...own(given, null, false),
    ...own(given, functionName, false),
  ];
  const byFigure = new Map(widestFirst.map((budget) => [budget.figure, budget]));
  return BUDGETED_FIGURES.flatMap((figure) => byFigure.get(figure) ?? []);
}

export function limitInWords(limit: BudgetLimit): string {
  if ('timesHealth' in limit) return `${limit.timesHealth} times that of /health`;
  return `${limit.ms} ms`;
}
