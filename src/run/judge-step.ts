import type { Asked, CheckResult, JsonAnswer } from '../checks/define-check.ts';
import { checks } from '../checks/index.ts';
import { jsonBody } from '../checks/json-body.ts';
import { estimatePercentiles } from '../latency/percentiles.ts';
import type { Exchange } from '../model/exchange.ts';
import { blocked, type Finding, failed, inapplicable, inconclusive, passed } from '../model/judgement.ts';
import type { Assertion, AssertionOf, Step } from '../model/suite.ts';
import {
  checkContext,
  conditionOf,
  createExchangeJudge,
  type ExchangeJudge,
  type JudgeContext,
  neededFinding,
} from './judge-exchange.ts';
import type { InstanceRun, StepRun } from './record.ts';

/** One assertion decided, tied to the instance and the exchange that it is about. */
export interface JudgedAssertion {
  readonly assertion: Assertion;
  readonly instance: InstanceRun | null;
  readonly exchange: Exchange | null;
  readonly finding: Finding;
}

/** Judges a step that ran, on everything that it received. Pure. */
export function judgeStep(
  run: StepRun,
  usedStep: Step | null,
  context: JudgeContext,
): readonly JudgedAssertion[] {
  const { step } = run;
  if (run.kind !== 'ran') {
    const finding = run.kind === 'blocked' ? blocked(run.by) : inapplicable(run.reason);
    return step.expect.map((assertion) => ({ assertion, instance: null, exchange: null, finding }));
  }
  const judgesOf = new Map(
    run.instances.map((instance) => [instance, judges(instance, step, usedStep, context)]),
  );
  return step.expect.flatMap((assertion): readonly JudgedAssertion[] => {
    const sees = assertion.kind === 'check' ? checks.get(assertion.check)?.sees : undefined;
    if (sees === 'step') {
      const allJudges = [...judgesOf.values()].flat();
      return judgeWholeStep(assertion as AssertionOf<'check'>, run.instances, step, allJudges, context);
    }
    return run.instances.flatMap((instance) => {
      const ownJudges = judgesOf.get(instance) ?? [];
      if (sees === 'repetitions')
        return judgeRepetitions(assertion as AssertionOf<'check'>, instance, step, ownJudges, context);
      if (assertion.kind === 'budget') return judgeBudget(assertion, instance, step, ownJudges, context);
      return instance.exchanges.flatMap((exchange, index) =>
        (ownJudges[index]?.findings(assertion) ?? []).map((finding) => ({
          assertion,
          instance,
          exchange,
          finding,
        })),
      );
    });
  });
}

/** A step that judges another's answers stops where that one stops. */
function judges(
  instance: InstanceRun,
  step: Step,
  usedStep: Step | null,
  context: JudgeContext,
): readonly ExchangeJudge[] {
  return instance.exchanges.map((exchange) => {
    const asked: Asked = { exchange, call: instance.call, item: instance.item };
    const own = createExchangeJudge(step, asked, context);
    const stopped = usedStep === null ? null : createExchangeJudge(usedStep, asked, context).bodyGate();
    return stopped === null ? own : { ...own, findings: () => [blocked(stopped)] };
  });
}

function judgeWholeStep(
  assertion: AssertionOf<'check'>,
  instances: readonly InstanceRun[],
  step: Step,
  allJudges: readonly ExchangeJudge[],
  context: JudgeContext,
): readonly JudgedAssertion[] {
  const asked = instances.flatMap(({ exchanges, call, item }) =>
    exchanges.map((exchange): Asked => ({ exchange, call, item })),
  );
  const check = checks.get(assertion.check);
  const judge = (): CheckResult =>
    check?.sees === 'step' ? check.judge({ ...checkContext(assertion, context), asked }) : passed;
  const prerequisite = prerequisiteOf(assertion, step, allJudges, context);
  return [prerequisite ?? judge()].flat().map((finding) => {
    const key = 'exchangeKey' in finding ? finding.exchangeKey : undefined;
    const instance =
      instances.find(({ exchanges }) => exchanges.some(({ request }) => request.key === key)) ?? null;
    const used = Object.values(context.used).flatMap((answers) => answers.map(({ exchange }) => exchange));
    return { assertion, instance, exchange: exchangeNamed(instance?.exchanges ?? used, key), finding };
  });
}

