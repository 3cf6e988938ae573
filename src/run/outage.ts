import { type Exchange, reachedNobody } from '../model/exchange.ts';
import type { Step } from '../model/suite.ts';
import { type Policy, RUN } from './policy.ts';
import type { Outage, StepRun } from './record.ts';
import type { RunState } from './run-state.ts';

/** Who went silent while sound requests were timed cannot be said to have been brought down by bad ones. */
export const targetAnswers: Policy = (step, { outage }) => {
  const { silentBy, goneBy } = outage;
  if (silentBy !== null && step.abusive) return { kind: 'blocked', by: silentBy };
  if (goneBy !== null && isAbuse(step) && !decides(step, goneBy)) return { kind: 'blocked', by: goneBy };
  return RUN;
};

/** What is known after a step that ran alone, and after the look at the target where it got no answer; null without one. */
export function outageAfter(run: StepRun, looked: Exchange | null, { outage, steps }: RunState): Outage {
  const { silentBy, goneBy } = outage;
  const by = openAfter(run.step, steps);
  return {
    silentBy: silentBy ?? (looked?.kind === 'unanswered' ? by : null),
    goneBy: goneBy ?? (endedAtNobody(run) ? by : null),
  };
}

/** Timed calls that got no answer at all. */
export function wentSilent(run: StepRun): boolean {
  return (
    run.kind === 'ran' &&
    run.instances.some(
      ({ timed }) =>
        timed?.kind === 'measured' && timed.measurement.errorKinds.some(({ status }) => status === undefined),
    )
  );
}

export function isAbuse(step: Step): boolean {
  return step.abusive && !step.finally;
}

function endedAtNobody(run: StepRun): boolean {
  return (
    run.kind === 'ran' &&
    isAbuse(run.step) &&
    run.instances.some(({ exchanges }) => exchanges.some((exchange) => reachedNobody(exchange)))
  );
}

/** A requirement that is sure to be open when nobody was there for a step. */
function openAfter(step: Step, steps: readonly Step[]): string {
  const last = steps.find((other) => other.finally);
  return step.expect[0]?.requirement ?? last?.expect[0]?.requirement ?? step.id;
}

function decides({ expect }: Step, requirement: string): boolean {
  return expect.some((assertion) => assertion.requirement === requirement);
}
