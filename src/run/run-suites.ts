import type { Step } from '../model/suite.ts';
import { MET, type Prerequisite } from './exchange-judge.ts';
import { learn } from './learned.ts';
import { asksExecute } from './operation.ts';
import { inPhases } from './phases.ts';
import type { RunRecord, StepRun } from './record.ts';
import type { RunInput } from './run-input.ts';
import { stateAfter, stateAtStart } from './run-state.ts';
import { createStepRunner } from './run-step.ts';
import { CAPABILITIES_STEP, prerequisitesOf } from './selection.ts';

interface RunningStep {
  /** Settles with the first answers, so that others need not wait for repetitions. */
  readonly ready: Promise<Prerequisite>;
  readonly done: Promise<StepRun>;
}

/**
 * Runs the selected steps, each as soon as its prerequisites are answered, and returns everything that was collected.
 */
export async function runSuites(input: RunInput): Promise<RunRecord> {
  const runner = createStepRunner(input);
  const running = new Map<string, RunningStep>();
  let state = stateAtStart(input);

  const start = (step: Step): Promise<StepRun> => {
    let settle: (prerequisite: Prerequisite) => void = () => undefined;
    const ready = new Promise<Prerequisite>((resolve) => {
      settle = resolve;
    });
    const done = runStep(step, settle);
    running.set(step.id, { ready, done });
    return done;
  };

  const runStep = async (step: Step, settle: (prerequisite: Prerequisite) => void): Promise<StepRun> => {
    const by = await stopping(step);
    const run: StepRun =
      by === null
        ? await runner.run(step, state, (firsts) => {
            const { learned, others } = learn(state.learned, step, firsts, input);
            state = { ...state, learned };
            settle(others);
          })
        : { kind: 'blocked', step, by };
    state = stateAfter(run, state);
    settle(run.kind === 'blocked' ? { met: false, by: run.by } : MET);
    return run;
  };

  /** Waits for the prerequisites of a step; returns the requirement that stops it, or null. */
  const stopping = async (step: Step): Promise<string | null> => {
    const needed = await Promise.all(step.needs.map((id) => running.get(id)?.ready));
    for (const one of needed) if (one?.met === false) return one.by;
    const rest = prerequisitesOf(step).filter((id) => !step.needs.includes(id));
    await Promise.all(
      rest.map((id) =>
        id === CAPABILITIES_STEP && step.request?.kind === 'execute'
          ? running.get(id)?.ready
          : running.get(id)?.done,
      ),
    );
    return null;
  };

  const { ordinary, following, later } = inPhases(input.selection.steps);
  const started = ordinary.map((step) => ({ step, done: start(step) }));
  await Promise.all(started.filter(({ step }) => asksExecute(step.request)).map(({ done }) => done));
  const withLearned = await runner.learnInputs(state);
  state = withLearned(state);
  // One at a time, so that the calls of a function are not interleaved and always have the same order.
  for (const step of following) await start(step);
  await Promise.all(started.map(({ done }) => done));
  // One at a time, so that damage by one of them is not blamed on another.
  for (const step of later) {
    const run = await start(step);
    const outage = await runner.outageAfter(run, state);
    state = { ...state, outage };
  }
  return runner.record(state, await runner.removeCreated(state));
}
