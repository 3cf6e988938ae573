import { jsonBody } from '../checks/json-body.ts';
import type { Exchange, Header } from '../model/exchange.ts';
import { isNamedBy } from '../model/glob.ts';
import type { Json } from '../model/json.ts';
import type { Meter } from '../model/meter.ts';
import type { Clock, PlannedRequest, Probe } from '../model/probe.ts';
import type { RunSettings } from '../model/report.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import { select } from '../model/selector.ts';
import { EVERY_STEP, type Step } from '../model/suite.ts';
import { type Asker, createAsker, isRateLimited, type Progress } from './asker.ts';
import { type ExpandContext, expandStep, type PlannedInstance } from './expand.ts';
import { answerShape, capabilitiesForm, otherForm } from './forms.ts';
import { createExchangeJudge, type ExchangeJudge, reachedNobody } from './judge-exchange.ts';
import { judgeContext } from './judge-run.ts';
import { asksExecute, operationOf } from './operation.ts';
import { PHASES, phasesOf } from './phases.ts';
import { type Among, planSample } from './plan-sample.ts';
import type { Forms, InstanceRun, KnownForm, Omission, RunRecord, StepRun, Timed } from './record.ts';
import { CAPABILITIES_STEP, prerequisitesOf, type Selection } from './selection.ts';

export interface RunInput {
  readonly selection: Selection;
  readonly targetUrl: string;
  readonly settings: RunSettings;
  readonly probe: Probe;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** When asking must end, on the clock's monotonic time. */
  readonly endsAtMs: number;
  readonly schemas: SchemaEvaluator;
  /** Sent with every request unless a step says otherwise. */
  readonly commonHeaders: readonly Header[];
  readonly onProgress?: (progress: Progress) => void;
  readonly onExchange?: (exchange: Exchange) => void;
  /** Only lists what would be sent: no loop is narrowed by answers that were never asked for. */
  readonly planning?: boolean;
}

/** Runs the selected steps, each as soon as what it rests on is there, and returns everything that was collected. */
export async function runSuites(input: RunInput): Promise<RunRecord> {
  return new Runner(input).run();
}

/** A step that others may rest on, or the requirement that keeps them from it. */
type Readiness = { readonly ready: true } | { readonly ready: false; readonly by: string };

interface StartedInstance {
  readonly instance: PlannedInstance;
  readonly first: Promise<readonly Exchange[]>;
  readonly all: Promise<Pick<InstanceRun, 'exchanges' | 'timed'>>;
}

interface RunningStep {
  /** Settles with the first answers, so that others need not wait for repetitions. */
  readonly ready: Promise<Readiness>;
  readonly done: Promise<StepRun>;
}

type SentAgain = Pick<PlannedRequest, 'method' | 'url' | 'headers' | 'body' | 'anonymous'>;

const LEAST_ERROR_STATUS = 400;
const LAST_STEPS_SHARE = 0.25;
/** Of earlier calls, to tell how long one takes. */
const MOST_LOOKED_AT = 10;
/** Kept from timed calls for the abuse that comes after them. */
const ABUSE_SHARE = 0.25;
const MOST_ABUSE_MS = 15_000;
/** Besides the time-out of a request: the time of a few that are answered. */
const ANSWERING_MS = 500;

