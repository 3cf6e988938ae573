import type { Asked } from '../checks/define-check.ts';
import type { Finding } from '../model/judgement.ts';
import type { Assertion, Step } from '../model/suite.ts';
import type { KnownForm } from './record.ts';

/** Whether what an assertion or a later step rests on holds; if not, the requirement or the step that is the cause. */
export type Prerequisite = { readonly met: true } | { readonly met: false; readonly by: string };

export const MET: Prerequisite = { met: true };

export function firstUnmet(prerequisites: readonly Prerequisite[]): Prerequisite {
  return prerequisites.find(({ met }) => !met) ?? MET;
}

/** Judges the assertions of a step on one exchange, each once and only when asked for. */
export interface ExchangeJudge {
  findings(assertion: Assertion): readonly Finding[];
  /** There is an answer, with the expected status. */
  answer(): Prerequisite;
  /** Such an answer has a body that is JSON, and an object where the step asks for one. */
  body(): Prerequisite;
  /** A requirement that the step decides on each exchange holds on this one. */
  requirement(id: string): Prerequisite;
}

/** Whether later steps can rest on an answer is judged while the run goes on, by a judge that it is given. */
export type JudgeExchange = (step: Step, asked: Asked, form: KnownForm) => ExchangeJudge;
