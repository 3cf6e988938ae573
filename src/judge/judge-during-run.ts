import type { JsonAnswer } from '../checks/define-check.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { checks } from '../generated/checks.ts';
import type { Exchange } from '../model/exchange.ts';
import { passed } from '../model/judgement.ts';
import type { Step } from '../model/suite.ts';
import type { ExchangeJudge, JudgeExchange, RepetitionsPass } from '../run/state/exchange-judge.ts';
import type { KnownForm, StepRun } from '../run/state/record.ts';
import { type JudgeBasis, settledContext } from './judge-context.ts';
import { JudgedExchange } from './judge-exchange.ts';
import { judgeStep } from './judge-step.ts';

/** Requirements of earlier steps are judged after the run; until then they count as met. Pure. */
export function judgeDuringRun(basis: JudgeBasis): JudgeExchange {
  const common = contextDuringRun(basis);
  // The same answer is judged whenever something depends on it.
  const known = new WeakMap<
    Exchange,
    { readonly of: Step; readonly by: KnownForm; readonly judge: ExchangeJudge }
  >();
  return (step, asked, form) => {
    const { exchange } = asked;
    const earlier = known.get(exchange);
    if (earlier?.of === step && earlier.by === form) return earlier.judge;
    const judge = new JudgedExchange(step, asked, {
      ...common,
      form,
    });
    known.set(exchange, { of: step, by: form, judge });
    return judge;
  };
}

/** Whether everything passes that compares the answers of a repeated request, as far as its own step tells. Pure. */
export function repetitionsPass(basis: JudgeBasis): RepetitionsPass {
  const common = {
    ...contextDuringRun(basis),
    exchanges: [],
    conversations: [],
    measuredHealth: null,
    listedFunctions: [],
  };
  return (step, run, form) => {
    const comparing = step.expect.flatMap((assertion) => {
      const check = assertion.kind === 'check' ? checks.get(assertion.check) : undefined;
      return check?.sees === 'repetitions' ? [{ assertion, check }] : [];
    });
    const answers = run.exchanges.flatMap((exchange): readonly JsonAnswer[] => {
      const value = exchange.kind === 'unanswered' ? undefined : jsonBody(exchange).value;
      return exchange.kind === 'unanswered' || value === undefined
        ? []
        : [{ exchange, value, call: run.call }];
    });
    if (!comparing.every(({ check }) => check.isSettledBy(answers))) return false;
    const expect = comparing.map(({ assertion }) => assertion);
    const alone: StepRun = { kind: 'ran', step: { ...step, expect }, instances: [run] };
    return [...judgeStep(alone, null, { ...common, form })]
      .flat()
      .every(({ finding }) => finding.outcome !== 'failed' && finding.outcome !== 'undecided');
  };
}

/** What a judge knows of a run that goes on, besides the form. */
export function contextDuringRun(basis: JudgeBasis) {
  return {
    ...settledContext(basis),
    opened: null,
    eraAsked: null,
    used: {},
    earlierFinding: () => passed,
    servedElsewhere: false,
    isRestrained: () => false,
    isSilent: () => false,
    rateLimitAdvice: '',
  };
}
