import type { Asked } from '../../checks/define-check.ts';
import type { Finding } from '../../model/judgement.ts';
import type { Assertion, Step } from '../../model/suite.ts';
import type { InstanceRun, KnownForm } from './record.ts';

/** Whether a prerequisite is met; if not, the requirement or the step that is the cause. */
export type Prerequisite = { readonly met: true } | { readonly met: false; readonly by: string };

export const MET: Prerequisite = { met: true };

export function firstUnmet(prerequisites: readonly Prerequisite[]): Prerequisite {
  return prerequisites.find(({ met }) => !met) ?? MET;
}

/** Judges the assertions of a step on one exchange, each once and on demand. */
export interface ExchangeJudge {
  findings(assertion: Assertion): readonly Finding[];
  /** There is an answer, with the expected status. */
  answer(): Prerequisite;
  /** The answer has a JSON body, and it is an object if the step requires one. */
  body(): Prerequisite;
  /** The requirements that fail on this exchange alone. */
  failed(): readonly string[];
  /** A requirement that the step decides on each exchange holds on this one. */
  requirement(id: string): Prerequisite;
}

/** Whether everything passes that compares the answers of a repeated request, and would with a later one. */
export type RepetitionsPass = (step: Step, run: InstanceRun, form: KnownForm) => boolean;

/** Judges during the run whether later steps can use an answer. */
export type JudgeExchange = (step: Step, asked: Asked, form: KnownForm) => ExchangeJudge;
