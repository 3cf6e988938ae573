import type { Step } from '../model/suite.ts';
import type { RunState } from './calls/run-state.ts';
import type { PhasedSteps } from './phases.ts';
import { type InstanceRun, instancesOf, type StepRun } from './state/record.ts';

/** The answers of the steps that a step uses, as if this step had received them; null for a step with requests. */
export function runOfUsed(
  step: Step,
  { ended }: RunState,
  { ordinary, following, timed, later, closing }: PhasedSteps,
  aside: readonly InstanceRun[],
): StepRun | null {
  const { use } = step;
  if (use.kind === 'every-step') {
    const instances = [...ordinary, ...following, ...timed, ...later, ...closing]
      // A request that the suite aborts has no answer to judge.
      .filter(({ request }) => request !== null && request.abort === null)
      .flatMap(({ id }) => instancesOf(ended.get(id)));
    return { kind: 'ran', step, instances: [...instances, ...aside] };
  }
  const used = use.kind === 'step' && step.request === null ? ended.get(use.id) : undefined;
  return used === undefined ? null : { ...used, step };
}
