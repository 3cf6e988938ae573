import type { Asked } from '../checks/define-check.ts';
import { recordNothing } from '../model/span.ts';
import type { Step } from '../model/suite.ts';
import { expandStep } from './calls/expand.ts';
import { expandContextOf, type PlannedInstance } from './calls/expand-context.ts';
import { allowedInstances, skipBeforehand, skipInForm, skipWithInstances } from './calls/policies.ts';
import {
  isGone,
  type RunState,
  requestsEndAtMs,
  type StepTurn,
  stateAfterRound,
  stateAtStart,
} from './calls/run-state.ts';
import { type Laboratory, NOTHING_FOUND, type Round, stepOfRound } from './experiments/laboratory.ts';
import { EXPERIMENT_CODE } from './generated/experiments.ts';
import { formShownBy, isMainOpening, learn } from './learn.ts';
import type { PhasedSteps } from './phases.ts';
import { detectExecuteForm } from './requests/execute-form.ts';
import { RequestScheduler } from './requests/request-scheduler.ts';
import { InstanceRunner } from './requests/run-instances.ts';
import { MET, type Prerequisite } from './state/exchange-judge.ts';
import type { Answered } from './state/learned.ts';
import {
  type InstanceRun,
  instancesOf,
  type KnownForm,
  type Omission,
  type Skip,
  type StepRun,
} from './state/record.ts';
import type { LockMode, OnAnswer, RunInput } from './state/run-input.ts';
import { asksExecute, needsExecuteForm } from './steps/step-kinds.ts';
import { runOfUsed } from './used-answers.ts';

/** How a step that runs tells what others wait for. */
export interface Signals {
  readonly ready: (prerequisite: Prerequisite) => void;
  readonly deferred: () => void;
}

/** Makes the requests of single steps, and of the experiments that they name, and keeps what they show. */
export class StepRunner {
  state: RunState;
  readonly requests: RequestScheduler;
  readonly instances: InstanceRunner;
  readonly omissions: Omission[] = [];
  readonly #input: RunInput;
  readonly #phases: PhasedSteps;
  readonly #callsOver = signal<boolean>();
  readonly #timedCallsOver = signal<void>();
  readonly #notes = { inSequences: NOTHING_FOUND };
  #sharing: Promise<void> | null = null;
  #executeForm: Promise<KnownForm> | null = null;
  #formOfCalls: KnownForm | null = null;

  constructor(input: RunInput, phases: PhasedSteps) {
    this.#input = input;
    this.#phases = phases;
    this.requests = new RequestScheduler(input);
    this.instances = new InstanceRunner(input, this.requests);
    this.state = stateAtStart(input);
  }

