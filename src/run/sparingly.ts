import type { Step } from '../model/suite.ts';
import { isFollowUp } from './expand-calls.ts';
import type { PlannedInstance } from './expand-context.ts';
import { asksExecute } from './operation.ts';
import { MAX_INPUTS_OF_CHANGING, type Restraint } from './restraint.ts';

/**
 * Without calls of functions that change something, where a step is about many calls. Of bad calls of them one stays, and
 * of the cases of others a few, so that there is something left for every row. Pure.
 */
export function sparingly(
  step: Step,
  instances: readonly PlannedInstance[],
  restraint: Restraint,
): readonly PlannedInstance[] {
  if (!asksExecute(step.request)) return instances;
  const most = step.abusive ? 1 : isFollowUp(step) ? MAX_INPUTS_OF_CHANGING : Number.POSITIVE_INFINITY;
  const called = new Map<string, number>();
  return instances.filter(({ item }) => {
    if (step.sample !== 0) return restraint.mayBeTimed(item);
    const restrained = restraint.of(item);
    if (restrained === null) return true;
    if (restrained.policy === 'never' || step.parallel > 1) return false;
    const before = called.get(restrained.functionName) ?? 0;
    called.set(restrained.functionName, before + 1);
    return before < most;
  });
}
