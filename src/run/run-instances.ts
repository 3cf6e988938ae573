import pLimit, { type LimitFunction } from 'p-limit';
import { isServed, statusOf } from '../checks/answers.ts';
import { isDescribedError, isRefusal } from '../checks/errors/error-answer.ts';
import type { Json } from '../json/json.ts';
import type { InputSource } from '../model/call.ts';
import { type Exchange, isAnswer, type TransportFailure, urlOf } from '../model/exchange.ts';
import { exchangeKey, followUpKey } from '../model/exchange-key.ts';
import type { Measurement } from '../model/measurement.ts';
import type { PlannedHttp, SamplingPlan, TimedRequest } from '../model/probe.ts';
import { isRateLimited, TOO_MANY_REQUESTS } from '../model/rate-limit.ts';
import type { Step } from '../model/suite.ts';
import { isMessage } from '../wires/mcp/answer.ts';
import { nextCursor } from '../wires/mcp/tools.ts';
import { isFollowUp, WITHHELD } from './expand-calls.ts';
import type { PlannedInstance } from './expand-context.ts';
import { type Answered, feedsOthers, usable } from './learned.ts';
import type { HttpRequest, MessageRequest, OpeningRequest } from './make-request.ts';
import { asksExecute, isExploring, operationOf } from './operation.ts';
import { type Among, planSample, wantedCalls } from './plan-sample.ts';
import { mayCall } from './policies.ts';
import type { InstanceRun, KnownForm, Timed } from './record.ts';
import type { RequestScheduler, ScheduledRequest } from './request-scheduler.ts';
import type { Restraint } from './restraint.ts';
import type { RunInput } from './run-input.ts';
import type { RunTurns } from './run-turns.ts';

/** A step that runs now, with the conditions for its requests. */
export interface StepTurn {
  readonly step: Step;
  /** The form that the descriptors are in. */
  readonly form: KnownForm;
  readonly restraint: Restraint;
  /** When its requests must end, on the clock's monotonic time. */
  readonly endsAtMs: number;
  /** Called when the wait before a repetition begins; its result is whether the repetition may be sent. */
  readonly pause?: (waited: Promise<void>) => Promise<boolean>;
  /** Present if calls of this step may be timed. */
  readonly turns?: RunTurns;
}

interface StartedInstance {
  /** The instance that was finally sent, with its first answers. */
  readonly first: Promise<Answered>;
  readonly all: Promise<InstanceRun>;
}

/** A list that never ends is judged by its first pages. */
const MAX_PAGES = 100;
const MIN_ERROR_STATUS = 400;
const MIN_FAULT_STATUS = 500;
/** Several, because a single call may succeed or fail by chance. */
const CALLS_AFTERWARDS = 3;
/** Maximum number of earlier calls from which the usual duration is estimated. */
const MAX_LOOKED_AT = 10;

/** Sends the requests of each item: once, repeatedly, concurrently, or many times to time them. */
export class InstanceRunner {
  readonly #input: RunInput;
  readonly #scheduler: RequestScheduler;
  /** Serialises the calls of each function. */
  readonly #turns = new Map<string, LimitFunction>();
  /** Functions that refused an input and accepted the other one. */
  readonly #changesInput = new Set<string | null>();
  /** Functions that refused every input that succeeded before. */
  readonly #refusing = new Set<string | null>();
  /** Calls that learn inputs, watch functions or delete what was created, and refused calls that others replaced. */
  readonly #aside: InstanceRun[] = [];
  /** The target limited the rate of timed calls: nothing more is timed. */
  #isTimingRefused = false;

  constructor(input: RunInput, scheduler: RequestScheduler) {
    this.#input = input;
    this.#scheduler = scheduler;
  }

