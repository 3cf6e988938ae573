import type { CheckResult, Measured } from '../checks/define-check.ts';
import { checks } from '../checks/index.ts';
import { medianOf } from '../latency/pooled-median.ts';
import { blocked, type Finding, inapplicable, inconclusive, passed } from '../model/judgement.ts';
import type { AssertionOf, Step } from '../model/suite.ts';
import { nearest } from '../suite/diagnostic.ts';
import { asksForBudget, budgetFindings } from './judge-budget.ts';
import { checkContext, type ExchangeJudge, type JudgeContext } from './judge-exchange.ts';
import { exchangeNamed, type JudgedAssertion, prerequisiteOf } from './judged-assertion.ts';
import type { InstanceRun } from './record.ts';

type JudgesOf = ReadonlyMap<InstanceRun, readonly ExchangeJudge[]>;

/** Judges what rests on timed calls: a budget for each item that was timed, a check for all of them. Pure. */
export function judgeTimed(
  assertion: AssertionOf<'check' | 'budget'>,
  instances: readonly InstanceRun[],
  step: Step,
  judgesOf: JudgesOf,
  context: JudgeContext,
): readonly JudgedAssertion[] {
  const tied = (instance: InstanceRun, finding: Finding): JudgedAssertion => {
    return { assertion, instance, exchange: instance.exchanges[0] ?? null, finding };
  };
  const anyMeasured = instances.some(({ timed }) => timed?.kind === 'measured');
  const stoppedOf = (instance: InstanceRun): Finding | null =>
    stoppedBefore(assertion, instance, step, judgesOf.get(instance) ?? [], context) ??
    unmeasured(assertion, instance, anyMeasured, context);
  if (assertion.kind === 'budget') {
    const judged = instances.flatMap((instance) => {
      const stopped = stoppedOf(instance);
      if (stopped !== null) return [tied(instance, stopped)];
      if (instance.timed?.kind !== 'measured') return [];
      return budgetFindings(assertion, instance.timed.measurement, context).map((finding) =>
        tied(instance, finding),
      );
    });
    const missed = missedFindings(assertion, instances, context);
    return [...judged, ...missed.map((finding) => ({ assertion, instance: null, exchange: null, finding }))];
  }
  const stopped = instances.flatMap((instance) => {
    const finding = stoppedOf(instance);
    return finding === null ? [] : [tied(instance, finding)];
  });
  const judged = judgeMeasured(assertion, instances, stopped, context);
  const doesNotApply = judged.length > 0 && judged.every(({ finding }) => finding.outcome === 'inapplicable');
  return doesNotApply ? judged : [...stopped, ...judged];
}

function judgeMeasured(
  assertion: AssertionOf<'check'>,
  instances: readonly InstanceRun[],
  stopped: readonly JudgedAssertion[],
  context: JudgeContext,
): readonly JudgedAssertion[] {
  const check = checks.get(assertion.check);
  const measured = instances
    .filter((instance) => stopped.every((one) => one.instance !== instance))
    .flatMap(({ timed, exchanges: [exchange] }): readonly Measured[] =>
      timed?.kind === 'measured' && exchange !== undefined
        ? [{ measurement: timed.measurement, refusedAfterwards: timed.refusedAfterwards === true, exchange }]
        : [],
    );
  if (check?.sees !== 'measurements' || measured.length === 0) return [];
  const median = medianOf(measured.map(({ measurement }) => measurement));
  const result: CheckResult = check.judge({ ...checkContext(assertion, context), measured, median });
  return [result].flat().map((finding) => {
    const key = 'exchangeKey' in finding ? finding.exchangeKey : undefined;
    const of = instances.find(({ exchanges }) => exchangeNamed(exchanges, key) !== null);
    const instance = of ?? instances[0] ?? null;
    return { assertion, instance, exchange: instance?.exchanges[0] ?? null, finding };
  });
}

/** What keeps anything from being judged on the timed calls of an item: those who ask the same once come first. */
function stoppedBefore(
  assertion: AssertionOf<'check' | 'budget'>,
  instance: InstanceRun,
  step: Step,
  ownJudges: readonly ExchangeJudge[],
  context: JudgeContext,
): Finding | null {
  const prerequisite = prerequisiteOf(assertion, step, ownJudges, context);
  if (prerequisite !== null) return prerequisite;
  if (instance.timed?.kind === 'measured') return null;
  const gate = ownJudges.map((judge) => judge.gate()).find((stopped) => stopped !== null);
  if (gate === undefined || gate === null) return null;
  // What stopped it has said so under the same requirement.
  return gate === assertion.requirement ? passed : blocked(gate);
}

function unmeasured(
  assertion: AssertionOf<'check' | 'budget'>,
  { timed, functionName }: InstanceRun,
  anyMeasured: boolean,
  context: JudgeContext,
): Finding | null {
  if (timed?.kind === 'measured') return null;
  if (timed?.because === 'refused')
    return inapplicable('the target refuses to be asked the same again, so it cannot be timed');
  const isAsked = assertion.kind === 'budget' && asksForBudget(assertion, functionName, context);
  // That some items were left out for want of time is a fact of the report; what was asked for by name must be said here.
  if (anyMeasured && !isAsked) return inapplicable('there was no time left to time it');
  return inconclusive({
    message: 'there was no time left to time it',
    expected: 'timed calls',
    received: 'none',
    advice:
      'Give the check more time with --deadline, or let fewer functions be called with --max-functions.',
  });
}

/** A budget for a function that was not timed at all must not look as if it had been kept. */
function missedFindings(
  assertion: AssertionOf<'budget'>,
  instances: readonly InstanceRun[],
  { latency, listedFunctions, isRestrained }: JudgeContext,
): readonly Finding[] {
  if (assertion.of !== 'execute') return [];
  const timed = new Set(instances.map(({ functionName }) => functionName));
  const named = latency.budgets.flatMap((budget) => (budget.function === null ? [] : [budget.function]));
  return [...new Set(named)]
    .filter((name) => !timed.has(name))
    .map((name) =>
      inconclusive({
        message: `there is a budget for ${JSON.stringify(name)}, and no function of that name was timed`,
        expected: `timed calls of ${JSON.stringify(name)}`,
        received: 'none',
        advice: adviceFor(name, isRestrained(name), listedFunctions),
      }),
    );
}

function adviceFor(name: string, restrained: boolean, listed: readonly string[]): string {
  if (restrained)
    return 'It changes something, or looks as if it did, and is not timed. Name it in the configuration under mutating: allow, or drop its budget.';
  if (listed.includes(name))
    return 'The target lists it, but a first call with a sample input was not answered as expected, or --max-functions left it out.';
  const close = nearest(name, listed);
  return close === undefined
    ? 'The target lists no such function: drop its budget, or correct the name.'
    : `The target lists no such function. Did you mean "${close}"?`;
}
