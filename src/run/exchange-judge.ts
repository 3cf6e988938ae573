import type { Asked } from '../checks/define-check.ts';
import type { Finding } from '../model/judgement.ts';
import type { Assertion, Step } from '../model/suite.ts';
import type { KnownForm } from './record.ts';

/** Judges the assertions of a step on one exchange, each once and only when asked for. */
export interface ExchangeJudge {
  findings(assertion: Assertion): readonly Finding[];
  /** The requirement that keeps the answer from being judged further, or null. */
  gate(): string | null;
  /** The same for its body. */
  bodyGate(): string | null;
}

/** Whether later steps can rest on an answer is judged while the run goes on, by a judge that it is given. */
export type JudgeExchange = (step: Step, asked: Asked, form: KnownForm) => ExchangeJudge;