  async run(
    turn: StepTurn,
    instances: readonly PlannedInstance[],
    onFirst: (firsts: readonly Answered[]) => void,
  ): Promise<readonly InstanceRun[]> {
    const chains = chainsOf(turn.step, instances);
    const started = (
      await Promise.all(chains.map((chain) => this.#startInTurn(turn, chain, instances)))
    ).flat();
    onFirst(await Promise.all(started.map(({ first }) => first)));
    return Promise.all(started.map(({ all }) => all));
  }

  /** Everything that was sent so far. */
  exchanges(): readonly Exchange[] {
    return this.#scheduler.exchanges();
  }

  /** Keeps a call that is no part of what its step received. */
  keepAside(run: InstanceRun): void {
    this.#aside.push(run);
  }

  aside(): readonly InstanceRun[] {
    return this.#aside;
  }

  /** Calls of each function so far. */
  calls(): ReadonlyMap<string, number> {
    return this.#scheduler.calls();
  }

  wait(durationMs: number, endsAtMs: number): Promise<void> {
    return this.#scheduler.wait(durationMs, endsAtMs);
  }

  async #startInTurn(
    turn: StepTurn,
    chain: readonly PlannedInstance[],
    all: readonly PlannedInstance[],
  ): Promise<readonly StartedInstance[]> {
    const started: StartedInstance[] = [];
    for (const planned of chain) {
      // The first one starts synchronously, so that no other call comes between the decision and the call.
      if (started.length > 0) await started.at(-1)?.all;
      const instance = this.#withKnownInput(planned);
      const among = { all: all.length, left: all.length - all.indexOf(planned) };
      if (this.#mayCall(turn, instance)) started.push(this.#start(turn, instance, among));
    }
    return started;
  }

  /** The other input first, if only that one was accepted before. */
  #withKnownInput(planned: PlannedInstance): PlannedInstance {
    const { whenRefused = null, functionName } = planned;
    if (whenRefused?.otherwise == null || !this.#changesInput.has(functionName)) return planned;
    return { ...whenRefused.otherwise, whenRefused: { ...whenRefused, otherwise: planned } };
  }

  #mayCall({ step, restraint }: StepTurn, instance: PlannedInstance): boolean {
    return mayCall(step, instance, restraint, this.#scheduler.calls());
  }

  #start(turn: StepTurn, instance: PlannedInstance, among: Among): StartedInstance {
    const { step } = turn;
    const { request } = instance;
    const unsent = { ...instance, exchanges: [], timed: null };
    if (request === null) return { first: Promise.resolve(unsent), all: Promise.resolve(unsent) };
    if (step.sample !== 0 && (this.#isTimingRefused || isRateLimitedLast(this.exchanges()))) {
      const { settings } = this.#input;
      const isCall = instance.call !== null;
      const plannedCalls = wantedCalls({ sample: step.sample, settings, isCall, among });
      const timed: Timed = { kind: 'not-measured', because: 'rate-limited', plannedCalls };
      const refused: InstanceRun = { ...unsent, timed };
      return { first: Promise.resolve(refused), all: Promise.resolve(refused) };
    }
    const ask = (copy: number, sent: PlannedInstance = instance): Promise<Exchange> =>
      this.#inTurn(turn, sent, () => this.#scheduler.send(this.#requestFor(turn, sent, copy), step.retry));
    if (step.burst > 0) {
      const all = this.#burst(step, (copy) =>
        this.#scheduler.press(this.#requestFor(turn, instance, copy)),
      ).then((exchanges) => ({ ...unsent, exchanges }));
      return { first: all, all };
    }
    if ('version' in request) {
      const all = this.#open(turn, instance, request);
      return { first: all, all };
    }
    // Of the pages, only the first is timed.
    if (step.request?.kind === 'list' && 'sends' in request && step.sample === 0) {
      const all = this.#readPages(instance, request, ask);
      return { first: all, all };
    }
    const copies = instance.call === null ? step.parallel : 1;
    const first = Promise.all(Array.from({ length: copies }, (_, copy) => ask(copy))).then((exchanges) =>
      this.#retryRefused(turn, instance, exchanges),
    );
    const goOn = async (answered: Answered): Promise<InstanceRun> => {
      const { exchanges } = answered;
      if (step.sample === 0)
        return { ...answered, exchanges: await this.#repeat(turn, instance, exchanges, ask), timed: null };
      // If the time was over before the last items, the report says so once; the items are not judged.
      if (among.left < among.all && exchanges.every(isOverDeadline))
        return { ...answered, exchanges: [], timed: { kind: 'not-measured', because: 'no-time' } };
      const timed = await this.#time(turn, answered, instance, among);
      return { ...answered, timed };
    };
    return { first, all: first.then(goOn) };
  }

  /** What was sent besides the question that opened the conversation is judged with all other messages. */
  async #open(turn: StepTurn, instance: PlannedInstance, request: OpeningRequest): Promise<InstanceRun> {
    const { deciding, others, opened } = await this.#scheduler.open({
      key: exchangeKey(instance.key, 0),
      conversation: request.conversation,
      version: request.version,
      feedsLaterSteps: true,
      endsAtMs: turn.endsAtMs,
    });
    if (others.length > 0) this.#aside.push({ ...instance, exchanges: others, timed: null });
    return { ...instance, exchanges: [deciding], timed: null, opened };
  }

  /** Reads the pages of tools/list; a cursor that came before leads to no other page. */
  async #readPages(
    instance: PlannedInstance,
    request: MessageRequest,
    ask: (copy: number, sent?: PlannedInstance) => Promise<Exchange>,
  ): Promise<InstanceRun> {
    const exchanges = [await ask(0)];
    const seen = new Set<Json>();
    const most = this.#input.planning === true ? 1 : MAX_PAGES;
    while (exchanges.length < most) {
      const last = exchanges.at(-1);
      const cursor = last === undefined || !isAnswer(last) ? undefined : nextCursor(last);
      if (typeof cursor !== 'string' || seen.has(cursor)) break;
      seen.add(cursor);
      const sends = { kind: 'message', message: { method: 'tools/list', params: { cursor } } } as const;
      exchanges.push(await ask(exchanges.length, { ...instance, request: { ...request, sends } }));
    }
    return { ...instance, exchanges, timed: null };
  }

  /** Serialises calls that may change something, across all steps except those that make calls at the same moment. */
  #inTurn(
    { step, restraint }: StepTurn,
    { item, functionName }: PlannedInstance,
    ask: () => Promise<Exchange>,
  ): Promise<Exchange> {
    if (functionName === null || !asksExecute(step.request) || restraint.of(item) === null) return ask();
    if (step.parallel > 1) return ask();
    const inTurn = this.#turns.get(functionName) ?? pLimit(1);
    this.#turns.set(functionName, inTurn);
    return inTurn(ask);
  }

  /** After a refused call, tries another input, and then the refused input in a plain call. */
  async #retryRefused(
    turn: StepTurn,
    instance: PlannedInstance,
    exchanges: readonly Exchange[],
  ): Promise<Answered> {
    const asItIs = { ...instance, exchanges };
    const { whenRefused = null } = instance;
    const wasRefused = (exchange: Exchange | undefined): boolean =>
      exchange !== undefined &&
      exchange.kind !== 'unanswered' &&
      isRefusal(exchange) &&
      !isRateLimited(exchange);
    if (whenRefused === null || this.#input.planning === true || !wasRefused(exchanges[0])) return asItIs;
    const { functionName } = instance;
    if (this.#refusing.has(functionName)) return { ...asItIs, servedPlainly: false };
    const sendOnce = async (planned: PlannedInstance | null): Promise<Exchange | undefined> =>
      planned === null || !this.#mayCall(turn, planned)
        ? undefined
        : this.#scheduler.send(this.#requestFor(turn, planned, 0), null);
    const other = await sendOnce(whenRefused.otherwise);
    if (
      whenRefused.otherwise !== null &&
      other !== undefined &&
      other.kind !== 'unanswered' &&
      !wasRefused(other)
    ) {
      if (whenRefused.plainly !== null) this.#changesInput.add(functionName);
      return { ...whenRefused.otherwise, exchanges: [other] };
    }
    if (whenRefused.plainly === null) return asItIs;
    const plain = await sendOnce(whenRefused.plainly);
    const servedPlainly = plain !== undefined && plain.kind !== 'unanswered' && isServed(plain);
    if (!servedPlainly) this.#refusing.add(functionName);
    return { ...asItIs, servedPlainly };
  }

  #sentBy({ request }: PlannedInstance): TimedRequest {
    if (request !== null && 'sends' in request) {
      const { conversation, sends, headers, anonymous } = request;
      return { conversation, sends, headers, anonymous };
    }
    return this.#httpSentBy(request);
  }

  #httpSentBy(
    request: HttpRequest | OpeningRequest | null,
  ): Pick<PlannedHttp, 'method' | 'url' | 'headers' | 'body' | 'anonymous'> {
    if (request !== null && 'version' in request) throw new TypeError('an opening is no single request');
    const { targetUrl, commonHeaders } = this.#input;
    const own = new Set(request?.headers.map(([name]) => name));
    return {
      method: request?.method ?? 'GET',
      url: (request?.from ?? targetUrl) + (request?.path ?? ''),
      headers: [...commonHeaders.filter(([name]) => !own.has(name)), ...(request?.headers ?? [])],
      body: request?.body ?? null,
      anonymous: request?.anonymous ?? false,
    };
  }

  #requestFor(
    { step, restraint, endsAtMs }: StepTurn,
    instance: PlannedInstance,
    copy: number,
  ): ScheduledRequest {
    const { request, key, item, functionName } = instance;
    const callsFunction = asksExecute(step.request) && functionName !== null;
    const common = {
      key: exchangeKey(key, copy),
      endsAtMs,
      minTimeoutMs: request?.timeoutMs ?? null,
      unsendable: unsendable(instance),
      feedsLaterSteps: feedsOthers(step),
      sentOnce: isExploring(step),
      functionName: callsFunction ? functionName : null,
      maxCalls: callsFunction ? restraint.maxCallsOf(item) : null,
    };
    if (request !== null && 'sends' in request) {
      const { conversation, sends, headers, anonymous } = request;
      return { conversation, sends, headers, anonymous, ...common };
    }
    const http = request !== null && 'path' in request ? request : null;
    return {
      ...this.#httpSentBy(request),
      ...common,
      abortAfterBytes: http?.abortAfterBytes ?? null,
      connection: http?.keepConnection ? key : null,
      upgrade: http?.upgrade ?? null,
      scheme: http?.scheme ?? null,
    };
  }

  /** Times a request that was answered as expected. */
  async #time(turn: StepTurn, instance: Answered, planned: PlannedInstance, among: Among): Promise<Timed> {
    const { planning, judgeExchange } = this.#input;
    const { step, form } = turn;
    const [ordinary] = instance.exchanges;
    if (ordinary === undefined) return { kind: 'not-measured', because: 'unanswered' };
    if (planning !== true) {
      if (!usable(step, instance, form, judgeExchange).met || ordinary.kind === 'unanswered')
        return { kind: 'not-measured', because: 'unanswered' };
      if (isMessage(ordinary) ? !isServed(ordinary) : (statusOf(ordinary) ?? 0) >= MIN_ERROR_STATUS)
        return { kind: 'not-measured', because: 'refused' };
    }
    const measurement = await this.#measure(turn, instance, planned, ordinary, among);
    if (measurement === null) return { kind: 'not-measured', because: 'no-time' };
    if (measurement.errorKinds.some(({ status }) => status === TOO_MANY_REQUESTS)) {
      this.#isTimingRefused = true;
      // Its headers say for how long; the load engine keeps none.
      const after = { ...planned, key: followUpKey(planned.key, 'after') };
      await this.#scheduler.send({ ...this.#requestFor(turn, after, 0), sentOnce: true }, null);
    }
    const refusedAfterwards = instance.call !== null && (await this.#refusesNow(turn, planned, measurement));
    return { kind: 'measured', measurement, ...(refusedAfterwards ? { refusedAfterwards } : {}) };
  }

  /** Null if there is no time for it. */
  async #measure(
    turn: StepTurn,
    instance: Answered,
    planned: PlannedInstance,
    ordinary: Exchange,
    among: Among,
  ): Promise<Measurement | null> {
    const { settings, targetUrl, clock, sampler } = this.#input;
    const { step, turns } = turn;
    await sampler.warmUp?.();
    await turns?.time();
    const { endsAtMs } = turn;
    const remainingMs = endsAtMs - clock.monotonicMs();
    const plan = planSample({
      sample: step.sample,
      settings,
      targetUrl,
      isCall: instance.call !== null,
      among,
      ordinaryMs: this.#ordinaryMs(ordinary),
      remainingMs,
    });
    if (plan === null) return null;
    if (plan.isPaced) await this.#scheduler.reserve(plan.calls, plan.ratePerSecond, endsAtMs);
    const sampling: SamplingPlan = {
      key: instance.key,
      operation: operationOf(ordinary, targetUrl),
      functionName: instance.call?.functionName ?? null,
      request: this.#sentBy(planned),
      calls: plan.calls,
      ratePerSecond: plan.ratePerSecond,
      connections: 1,
      timeoutMs: settings.requestTimeoutMs,
      withinMs: remainingMs,
      repeatWithinMs: plan.repeatWithinMs,
      seed: settings.seed,
    };
    return this.#scheduler.during('timed-calls', instance.key, () =>
      sampler.measure(sampling, turns?.giveWay),
    );
  }

  /** Whether a function whose timed calls failed also refuses further calls: its supply may be used up. */
  async #refusesNow(
    turn: StepTurn,
    planned: PlannedInstance,
    { errorKinds }: Pick<Measurement, 'errorKinds'>,
  ): Promise<boolean> {
    if (!errorKinds.some(({ status = 0 }) => status >= MIN_FAULT_STATUS)) return false;
    const plainly = { ...planned, key: followUpKey(planned.key, 'after') };
    for (let copy = 0; copy < CALLS_AFTERWARDS; copy += 1) {
      const exchange = await this.#scheduler.send(this.#requestFor(turn, plainly, copy), null);
      if (exchange.kind === 'unanswered' || !isDescribedError(exchange)) return false;
    }
    return true;
  }

  /**
   * The usual duration of such a call: the median of the last few answered ones, because a single one is not reliable.
   */
  #ordinaryMs(like: Exchange): number {
    // Calls of other functions may take a different time.
    const reads = isRead(like) ? this.#scheduler.exchanges().filter((one) => isSameRead(one, like)) : [];
    const durationsMs = [like, ...reads.slice(-MAX_LOOKED_AT)]
      .map(({ timing }) => timing.durationMs)
      .sort((left, right) => left - right);
    return durationsMs[durationsMs.length >> 1] ?? like.timing.durationMs;
  }

  /** Sends as many concurrent requests as allowed, until one is answered with 429. */
  async #burst(step: Step, press: (copy: number) => Promise<Exchange>): Promise<readonly Exchange[]> {
    const { settings, planning } = this.#input;
    const exchanges: Exchange[] = [];
    const most = planning === true ? 1 : step.burst;
    while (exchanges.length < most) {
      const wave = Array.from(
        { length: Math.min(settings.concurrency, most - exchanges.length) },
        (_, index) => press(exchanges.length + index),
      );
      exchanges.push(...(await Promise.all(wave)));
      if (exchanges.some((exchange) => exchange.kind === 'unanswered' || isTooOften(exchange))) break;
    }
    return exchanges;
  }

  /** Repeats one request at a time; stops when the target does not answer or its rate limiter refuses. */
  async #repeat(
    turn: StepTurn,
    instance: PlannedInstance,
    firsts: readonly Exchange[],
    ask: (copy: number) => Promise<Exchange>,
  ): Promise<readonly Exchange[]> {
    const exchanges = [...firsts];
    const { times, apartMs } = turn.step.repeat;
    while (exchanges.length < times) {
      const last = exchanges.at(-1);
      const stopped = last === undefined || last.kind === 'unanswered' || isRateLimited(last);
      if (stopped && this.#input.planning !== true) break;
      if (!this.#mayCall(turn, instance)) break;
      if (apartMs > 0) {
        const waited = this.#scheduler.during(
          'repeated-read',
          exchangeKey(instance.key, exchanges.length),
          () => this.#scheduler.wait(apartMs, turn.endsAtMs),
        );
        const maySend = (await turn.pause?.(waited)) ?? true;
        await waited;
        if (!maySend) break;
      }
      const next = await ask(exchanges.length);
      // Nobody would be served: the answers before it are what the step has.
      if (isTooOften(next)) break;
      exchanges.push(next);
    }
    return exchanges;
  }
}