class Runner {
  readonly #input: RunInput;
  readonly #asker: Asker;
  readonly #running = new Map<string, RunningStep>();
  readonly #saved = new Map<string, Json>();
  /** Why a saved list is empty, where the answer itself shows it. */
  #emptyBecause: string | null = null;
  readonly #omissions: Omission[] = [];
  #capabilitiesForm: KnownForm;
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
    this.#capabilitiesForm =
      settings.form === 'auto' ? { form: null, because: 'capabilities/reachable' } : { form: settings.form };
    this.#asker = createAsker({
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
  }

  async run(): Promise<RunRecord> {
    const { steps } = this.#input.selection;
    const phases = phasesOf(steps);
    const ordinary = steps.filter(({ id }) => phases.get(id) === 'ordinary');
    for (const step of ordinary) this.#start(step);
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    // One at a time, so that what one of them does to the target is not taken for the doing of another.
    const rest = PHASES.slice(1).flatMap((phase) => steps.filter(({ id }) => phases.get(id) === phase));
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
      saved: this.#saved,
      exchanges: this.#asker.exchanges(),
      omissions: this.#omissions,
    };
  }

  /** The time that a step must leave to those after it. */
  #reservedFrom(step: Step): number {
    if (isAbuse(step)) return this.#lastStepsMs();
    if (step.sample === 0) return 0;
    const abuseComes = this.#input.selection.steps.some(isAbuse);
    const abuseMs = Math.min(MOST_ABUSE_MS, this.#input.settings.deadlineMs * ABUSE_SHARE);
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
    const exchange = await this.#asker.ask(
      {
        key: `${step.id}#after`,
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
      capabilities: this.#capabilitiesForm,
      execute: (await this.#executeForm) ?? this.#capabilitiesForm,
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
    if (run.kind === 'blocked') settle({ ready: false, by: run.by });
    settle({ ready: true });
    return run;
  }

  async #tryStep(step: Step, settle: (readiness: Readiness) => void): Promise<StepRun> {
    const stopped = await this.#firstStop(step);
    if (stopped !== null) return { kind: 'blocked', step, by: stopped };
    if (this.#silentBy !== null && step.abusive) return { kind: 'blocked', step, by: this.#silentBy };
    if (this.#goneBy !== null && isAbuse(step) && !decides(step, this.#goneBy))
      return { kind: 'blocked', step, by: this.#goneBy };
    if (step.use[''] === EVERY_STEP) return await this.#everyRun(step);
    const used = await this.#usedRun(step);
    if (step.request === null && used !== null)
      return used.kind === 'ran' ? { ...used, step } : { ...used, step };
    const known = needsExecuteForm(step) ? await this.#settleExecuteForm() : this.#capabilitiesForm;
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
    const { notRepeated } = this.#input.settings.latency;
    const instances = expansion.instances.filter(
      ({ call }) => step.sample === 0 || call === null || !isNamedBy(notRepeated, call.functionName),
    );
    if (instances.length === 0)
      return {
        kind: 'inapplicable',
        step,
        reason: 'the configuration lets no function be called repeatedly',
      };
    return { kind: 'ran', step, instances: await this.#runInstances(step, instances, settle) };
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

  async #usedRun(step: Step): Promise<StepRun | null> {
    const id = step.use[''];
    return id === undefined ? null : ((await this.#running.get(id)?.done) ?? null);
  }

  async #expandContext(step: Step, known: KnownForm): Promise<ExpandContext> {
    const { settings, schemas, planning } = this.#input;
    const followed = step.forEach?.succeeded;
    const run = followed && planning !== true ? await this.#running.get(followed)?.done : undefined;
    return {
      settings,
      schemas,
      saved: this.#saved,
      form: step.request?.kind === 'execute' ? known.form : null,
      blockedWhenEmpty:
        this.#emptyBecause ??
        this.#input.selection.steps
          .flatMap(({ save }) => Object.values(save))
          .find(({ needs }) => needs !== null)?.needs ??
        CAPABILITIES_STEP,
      gates: run === undefined ? null : this.#gatesByItem(run, step),
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
      gates.set(item, gates.get(item) ?? this.#gateOf(run.step, instance));
    }
    return gates;
  }

  #itemsOf({ forEach }: Step): readonly Json[] {
    const list = forEach === null ? undefined : this.#saved.get(/^\$\{(\w+)\}$/.exec(forEach.in)?.[1] ?? '');
    return Array.isArray(list) ? (list as readonly Json[]) : [];
  }

  async #runInstances(
    step: Step,
    instances: readonly PlannedInstance[],
    settle: (readiness: Readiness) => void,
  ): Promise<readonly InstanceRun[]> {
    const started: StartedInstance[] = [];
    for (const [index, instance] of instances.entries()) {
      if (step.abusive || step.sample !== 0) await started.at(-1)?.all;
      const among = { all: instances.length, left: instances.length - index };
      started.push(this.#startInstance(step, instance, among));
    }
    const firsts = await Promise.all(
      started.map(async ({ instance, first }) => ({ ...instance, exchanges: await first })),
    );
    settle(this.#readinessAfter(step, firsts));
    return Promise.all(started.map(async ({ instance, all }) => ({ ...instance, ...(await all) })));
  }

  #startInstance(step: Step, instance: PlannedInstance, among: Among): StartedInstance {
    const { request } = instance;
    if (request === null) {
      const nothing = { exchanges: [], timed: null };
      return { instance, first: Promise.resolve([]), all: Promise.resolve(nothing) };
    }
    const { targetUrl, commonHeaders } = this.#input;
    const own = new Set(request.headers.map(([name]) => name));
    const sent = {
      method: request.method,
      url: targetUrl + request.path,
      headers: [...commonHeaders.filter(([name]) => !own.has(name)), ...request.headers],
      body: request.body,
      anonymous: request.anonymous,
    };
    const ask = (copy: number): Promise<Exchange> =>
      this.#asker.ask(
        {
          ...sent,
          key: `${instance.key}#${copy}`,
          abortAfterBytes: request.abortAfterBytes,
          connection: request.keepConnection ? instance.key : null,
          upgrade: request.upgrade,
          feedsLaterSteps: Object.keys(step.save).length > 0,
        },
        step.retry,
      );
    const copies = instance.call === null ? step.parallel : 1;
    const first = Promise.all(Array.from({ length: copies }, (_, copy) => ask(copy)));
    const goOn = async (exchanges: readonly Exchange[]) => {
      if (step.sample === 0) return { exchanges: await this.#repeat(step, exchanges, ask), timed: null };
      // That the time was over before the last items came is a fact of the run, and nothing to judge each of them by.
      if (among.left < among.all && exchanges.every(isOverDeadline))
        return { exchanges: [], timed: { kind: 'not-measured', because: 'no-time' } } as const;
      return {
        exchanges,
        timed: await this.#time(step, { ...instance, exchanges, timed: null }, sent, among),
      };
    };
    return { instance, first, all: first.then(goOn) };
  }

  /** Times a request that was answered as expected. */
  async #time(step: Step, instance: InstanceRun, request: SentAgain, among: Among): Promise<Timed> {
    const { settings, targetUrl, clock, endsAtMs, planning } = this.#input;
    const [ordinary] = instance.exchanges;
    if (ordinary === undefined) return { kind: 'not-measured', because: 'unanswered' };
    if (planning !== true) {
      if (this.#gateOf(step, instance) !== null || ordinary.kind === 'unanswered')
        return { kind: 'not-measured', because: 'unanswered' };
      if (ordinary.response.status >= LEAST_ERROR_STATUS) return { kind: 'not-measured', because: 'refused' };
    }
    const remainingMs = endsAtMs - this.#reserved.ms - clock.monotonicMs();
    const plan = planSample({
      sample: step.sample,
      settings,
      targetUrl,
      isCall: instance.call !== null,
      among,
      ordinaryMs: this.#ordinaryMs(ordinary),
      remainingMs,
    });
    if (plan === null) return { kind: 'not-measured', because: 'no-time' };
    if (plan.isPaced) await this.#asker.reserve(plan.calls, plan.ratePerSecond);
    const measurement = await this.#input.meter.measure({
      key: instance.key,
      operation: operationOf(ordinary, targetUrl),
      functionName: instance.call?.functionName ?? null,
      request,
      calls: plan.calls,
      ratePerSecond: plan.ratePerSecond,
      connections: 1,
      timeoutMs: settings.requestTimeoutMs,
      withinMs: remainingMs,
      repeatWithinMs: plan.repeatWithinMs,
      seed: settings.seed,
    });
    return measurement === null
      ? { kind: 'not-measured', because: 'no-time' }
      : { kind: 'measured', measurement };
  }

  /** How long a call of the kind takes that is answered: the median of the last few, for one alone may say little. */
  #ordinaryMs(like: Exchange): number {
    const { url, method } = like.request;
    const alike = this.#asker
      .exchanges()
      .filter(({ kind, request }) => kind === 'answered' && request.url === url && request.method === method);
    // A call of another function tells nothing of this one.
    const reads = method === 'GET' ? alike : [];
    const durationsMs = [like, ...reads.slice(-MOST_LOOKED_AT)]
      .map(({ timing }) => timing.durationMs)
      .sort((left, right) => left - right);
    return durationsMs[durationsMs.length >> 1] ?? like.timing.durationMs;
  }

  /** Repetitions follow one another, and end where the target stops answering or wants to be left alone. */
  async #repeat(
    step: Step,
    firsts: readonly Exchange[],
    ask: (copy: number) => Promise<Exchange>,
  ): Promise<readonly Exchange[]> {
    const exchanges = [...firsts];
    while (exchanges.length < step.repeat.times) {
      const last = exchanges.at(-1);
      const stopped = last === undefined || last.kind === 'unanswered' || isRateLimited(last);
      if (stopped && this.#input.planning !== true) break;
      if (step.repeat.apartMs > 0) await this.#asker.wait(step.repeat.apartMs);
      exchanges.push(await ask(exchanges.length));
    }
    return exchanges;
  }

  /** A step is there for others when at least one of its instances was answered as expected, and its values are saved. */
  #readinessAfter(step: Step, instances: readonly Omit<InstanceRun, 'timed'>[]): Readiness {
    const gates = instances.map((instance) => this.#gateOf(step, instance));
    const [stopped] = gates;
    const planning = this.#input.planning === true && Object.keys(step.save).length === 0;
    if (!planning && stopped !== undefined && gates.every((gate) => gate !== null)) {
      const by = stopped ?? step.id;
      if (step.id === CAPABILITIES_STEP && this.#capabilitiesForm.form === null)
        this.#capabilitiesForm = { form: null, because: by };
      return { ready: false, by };
    }
    const [exchange] = instances[0]?.exchanges ?? [];
    if (exchange === undefined) return { ready: true };
    if (step.id === CAPABILITIES_STEP)
      this.#capabilitiesForm = capabilitiesForm(bodyOf(exchange), this.#input.settings.form);
    return this.#saveValues(step, exchange);
  }

  #saveValues(step: Step, exchange: Exchange): Readiness {
    const judge = createExchangeJudge(
      step,
      { exchange, call: null, item: undefined },
      this.#judgeContext(step),
    );
    for (const [name, save] of Object.entries(step.save)) {
      const needed = step.expect.filter(({ requirement }) => requirement === save.needs);
      const stopping = needed
        .flatMap((assertion) => judge.findings(assertion))
        .find(({ outcome }) => outcome !== 'passed');
      if (stopping !== undefined)
        return {
          ready: false,
          by: stopping.outcome === 'blocked' ? stopping.blockedBy : (save.needs ?? step.id),
        };
      const value = bodyOf(exchange);
      const nodes = value === undefined ? [] : select(save.at, value);
      if (save.many) {
        this.#saved.set(
          name,
          nodes.map((node) => node.value),
        );
        if (nodes.length === 0) this.#emptyBecause = failedBody(step, judge);
      } else if (nodes.length === 1 && nodes[0] !== undefined) this.#saved.set(name, nodes[0].value);
      else return { ready: false, by: step.id };
    }
    return { ready: true };
  }

  #gateOf(step: Step, { exchanges, call, item }: Omit<InstanceRun, 'timed'>): string | null {
    const context = this.#judgeContext(step);
    const judges = exchanges.map((exchange) => createExchangeJudge(step, { exchange, call, item }, context));
    const gate = (judge: (typeof judges)[number]): string | null =>
      Object.keys(step.save).length > 0 ? judge.bodyGate() : judge.gate();
    return judges.map(gate).find((stopped) => stopped !== null) ?? null;
  }

  #judgeContext(step: Step) {
    const { settings, targetUrl, schemas } = this.#input;
    const record: RunRecord = {
      steps: [],
      forms: { capabilities: this.#capabilitiesForm, execute: this.#capabilitiesForm },
      saved: this.#saved,
      exchanges: [],
      omissions: [],
    };
    return judgeContext(step, { record, settings, targetUrl, schemas }, new Map());
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
    const described = this.#capabilitiesForm;
    const { settings, planning } = this.#input;
    if (settings.form !== 'auto' || planning === true || described.form === null) return described;
    const call = this.#input.selection.formStep;
    if (call === null || (await this.#firstStop({ ...call, needs: [CAPABILITIES_STEP] })) !== null)
      return described;
    const own = await this.#callOnce(call, described);
    if (own === null || answerShape(own, described.form) === 'served') return described;
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
    const telling =
      expansion.instances.find(
        ({ call }) => call?.input !== null && Object.keys(call?.input ?? {}).length > 0,
      ) ?? expansion.instances[0];
    if (telling === undefined) return null;
    const [exchange] = await this.#startInstance(
      { ...plain, repeat: { times: 1, apartMs: 0 }, sample: 0 },
      telling,
      { all: 1, left: 1 },
    ).first;
    return exchange ?? null;
  }
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

/** The first assertion on the body's values that failed: a list from which nothing could be saved fails one. */
function failedBody(step: Step, judge: ExchangeJudge): string | null {
  const failing = step.expect.find(
    (assertion) =>
      assertion.kind === 'body' && judge.findings(assertion).some(({ outcome }) => outcome === 'failed'),
  );
  return failing?.requirement ?? null;
}

function isOverDeadline(exchange: Exchange): boolean {
  return exchange.kind === 'unanswered' && exchange.reason.code === 'deadline';
}

function bodyOf(exchange: Exchange): Json | undefined {
  return exchange.kind === 'answered' ? jsonBody(exchange).value : undefined;
}
