import type { Asked, CheckThatSees, JsonAnswer } from '../checks/define-check.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { checks } from '../generated/checks.ts';
import { type Finding, inapplicable, inconclusive } from '../model/judgement.ts';
import type { Assertion, AssertionOf, Step } from '../model/suite.ts';
import { type ExchangeJudge, MET } from '../run/exchange-judge.ts';
import type { InstanceRun, StepRun } from '../run/record.ts';
import { checkContext, type JudgeContext } from './judge-context.ts';
import { createExchangeJudge } from './judge-exchange.ts';
import { judgeBudget, judgeTimedCheck } from './judge-timed.ts';
import { exchangeNamed, type JudgedAssertion } from './judged-assertion.ts';
import { blocked, decided, unknownCheck, unknownKind } from './not-judged.ts';
import { findingsOfAll, unmetFinding } from './prerequisites.ts';

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
  const onEach = (assertion: Assertion): readonly JudgedAssertion[] =>
    run.instances.flatMap((instance) =>
      instance.exchanges.flatMap((exchange, index) =>
        (judgesOf.get(instance)?.[index]?.findings(assertion) ?? []).map((finding) => {
          return { assertion, instance, exchange, finding };
        }),
      ),
    );
  const onNone = (assertion: Assertion, finding: Finding): readonly JudgedAssertion[] => [
    { assertion, instance: null, exchange: null, finding },
  ];
  const judgeCheck = (assertion: AssertionOf<'check'>): readonly JudgedAssertion[] => {
    const check = checks.get(assertion.check);
    if (check === undefined) return onNone(assertion, unknownCheck(assertion.check));
    switch (check.sees) {
      case 'exchange':
      case 'answer':
      case 'json':
        return onEach(assertion);
      case 'repetitions':
        return run.instances.flatMap((instance) =>
          judgeRepetitions(check, assertion, instance, step, judgesOf.get(instance) ?? [], context),
        );
      case 'step':
        return judgeWholeStep(check, assertion, run.instances, step, [...judgesOf.values()].flat(), context);
      case 'measurements':
        return judgeTimedCheck(check, assertion, run.instances, step, judgesOf, context);
      default:
        return onNone(assertion, unknownKind(check));
    }
  };
  return step.expect.flatMap((assertion): readonly JudgedAssertion[] => {
    switch (assertion.kind) {
      case 'status':
      case 'header':
      case 'body':
      case 'time':
        return onEach(assertion);
      case 'check':
        return judgeCheck(assertion);
      case 'budget':
        return judgeBudget(assertion, run.instances, step, judgesOf, context);
      default:
        return onNone(assertion, unknownKind(assertion));
    }
  });
}

/** Judges only the error answers that happen to come; where the step does not run, other steps decide the row. */
function isIncidental(assertion: Assertion): boolean {
  return assertion.kind === 'check' && checks.get(assertion.check)?.isIncidental(assertion.options) === true;
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
    const used = usedStep === null ? MET : createExchangeJudge(usedStep, asked, context).body();
    return used.met ? own : { ...own, findings: () => [blocked(used.by)] };
  });
}

function judgeWholeStep(
  check: CheckThatSees<'step'>,
  assertion: AssertionOf<'check'>,
  instances: readonly InstanceRun[],
  step: Step,
  allJudges: readonly ExchangeJudge[],
  context: JudgeContext,
): readonly JudgedAssertion[] {
  const asked = instances.flatMap(({ exchanges, call, item }) =>
    exchanges.map((exchange): Asked => ({ exchange, call, item })),
  );
  const judge = (): readonly Finding[] =>
    decided(check, assertion, check.judge({ ...checkContext(assertion, context), asked }));
  const unmet = unmetFinding(assertion, step, findingsOfAll(allJudges), context);
  return [unmet ?? judge()].flat().map((finding) => {
    const key = 'exchangeKey' in finding ? finding.exchangeKey : undefined;
    const instance =
      instances.find(({ exchanges }) => exchanges.some(({ request }) => request.key === key)) ?? null;
    const used = Object.values(context.used).flatMap((answers) => answers.map(({ exchange }) => exchange));
    return { assertion, instance, exchange: exchangeNamed(instance?.exchanges ?? used, key), finding };
  });
}

function judgeRepetitions(
  check: CheckThatSees<'repetitions'>,
  assertion: AssertionOf<'check'>,
  instance: InstanceRun,
  step: Step,
  ownJudges: readonly ExchangeJudge[],
  context: JudgeContext,
): readonly JudgedAssertion[] {
  const bodies = ownJudges.map((one) => one.body());
  const answers = instance.exchanges.flatMap((exchange, index): readonly JsonAnswer[] => {
    if (exchange.kind !== 'answered' || bodies[index]?.met !== true) return [];
    const { value } = jsonBody(exchange);
    return value === undefined ? [] : [{ exchange, value, call: instance.call }];
  });
  const unmet = unmetFinding(assertion, step, findingsOfAll(ownJudges), context);
  const judge = (): Finding | readonly Finding[] => {
    const [first = MET] = bodies;
    if (answers.length === 0 && !first.met) return blocked(first.by);
    return decided(check, assertion, check.judge({ ...checkContext(assertion, context), answers }));
  };
  return [unmet ?? judge()].flat().map((finding) => {
    const key = 'exchangeKey' in finding ? finding.exchangeKey : undefined;
    return {
      assertion,
      instance,
      exchange: exchangeNamed(instance.exchanges, key) ?? instance.exchanges.at(-1) ?? null,
      finding,
    };
  });
}
