import { bufferFrom } from '../model/bytes.ts';
import { type Exchange, reachedNobody } from '../model/exchange.ts';
import { lookKey } from '../model/exchange-key.ts';
import type { Json } from '../model/json.ts';
import { isRateLimited } from '../model/rate-limit.ts';
import type { Step } from '../model/suite.ts';
import { expandStep } from './expand.ts';
import type { ExpandContext } from './expand-context.ts';
import { answerShape, otherForm } from './forms.ts';
import { createLearned, type Learned, type Readiness } from './learned.ts';
import { asksExecute } from './operation.ts';
import { PHASES, phasesOf } from './phases.ts';
import type { Forms, InstanceRun, KnownForm, Omission, Restrained, RunRecord, StepRun } from './record.ts';
import { createRequestScheduler, type RequestScheduler } from './request-scheduler.ts';
import { createRestraint, type Restraint } from './restraint.ts';
import type { RunInput } from './run-input.ts';
import { InstanceRunner } from './run-instances.ts';
import {
  ALL_HARMLESS,
  NOTHING_SEEN,
  type SeenFunctions,
  WATCHING_STEPS,
  watchFunctions,
} from './seen-changes.ts';
import { CAPABILITIES_STEP, prerequisitesOf } from './selection.ts';
import { sparingly } from './sparingly.ts';

/** Runs the selected steps, each as soon as what it rests on is there, and returns everything that was collected. */
export async function runSuites(input: RunInput): Promise<RunRecord> {
  return new Runner(input).run();
}

interface RunningStep {
  /** Settles with the first answers, so that others need not wait for repetitions. */
  readonly ready: Promise<Readiness>;
  readonly done: Promise<StepRun>;
}

const LAST_STEPS_SHARE = 0.25;
/** Kept from timed calls for the abuse that comes after them. */
const ABUSE_SHARE = 0.25;
const MAX_ABUSE_MS = 15_000;
/** Besides the time-out of a request: the time of a few that are answered. */
const ANSWERING_MS = 500;

