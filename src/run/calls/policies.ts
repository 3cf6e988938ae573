import { removesAtLarge } from '../../inputs/unlikely-ids.ts';
import { isJsonObject } from '../../json/json.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { Step } from '../../model/suite.ts';
import type { KnownForm, Outage, Skip, StepRun } from '../state/record.ts';
import { hadNoConnection } from '../state/request-outcome.ts';
import {
  asksExecute,
  isExploring,
  isFollowUp,
  isNegative,
  isProvoking,
  isTimed,
} from '../steps/step-kinds.ts';
import { unmetCondition } from '../steps/unmet-condition.ts';
import type { PlannedInstance } from './expand-context.ts';
import { MAX_INPUTS_OF_CHANGING, type Restraint } from './restraint.ts';
import type { RunState } from './run-state.ts';

/** Decides from the state of the run whether a step runs. Pure. */
export type Policy<Besides = unknown> = (step: Step, state: RunState & Besides) => Decision;

export type Decision = { readonly kind: 'run' } | Skip;

export const RUN: Decision = { kind: 'run' };

/** A step that sends nothing, or something for each item of a list, does not apply if a step that it needs does not. */
export const neededStepsApply: Policy = ({ request, needs, rounds }, { ended }) => {
  if (request !== null && rounds.forEach === null) return RUN;
  const missing = needs.map((id) => ended.get(id)).find((run) => run?.kind === 'inapplicable');
  return missing?.kind === 'inapplicable' ? { kind: 'inapplicable', reason: missing.reason } : RUN;
};

/** The rate limit of a directory is used up only with --try-rate-limit. */
export const rateLimitTrialAllowed: Policy = ({ experiment }, { settings }) =>
  experiment?.name === 'burst' && settings.directory?.tryRateLimit !== true
    ? { kind: 'inapplicable', reason: 'tried only with --try-rate-limit' }
    : RUN;

/** A call cannot be written before the form is known, and a step for one form does not apply to the other. */
export const formIsSpoken: Policy<{ readonly form: KnownForm }> = (
  { request, when },
  { form: known, learned },
) => {
  const unmet = unmetCondition(when, learned.opened);
  if (unmet !== null) return { kind: 'inapplicable', reason: unmet };
  if (request?.kind !== 'execute' && when.form === null) return RUN;
  if (known.form === null) return { kind: 'blocked', by: known.because };
  if (when.form === null || when.form === known.form || known.form === 'mcp') return RUN;
  return {
    kind: 'inapplicable',
    reason: `only for form ${when.form}; the target speaks form ${known.form}`,
  };
};

export const severalAtOnceAllowed: Policy = ({ rounds }, { settings }) =>
  rounds.copies > 1 && settings.concurrency < 2
    ? { kind: 'inapplicable', reason: 'only one request at a time is allowed: see --concurrency' }
    : RUN;

/** If the target stopped answering during timed calls, which are valid, invalid requests are not the cause. */
export const targetAnswers: Policy = (step, { outage }) => {
  const { silentBy, goneBy } = outage;
  if (silentBy !== null && isProvoking(step)) return { kind: 'blocked', by: silentBy };
  if (goneBy !== null && (isNegative(step) || isExploring(step) || isTimed(step)) && !decides(step, goneBy))
    return { kind: 'blocked', by: goneBy };
  return RUN;
};

/**
 * The outage after a step that ran alone. `probed` is the probe of the target after calls without an answer; null
 * without one.
 */
export function outageAfter(run: StepRun, probed: Exchange | null, { outage, steps }: RunState): Outage {
  const { silentBy, goneBy } = outage;
  const by = openAfter(run.step, steps);
  return {
    silentBy: silentBy ?? (probed?.kind === 'unanswered' ? by : null),
    goneBy: goneBy ?? (reachedNoServer(run) ? by : null),
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

function reachedNoServer(run: StepRun): boolean {
  return (
    run.kind === 'ran' &&
    isProvoking(run.step) &&
    run.instances.some(({ exchanges }) => exchanges.some((exchange) => hadNoConnection(exchange)))
  );
}

/** A requirement that is certainly undecided if a step reached no server. */
function openAfter(step: Step, steps: readonly Step[]): string {
  const last = steps.find(({ phase }) => phase === 'finally');
  return step.expect[0]?.requirement ?? last?.expect[0]?.requirement ?? step.id;
}

function decides({ expect }: Step, requirement: string): boolean {
  return expect.some((assertion) => assertion.requirement === requirement);
}

/** Calls of each function so far. */
type Calls = ReadonlyMap<string, number>;

/** A step does not apply if all of its calls are of functions that change something. */
export const changingFunctionsAllowed: Policy<{
  readonly instances: readonly PlannedInstance[];
  readonly calls: Calls;
}> = (step, { instances, restraint, calls }) =>
  allowedInstances(step, instances, restraint).some((one) => mayCall(step, one, restraint, calls))
    ? RUN
    : {
        kind: 'inapplicable',
        reason: 'every callable function changes something or looks as if it does: see --mutating',
      };

/**
 * Leaves out calls of functions that change something if the step makes many calls. Keeps one of their calls in a
 * negative step and a few in a follow-up, so that calls are left for every requirement. Pure.
 */
export function allowedInstances(
  step: Step,
  instances: readonly PlannedInstance[],
  restraint: Restraint,
): readonly PlannedInstance[] {
  if (!asksExecute(step.request)) return instances;
  const most = isProvoking(step) ? 1 : isFollowUp(step) ? MAX_INPUTS_OF_CHANGING : Number.POSITIVE_INFINITY;
  const called = new Map<string, number>();
  return instances.filter(({ item, call }) => {
    if (isTimed(step)) return restraint.mayBeTimed(item);
    const restrained = restraint.of(item);
    if (restrained === null) return true;
    // What a body of the suite's own removes is not known.
    if (call === null && isJsonObject(item) && removesAtLarge({}, item)) return false;
    const isCreating = step.rounds.forEach?.functions === 'creating';
    if (restrained.policy === 'never' || (step.rounds.copies > 1 && !isCreating)) return false;
    const before = called.get(restrained.functionName) ?? 0;
    called.set(restrained.functionName, before + 1);
    return before < most;
  });
}

/** Whether one more call is within the limit for functions that change something. */
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
  /** When the form is known; detecting it may need a call. */
  inForm: [formIsSpoken, severalAtOnceAllowed],
  /** When the requests of the step are known. */
  onInstances: [changingFunctionsAllowed],
} as const;

/** Returns the decision of the first policy that skips the step. */
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
