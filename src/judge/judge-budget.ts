import { MIN_SAMPLES } from '../latency/percentiles.ts';
import { type BudgetedFigure, type BudgetLimit, budgetsFor, limitInWords } from '../model/budget.ts';
import { type Finding, failed, inconclusive, passed } from '../model/judgement.ts';
import { TOO_MANY_REQUESTS } from '../model/rate-limit.ts';
import type { Measurement } from '../model/report.ts';
import type { AssertionOf } from '../model/suite.ts';
import type { JudgeContext } from './judge-context.ts';
import { notJudged } from './not-judged.ts';

/** A limit of one figure, and whether anybody asked for it. */
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

/** Whether somebody set a budget that holds for this function, besides the defaults. */
export function asksForBudget(
  assertion: AssertionOf<'budget'>,
  functionName: string | null,
  context: JudgeContext,
): boolean {
  return limitsOf(assertion, functionName, context).some(({ isDefault }) => !isDefault);
}

/**
 * Judges the budgets of one measurement; a limit that is broken only within the interval is undecided. A default for
 * which there are too few samples is left alone as long as another figure can be judged.
 */
export function budgetFindings(
  assertion: AssertionOf<'budget'>,
  measurement: Measurement,
  context: JudgeContext,
): readonly Finding[] {
  const limits = limitsOf(assertion, measurement.function ?? null, context);
  const doubtful = doubtOf(measurement);
  if (doubtful !== null) return [isKeptAnyway(limits, measurement) ? passed : doubtful];
  const judged = limits.filter(
    ({ figure, isDefault }) => !isDefault || figureOf(measurement, figure) !== null,
  );
  if (limits.length === 0) return [notJudged('the budget limits nothing')];
  if (judged.length === 0) return limits.slice(0, 1).map((limit) => tooFew(limit, measurement, context));
  return judged.map((limit) => judgeLimit(limit, measurement, context));
}

/**
 * A client with trouble of its own sees answers later than they came, never sooner: where nobody asked for a budget, and
 * even such figures are well within the defaults, a busy machine is no reason to leave the row undecided.
 */
function isKeptAnyway(limits: readonly Limit[], measurement: Measurement): boolean {
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

function doubtOf({ unreliable, errorKinds }: Measurement): Finding | null {
  const expected = 'response times that can be relied on';
  if (unreliable.length > 0)
    return inconclusive({
      message: `the figures cannot be relied on: ${unreliable.join('; ')}`,
      expected,
      received: 'figures that rest on a client with trouble of its own',
      advice: 'Run the check again on a machine that has less to do.',
    });
  if (errorKinds.some(({ status }) => status === TOO_MANY_REQUESTS))
    return inconclusive({
      message: 'the target’s rate limiter refused timed calls, which were ended at once',
      expected,
      received: `status ${TOO_MANY_REQUESTS}`,
      fault: 'server',
      advice: 'Allow the check more requests, or let it ask less often with --max-rate.',
    });
  return null;
}

function judgeLimit(limit: Limit, measurement: Measurement, context: JudgeContext): Finding {
  const { figure } = limit;
  const found = figureOf(measurement, figure);
  if (found === null) return tooFew(limit, measurement, context);
  const allowed = allowedMs(limit.limit, figure, context.measuredHealth);
  if (allowed === null)
    return inconclusive({
      message: `${figure} is to be at most ${limitInWords(limit.limit)}, of which there is no such figure`,
      expected: `${figure} of /health`,
      received: 'none that can be relied on',
      advice: `Time /health as well, with samples enough for ${figure}, or give the budget as a time.`,
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
    ? inconclusive({ ...evidence, message: `${evidence.message}, but not beyond doubt` })
    : failed(evidence);
}

function expectedWords(limit: BudgetLimit, valueMs: number): string {
  const words = limitInWords(limit);
  return 'timesHealth' in limit ? `${valueMs.toFixed(1)} ms, ${words}` : words;
}

/** How long is allowed; more than that may be allowed, as far as the time of /health is uncertain itself. */
function allowedMs(
  limit: BudgetLimit,
  figure: BudgetedFigure,
  health: Measurement | null,
): { readonly valueMs: number; readonly highMs: number } | null {
  if ('ms' in limit) return { valueMs: limit.ms, highMs: limit.ms };
  if (health === null || doubtOf(health) !== null) return null;
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
    return inconclusive({ message: 'no call was answered', expected: atMost, received: 'no samples' });
  return inconclusive({
    message: `too few calls were answered for ${figure}`,
    expected: `${figure} of ${atMost}`,
    received: `${samples} ${samples === 1 ? 'sample' : 'samples'}`,
    advice: adviceFor(MIN_SAMPLES[figure], measurement, context),
  });
}

/** Functions get their share of the samples, so that the number to ask for grows with what was planned. */
function adviceFor(least: number, { load, errors }: Measurement, { latency }: JudgeContext): string {
  if (load.planned >= least || errors > 0)
    return `It needs ${least} calls that are answered: look at those that were not, or give the check more time with --deadline.`;
  const asked = latency.samples ?? load.planned;
  const wanted = Math.ceil((asked * least) / Math.max(1, load.planned));
  return `It needs ${least} samples: ask for more with --samples ${wanted}, and a later --deadline if need be.`;
}