class Runner {
  readonly #input: RunInput;
  readonly #scheduler: RequestScheduler;
  readonly #running = new Map<string, RunningStep>();
  readonly #learned: Learned;
  readonly #instances: InstanceRunner;
  readonly #omissions: Omission[] = [];
  readonly #restraint: Restraint;
  readonly #ended = new Map<string, StepRun>();
  /** What was seen once so many of the watching steps had ended. */
  #seen: { readonly ended: number; readonly functions: SeenFunctions } = {
    ended: 0,
    functions: NOTHING_SEEN,
  };
  #executeForm: Promise<KnownForm> | null = null;
  /** Kept from abuse that is never answered, so that what must come at the end can still be asked. */
  readonly #reserved = { ms: 0 };
  /** The requirement that was being decided when abuse found nobody there any more. */
  #goneBy: string | null = null;
  /** The requirement that was being decided when the target went silent, before anything abusive was sent. */
  #silentBy: string | null = null;

  constructor(input: RunInput) {
    this.#input = input;
    const { settings } = input;
    const reserved = this.#reserved;
    this.#scheduler = createRequestScheduler({
      probe: input.probe,
      clock: input.clock,
      signal: input.signal,
      deadlineMs: settings.deadlineMs,
      get endsAtMs() {
        return input.endsAtMs - reserved.ms;
      },
      requestTimeoutMs: settings.requestTimeoutMs,
      concurrency: settings.concurrency,
      requestsPerSecond: settings.requestsPerSecond,
      onProgress: input.onProgress ?? (() => undefined),
      onExchange: input.onExchange ?? (() => undefined),
    });
    this.#learned = createLearned(input);
    this.#restraint = createRestraint(settings, () =>
      input.planning === true ? ALL_HARMLESS : this.#seenFunctions(),
    );
    this.#instances = new InstanceRunner(
      input,
      this.#scheduler,
      this.#learned,
      this.#restraint,
      () => reserved.ms,
    );
  }

  async run(): Promise<RunRecord> {
    const { steps } = this.#input.selection;
    const phases = phasesOf(steps);
    const ordinary = steps.filter(({ id }) => phases.get(id) === 'ordinary');
    for (const step of ordinary) this.#start(step);
    await this.#doneOf(ordinary.filter(({ request }) => asksExecute(request)));
    // One at a time, so that nothing comes between the calls of a function, and the same run asks in the same order.
    for (const step of steps.filter(({ id }) => phases.get(id) === 'following')) {
      this.#start(step);
      await this.#doneOf([step]);
    }
    await this.#doneOf(ordinary);
    // One at a time, so that what one of them does to the target is not taken for the doing of another.
    const rest = PHASES.slice(2).flatMap((phase) => steps.filter(({ id }) => phases.get(id) === phase));
    for (const step of rest) {
      this.#reserved.ms = this.#reservedFrom(step);
      this.#start(step);
      const run = await this.#running.get(step.id)?.done;
      if (run !== undefined && wentSilent(run)) await this.#lookAgain(step);
      if (run !== undefined && endedAtNobody(run)) this.#goneBy ??= this.#openAfter(step);
    }
    const runs = await Promise.all(steps.map((step) => this.#running.get(step.id)?.done));
    return {
      steps: runs.filter((run) => run !== undefined),
      forms: await this.#forms(),
      saved: this.#learned.saved,
      exchanges: this.#scheduler.exchanges(),
      omissions: this.#omissions,
      restrained: steps.some(({ request }) => asksExecute(request)) ? this.#restrained() : [],
    };
  }

  async #doneOf(steps: readonly Step[]): Promise<void> {
    await Promise.all(steps.map(({ id }) => this.#running.get(id)?.done));
  }

  #restrained(): readonly Restrained[] {
    const functions = this.#learned.saved.get('functions');
    return Array.isArray(functions)
      ? (functions as readonly Json[]).flatMap((descriptor) => this.#restraint.notedOf(descriptor) ?? [])
      : [];
  }

  #seenFunctions(): SeenFunctions {
    const ended = Object.values(WATCHING_STEPS).filter((id) => this.#ended.has(id)).length;
    if (ended !== this.#seen.ended)
      this.#seen = { ended, functions: watchFunctions((id) => this.#ended.get(id)) };
    return this.#seen.functions;
  }

  /** The time that a step must leave to those after it. */
  #reservedFrom(step: Step): number {
    if (isAbuse(step)) return this.#lastStepsMs();
    if (step.sample === 0) return 0;
    const abuseComes = this.#input.selection.steps.some(isAbuse);
    const abuseMs = Math.min(MAX_ABUSE_MS, this.#input.settings.deadlineMs * ABUSE_SHARE);
    return this.#lastStepsMs() + (abuseComes ? abuseMs : 0);
  }

  #lastStepsMs(): number {
    const { selection, settings } = this.#input;
    if (!selection.steps.some((step) => step.finally)) return 0;
    return Math.min(settings.requestTimeoutMs + ANSWERING_MS, settings.deadlineMs * LAST_STEPS_SHARE);
  }

  /** Who went silent while sound requests were timed cannot be said to have been brought down by bad ones. */
  async #lookAgain(step: Step): Promise<void> {
    const { targetUrl, commonHeaders, planning } = this.#input;
    if (planning === true || this.#silentBy !== null) return;
    const exchange = await this.#scheduler.send(
      {
        key: lookKey(step.id),
        method: 'GET',
        url: `${targetUrl}/health`,
        headers: commonHeaders,
        body: null,
        abortAfterBytes: null,
        anonymous: false,
        connection: null,
        upgrade: null,
        feedsLaterSteps: false,
      },
      null,
    );
    if (exchange.kind === 'unanswered') this.#silentBy = this.#openAfter(step);
  }

  /** A requirement that is sure to be open when nobody was there for a step. */
  #openAfter(step: Step): string {
    const last = this.#input.selection.steps.find((other) => other.finally);
    return step.expect[0]?.requirement ?? last?.expect[0]?.requirement ?? step.id;
  }

  async #forms(): Promise<Forms> {
    return {
      capabilities: this.#learned.capabilitiesForm(),
      execute: (await this.#executeForm) ?? this.#learned.capabilitiesForm(),
    };
  }

  #start(step: Step): void {
    let settle: (readiness: Readiness) => void = () => undefined;
    const ready = new Promise<Readiness>((resolve) => {
      settle = resolve;
    });
    this.#running.set(step.id, { ready, done: this.#runStep(step, settle) });
  }

  async #runStep(step: Step, settle: (readiness: Readiness) => void): Promise<StepRun> {
    const run = await this.#tryStep(step, settle);
    this.#ended.set(step.id, run);
    if (run.kind === 'blocked') settle({ ready: false, by: run.by });
    settle({ ready: true });
    return run;
  }

  async #tryStep(step: Step, settle: (readiness: Readiness) => void): Promise<StepRun> {
    const stopped = await this.#firstStop(step);
    if (stopped !== null) return { kind: 'blocked', step, by: stopped };
    const missing =
      step.request === null
        ? step.needs.map((id) => this.#ended.get(id)).find((run) => run?.kind === 'inapplicable')
        : undefined;
    if (missing?.kind === 'inapplicable') return { ...missing, step };
    if (this.#silentBy !== null && step.abusive) return { kind: 'blocked', step, by: this.#silentBy };
    if (this.#goneBy !== null && isAbuse(step) && !decides(step, this.#goneBy))
      return { kind: 'blocked', step, by: this.#goneBy };
    if (step.burst > 0 && this.#input.settings.directory?.tryRateLimit !== true)
      return { kind: 'inapplicable', step, reason: 'not asked to try it: see --try-rate-limit' };
    if (step.use.kind === 'every-step') return await this.#everyRun(step);
    const used = await this.#usedRun(step);
    if (step.request === null && used !== null)
      return used.kind === 'ran' ? { ...used, step } : { ...used, step };
    const known = needsExecuteForm(step) ? await this.#settleExecuteForm() : this.#learned.capabilitiesForm();
    if (step.request?.kind === 'execute' && known.form === null)
      return { kind: 'blocked', step, by: known.because };
    if (step.when.form !== null && known.form !== step.when.form) {
      if (known.form === null) return { kind: 'blocked', step, by: known.because };
      return {
        kind: 'inapplicable',
        step,
        reason: `only for form ${step.when.form}; the target speaks form ${known.form}`,
      };
    }
    if (step.parallel > 1 && this.#input.settings.concurrency < 2)
      return {
        kind: 'inapplicable',
        step,
        reason: 'only one request at a time is allowed: see --concurrency',
      };
    const expansion = expandStep(step, await this.#expandContext(step, known));
    if (expansion.kind !== 'instances') return { ...expansion, step };
    if (expansion.omission !== null) this.#omissions.push(expansion.omission);
    const instances = await this.#instances.run(
      step,
      sparingly(step, expansion.instances, this.#restraint),
      settle,
    );
    if (instances.length > 0) return { kind: 'ran', step, instances };
    const reason = 'what could be called changes something, or looks as if it did: see --mutating';
    return { kind: 'inapplicable', step, reason };
  }

  /** The requirement for want of which a step cannot run, once everything that it rests on has been asked. */
  async #firstStop(step: Step): Promise<string | null> {
    const readiness = await Promise.all(step.needs.map((id) => this.#running.get(id)?.ready));
    for (const one of readiness) if (one?.ready === false) return one.by;
    const rest = prerequisitesOf(step).filter((id) => !step.needs.includes(id));
    await Promise.all(
      rest.map((id) =>
        id === CAPABILITIES_STEP && step.request?.kind === 'execute'
          ? this.#running.get(id)?.ready
          : this.#running.get(id)?.done,
      ),
    );
    return null;
  }

  /** What all steps that sent something received, as if this one had. */
  async #everyRun(step: Step): Promise<StepRun> {
    const runs = await Promise.all(
      [...this.#running.entries()].map(([id, run]) => (id === step.id ? null : run.done)),
    );
    const instances = runs.flatMap((run) =>
      // Of a request that was cut off on purpose there is no answer to look at.
      run?.kind === 'ran' && run.step.request !== null && run.step.request.abort === null
        ? run.instances
        : [],
    );
    return { kind: 'ran', step, instances };
  }

  async #usedRun({ use }: Step): Promise<StepRun | null> {
    return use.kind === 'step' ? ((await this.#running.get(use.id)?.done) ?? null) : null;
  }

  async #expandContext(step: Step, known: KnownForm): Promise<ExpandContext> {
    const { settings, schemas, planning } = this.#input;
    const followed = step.forEach?.succeeded;
    const run = followed && planning !== true ? await this.#running.get(followed)?.done : undefined;
    return {
      settings,
      schemas,
      saved: this.#learned.saved,
      unchosen: this.#learned.unchosen,
      form: step.request?.kind === 'execute' ? known.form : null,
      blockedWhenEmpty:
        this.#learned.emptyBecause() ??
        this.#input.selection.steps
          .flatMap(({ save }) => Object.values(save))
          .find(({ needs }) => needs !== null)?.needs ??
        CAPABILITIES_STEP,
      gates: run === undefined ? null : this.#gatesByItem(run, step),
      restraint: this.#restraint,
      costly: new Set(
        run?.kind === 'ran' ? run.instances.filter(isCostly).map(({ item }) => item as Json) : [],
      ),
    };
  }

  /** An item with several inputs is stopped by the first that is. */
  #gatesByItem(run: StepRun, follower: Step): ReadonlyMap<Json, string | null> {
    if (run.kind !== 'ran')
      return new Map(
        this.#itemsOf(follower).map((item) => [item, run.kind === 'blocked' ? run.by : run.step.id]),
      );
    const gates = new Map<Json, string | null>();
    for (const instance of run.instances) {
      const item = instance.item as Json;
      gates.set(item, gates.get(item) ?? this.#learned.gateOf(run.step, instance));
    }
    return gates;
  }

  #itemsOf({ forEach }: Step): readonly Json[] {
    const list =
      forEach === null ? undefined : this.#learned.saved.get(/^\$\{(\w+)\}$/.exec(forEach.in)?.[1] ?? '');
    return Array.isArray(list) ? (list as readonly Json[]) : [];
  }

  #settleExecuteForm(): Promise<KnownForm> {
    this.#executeForm ??= this.#detectExecuteForm();
    return this.#executeForm;
  }

  /**
   * Calls one function in the form of the descriptors. Only where the answer is not of that form is the other one tried,
   * and only a whole answer of the other form counts.
   */
  async #detectExecuteForm(): Promise<KnownForm> {
    const described = this.#learned.capabilitiesForm();
    const { settings, planning } = this.#input;
    if (settings.form !== 'auto' || planning === true || described.form === null) return described;
    const call = this.#input.selection.formStep;
    if (call === null || (await this.#firstStop({ ...call, needs: [CAPABILITIES_STEP] })) !== null)
      return described;
    const own = await this.#callOnce(call, described);
    if (own === null || isRateLimited(own) || answerShape(own, described.form) === 'served') return described;
    const other: KnownForm = { form: otherForm(described.form) };
    const answer = await this.#callOnce(call, other);
    return answer !== null &&
      answerShape(answer, other.form) === 'served' &&
      answerShape(answer, described.form) === 'other-form'
      ? other
      : described;
  }

  async #callOnce(step: Step, known: KnownForm): Promise<Exchange | null> {
    const plain = { ...step, forEach: step.forEach === null ? null : { ...step.forEach, succeeded: null } };
    const expansion = expandStep(plain, await this.#expandContext(plain, known));
    if (expansion.kind !== 'instances') return null;
    const instances = sparingly(plain, expansion.instances, this.#restraint);
    const telling =
      instances.find(({ call }) => call?.input !== null && Object.keys(call?.input ?? {}).length > 0) ??
      instances[0];
    if (telling === undefined || !this.#instances.mayCall(plain, telling)) return null;
    const { exchanges } = await this.#instances.start(
      { ...plain, repeat: { times: 1, apartMs: 0 }, sample: 0 },
      telling,
      { all: 1, left: 1 },
    ).first;
    return exchanges[0] ?? null;
  }
}

const COSTLY_BYTES = 128 * 1024;
const COSTLY_MS = 3000;

function isCostly({ exchanges }: InstanceRun): boolean {
  return exchanges.some(
    (exchange) =>
      exchange.kind === 'answered' &&
      (exchange.timing.durationMs > COSTLY_MS || bufferFrom(exchange.response.body).length > COSTLY_BYTES),
  );
}

function isAbuse(step: Step): boolean {
  return step.abusive && !step.finally;
}

/** Timed calls that got no answer at all. */
function wentSilent(run: StepRun): boolean {
  return (
    run.kind === 'ran' &&
    run.instances.some(
      ({ timed }) =>
        timed?.kind === 'measured' && timed.measurement.errorKinds.some(({ status }) => status === undefined),
    )
  );
}

function decides({ expect }: Step, requirement: string): boolean {
  return expect.some((assertion) => assertion.requirement === requirement);
}

function endedAtNobody(run: StepRun): boolean {
  return (
    run.kind === 'ran' &&
    isAbuse(run.step) &&
    run.instances.some(({ exchanges }) => exchanges.some((exchange) => reachedNobody(exchange)))
  );
}

/** A step for one form of /execute asks which that is, also where it writes its own bodies. */
function needsExecuteForm({ request, when }: Step): boolean {
  return request?.kind === 'execute' || (when.form !== null && asksExecute(request));
}
