import { passed } from '../model/judgement.ts';
import type { JudgeExchange } from '../run/exchange-judge.ts';
import { type JudgeBasis, settledContext } from './judge-context.ts';
import { createExchangeJudge } from './judge-exchange.ts';

/** Earlier steps are judged when the run has ended; until then requests are sent as if they had been met. Pure. */
export function judgeDuringRun(basis: JudgeBasis): JudgeExchange {
  const common = settledContext(basis);
  return (step, asked, form) =>
    createExchangeJudge(step, asked, {
      ...common,
      form,
      used: {},
      earlierFinding: () => passed,
      servedElsewhere: false,
      isRestrained: () => false,
    });
}
