import type { Step } from '../model/suite.ts';
import { isFollowUp } from './expand-calls.ts';
import type { PlannedInstance } from './expand-context.ts';
import { asksExecute } from './operation.ts';
import { type Policy, RUN } from './policy.ts';
import { MAX_INPUTS_OF_CHANGING, type Restraint } from './restraint.ts';

/** Calls of each function so far. */
type Calls = ReadonlyMap<string, number>;

/** A step does not apply where nothing is left of its calls without those of functions that change something. */
export const changingFunctionsAllowed: Policy<{
  readonly instances: readonly PlannedInstance[];
  readonly calls: Calls;
}> = (step, { instances, restraint, calls }) =>
  allowedInstances(step, instances, restraint).some((one) => mayCall(step, one, restraint, calls))
    ? RUN
    : {
        kind: 'inapplicable',
        reason: 'what could be called changes something, or looks as if it did: see --mutating',
      };

/**
 * Without calls of functions that change something, where a step is about many calls. Of bad calls of them one stays, and
 * of the cases of others a few, so that there is something left for every row. Pure.
 */
export function allowedInstances(
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

/** Whether one more call keeps to what is allowed for functions that change something. */
export function mayCall(
  { request }: Step,
  { item, functionName }: PlannedInstance,
  restraint: Restraint,
  calls: Calls,
): boolean {
  const most = asksExecute(request) ? restraint.maxCallsOf(item) : null;
  return functionName === null || most === null || (calls.get(functionName) ?? 0) < most;
}
