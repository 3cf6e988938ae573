import type { Json } from '../json/json.ts';
import type { Exchange } from '../model/exchange.ts';
import { aliveKey } from '../model/exchange-key.ts';
import type { Step } from '../model/suite.ts';
import { MAIN_CONVERSATION } from '../model/wire.ts';
import { detectExecuteForm } from './calls/execute-form.ts';
import { expandStep } from './calls/expand.ts';
import { expandContextOf, type PlannedInstance } from './calls/expand-context.ts';
import { learnInputs } from './calls/learn-inputs.ts';
import { aliveMessage } from './calls/make-request.ts';
import { removeCreated } from './calls/remove-created.ts';
import { watchReads } from './calls/watch-reads.ts';
import { MET, type Prerequisite } from './exchange-judge.ts';
import { type Laboratory, NOTHING_FOUND, type Round, stepOfRound } from './experiments/laboratory.ts';
import { EXPERIMENT_CODE } from './generated/experiments.ts';
import { type Answered, learn } from './learned.ts';
import { asksExecute } from './operation.ts';
import { inPhases, type PhasedSteps, timesLast } from './phases.ts';
import { allowedInstances, decide, needsExecuteForm, outageAfter, POLICIES, wentSilent } from './policies.ts';
import type { CreatedThings, InstanceRun, KnownForm, Omission, RunRecord, Skip, StepRun } from './record.ts';
import { RequestScheduler } from './request-scheduler.ts';
import type { LockMode, RunInput } from './run-input.ts';
import { InstanceRunner, type StepTurn } from './run-instances.ts';
import {
  isGone,
  type RunState,
  requestsEndAtMs,
  stateAfter,
  stateAfterRound,
  stateAtStart,
  withUsed,
} from './run-state.ts';
import { endsAwaitedBy, listerOf } from './step-order.ts';

interface RunningStep {
  /** Settles with the first answers, so that others need not wait for repetitions. */
  readonly ready: Promise<Prerequisite>;
  /** Settles when the step ends, or when its repetitions are put off until the timed calls are over. */
  readonly quiet: Promise<void>;
  readonly done: Promise<StepRun>;
}

/** How a step that runs tells what others wait for. */
interface Signals {
  readonly ready: (prerequisite: Prerequisite) => void;
  readonly deferred: () => void;
}

/**
 * A run of the selected steps: what was sent and learned until now, and the ways to go on. The order in which that
 * happens is told in check/check.ts. What the answers show decides which calls come next; nothing is judged here but
 * whether an answer can be used.
 */
export class Run {
  readonly phases: PhasedSteps;
  readonly #input: RunInput;
  readonly #lister: Step | null;
  readonly #requests: RequestScheduler;
  readonly #runner: InstanceRunner;
  #sharing: Promise<void> | null = null;
  readonly #running = new Map<string, RunningStep>();
  readonly #omissions: Omission[] = [];
  readonly #timedCallsOver = signal<void>();
  readonly #notes = { inSequences: NOTHING_FOUND };
  #executeForm: Promise<KnownForm> | null = null;
  #created: readonly CreatedThings[] = [];
  #state: RunState;

  constructor(input: RunInput) {
    const { steps } = input.selection;
    this.#input = input;
    this.#lister = listerOf(steps);
    this.phases = inPhases(steps);
    this.#requests = new RequestScheduler(input);
    this.#runner = new InstanceRunner(input, this.#requests);
    this.#state = stateAtStart(input);
  }

  /** Starts steps, of which each begins as soon as the steps that it needs are answered. */
  start(steps: readonly Step[]): void {
    for (const step of steps) this.#start(step);
  }

