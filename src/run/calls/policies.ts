import { removesAtLarge } from '../../inputs/unlikely-ids.ts';
import { isJsonObject } from '../../json/json.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { Step } from '../../model/suite.ts';
import { instancesOf, type KnownForm, type Outage, type Skip, type StepRun } from '../state/record.ts';
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
import { listOf, type PlannedInstance } from './expand-context.ts';
import { MAX_INPUTS_OF_CHANGING, type Restraint } from './restraint.ts';
import type { RunState } from './run-state.ts';

/** Why a step is skipped before anything is sent for it; null if it may run. Pure, as are the other two. */
export function skipBeforehand(step: Step, { ended, outage, settings, learned }: RunState): Skip | null {
  // A step without a request, or without the list of its loop, does not apply if a step that it needs does not.
  const hasNoList = step.rounds.forEach !== null && listOf(step, learned.saved) === undefined;
  if (step.request === null || hasNoList) {
    const missing = step.needs.map((id) => ended.get(id)).find((run) => run?.kind === 'inapplicable');
    if (missing?.kind === 'inapplicable') return inapplicable(missing.reason);
  }
  const { silentBy, goneBy, brokenBy } = outage;
  // If the target stopped answering during timed calls, which are valid, invalid requests are not the cause.
  if (silentBy !== null && isProvoking(step)) return { kind: 'blocked', by: silentBy };
  if (goneBy !== null && (isNegative(step) || isExploring(step) || isTimed(step)) && !decides(step, goneBy))
    return { kind: 'blocked', by: goneBy };
  if (brokenBy !== null && (isExploring(step) || isTimed(step))) return { kind: 'blocked', by: brokenBy };
  return step.experiment?.name === 'burst' && settings.directory?.tryRateLimit !== true
    ? inapplicable('tried only with --try-rate-limit')
    : null;
}

/** The same when the form is known, which calls are written in; detecting it may need a call. */
export function skipInForm(
  { request, when, rounds }: Step,
  { learned, settings }: RunState,
  known: KnownForm,
): Skip | null {
  const unmet = unmetCondition(when, learned.opened);
  if (unmet !== null) return inapplicable(unmet);
  if (request?.kind === 'execute' || when.form !== null) {
    if (known.form === null) return { kind: 'blocked', by: known.because };
    if (when.form !== null && when.form !== known.form && known.form !== 'mcp')
      return inapplicable(`only for form ${when.form}; the target speaks form ${known.form}`);
  }
  return rounds.copies > 1 && settings.concurrency < 2
    ? inapplicable('only one request at a time is allowed: see --concurrency')
    : null;
}

/** The same when the requests are known: all of its calls may be of functions that change something. */
export function skipWithInstances(
  step: Step,
  instances: readonly PlannedInstance[],
  restraint: Restraint,
  calls: Calls,
): Skip | null {
  return allowedInstances(step, instances, restraint).some((one) => mayCall(step, one, restraint, calls))
    ? null
    : inapplicable('every callable function changes something or looks as if it does: see --mutating');
}

function inapplicable(reason: string): Skip {
  return { kind: 'inapplicable', reason };
}

/**
 * The outage after a step that ran alone. `probed` is the probe of the target after calls without an answer; null
 * without one. `lastLookFailed`: it is the last look at the target, and does not find what it expects.
 */
export function outageAfter(
  run: StepRun,
  probed: Exchange | null,
  lastLookFailed: boolean,
  { outage, steps }: RunState,
): Outage {
  const { silentBy, goneBy, brokenBy } = outage;
  const by = openAfter(run.step, steps);
  return {
    silentBy: silentBy ?? (probed?.kind === 'unanswered' ? by : null),
    goneBy: goneBy ?? (reachedNoServer(run) ? by : null),
    brokenBy: brokenBy ?? (lastLookFailed ? by : null),
  };
}

/** Timed calls that got no answer at all. */
export function wentSilent(run: StepRun): boolean {
  return instancesOf(run).some(
    ({ timed }) =>
      timed?.kind === 'measured' && timed.measurement.errorKinds.some(({ status }) => status === undefined),
  );
}

function reachedNoServer(run: StepRun): boolean {
  return isProvoking(run.step) && instancesOf(run).some(({ exchanges }) => exchanges.some(hadNoConnection));
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

export function mayCall(
  { request }: Step,
  { item, functionName }: PlannedInstance,
  restraint: Restraint,
  calls: Calls,
): boolean {
  const most = asksExecute(request) ? restraint.maxCallsOf(item) : null;
  return functionName === null || most === null || (calls.get(functionName) ?? 0) < most;
}
