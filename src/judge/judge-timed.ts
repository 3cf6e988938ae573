import { type CheckThatSees, isOfSeveral, type Measured } from '../checks/define-check.ts';
import { TIMING_REFUSED, timingRefused } from '../checks/performance/timing.ts';
import { checks } from '../generated/checks.ts';
import { medianOf } from '../latency/pooled-median.ts';
import { type Finding, inapplicable, undecided } from '../model/judgement.ts';
import type { AssertionOf, Step } from '../model/suite.ts';
import { type ExchangeJudge, firstUnmet } from '../run/state/exchange-judge.ts';
import type { InstanceRun, Timed } from '../run/state/record.ts';
import { nearest } from '../text/nearest-name.ts';
import { asksForBudget, budgetFindings } from './judge-budget.ts';
import {
  type AnsweredInstance,
  type AnsweredStep,
  checkContext,
  exchangeOf,
  type JudgedAssertion,
} from './judge-context.ts';
import { blocked, decided } from './not-judged.ts';
import { findingsOfAll, holds, unmetFinding } from './prerequisites.ts';

/** Judges a budget on each item that was timed. Pure. */
export function judgeBudget(
  assertion: AssertionOf<'budget'>,
  answered: AnsweredStep,
): readonly JudgedAssertion[] {
  const judged = timedOf(assertion, answered).flatMap(({ measured, stopped }) =>
    measured === null
      ? stopped
      : budgetFindings(assertion, measured.timed.measurement, answered.context).map((finding) =>
          tied(assertion, measured, finding),
        ),
  );
  const missed = missedFindings(assertion, answered);
  return [...judged, ...missed.map((finding) => ({ assertion, instance: null, exchange: null, finding }))];
}

/** Judges a check on everything that was timed, once. Pure. */
export function judgeTimedCheck(
  check: CheckThatSees<'measurements'>,
  assertion: AssertionOf<'check'>,
  answered: AnsweredStep,
): readonly JudgedAssertion[] {
  const timed = timedOf(assertion, answered);
  const measured = timed.flatMap((one) => one.measured ?? []);
  const stopped = timed.flatMap((one) => one.stopped);
  if (measured.length === 0) return stopped;
  const judged = judgeMeasured(check, assertion, measured, answered);
  return judged.every(({ finding }) => finding.outcome === 'inapplicable') ? judged : [...stopped, ...judged];
}

/** Each item with its measurement, or with the findings that replace its judgement. */
function timedOf(
  assertion: AssertionOf<'check' | 'budget'>,
  answered: AnsweredStep,
): readonly { readonly measured: MeasuredRun | null; readonly stopped: readonly JudgedAssertion[] }[] {
  const { step, context } = answered;
  return answered.instances.map(({ instance, judges }) => {
    const unmet = unmetFinding(assertion, step, findingsOfAll(judges), instance.functionName, context);
    if (unmet === null && isMeasured(instance)) return { measured: instance, stopped: [] };
    const findings = unmet === null ? whyNotTimed(assertion, { instance, judges }, answered) : [unmet];
    return { measured: null, stopped: findings.map((finding) => tied(assertion, instance, finding)) };
  });
}

type MeasuredRun = InstanceRun & { readonly timed: Extract<Timed, { kind: 'measured' }> };

function isMeasured(instance: InstanceRun): instance is MeasuredRun {
  return instance.timed?.kind === 'measured';
}

function tied(
  assertion: JudgedAssertion['assertion'],
  instance: InstanceRun,
  finding: Finding,
): JudgedAssertion {
  return { assertion, instance, exchange: instance.exchanges[0] ?? null, finding };
}

