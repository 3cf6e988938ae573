import type { RunSettings } from '../model/report.ts';
import type { Step } from '../model/suite.ts';
import { type Learned, nothingLearned } from './learned.ts';
import { isNegative } from './policies.ts';
import type { Outage, StepRun } from './record.ts';
import { createRestraint, type Restraint } from './restraint.ts';
import type { RunInput } from './run-input.ts';
import { ALL_HARMLESS, NOTHING_SEEN, WATCHING_STEPS, watchFunctions } from './seen-changes.ts';

/** Everything that decides what comes next. Whatever is found out makes a new value; none is ever changed. */
export interface RunState {
  readonly settings: RunSettings;
  readonly planning: boolean;
  readonly steps: readonly Step[];
  /** When the requests of the run must end, on the clock's monotonic time. */
  readonly endsAtMs: number;
  readonly learned: Learned;
  readonly ended: ReadonlyMap<string, StepRun>;
  readonly restraint: Restraint;
  readonly outage: Outage;
}

export function stateAtStart({ settings, planning = false, selection, endsAtMs }: RunInput): RunState {
  return {
    settings,
    planning,
    steps: selection.steps,
    endsAtMs,
    learned: nothingLearned(settings),
    ended: new Map(),
    restraint: createRestraint(settings, planning ? ALL_HARMLESS : NOTHING_SEEN),
    outage: { silentBy: null, goneBy: null },
  };
}

const WATCHING: readonly string[] = Object.values(WATCHING_STEPS);

export function stateAfter(run: StepRun, before: RunState): RunState {
  const { settings, planning } = before;
  const ended = new Map([...before.ended, [run.step.id, run]]);
  const isWatching = WATCHING.includes(run.step.id) && !planning;
  const restraint = isWatching ? createRestraint(settings, watchFunctions(ended)) : before.restraint;
  return { ...before, ended, restraint };
}

const LAST_STEPS_SHARE = 0.25;
/** Kept from timed calls for the negative steps after them. */
const NEGATIVE_STEPS_SHARE = 0.25;
const MAX_NEGATIVE_STEPS_MS = 15_000;
/** Besides the time-out of a request: the time of a few that are answered. */
const ANSWERING_MS = 500;

/** When the requests of a step must end, so that time is left for the steps after it, however long the target takes. */
export function requestsEndAtMs(step: Step, state: RunState): number {
  return state.endsAtMs - keptMs(step, state);
}

function keptMs(step: Step, state: RunState): number {
  if (isNegative(step)) return lastStepsMs(state);
  if (step.sample === 0) return 0;
  const negativeStepsMs = Math.min(MAX_NEGATIVE_STEPS_MS, state.settings.deadlineMs * NEGATIVE_STEPS_SHARE);
  return lastStepsMs(state) + (state.steps.some(isNegative) ? negativeStepsMs : 0);
}

function lastStepsMs({ steps, settings }: RunState): number {
  if (!steps.some((step) => step.finally)) return 0;
  return Math.min(settings.requestTimeoutMs + ANSWERING_MS, settings.deadlineMs * LAST_STEPS_SHARE);
}
