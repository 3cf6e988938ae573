import type { Exchange } from '../model/exchange.ts';
import { passed } from '../model/judgement.ts';
import type { Step } from '../model/suite.ts';
import type { ExchangeJudge, JudgeExchange } from '../run/state/exchange-judge.ts';
import type { KnownForm } from '../run/state/record.ts';
import { type JudgeBasis, settledContext } from './judge-context.ts';
import { JudgedExchange } from './judge-exchange.ts';

/** Requirements of earlier steps are judged after the run; until then they count as met. Pure. */
export function judgeDuringRun(basis: JudgeBasis): JudgeExchange {
  const common = settledContext(basis);
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
      opened: null,
      eraAsked: null,
      used: {},
      earlierFinding: () => passed,
      servedElsewhere: false,
      isRestrained: () => false,
      isSilent: () => false,
      rateLimitAdvice: '',
    });
    known.set(exchange, { of: step, by: form, judge });
    return judge;
  };
}