function judgeRepetitions(
  assertion: AssertionOf<'check'>,
  instance: InstanceRun,
  step: Step,
  ownJudges: readonly ExchangeJudge[],
  context: JudgeContext,
): readonly JudgedAssertion[] {
  const check = checks.get(assertion.check);
  if (check?.sees !== 'repetitions') return [];
  const stopping = ownJudges.map((judge) => judge.bodyGate());
  const answers = instance.exchanges.flatMap((exchange, index): readonly JsonAnswer[] => {
    if (exchange.kind !== 'answered' || stopping[index] !== null) return [];
    const { value } = jsonBody(exchange);
    return value === undefined ? [] : [{ exchange, value, call: instance.call }];
  });
  const prerequisite = prerequisiteOf(assertion, step, ownJudges, context);
  const judge = (): CheckResult => {
    const [gate = null] = stopping;
    if (answers.length === 0 && gate !== null) return blocked(gate);
    return check.judge({ ...checkContext(assertion, context), answers });
  };
  return [prerequisite ?? judge()].flat().map((finding) => {
    const key = 'exchangeKey' in finding ? finding.exchangeKey : undefined;
    return {
      assertion,
      instance,
      exchange: exchangeNamed(instance.exchanges, key) ?? instance.exchanges.at(-1) ?? null,
      finding,
    };
  });
}

function exchangeNamed(exchanges: readonly Exchange[], key: string | undefined): Exchange | null {
  return exchanges.find(({ request }) => request.key === key) ?? null;
}

/** What keeps an assertion about several exchanges from being judged on any of them. */
function prerequisiteOf(
  assertion: Assertion,
  step: Step,
  judgesOfAll: readonly ExchangeJudge[],
  context: JudgeContext,
): Finding | null {
  const { needs } = assertion;
  const condition = conditionOf(assertion, context.form);
  if (condition !== null || needs === null) return condition;
  const findingsOf = (other: Assertion): readonly Finding[] =>
    judgesOfAll.flatMap((judge) => judge.findings(other));
  return neededFinding(needs, step, findingsOf, context);
}

/**
 * Judges a latency budget on the samples of one instance, those that got the status they should; a limit that is
 * broken only within the interval is undecided.
 */
function judgeBudget(
  assertion: AssertionOf<'budget'>,
  instance: InstanceRun,
  step: Step,
  ownJudges: readonly ExchangeJudge[],
  context: JudgeContext,
): readonly JudgedAssertion[] {
  const gates = ownJudges.map((judge) => judge.gate());
  const durationsMs = instance.exchanges
    .filter((_, index) => gates[index] === null)
    .map(({ timing }) => timing.durationMs)
    .sort((left, right) => left - right);
  const stopped = durationsMs.length === 0 ? gates[0] : undefined;
  const prerequisite =
    prerequisiteOf(assertion, step, ownJudges, context) ?? (stopped ? blocked(stopped) : null);
  const findings = prerequisite === null ? budgetFindings(assertion, durationsMs) : [prerequisite];
  return findings.map((finding) => ({
    assertion,
    instance,
    exchange: instance.exchanges[0] ?? null,
    finding,
  }));
}

function budgetFindings(
  { limitsMs }: AssertionOf<'budget'>,
  durationsMs: readonly number[],
): readonly Finding[] {
  const estimates = estimatePercentiles(durationsMs);
  return Object.entries(limitsMs).map(([name, limitMs]): Finding => {
    if (name === 'max') return judgeMaximum(durationsMs.at(-1), limitMs);
    const estimate = estimates.find(({ percentile }) => percentile === name);
    if (estimate === undefined) {
      return inconclusive({
        message: `too few calls were answered for ${name}`,
        expected: `${name} of at most ${limitMs} ms`,
        received: `${durationsMs.length} samples`,
      });
    }
    if (estimate.value <= limitMs) return passed;
    const [low, high] = estimate.interval;
    const evidence = {
      message: `${name} is over its budget`,
      expected: `at most ${limitMs} ms`,
      received: `${estimate.value.toFixed(1)} ms (95 % interval ${low.toFixed(1)} to ${high.toFixed(1)} ms, ${durationsMs.length} samples)`,
    };
    return low <= limitMs
      ? inconclusive({ ...evidence, message: `${evidence.message}, but not beyond doubt` })
      : failed(evidence);
  });
}

function judgeMaximum(slowestMs: number | undefined, limitMs: number): Finding {
  if (slowestMs === undefined)
    return inconclusive({
      message: 'no call was answered',
      expected: `at most ${limitMs} ms`,
      received: 'no samples',
    });
  if (slowestMs <= limitMs) return passed;
  return failed({
    message: 'the slowest call is over its budget',
    expected: `at most ${limitMs} ms`,
    received: `${slowestMs.toFixed(1)} ms`,
  });
}