/** Groups the instances that must run one after another. */
function chainsOf(
  step: Step,
  instances: readonly PlannedInstance[],
): readonly (readonly PlannedInstance[])[] {
  const oneByOne = step.negative || step.sample !== 0 || step.alone || isFollowUp(step);
  return oneByOne ? [instances] : instances.map((instance) => [instance]);
}

function unsendable({ call }: PlannedInstance): TransportFailure | null {
  const because = WHY_UNSENT.get(call?.inputSource ?? 'given');
  if (call === null || because === undefined) return null;
  return { code: 'no-valid-input', fault: 'harness', message: because(JSON.stringify(call.functionName)) };
}

const WHY_UNSENT: ReadonlyMap<InputSource, (name: string) => string> = new Map([
  ['none-valid', (name) => `no input that the declared parameters of ${name} accept could be generated`],
  ['withheld', (name) => `${name} is not called without an input of yours: ${WITHHELD}`],
  ['awaits-own', (name) => `nothing that this check created was left for ${name}`],
]);

/** A read of an address, or of the list of tools. */
function isRead({ request }: Exchange): boolean {
  return 'method' in request && request.method === 'GET';
}

function isSameRead(one: Exchange, like: Exchange): boolean {
  return isAnswer(one) && isRead(one) && urlOf(one) === urlOf(like);
}

function isTooOften(exchange: Exchange): boolean {
  return exchange.kind === 'answered' && exchange.response.status === TOO_MANY_REQUESTS;
}

function isRateLimitedLast(exchanges: readonly Exchange[]): boolean {
  const last = exchanges.at(-1);
  return last !== undefined && isRateLimited(last);
}

function isOverDeadline(exchange: Exchange): boolean {
  return exchange.kind === 'unanswered' && exchange.reason.code === 'deadline';
}
