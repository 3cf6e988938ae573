import type { RunSettings } from '../model/report.ts';
import type { Step } from '../model/suite.ts';
import { type Learned, nothingLearned } from './learned.ts';
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
