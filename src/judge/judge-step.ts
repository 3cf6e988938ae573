import type { Asked, CheckThatSees, JsonAnswer } from '../checks/define-check.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { checks } from '../generated/checks.ts';
import type { Exchange } from '../model/exchange.ts';
import { type Finding, inapplicable, undecided } from '../model/judgement.ts';
import type { Assertion, AssertionOf, Step } from '../model/suite.ts';
import { type ExchangeJudge, MET } from '../run/state/exchange-judge.ts';
import type { InstanceRun, StepRun } from '../run/state/record.ts';
import { isIncidental } from '../run/steps/selection.ts';
import {
  type AnsweredInstance,
  type AnsweredStep,
  checkContext,
  exchangeOf,
  type JudgeContext,
  type JudgedAssertion,
} from './judge-context.ts';
import { JudgedExchange } from './judge-exchange.ts';
import { judgeBudget, judgeTimedCheck } from './judge-timed.ts';
import { blocked, decided, unknownCheck, unknownKind } from './not-judged.ts';
import { findingsOfAll, unmetFinding } from './prerequisites.ts';

/** Judges a step that ran, on everything that it received, assertion by assertion. Pure. */
export function* judgeStep(
  run: StepRun,
  usedStep: Step | null,
  context: JudgeContext,
): Generator<readonly JudgedAssertion[]> {
  const { step } = run;
  if (run.kind !== 'ran') {
    const finding = findingOf(run);
    yield step.expect.map((assertion) => ({
      assertion,
      instance: null,
      exchange: null,
      finding: isIncidental(assertion)
        ? inapplicable('the step was not run, so it has no such answer')
        : finding,
    }));
    return;
  }
  const instances = run.instances.map((instance) => {
    return { instance, judges: judges(instance, step, usedStep, context) };
  });
  const answered: AnsweredStep = { step, instances, context };
  const whole = wholeStep(answered);
  const onEach = (assertion: Assertion): readonly JudgedAssertion[] =>
    instances.flatMap(({ instance, judges: own }) =>
      instance.exchanges.flatMap((exchange, index) =>
        (own[index]?.findings(assertion) ?? []).map((finding) => {
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
        return instances.flatMap((one) => judgeRepetitions(check, assertion, one, answered));
      case 'step':
        return judgeWholeStep(check, assertion, answered, whole);
      case 'measurements':
        return judgeTimedCheck(check, assertion, answered);
      default:
        return onNone(assertion, unknownKind(check));
    }
  };
  const judgeAssertion = (assertion: Assertion): readonly JudgedAssertion[] => {
    switch (assertion.kind) {
      case 'status':
      case 'outcome':
      case 'header':
      case 'body':
      case 'time':
        return onEach(assertion);
      case 'check':
        return judgeCheck(assertion);
      case 'budget':
        return judgeBudget(assertion, answered);
      default:
        return onNone(assertion, unknownKind(assertion));
    }
  };
  for (const assertion of step.expect) yield judgeAssertion(assertion);
}

function findingOf(run: Exclude<StepRun, { readonly kind: 'ran' }>): Finding {
  if (run.kind === 'blocked') return blocked(run.by);
  return run.kind === 'inapplicable' ? inapplicable(run.reason) : undecided(run.doubt);
}

/** A step that judges another's answers is blocked where that one is. */
function judges(
  instance: InstanceRun,
  step: Step,
  usedStep: Step | null,
  context: JudgeContext,
): readonly ExchangeJudge[] {
  return instance.exchanges.map((exchange) => {
    const asked: Asked = { ...instance, exchange };
    const own = new JudgedExchange(step, asked, context);
    const used = usedStep === null ? MET : new JudgedExchange(usedStep, asked, context).body();
    if (used.met) return own;
    return {
      findings: () => [blocked(used.by)],
      answer: () => own.answer(),
      body: () => own.body(),
      failed: () => own.failed(),
      requirement: (id) => own.requirement(id),
    };
  });
}

/** What a check of a whole step sees, the same for each. */
interface WholeStep {
  readonly asked: readonly Asked[];
  /** The answers of other steps that it uses. */
  readonly used: readonly Exchange[];
  readonly findingsOf: (assertion: Assertion) => readonly Finding[];
}

function wholeStep({ instances, context }: AnsweredStep): WholeStep {
  return {
    asked: instances.flatMap(({ instance: { exchanges, call, item, caseId } }) =>
      exchanges.map((exchange): Asked => ({ exchange, call, item, caseId })),
    ),
    used: Object.values(context.used).flatMap((answers) => answers.map(({ exchange }) => exchange)),
    findingsOf: findingsOfAll(instances.flatMap((one) => one.judges)),
  };
}

function judgeWholeStep(
  check: CheckThatSees<'step'>,
  assertion: AssertionOf<'check'>,
  { step, instances, context }: AnsweredStep,
  { asked, used, findingsOf }: WholeStep,
): readonly JudgedAssertion[] {
  const judge = (): readonly Finding[] =>
    decided(
      check,
      assertion,
      check.judge({
        ...checkContext(assertion, context),
        asked,
        exchanges: context.exchanges,
        conversations: context.conversations,
      }),
    );
  return [unmetFinding(assertion, step, findingsOf, null, context) ?? judge()].flat().map((finding) => {
    const instance =
      instances.find((one) => exchangeOf(finding, one.instance.exchanges) !== null)?.instance ?? null;
    return { assertion, instance, exchange: exchangeOf(finding, instance?.exchanges ?? used), finding };
  });
}

function judgeRepetitions(
  check: CheckThatSees<'repetitions'>,
  assertion: AssertionOf<'check'>,
  { instance, judges: own }: AnsweredInstance,
  { step, context }: AnsweredStep,
): readonly JudgedAssertion[] {
  const { exchanges, call } = instance;
  const bodies = own.map((one) => one.body());
  const answers = exchanges.flatMap((exchange, index): readonly JsonAnswer[] => {
    if (exchange.kind === 'unanswered' || bodies[index]?.met !== true) return [];
    const { value } = jsonBody(exchange);
    return value === undefined ? [] : [{ exchange, value, call }];
  });
  const judge = (): Finding | readonly Finding[] => {
    const [first = MET] = bodies;
    // What a requirement itself left open was reported with it.
    if (answers.length === 0 && !first.met)
      return first.by === assertion.requirement ? [] : blocked(first.by);
    return decided(check, assertion, check.judge({ ...checkContext(assertion, context), answers }));
  };
  const unmet = unmetFinding(assertion, step, findingsOfAll(own), instance.functionName, context);
  return [unmet ?? judge()].flat().map((finding) => {
    const exchange = exchangeOf(finding, exchanges) ?? exchanges.at(-1) ?? null;
    return { assertion, instance, exchange, finding };
  });
}
