import { timingRefused } from '../checks/performance/timing.ts';
import { MIN_SAMPLES } from '../latency/percentiles.ts';
import { type BudgetedFigure, type BudgetLimit, budgetsFor, limitInWords } from '../model/budget.ts';
import { type Finding, failed, passed, undecided } from '../model/judgement.ts';
import type { Measurement } from '../model/measurement.ts';
import { TOO_MANY_REQUESTS } from '../model/rate-limit.ts';
import type { AssertionOf } from '../model/suite.ts';
import type { JudgeContext } from './judge-context.ts';
import { notJudged } from './not-judged.ts';

/** A limit of one figure, and whether it is a default. */
interface Limit {
  readonly figure: BudgetedFigure;
  readonly limit: BudgetLimit;
  readonly isDefault: boolean;
}

interface Figure {
  readonly valueMs: number;
  readonly intervalMs: readonly [low: number, high: number];
}

function limitsOf(
  assertion: AssertionOf<'budget'>,
  functionName: string | null,
  { latency }: JudgeContext,
): readonly Limit[] {
  if (assertion.of !== null) return budgetsFor(latency.budgets, assertion.of, functionName);
  return Object.entries(assertion.limitsMs).map(([figure, ms]) => {
    return { figure: figure as BudgetedFigure, limit: { ms }, isDefault: false };
  });
}

/** Whether the user set a budget that applies to this function. */
export function asksForBudget(
  assertion: AssertionOf<'budget'>,
  functionName: string | null,
  context: JudgeContext,
): boolean {
  return limitsOf(assertion, functionName, context).some(({ isDefault }) => !isDefault);
}

/**
 * Judges the budgets of one measurement. A limit inside the interval of its figure is undecided. A default limit is
 * skipped if there are too few samples for it and another figure can be judged.
 */
export function budgetFindings(
  assertion: AssertionOf<'budget'>,
  measurement: Measurement,
  context: JudgeContext,
): readonly Finding[] {
  const limits = limitsOf(assertion, measurement.function ?? null, context);
  const doubtful = doubtOf(measurement, context.rateLimitAdvice);
  if (doubtful !== null) return [isMetAnyway(limits, measurement) ? passed : doubtful];
  const judged = limits.filter(
    ({ figure, isDefault }) => !isDefault || figureOf(measurement, figure) !== null,
  );
  if (limits.length === 0) return [notJudged('the budget limits nothing')];
  if (judged.length === 0) return limits.slice(0, 1).map((limit) => tooFew(limit, measurement, context));
  return judged.map((limit) => judgeLimit(limit, measurement, context));
}

/**
 * An overloaded client measures longer times, never shorter ones. If only default limits apply and even these figures
 * meet them, the requirement passes on a busy machine too.
 */
function isMetAnyway(limits: readonly Limit[], measurement: Measurement): boolean {
  if (measurement.unreliable.length === 0 || measurement.errors > 0) return false;
  const known = limits.flatMap((limit) => {
    const found = figureOf(measurement, limit.figure);
    return found === null ? [] : [{ ...limit, found }];
  });
  return (
    known.length > 0 &&
    limits.every(({ isDefault }) => isDefault) &&
    known.every(({ limit, found }) => 'ms' in limit && found.intervalMs[1] <= limit.ms)
  );
}

function doubtOf({ unreliable, errorKinds }: Measurement, rateLimitAdvice: string): Finding | null {
  const expected = 'reliable response times';
  if (errorKinds.some(({ status }) => status === TOO_MANY_REQUESTS))
    return timingRefused({ expected, received: `status ${TOO_MANY_REQUESTS}`, advice: rateLimitAdvice });
  if (unreliable.length > 0)
    return undecided({
      message: `the figures cannot be relied on: ${unreliable.join('; ')}`,
      expected,
      received: 'figures of an overloaded client',
      advice: 'Run the check again while fewer other checks and programs run.',
    });
  return null;
}

function judgeLimit(limit: Limit, measurement: Measurement, context: JudgeContext): Finding {
  const { figure } = limit;
  const found = figureOf(measurement, figure);
  if (found === null) return tooFew(limit, measurement, context);
  const allowed = allowedMs(limit.limit, figure, context.measuredHealth);
  if (allowed === null)
    return undecided({
      message: `${figure} must be at most ${limitInWords(limit.limit)}, but /health has no reliable ${figure}`,
      expected: `${figure} of /health`,
      received: 'no reliable figure',
      advice: `Time /health as well, with enough samples for ${figure}, or set the budget as a time.`,
    });
  if (found.valueMs <= allowed.valueMs) return passed;
  const [lowMs, highMs] = found.intervalMs;
  const evidence = {
    message: figure === 'max' ? 'the slowest call is over its budget' : `${figure} is over its budget`,
    expected: `at most ${expectedWords(limit.limit, allowed.valueMs)}`,
    received:
      figure === 'max'
        ? `${found.valueMs.toFixed(1)} ms`
        : `${found.valueMs.toFixed(1)} ms (95 % interval ${lowMs.toFixed(1)} to ${highMs.toFixed(1)} ms, ${measurement.samples} samples)`,
  };
  return lowMs <= allowed.highMs
    ? undecided({ ...evidence, message: `${evidence.message}, but not beyond doubt` })
    : failed(evidence);
}

function expectedWords(limit: BudgetLimit, valueMs: number): string {
  const words = limitInWords(limit);
  return 'timesHealth' in limit ? `${valueMs.toFixed(1)} ms, ${words}` : words;
}

/** The allowed time; `highMs` includes the uncertainty of the time of /health. */
function allowedMs(
  limit: BudgetLimit,
  figure: BudgetedFigure,
  health: Measurement | null,
): { readonly valueMs: number; readonly highMs: number } | null {
  if ('ms' in limit) return { valueMs: limit.ms, highMs: limit.ms };
  if (health === null || doubtOf(health, '') !== null) return null;
  const own = figureOf(health, figure);
  if (own === null) return null;
  return { valueMs: own.valueMs * limit.timesHealth, highMs: own.intervalMs[1] * limit.timesHealth };
}

function figureOf(measurement: Measurement, figure: BudgetedFigure): Figure | null {
  if (figure === 'max') {
    const { maxMs } = measurement;
    return maxMs === undefined ? null : { valueMs: maxMs, intervalMs: [maxMs, maxMs] };
  }
  const valueMs = measurement[`${figure}Ms`];
  const intervalMs = measurement.intervals[figure];
  return valueMs === undefined || intervalMs === undefined ? null : { valueMs, intervalMs };
}

function tooFew({ figure, limit }: Limit, measurement: Measurement, context: JudgeContext): Finding {
  const { samples } = measurement;
  const atMost = `at most ${limitInWords(limit)}`;
  if (figure === 'max')
    return undecided({ message: 'no call was answered', expected: atMost, received: 'no samples' });
  return undecided({
    message: `too few calls were answered for ${figure}`,
    expected: `${figure} of ${atMost}`,
    received: `${samples} ${samples === 1 ? 'sample' : 'samples'}`,
    advice: adviceFor(MIN_SAMPLES[figure], measurement, context),
  });
}

/** A function gets a share of the samples, so the advised number is scaled by the planned calls. */
function adviceFor(least: number, { load, errors }: Measurement, { latency }: JudgeContext): string {
  if (load.planned >= least || errors > 0)
    return `It needs ${least} answered calls: check the unanswered ones, or increase --deadline.`;
  const current = latency.samples ?? load.planned;
  const wanted = Math.ceil((current * least) / Math.max(1, load.planned));
  return `It needs ${least} samples: use --samples ${wanted}, and increase --deadline if necessary.`;
}