function judgeMeasured(
  check: CheckThatSees<'measurements'>,
  assertion: AssertionOf<'check'>,
  measuredRuns: readonly MeasuredRun[],
  { instances, context }: AnsweredStep,
): readonly JudgedAssertion[] {
  const measured = measuredRuns.flatMap(({ timed, exchanges: [exchange] }): readonly Measured[] => {
    const { measurement, refusedAfterwards = false } = timed;
    return exchange === undefined ? [] : [{ measurement, refusedAfterwards, exchange }];
  });
  const median = medianOf(measured.map(({ measurement }) => measurement));
  const result = check.judge({ ...checkContext(assertion, context), measured, median });
  return decided(check, assertion, result).map((finding) => {
    const of = instances.find((one) => exchangeOf(finding, one.instance.exchanges) !== null);
    const instance = (of ?? instances[0])?.instance ?? null;
    return { assertion, instance, exchange: instance?.exchanges[0] ?? null, finding };
  });
}

/** The findings for an item that was not timed. The assertions on its ordinary call come first. */
function whyNotTimed(
  assertion: AssertionOf<'check' | 'budget'>,
  { instance: { timed, functionName }, judges }: AnsweredInstance,
  { step, instances, context }: AnsweredStep,
): readonly Finding[] {
  const answer = firstUnmet(judges.map((judge) => judge.answer()));
  if (!answer.met && answer.by !== assertion.requirement) return [blocked(answer.by)];
  // The cause is already reported under the same requirement.
  if (!answer.met && isOpen(answer.by, step, judges)) return [];
  if (timed?.kind === 'not-measured' && timed.because === 'refused')
    return [inapplicable('the target refuses repeated requests, so they cannot be timed')];
  if (timed?.kind === 'not-measured' && timed.because === 'asks-input')
    return [inapplicable('it asks for input before it answers, and timed calls give none')];
  if (timed?.kind === 'not-measured' && timed.because === 'rate-limited')
    return instances.some((one) => isMeasured(one.instance))
      ? [inapplicable(TIMING_REFUSED)]
      : [timingRefused({ expected: 'timed calls', received: 'none', advice: context.rateLimitAdvice })];
  const isAsked = assertion.kind === 'budget' && asksForBudget(assertion, functionName, context);
  // The report lists the items without time as a fact; a budget that names one needs a finding.
  if (instances.some((one) => isMeasured(one.instance)) && !isAsked)
    return [inapplicable('there was no time left to time it')];
  return [
    undecided({
      message: 'there was no time left to time it',
      expected: 'timed calls',
      received: 'none',
      advice: 'Increase --deadline, or limit the number of functions with --max-functions.',
    }),
  ];
}

/** Whether some answer did not satisfy a requirement of the step. */
function isOpen(requirement: string, { expect }: Step, judges: readonly ExchangeJudge[]): boolean {
  const onOne = expect.filter((one) => one.requirement === requirement && !isOfSeveral(one, checks));
  return !holds(onOne.flatMap(findingsOfAll(judges)));
}

/** A budget for a function that was not timed must not look met. */
function missedFindings(
  assertion: AssertionOf<'budget'>,
  { instances, context: { latency, listedFunctions, isRestrained } }: AnsweredStep,
): readonly Finding[] {
  if (assertion.of !== 'execute') return [];
  const timed = new Set(instances.map(({ instance }) => instance.functionName));
  const named = latency.budgets.flatMap((budget) => (budget.function === null ? [] : [budget.function]));
  return [...new Set(named)]
    .filter((name) => !timed.has(name))
    .map((name) =>
      undecided({
        message: `there is a budget for ${JSON.stringify(name)}, but no function of that name was timed`,
        expected: `timed calls of ${JSON.stringify(name)}`,
        received: 'none',
        advice: adviceFor(name, isRestrained(name), listedFunctions),
      }),
    );
}

function adviceFor(name: string, restrained: boolean, listed: readonly string[]): string {
  if (restrained)
    return 'It changes something or looks as if it does, so it is not timed. Name it in the configuration under mutating: allow, or remove its budget.';
  if (listed.includes(name))
    return 'The target lists it, but a first call with a sample input was not answered as expected, or --max-functions left it out.';
  const close = nearest(name, listed);
  return close === undefined
    ? 'The target does not list this function: remove its budget, or correct the name.'
    : `The target does not list this function. Did you mean "${close}"?`;
}
