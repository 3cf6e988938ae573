import type { Json } from '../json/json.ts';
import type { Exchange } from '../model/exchange.ts';
import { aliveKey } from '../model/exchange-key.ts';
import type { Step } from '../model/suite.ts';
import { type Conversation, MAIN_CONVERSATION } from '../model/wire.ts';
import { aliveMessage } from './calls/make-request.ts';
import { outageAfter, wentSilent } from './calls/policies.ts';
import { requestsEndAtMs, stateAfter, withUsed } from './calls/run-state.ts';
import { inPhases, type PhasedSteps, timesLast } from './phases.ts';
import { learnInputs } from './requests/learn-inputs.ts';
import { removeCreated } from './requests/remove-created.ts';
import { watchReads } from './requests/watch-reads.ts';
import { MET, type Prerequisite } from './state/exchange-judge.ts';
import { type Collected, type CreatedThings, instancesOf, type StepRun } from './state/record.ts';
import type { RunInput } from './state/run-input.ts';
import { type Signals, StepRunner, signal } from './step-runner.ts';
import { asksExecute } from './steps/step-kinds.ts';
import { endsAwaitedBy, listerOf } from './steps/step-order.ts';

interface RunningStep {
  /** Settles with the first answers, so that others need not wait for repetitions. */
  readonly ready: Promise<Prerequisite>;
  /** Settles when the step ends, or when its repetitions are put off until the timed calls are over. */
  readonly quiet: Promise<void>;
  readonly done: Promise<StepRun>;
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
  readonly steps: StepRunner;
  readonly #running = new Map<string, RunningStep>();
  #created: readonly CreatedThings[] = [];
  #openings = 0;
  #openingSinceMs = 0;

  constructor(input: RunInput) {
    const { steps } = input.selection;
    this.#input = input;
    this.#lister = listerOf(steps);
    this.phases = inPhases(steps);
    this.steps = new StepRunner(input, this.phases);
  }

  /** Starts steps, of which each begins as soon as the steps that it needs are answered. */
  start(steps: readonly Step[]): void {
    for (const step of steps) this.#start(step);
  }

  async end(steps: readonly Step[]): Promise<void> {
    await Promise.all(steps.map(({ id }) => this.#running.get(id)?.done));
  }

  /** Waits until these steps have ended, or only wait for the end of the timed calls. */
  async quiet(steps: readonly Step[]): Promise<void> {
    const { dependents } = this.phases;
    await Promise.all(steps.map((step) => (dependents.has(step) ? null : this.#running.get(step.id)?.quiet)));
  }

  async inOrder(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#start(step);
  }

  /** Runs one step after the other, and notices if the target stops answering. */
  async alone(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const run = await this.#start(step);
      const probed = await this.#probeAfter(run);
      const lastLookFailed = step.phase === 'finally' && this.#hasFailed(run);
      const outage = outageAfter(run, probed, lastLookFailed, this.steps.state);
      this.steps.state = { ...this.steps.state, outage };
    }
  }

  /** Calls functions that refused a guessed input again, with values from other calls. */
  async learnInputs(): Promise<void> {
    const withLearned = await learnInputs(this.steps.state, this.steps.instances, this.#input);
    this.steps.state = withLearned(this.steps.state);
  }

  /** Finds functions that change something although their descriptors say that they read. */
  async watchReads(): Promise<void> {
    const used = await watchReads(this.steps.state, this.steps.instances, this.#input);
    this.steps.state = withUsed(used, this.steps.state);
  }

  /** Whether timed calls come after all requests of the contract. */
  timesLast(): boolean {
    const { requests, state } = this.steps;
    return timesLast(requests.exchanges(), this.phases, state.learned, this.#input);
  }

  /** Deletes what the run created, as far as functions do that. */
  async removeCreated(): Promise<void> {
    this.steps.requests.goOn();
    this.#created = await removeCreated(this.steps.state, this.steps.instances, this.#input);
  }

  /** Everything that was collected; ends what is open, and does not wait for processes. */
  async record(): Promise<Collected> {
    const execute = await this.steps.executeForm();
    const logs = signal<readonly Conversation[]>();
    const closed = Promise.resolve(this.#input.probe.close(logs.give)).then((ended) => ended ?? []);
    const { steps, ended, learned, restraint } = this.steps.state;
    const functions = learned.saved.get('functions');
    const called = steps.some(({ request }) => asksExecute(request)) && Array.isArray(functions);
    return {
      steps: steps.flatMap(({ id }) => ended.get(id) ?? []),
      forms: { capabilities: learned.form, execute },
      saved: learned.saved,
      exchanges: this.steps.requests.exchanges(),
      conversations: await Promise.race([logs.given, closed]),
      closed,
      endsAtMs: this.steps.state.endsAtMs,
      opened: learned.opened,
      omissions: this.steps.omissions,
      restrained: called
        ? (functions as readonly Json[]).flatMap((descriptor) => restraint.notedOf(descriptor) ?? [])
        : [],
      learned: [...learned.inputs].map(([functionName, { learned: parameters }]) => ({
        functionName,
        parameters,
      })),
      created: this.#created,
      hasBailed: this.steps.requests.leftOut(),
    };
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
          ? await this.#opening(() => this.steps.run(step, signals))
          : await this.steps.run(step, signals);
    this.steps.state = stateAfter(run, this.steps.state);
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

  /** A start has a separate time-out, which the deadline does not count. Several may be under way at once. */
  async #opening(open: () => Promise<StepRun>): Promise<StepRun> {
    const { clock, onOpening } = this.#input;
    onOpening?.('begins');
    if (this.#openings === 0) this.#openingSinceMs = clock.monotonicMs();
    this.#openings += 1;
    const run = await open();
    this.#openings -= 1;
    if (this.#openings === 0) this.steps.endLater(clock.monotonicMs() - this.#openingSinceMs);
    onOpening?.('over');
    return run;
  }

  /** Whether an answer of the step, or its absence, is a failure. */
  #hasFailed(run: StepRun): boolean {
    const { learned } = this.steps.state;
    return instancesOf(run).some(({ exchanges, ...instance }) =>
      exchanges.some((exchange) => {
        const judge = this.#input.judgeExchange(run.step, { ...instance, exchange }, learned.form);
        return !judge.answer().met && judge.failed().length > 0;
      }),
    );
  }

  /** After timed calls that got no answer: one more request, unless somebody knows already. */
  async #probeAfter(run: StepRun): Promise<Exchange | null> {
    const { step } = run;
    const { outage, settings, learned } = this.steps.state;
    // Steps without a request judge answers of others, after which it was sent already.
    if (step.request === null || !wentSilent(run) || outage.silentBy !== null) return null;
    const common = {
      key: aliveKey(step.id),
      headers: this.#input.commonHeaders,
      anonymous: false,
      feedsLaterSteps: false,
      endsAtMs: requestsEndAtMs(step, this.steps.state),
    };
    if (settings.mcp !== undefined) {
      const sends = { kind: 'message', message: aliveMessage(learned.opened) } as const;
      const message = { ...common, conversation: MAIN_CONVERSATION, sends, headers: [] };
      return this.steps.requests.send(message, null);
    }
    const url = `${this.#input.targetUrl}/health`;
    const nothing = { body: null, abortAfterBytes: null, connection: null, upgrade: null };
    return this.steps.requests.send({ ...common, ...nothing, method: 'GET', url }, null);
  }
}