  /** Waits until these steps have ended. */
  async end(steps: readonly Step[]): Promise<void> {
    await Promise.all(steps.map(({ id }) => this.#running.get(id)?.done));
  }

  /** Waits until these steps have ended, or only wait for the end of the timed calls. */
  async quiet(steps: readonly Step[]): Promise<void> {
    const { dependents } = this.phases;
    await Promise.all(steps.map((step) => (dependents.has(step) ? null : this.#running.get(step.id)?.quiet)));
  }

  /** Runs one step after the other. */
  async inOrder(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#start(step);
  }

  /** Runs one step after the other, and notices if the target stops answering. */
  async alone(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const run = await this.#start(step);
      const outage = outageAfter(run, await this.#probeAfter(run), this.#state);
      this.#state = { ...this.#state, outage };
    }
  }

  /** Calls functions that refused a guessed input again, with values from other calls. */
  async learnInputs(): Promise<void> {
    const withLearned = await learnInputs(this.#state, this.#runner, this.#input);
    this.#state = withLearned(this.#state);
  }

  /** Finds functions that change something although their descriptors say that they read. */
  async watchReads(): Promise<void> {
    this.#state = withUsed(await watchReads(this.#state, this.#runner, this.#input), this.#state);
  }

  /** Whether timed calls come after all requests of the contract. */
  timesLast(): boolean {
    return timesLast(this.#runner.exchanges(), this.phases, this.#state.learned, this.#input);
  }

  /** Lets the repetitions go on that were put off, and other checks of the process work. */
  endTimedCalls(): void {
    if (this.phases.timed.length + this.phases.deferred.size > 0) this.#input.lock?.release();
    this.#sharing = null;
    this.#timedCallsOver.give();
  }

  /** Waits until this check may work, beside the others of its process. */
  async shareLock(): Promise<void> {
    // Several repeated reads may wait for it.
    this.#sharing ??= this.#acquire('shared');
    await this.#sharing;
  }

  /** Deletes what the run created, as far as functions do that. */
  async removeCreated(): Promise<void> {
    this.#created = await removeCreated(this.#state, this.#runner, this.#input);
  }

  /** Everything that was collected; ends what is open. */
  async record(): Promise<RunRecord> {
    const { steps, ended, learned, restraint } = this.#state;
    const functions = learned.saved.get('functions');
    const called = steps.some(({ request }) => asksExecute(request)) && Array.isArray(functions);
    return {
      steps: steps.flatMap(({ id }) => ended.get(id) ?? []),
      forms: { capabilities: learned.form, execute: (await this.#executeForm) ?? learned.form },
      saved: learned.saved,
      exchanges: this.#requests.exchanges(),
      conversations: (await this.#input.probe.close()) ?? [],
      opened: learned.opened,
      omissions: this.#omissions,
      restrained: called
        ? (functions as readonly Json[]).flatMap((descriptor) => restraint.notedOf(descriptor) ?? [])
        : [],
      learned: [...learned.inputs].map(([functionName, { learned: parameters }]) => ({
        functionName,
        parameters,
      })),
      created: this.#created,
    };
  }

  /** What others take is not the fault of the target. */
  async #acquire(mode: LockMode): Promise<void> {
    const { lock, clock } = this.#input;
    const askedMs = clock.monotonicMs();
    await lock?.acquire(mode);
    this.#endLater(clock.monotonicMs() - askedMs);
  }

  /** Everything may end later by the time that others took. */
  #endLater(byMs: number): void {
    this.#state = { ...this.#state, endsAtMs: this.#state.endsAtMs + byMs };
  }

  #start(step: Step): Promise<StepRun> {
    const ready = signal<Prerequisite>();
    const deferred = signal<void>();
    const done = this.#runWhenReady(step, { ready: ready.give, deferred: deferred.give });
    const quiet = Promise.race([deferred.given, done.then(() => undefined)]);
    this.#running.set(step.id, { ready: ready.given, quiet, done });
    return done;
  }

  async #runWhenReady(step: Step, signals: Signals): Promise<StepRun> {
    const by = await this.#stopping(step);
    const run: StepRun =
      by !== null
        ? { kind: 'blocked', step, by }
        : step.request?.kind === 'open'
          ? await this.#opening(() => this.#run(step, signals))
          : await this.#run(step, signals);
    this.#state = stateAfter(run, this.#state);
    signals.ready(run.kind === 'blocked' ? { met: false, by: run.by } : MET);
    return run;
  }

  /** Waits for the prerequisites of a step; returns the requirement that stops it, or null. */
  async #stopping(step: Step): Promise<string | null> {
    const needed = await Promise.all(step.needs.map((id) => this.#running.get(id)?.ready));
    for (const one of needed) if (one?.met === false) return one.by;
    if (step.request?.kind === 'execute') await this.#running.get(this.#lister?.id ?? '')?.ready;
    await Promise.all(endsAwaitedBy(step, this.#lister).map((id) => this.#running.get(id)?.done));
    return null;
  }

  /** A start has a time-out of its own, which the deadline does not count. */
  async #opening(open: () => Promise<StepRun>): Promise<StepRun> {
    const { clock, onOpening } = this.#input;
    onOpening?.('begins');
    const startedAtMs = clock.monotonicMs();
    const run = await open();
    this.#endLater(clock.monotonicMs() - startedAtMs);
    onOpening?.('over');
    return run;
  }

  /** Runs a step whose prerequisites have been answered, unless a policy skips it. */
  async #run(step: Step, signals: Signals | null): Promise<StepRun> {
    const state = this.#state;
    const beforehand = decide(POLICIES.beforehand, step, state);
    if (beforehand.kind !== 'run') return { ...beforehand, step };
    const used = runOfUsed(step, state, this.phases, this.#runner.aside());
    if (used !== null) return used;
    const code = step.experiment === null ? null : EXPERIMENT_CODE[step.experiment.name];
    if (code !== null && code.callsOf === null) {
      signals?.ready(MET);
      return ran(step, await code.run(this.#laboratory(this.#turnOf(step, signals), [], signals)));
    }
    const calls = code?.callsOf?.(step) ?? step;
    const planned = await this.#expand(calls);
    if ('kind' in planned) return { ...planned, step };
    const turn = this.#turnOf(calls, signals);
    const allowed = allowedInstances(calls, planned, turn.restraint);
    if (code !== null) return ran(step, await code.run(this.#laboratory(turn, allowed, signals)));
    return ran(step, await this.#runner.run(turn, allowed, (firsts) => this.#learn(step, firsts, signals)));
  }

  /** The requests of a step, or why there are none. */
  async #expand(step: Step): Promise<readonly PlannedInstance[] | Skip> {
    const endsAtMs = requestsEndAtMs(step, this.#state);
    const form = needsExecuteForm(step) ? await this.#formOfExecute(endsAtMs) : this.#state.learned.form;
    const inForm = decide(POLICIES.inForm, step, { ...this.#state, form });
    if (inForm.kind !== 'run') return inForm;
    const calls = this.#requests.calls();
    const expansion = expandStep(step, expandContextOf(step, form, this.#state, { ...this.#input, calls }));
    if (expansion.kind !== 'instances') return expansion;
    if (expansion.omission !== null) this.#omissions.push(expansion.omission);
    const { instances } = expansion;
    const onInstances = decide(POLICIES.onInstances, step, { ...this.#state, instances, calls });
    return onInstances.kind === 'run' ? instances : onInstances;
  }

  #formOfExecute(endsAtMs: number): Promise<KnownForm> {
    // Steps that became ready at the same moment, and need no form, go first.
    this.#executeForm ??= Promise.resolve().then(() =>
      detectExecuteForm(this.#state, endsAtMs, this.#runner, this.#input),
    );
    return this.#executeForm;
  }

  #turnOf(step: Step, signals: Signals | null): StepTurn {
    const { learned, restraint, endsAtMs: startedWith } = this.#state;
    const endsAtMs = requestsEndAtMs(step, this.#state);
    const endsNow = (): number => endsAtMs + this.#state.endsAtMs - startedWith;
    return {
      step,
      form: learned.form,
      restraint,
      get endsAtMs() {
        return endsNow();
      },
      pause: signals === null ? undefined : (waited) => this.#pause(step, waited, signals),
      lock: { acquire: (mode) => this.#acquire(mode), release: () => this.#input.lock?.release() },
    };
  }

  /** Before a repetition: whether it may be sent. */
  async #pause(step: Step, waited: Promise<void>, { deferred }: Signals): Promise<boolean> {
    if (!this.phases.deferred.has(step)) return true;
    deferred();
    await waited;
    await this.#timedCallsOver.given;
    await this.shareLock();
    return !isGone(this.#state);
  }

  #learn(step: Step, firsts: readonly Answered[], signals: Signals | null): void {
    const { learned: before } = this.#state;
    const { learned, others } = learn(before, step, firsts, this.#input);
    if (learned.opened !== null && before.opened === null) this.#input.onOpened?.(learned.opened);
    this.#state = { ...this.#state, learned };
    signals?.ready(others);
  }

  #laboratory(turn: StepTurn, instances: readonly PlannedInstance[], signals: Signals | null): Laboratory {
    return {
      turn,
      instances,
      runner: this.#runner,
      input: this.#input,
      notes: this.#notes,
      state: () => this.#state,
      onFirst: (firsts) => this.#learn(turn.step, firsts, signals),
      round: (round) => this.#round(turn.step, round),
    };
  }

  async #round(step: Step, round: Round): Promise<StepRun> {
    const known = this.#state.rounds.get(round.role);
    if (known !== undefined) return known;
    const run = await this.#run(stepOfRound(step, round), null);
    this.#state = stateAfterRound(round.role, run, this.#state);
    return run;
  }

  /** After timed calls that got no answer: one more request, unless somebody knows already. */
  async #probeAfter(run: StepRun): Promise<Exchange | null> {
    const { step } = run;
    const { outage, settings, learned } = this.#state;
    // Steps without a request judge answers of others, after which it was sent already.
    if (step.request === null || !wentSilent(run) || outage.silentBy !== null) return null;
    const common = {
      key: aliveKey(step.id),
      headers: this.#input.commonHeaders,
      anonymous: false,
      feedsLaterSteps: false,
      endsAtMs: requestsEndAtMs(step, this.#state),
    };
    if (settings.mcp !== undefined) {
      const sends = { kind: 'message', message: aliveMessage(learned.opened) } as const;
      const message = { ...common, conversation: MAIN_CONVERSATION, sends, headers: [] };
      return this.#requests.send(message, null);
    }
    const url = `${this.#input.targetUrl}/health`;
    const nothing = { body: null, abortAfterBytes: null, connection: null, upgrade: null };
    return this.#requests.send({ ...common, ...nothing, method: 'GET', url }, null);
  }
}

function ran(step: Step, made: Skip | readonly InstanceRun[]): StepRun {
  return 'kind' in made ? { ...made, step } : { kind: 'ran', step, instances: made };
}

/** The answers of the steps that a step uses, as if this step had received them; null for a step with requests. */
function runOfUsed(
  step: Step,
  { ended }: RunState,
  { ordinary, following, timed, later, closing }: PhasedSteps,
  aside: readonly InstanceRun[],
): StepRun | null {
  const { use } = step;
  if (use.kind === 'every-step') {
    const runs = [...ordinary, ...following, ...timed, ...later, ...closing].map(({ id }) => ended.get(id));
    const instances = runs.flatMap((run) =>
      // A request that the suite aborts has no answer to judge.
      run?.kind === 'ran' && run.step.request !== null && run.step.request.abort === null
        ? run.instances
        : [],
    );
    return { kind: 'ran', step, instances: [...instances, ...aside] };
  }
  const used = use.kind === 'step' && step.request === null ? ended.get(use.id) : undefined;
  return used === undefined ? null : { ...used, step };
}

function signal<T>(): { readonly given: Promise<T>; readonly give: (value: T) => void } {
  let give: (value: T) => void = () => undefined;
  const given = new Promise<T>((resolve) => {
    give = resolve;
  });
  return { given, give };
}
