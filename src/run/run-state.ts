import type { RunSettings } from '../model/report.ts';
import type { Step } from '../model/suite.ts';
import { type Learned, nothingLearned } from './learned.ts';
import { isNegative } from './policies.ts';
import type { Outage, StepRun } from './record.ts';
import { createRestraint, type Restraint } from './restraint.ts';
import type { RunInput } from './run-input.ts';
import { ALL_HARMLESS, NOTHING_SEEN, WATCHING_STEPS, watchFunctions } from './seen-changes.ts';

/** The state that decides what comes next. Immutable: each step creates a new value. */
export interface RunState {
  readonly settings: RunSettings;
  readonly planning: boolean;
  readonly steps: readonly Step[];
  /** When the requests of the run must end, on the clock's monotonic time. */
  readonly endsAtMs: number;
  readonly learned: Learned;
  readonly ended: ReadonlyMap<string, StepRun>;
  /** Functions that change something although their descriptors say that they read. */
  readonly used: ReadonlySet<string>;
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
    used: new Set(),
    restraint: createRestraint(settings, planning ? ALL_HARMLESS : NOTHING_SEEN),
    outage: { silentBy: null, goneBy: null },
  };
}

const WATCHING: readonly string[] = Object.values(WATCHING_STEPS);

export function stateAfter(run: StepRun, before: RunState): RunState {
  const { settings, planning, used } = before;
  const ended = new Map([...before.ended, [run.step.id, run]]);
  const isWatching = WATCHING.includes(run.step.id) && !planning;
  const restraint = isWatching
    ? createRestraint(settings, { ...watchFunctions(ended), used })
    : before.restraint;
  return { ...before, ended, restraint };
}

export function withUsed(used: ReadonlySet<string>, before: RunState): RunState {
  if (used.size === 0) return before;
  const restraint = createRestraint(before.settings, { ...watchFunctions(before.ended), used });
  return { ...before, used, restraint };
}

const LAST_STEPS_SHARE = 0.25;
/** Reserved for the negative steps after the timed calls. */
const NEGATIVE_STEPS_SHARE = 0.25;
const MAX_NEGATIVE_STEPS_MS = 15_000;
/** Added to the time-out of a request: time for a few that are answered. */
const ANSWERING_MS = 500;

/** When the requests of a step must end, so that time is left for later steps even if the target is slow. */
export function requestsEndAtMs(step: Step, state: RunState): number {
  return state.endsAtMs - reservedMs(step, state);
}

function reservedMs(step: Step, state: RunState): number {
  if (isNegative(step)) return lastStepsMs(state);
  if (step.sample === 0) return 0;
  const negativeStepsMs = Math.min(MAX_NEGATIVE_STEPS_MS, state.settings.deadlineMs * NEGATIVE_STEPS_SHARE);
  return lastStepsMs(state) + (state.steps.some(isNegative) ? negativeStepsMs : 0);
}

function lastStepsMs({ steps, settings }: RunState): number {
  if (!steps.some((step) => step.finally)) return 0;
  return Math.min(settings.requestTimeoutMs + ANSWERING_MS, settings.deadlineMs * LAST_STEPS_SHARE);
}

/** Whether the target stopped answering. */
export function isGone({ outage: { silentBy, goneBy } }: RunState): boolean {
  return silentBy !== null || goneBy !== null;
}
