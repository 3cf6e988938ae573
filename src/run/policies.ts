import { type Exchange, hadNoConnection } from '../model/exchange.ts';
import type { Step } from '../model/suite.ts';
import { isFollowUp } from './expand-calls.ts';
import type { PlannedInstance } from './expand-context.ts';
import { asksExecute } from './operation.ts';
import type { KnownForm, Outage, Skip, StepRun } from './record.ts';
import { MAX_INPUTS_OF_CHANGING, type Restraint } from './restraint.ts';
import type { RunState } from './run-state.ts';

/** Decides whether a step runs, from what is known when its turn comes. Pure. */
export type Policy<Besides = unknown> = (step: Step, state: RunState & Besides) => Decision;

export type Decision = { readonly kind: 'run' } | Skip;

export const RUN: Decision = { kind: 'run' };

/** A step that sends nothing has nothing to judge where a step that it needs does not apply. */
export const neededStepsApply: Policy = ({ request, needs }, { ended }) => {
  if (request !== null) return RUN;
  const missing = needs.map((id) => ended.get(id)).find((run) => run?.kind === 'inapplicable');
  return missing?.kind === 'inapplicable' ? { kind: 'inapplicable', reason: missing.reason } : RUN;
};

/** The rate limit of a directory is only used up where the user wants that. */
export const rateLimitTrialAllowed: Policy = ({ burst }, { settings }) =>
  burst > 0 && settings.directory?.tryRateLimit !== true
    ? { kind: 'inapplicable', reason: 'not asked to try it: see --try-rate-limit' }
    : RUN;

/** A call cannot be written before the form is known, and a step for one form says nothing of the other. */
export const formIsSpoken: Policy<{ readonly form: KnownForm }> = ({ request, when }, { form: known }) => {
  if (request?.kind !== 'execute' && when.form === null) return RUN;
  if (known.form === null) return { kind: 'blocked', by: known.because };
  if (when.form === null || when.form === known.form) return RUN;
  return {
    kind: 'inapplicable',
    reason: `only for form ${when.form}; the target speaks form ${known.form}`,
  };
};

/** Whether the form of /execute counts for a step, which it does also where the step writes its own bodies. */
export function needsExecuteForm({ request, when }: Step): boolean {
  return request?.kind === 'execute' || (when.form !== null && asksExecute(request));
}

export const severalAtOnceAllowed: Policy = ({ parallel }, { settings }) =>
  parallel > 1 && settings.concurrency < 2
    ? { kind: 'inapplicable', reason: 'only one request at a time is allowed: see --concurrency' }
    : RUN;

/** Who went silent while sound requests were timed cannot be said to have been brought down by bad ones. */
export const targetAnswers: Policy = (step, { outage }) => {
  const { silentBy, goneBy } = outage;
  if (silentBy !== null && step.negative) return { kind: 'blocked', by: silentBy };
  if (goneBy !== null && isNegative(step) && !decides(step, goneBy)) return { kind: 'blocked', by: goneBy };
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

export function isNegative(step: Step): boolean {
  return step.negative && !step.finally;
}

function endedAtNobody(run: StepRun): boolean {
  return (
    run.kind === 'ran' &&
    isNegative(run.step) &&
    run.instances.some(({ exchanges }) => exchanges.some((exchange) => hadNoConnection(exchange)))
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
  const most = step.negative ? 1 : isFollowUp(step) ? MAX_INPUTS_OF_CHANGING : Number.POSITIVE_INFINITY;
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
