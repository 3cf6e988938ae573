import type { RunSettings } from '../../model/report.ts';
import type { Step } from '../../model/suite.ts';
import type { Opened } from '../../model/wire.ts';
import { type Learned, nothingLearned } from '../state/learned.ts';
import type { KnownForm, Outage, StepRun } from '../state/record.ts';
import type { AskedInstance, Lock, RunInput } from '../state/run-input.ts';
import { isNegative, isTimed } from '../steps/step-kinds.ts';
import { createRestraint, type Restraint } from './restraint.ts';
import { ALL_HARMLESS, NOTHING_SEEN, watchFunctions } from './seen-changes.ts';

/** A step that runs now, with the conditions for its requests. */
export interface StepTurn {
  readonly step: Step;
  /** The form that the descriptors are in. */
  readonly form: KnownForm;
  readonly restraint: Restraint;
  /** When its requests must end, on the clock's monotonic time. */
  readonly endsAtMs: number;
  /** Called when the wait before a repetition begins; its result is whether the repetition may be sent. */
  readonly pause?: ((waited: Promise<void>) => Promise<boolean>) | undefined;
  /** Whether a repetition that comes sooner may shorten the wait: not if other requests fill it. Default: it may. */
  readonly mayComeSooner?: (() => Promise<boolean>) | undefined;
  /** Told of each answer that the step is judged by; `opened`: by which it was agreed on, if not before. */
  readonly onAnswer?: ((answered: AskedInstance, opened?: Opened | null) => void) | undefined;
  /** Present if calls of this step may be timed. */
  readonly lock?: Lock | undefined;
}

/** The state that decides what comes next. Immutable: each step creates a new value. */
export interface RunState {
  readonly settings: RunSettings;
  readonly planning: boolean;
  readonly steps: readonly Step[];
  /** The step that calls each function for the first time. */
  readonly firstCalls: string | null;
  /** When the requests of the run must end, on the clock's monotonic time. */
  readonly endsAtMs: number;
  readonly learned: Learned;
  readonly ended: ReadonlyMap<string, StepRun>;
  /** The rounds of calls that experiments made, by their role. */
  readonly rounds: ReadonlyMap<string, StepRun>;
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
    firstCalls: selection.formStep?.id ?? null,
    endsAtMs,
    learned: nothingLearned(settings, selection.steps),
    ended: new Map(),
    rounds: new Map(),
    used: new Set(),
    restraint: createRestraint(settings, planning ? ALL_HARMLESS : NOTHING_SEEN),
    outage: { silentBy: null, goneBy: null, brokenBy: null },
  };
}

export function stateAfter(run: StepRun, before: RunState): RunState {
  return { ...before, ended: new Map([...before.ended, [run.step.id, run]]) };
}

/** The calls of a round show which functions change something. */
export function stateAfterRound(role: string, run: StepRun, before: RunState): RunState {
  return watching({ ...before, rounds: new Map([...before.rounds, [role, run]]) });
}

export function withUsed(used: ReadonlySet<string>, before: RunState): RunState {
  return used.size === 0 ? before : watching({ ...before, used });
}

function watching(state: RunState): RunState {
  const { settings, planning, used, rounds, ended, firstCalls } = state;
  if (planning) return state;
  const seen = watchFunctions(firstCalls === null ? undefined : ended.get(firstCalls), rounds);
  return { ...state, restraint: createRestraint(settings, { ...seen, used }) };
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
  if (!isTimed(step)) return 0;
  const negativeStepsMs = Math.min(MAX_NEGATIVE_STEPS_MS, state.settings.deadlineMs * NEGATIVE_STEPS_SHARE);
  return lastStepsMs(state) + (state.steps.some(isNegative) ? negativeStepsMs : 0);
}

function lastStepsMs({ steps, settings }: RunState): number {
  if (!steps.some(({ phase }) => phase === 'finally')) return 0;
  return Math.min(settings.requestTimeoutMs + ANSWERING_MS, settings.deadlineMs * LAST_STEPS_SHARE);
}

export function isGone({ outage: { silentBy, goneBy } }: RunState): boolean {
  return silentBy !== null || goneBy !== null;
}
