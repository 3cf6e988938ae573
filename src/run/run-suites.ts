import type { Step } from '../model/suite.ts';
import { MET, type Prerequisite } from './exchange-judge.ts';
import { learn } from './learned.ts';
import { asksExecute } from './operation.ts';
import { inPhases, timesLast } from './phases.ts';
import type { RunRecord, StepRun } from './record.ts';
import type { RunInput } from './run-input.ts';
import { isGone, stateAfter, stateAtStart, withUsed } from './run-state.ts';
import { createStepRunner } from './run-step.ts';
import { createRunTurns } from './run-turns.ts';
import { CAPABILITIES_STEP, endsAwaitedBy } from './selection.ts';

interface RunningStep {
  /** Settles with the first answers, so that others need not wait for repetitions. */
  readonly ready: Promise<Prerequisite>;
  /** Settles when the step ends, or sends nothing before the timed calls are over. */
  readonly quiet: Promise<void>;
  readonly done: Promise<StepRun>;
}

/**
 * Runs the selected steps, each as soon as its prerequisites are answered, and returns everything that was collected.
 */
export async function runSuites(input: RunInput): Promise<RunRecord> {
  const runner = createStepRunner(input);
  const [timedCallsOver, endTimedCalls] = signal<void>();
  const running = new Map<string, RunningStep>();
  const phased = inPhases(input.selection.steps);
  const { ordinary, following, timed, unhurried, belated, later, closing } = phased;
  let state = stateAtStart(input);
  // Everything may end later by the time that others took.
  const turns = createRunTurns(input.turns, input.clock, (waitedMs) => {
    state = { ...state, endsAtMs: state.endsAtMs + waitedMs };
  });

  const start = (step: Step): Promise<StepRun> => {
    const [ready, settle] = signal<Prerequisite>();
    const [resting, rest] = signal<void>();
    const done = runStep(step, settle, rest);
    const quiet = Promise.race([resting, done.then(() => undefined)]);
    running.set(step.id, { ready, quiet, done });
    return done;
  };

  const runStep = async (
    step: Step,
    settle: (prerequisite: Prerequisite) => void,
    rest: () => void,
  ): Promise<StepRun> => {
    const by = await stopping(step);
    const { endsAtMs } = state;
    const isOpening = by === null && step.request?.kind === 'open';
    const startedAtMs = input.clock.monotonicMs();
    if (isOpening) input.onOpening?.('begins');
    const run: StepRun =
      by === null
        ? await runner.run(step, state, {
            onFirst: (firsts) => {
              const { learned, others } = learn(state.learned, step, firsts, input);
              if (learned.opened !== null && state.learned.opened === null) input.onOpened?.(learned.opened);
              const openingMs = isOpening ? input.clock.monotonicMs() - startedAtMs : 0;
              state = { ...state, learned, endsAtMs: state.endsAtMs + openingMs };
              settle(others);
            },
            pause: async (waited) => {
              if (!unhurried.has(step)) return true;
              rest();
              await waited;
              await timedCallsOver;
              await turns.work();
              return !isGone(state);
            },
            waitedMs: () => state.endsAtMs - endsAtMs,
            turns,
          })
        : { kind: 'blocked', step, by };
    if (isOpening) input.onOpening?.('over');
    state = stateAfter(run, state);
    settle(run.kind === 'blocked' ? { met: false, by: run.by } : MET);
    return run;
  };

  /** Waits for the prerequisites of a step; returns the requirement that stops it, or null. */
  const stopping = async (step: Step): Promise<string | null> => {
    const needed = await Promise.all(step.needs.map((id) => running.get(id)?.ready));
    for (const one of needed) if (one?.met === false) return one.by;
    if (step.request?.kind === 'execute') await running.get(CAPABILITIES_STEP)?.ready;
    await Promise.all(endsAwaitedBy(step).map((id) => running.get(id)?.done));
    return null;
  };

  const started = ordinary.map((step) => ({ step, done: start(step) }));
  await Promise.all(started.filter(({ step }) => asksExecute(step.request)).map(({ done }) => done));
  const withLearned = await runner.learnInputs(state);
  state = withLearned(state);
  const used = await runner.watchReads(state);
  state = withUsed(used, state);
  // One at a time, so that the calls of a function are not interleaved and always have the same order.
  for (const step of following) await start(step);
  // One at a time, so that damage by one of them is not blamed on another.
  const runAlone = async (steps: readonly Step[]): Promise<void> => {
    for (const step of steps) {
      const run = await start(step);
      const outage = await runner.outageAfter(run, state);
      state = { ...state, outage };
    }
  };
  await Promise.all(ordinary.map((step) => (belated.has(step) ? null : running.get(step.id)?.quiet)));
  const isTimedLast = timesLast(runner.exchanges(), phased, state.learned, input);
  if (!isTimedLast) await runAlone(timed);
  if (timed.length + unhurried.size > 0) turns.rest();
  endTimedCalls();
  // An invalid request may make the target restart, or break it for good: a repeated read comes before, although that
  // makes a check wait. Reads after it could not tell its damage from faults of their own.
  await Promise.all(started.map(({ done }) => done));
  await turns.work();
  await runAlone(later);
  if (isTimedLast) {
    await runAlone(timed);
    turns.rest();
    await turns.work();
  }
  await runAlone(closing.filter(({ request }) => request !== null));
  const created = await runner.removeCreated(state);
  // They judge all answers, those of deleting calls too.
  await runAlone(closing.filter(({ request }) => request === null));
  return runner.record(state, created);
}

function signal<T>(): readonly [signalled: Promise<T>, give: (value: T) => void] {
  let give: (value: T) => void = () => undefined;
  const signalled = new Promise<T>((resolve) => {
    give = resolve;
  });
  return [signalled, give];
}
