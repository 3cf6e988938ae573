import type { Asked, CheckResult, JsonAnswer } from '../checks/define-check.ts';
import { checks } from '../checks/index.ts';
import { jsonBody } from '../checks/json-body.ts';
import { blocked, type Finding, inapplicable, inconclusive, passed } from '../model/judgement.ts';
import type { Assertion, AssertionOf, Step } from '../model/suite.ts';
import {
  checkContext,
  createExchangeJudge,
  type ExchangeJudge,
  type JudgeContext,
} from './judge-exchange.ts';
import { judgeTimed } from './judge-timed.ts';
import { exchangeNamed, type JudgedAssertion, prerequisiteOf } from './judged-assertion.ts';
import type { InstanceRun, StepRun } from './record.ts';

/** Judges a step that ran, on everything that it received. Pure. */
export function judgeStep(
  run: StepRun,
  usedStep: Step | null,
  context: JudgeContext,
): readonly JudgedAssertion[] {
  const { step } = run;
  if (run.kind !== 'ran') {
    const finding = findingOf(run);
    return step.expect.map((assertion) => ({
      assertion,
      instance: null,
      exchange: null,
      finding: isIncidental(assertion)
        ? inapplicable('the step was not run, so it has no error answer')
        : finding,
    }));
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
    if (sees === 'measurements' || assertion.kind === 'budget')
      return judgeTimed(assertion as AssertionOf<'check' | 'budget'>, run.instances, step, judgesOf, context);
    return run.instances.flatMap((instance) => {
      const ownJudges = judgesOf.get(instance) ?? [];
      if (sees === 'repetitions')
        return judgeRepetitions(assertion as AssertionOf<'check'>, instance, step, ownJudges, context);
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

/** Judges only the error answers that happen to come; where the step does not run, other steps decide the row. */
function isIncidental(assertion: Assertion): boolean {
  return (
    assertion.kind === 'check' &&
    checks.get(assertion.check)?.options.unanswered !== undefined &&
    assertion.options.unanswered === undefined
  );
}

function findingOf(run: Exclude<StepRun, { readonly kind: 'ran' }>): Finding {
  if (run.kind === 'blocked') return blocked(run.by);
  return run.kind === 'inapplicable' ? inapplicable(run.reason) : inconclusive(run.doubt);
}

/** A step that judges another's answers stops where that one stops. */
function judges(
  instance: InstanceRun,
  step: Step,
  usedStep: Step | null,
  context: JudgeContext,
): readonly ExchangeJudge[] {
  return instance.exchanges.map((exchange) => {
    const asked: Asked = { ...instance, exchange };
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
