import type { Step } from '../model/suite.ts';
import { changingFunctionsAllowed } from './changing-functions.ts';
import { neededStepsApply } from './needed-steps.ts';
import { severalAtOnceAllowed } from './one-at-a-time.ts';
import { targetAnswers } from './outage.ts';
import { type Decision, type Policy, RUN } from './policy.ts';
import { rateLimitTrialAllowed } from './rate-limit-trial.ts';
import type { RunState } from './run-state.ts';
import { formIsSpoken } from './wire-form.ts';

/** What decides whether a step runs, in this order. */
export const POLICIES = {
  /** Before anything is sent for the step. */
  beforehand: [neededStepsApply, targetAnswers, rateLimitTrialAllowed],
  /** When it is known in which form the target is called; a function may have to be called to learn it. */
  inForm: [formIsSpoken, severalAtOnceAllowed],
  /** When it is known what the step would send. */
  onInstances: [changingFunctionsAllowed],
} as const;

/** The first policy that skips a step says why. */
export function decide<Besides>(
  policies: readonly Policy<Besides>[],
  step: Step,
  state: RunState & Besides,
): Decision {
  for (const policy of policies) {
    const decision = policy(step, state);
    if (decision.kind !== 'run') return decision;
  }
  return RUN;
}