  /** Runs a step whose prerequisites have been answered, unless a policy skips it. */
  async run(step: Step, signals: Signals | null, isRound = false): Promise<StepRun> {
    const { state } = this;
    const skipped = skipBeforehand(step, state);
    if (skipped !== null) return { ...skipped, step };
    const used = runOfUsed(step, state, this.#phases, this.instances.aside());
    if (used !== null) return used;
    const code = step.experiment === null ? null : EXPERIMENT_CODE[step.experiment.name];
    if (code !== null && code.callsOf === null) {
      signals?.ready(MET);
      return this.#tellOf(ran(step, await code.run(this.#laboratory(step, [], signals))));
    }
    const calls = code?.callsOf?.(step) ?? step;
    const planned = await this.#expand(calls);
    if ('kind' in planned) return { ...planned, step };
    const turn = this.#turnOf(calls, signals, isRound ? undefined : this.#input.onAnswer);
    const allowed = allowedInstances(calls, planned, turn.restraint);
    if (code !== null)
      return this.#tellOf(ran(step, await code.run(this.#laboratory(calls, allowed, signals))));
    return ran(step, await this.instances.run(turn, allowed, (firsts) => this.#learn(step, firsts, signals)));
  }

  /** The wire form of calls, as far as it was needed. */
  async executeForm(): Promise<KnownForm> {
    return (await this.#executeForm) ?? this.state.learned.form;
  }

  /** Functions were called; says whether timed calls come now, which fill the pause before repeated reads. */
  endCalls({ isPauseFilled }: { readonly isPauseFilled: boolean }): void {
    this.#callsOver.give(isPauseFilled);
  }

  /** Lets the repetitions go on that were put off, and other checks of the process work. */
  endTimedCalls(): void {
    if (this.#phases.timed.length + this.#phases.deferred.size > 0) this.#input.lock?.release();
    this.#sharing = null;
    this.#timedCallsOver.give();
  }

  /** Waits until this check may work, beside the others of its process. */
  async shareLock(): Promise<void> {
    // Several repeated reads may wait for it.
    this.#sharing ??= this.#acquire('shared');
    await this.#sharing;
  }

  /** Everything may end later by the time that others took. */
  endLater(byMs: number): void {
    this.state = { ...this.state, endsAtMs: this.state.endsAtMs + byMs };
  }

  /** What others take is not the fault of the target. */
  async #acquire(mode: LockMode): Promise<void> {
    const { lock, clock, recordSpan = recordNothing } = this.#input;
    const askedMs = clock.monotonicMs();
    await recordSpan('timing-lock', mode, async () => lock?.acquire(mode));
    this.endLater(clock.monotonicMs() - askedMs);
  }

  /** The requests of a step, or why there are none. */
  async #expand(step: Step): Promise<readonly PlannedInstance[] | Skip> {
    const endsAtMs = requestsEndAtMs(step, this.state);
    const form = needsExecuteForm(step) ? await this.#formOfExecute(endsAtMs) : this.state.learned.form;
    if (needsExecuteForm(step)) this.#formOfCalls = form;
    const skipped = skipInForm(step, this.state, form);
    if (skipped !== null) return skipped;
    const calls = this.requests.calls();
    const expansion = expandStep(step, expandContextOf(step, form, this.state, { ...this.#input, calls }));
    if (expansion.kind !== 'instances') return expansion;
    if (expansion.omission !== null) this.omissions.push(expansion.omission);
    const { instances } = expansion;
    return skipWithInstances(step, instances, this.state.restraint, calls) ?? instances;
  }

  /** As far as it is known now. */
  #formOf(step: Step): KnownForm {
    return (asksExecute(step.request) ? this.#formOfCalls : null) ?? this.state.learned.form;
  }

  #formOfExecute(endsAtMs: number): Promise<KnownForm> {
    // Steps that became ready at the same moment, and need no form, go first.
    this.#executeForm ??= Promise.resolve().then(() =>
      detectExecuteForm(this.state, endsAtMs, this.instances, this.#input),
    );
    return this.#executeForm;
  }

  /** Experiments drop answers, such as a fault that is not seen again: what they keep is told in the end. */
  #tellOf(run: StepRun): StepRun {
    const { onAnswer } = this.#turnOf(run.step, null, this.#input.onAnswer);
    if (onAnswer !== undefined)
      for (const { exchanges, ...instance } of instancesOf(run))
        for (const exchange of exchanges) onAnswer({ ...instance, exchange });
    return run;
  }

  #turnOf(step: Step, signals: Signals | null, onAnswer?: OnAnswer): StepTurn {
    const { learned, restraint, endsAtMs: startedWith } = this.state;
    const endsAtMs = requestsEndAtMs(step, this.state);
    // The rows of a form judge already the answer that shows it.
    const formWith = ({ exchange }: Asked): KnownForm => {
      const known = this.#formOf(step);
      return known.form === null ? formShownBy(exchange, step, known, this.#input.settings) : known;
    };
    const endsNow = (): number => endsAtMs + this.state.endsAtMs - startedWith;
    return {
      step,
      form: learned.form,
      restraint,
      get endsAtMs() {
        return endsNow();
      },
      onAnswer:
        onAnswer &&
        ((asked, opened = learned.opened) =>
          onAnswer(step, asked, {
            form: formWith(asked),
            opened,
            main: isMainOpening(step) ? opened : this.state.learned.opened,
          })),
      pause: signals === null ? undefined : (waited) => this.#pause(step, waited, signals),
      mayComeSooner: this.#phases.deferred.has(step) ? () => this.#mayComeSooner() : undefined,
      lock: { acquire: (mode) => this.#acquire(mode), release: () => this.#input.lock?.release() },
    };
  }

  async #mayComeSooner(): Promise<boolean> {
    const isPauseFilled = await this.#callsOver.given;
    return !isPauseFilled && !isGone(this.state) && !this.requests.hasBailed();
  }

  /** Before a repetition: whether it may be sent. */
  async #pause(step: Step, waited: Promise<void>, { deferred }: Signals): Promise<boolean> {
    if (!this.#phases.deferred.has(step)) return true;
    deferred();
    await waited;
    await this.#timedCallsOver.given;
    await this.shareLock();
    return !isGone(this.state) && !this.requests.hasBailed();
  }

  #learn(step: Step, firsts: readonly Answered[], signals: Signals | null): void {
    const { learned: before } = this.state;
    const { learned, others } = learn(before, step, firsts, this.#input);
    if (learned.opened !== null && before.opened === null) this.#input.onOpened?.(learned.opened);
    this.state = { ...this.state, learned };
    signals?.ready(others);
  }

  #laboratory(step: Step, instances: readonly PlannedInstance[], signals: Signals | null): Laboratory {
    const turn = this.#turnOf(step, signals);
    return {
      turn,
      instances,
      runner: this.instances,
      input: this.#input,
      notes: this.#notes,
      state: () => this.state,
      onFirst: (firsts) => this.#learn(turn.step, firsts, signals),
      round: (round) => this.#round(turn.step, round),
    };
  }

  async #round(step: Step, round: Round): Promise<StepRun> {
    const known = this.state.rounds.get(round.role);
    if (known !== undefined) return known;
    const run = await this.run(stepOfRound(step, round), null, true);
    this.state = stateAfterRound(round.role, run, this.state);
    return run;
  }
}

function ran(step: Step, made: Skip | readonly InstanceRun[]): StepRun {
  return 'kind' in made ? { ...made, step } : { kind: 'ran', step, instances: made };
}

/** A promise, and what settles it. */
export function signal<T>(): { readonly given: Promise<T>; readonly give: (value: T) => void } {
  let give: (value: T) => void = () => undefined;
  const given = new Promise<T>((resolve) => {
    give = resolve;
  });
  return { given, give };
}
