import pLimit, { type LimitFunction } from 'p-limit';
import { isRefusal } from '../../checks/errors/error-answer.ts';
import { isServed } from '../../checks/json/answers.ts';
import type { Json } from '../../json/json.ts';
import { type Exchange, isAnswer } from '../../model/exchange.ts';
import { exchangeKey } from '../../model/exchange-key.ts';
import { isRateLimited, TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import type { Step } from '../../model/suite.ts';
import { nextCursor } from '../../wires/mcp/lists.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import type { MessageRequest, OpeningRequest } from '../calls/make-request.ts';
import { mayCall } from '../calls/policies.ts';
import type { StepTurn } from '../calls/run-state.ts';
import type { Answered } from '../state/learned.ts';
import type { InstanceRun } from '../state/record.ts';
import { isUnrecorded } from '../state/request-outcome.ts';
import type { RunInput } from '../state/run-input.ts';
import { asksExecute, isFollowUp, isProvoking } from '../steps/step-kinds.ts';
import { requestFor } from './instance-request.ts';
import type { RequestScheduler } from './request-scheduler.ts';

interface StartedInstance {
  /** The instance that was finally sent, with its first answers. */
  readonly first: Promise<Answered>;
  readonly all: Promise<InstanceRun>;
}

/** A list that never ends is judged by its first pages. */
const MAX_PAGES = 100;

/** Sends the requests of each item of a step: once, or repeatedly. */
export class InstanceRunner {
  readonly #input: RunInput;
  readonly scheduler: RequestScheduler;
  /** Serialises the calls of each function. */
  readonly #turns = new Map<string, LimitFunction>();
  /** Functions that refused an input and accepted the other one. */
  readonly #changesInput = new Set<string | null>();
  /** Functions that refused every input that succeeded before. */
  readonly #refusing = new Set<string | null>();
  /** Calls that learn inputs, watch functions or delete what was created, and refused calls that others replaced. */
  readonly #aside: InstanceRun[] = [];

  constructor(input: RunInput, scheduler: RequestScheduler) {
    this.#input = input;
    this.scheduler = scheduler;
  }

  async run(
    turn: StepTurn,
    instances: readonly PlannedInstance[],
    onFirst: (firsts: readonly Answered[]) => void = () => undefined,
  ): Promise<readonly InstanceRun[]> {
    const chains = chainsOf(turn.step, instances);
    const started = (await Promise.all(chains.map((chain) => this.#startInTurn(turn, chain)))).flat();
    onFirst(await Promise.all(started.map(({ first }) => first)));
    return Promise.all(started.map(({ all }) => all));
  }

  /** Makes the first call of an instance, and others if it is refused; null if nothing may be called any more. */
  async answer(turn: StepTurn, planned: PlannedInstance): Promise<Answered | null> {
    const instance = this.#withKnownInput(planned);
    if (!this.#mayCall(turn, instance)) return null;
    const exchange = await this.#ask(turn, instance, 0);
    return this.#retryRefused(turn, instance, [exchange]);
  }

  /** Keeps a call that is no part of what its step received. */
  keepAside(run: InstanceRun): void {
    this.#aside.push(run);
  }

  aside(): readonly InstanceRun[] {
    return this.#aside;
  }

  async #startInTurn(turn: StepTurn, chain: readonly PlannedInstance[]): Promise<readonly StartedInstance[]> {
    const started: StartedInstance[] = [];
    for (const planned of chain) {
      // The first one starts synchronously, so that no other call comes between the decision and the call.
      if (started.length > 0) await started.at(-1)?.all;
      const instance = this.#withKnownInput(planned);
      if (this.#mayCall(turn, instance)) started.push(this.#start(turn, instance));
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
    return mayCall(step, instance, restraint, this.scheduler.calls());
  }

  #start(turn: StepTurn, instance: PlannedInstance): StartedInstance {
    const { request } = instance;
    const whole = (all: Promise<InstanceRun>): StartedInstance => ({ first: all, all });
    if (request === null) return whole(Promise.resolve({ ...instance, exchanges: [], timed: null }));
    if ('version' in request) return whole(this.#open(turn, instance, request));
    if (turn.step.request?.kind === 'list' && 'sends' in request)
      return whole(this.#readPages(turn, instance, request));
    const copies = instance.call === null ? turn.step.rounds.copies : 1;
    const first = Promise.all(
      Array.from({ length: copies }, (_, copy) => this.#ask(turn, instance, copy)),
    ).then(async (exchanges) => {
      const answered = await this.#retryRefused(turn, instance, exchanges);
      for (const exchange of answered.exchanges) turn.onAnswer?.({ ...answered, exchange });
      return answered;
    });
    const goOn = async (answered: Answered): Promise<InstanceRun> => ({
      ...answered,
      exchanges: await this.#repeat(turn, instance, answered.exchanges),
      timed: null,
    });
    return { first, all: first.then(goOn) };
  }

  #ask(turn: StepTurn, instance: PlannedInstance, copy: number): Promise<Exchange> {
    return this.#inTurn(turn, instance, () =>
      this.scheduler.send(requestFor(turn, instance, copy, this.#input), turn.step.request?.retry ?? null),
    );
  }

  /** What was sent besides the question that opened the conversation is judged with all other messages. */
  async #open(turn: StepTurn, instance: PlannedInstance, request: OpeningRequest): Promise<InstanceRun> {
    const { deciding, others, opened } = await this.scheduler.open({
      key: exchangeKey(instance.key, 0),
      conversation: request.conversation,
      version: request.version,
      isBare: request.isBare === true,
      feedsLaterSteps: true,
      endsAtMs: turn.endsAtMs,
    });
    turn.onAnswer?.({ ...instance, exchange: deciding }, opened);
    if (others.length > 0) this.#aside.push({ ...instance, exchanges: others, timed: null });
    return { ...instance, exchanges: [deciding], timed: null, opened };
  }

  /** Reads the pages of a list; a cursor that came before leads to no other page. */
  async #readPages(turn: StepTurn, instance: PlannedInstance, request: MessageRequest): Promise<InstanceRun> {
    const exchanges = [await this.#ask(turn, instance, 0)];
    const asked = request.sends.kind === 'message' ? request.sends.message : {};
    const seen = new Set<Json>();
    const most = this.#input.planning === true ? 1 : MAX_PAGES;
    while (exchanges.length < most) {
      const last = exchanges.at(-1);
      const cursor = last === undefined || !isAnswer(last) ? undefined : nextCursor(last);
      if (typeof cursor !== 'string' || seen.has(cursor)) break;
      seen.add(cursor);
      const sends = { kind: 'message', message: { ...asked, params: { cursor } } } as const;
      const page = { ...instance, request: { ...request, sends } };
      exchanges.push(await this.#ask(turn, page, exchanges.length));
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
    if (step.rounds.copies > 1) return ask();
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
        : this.scheduler.send(requestFor(turn, planned, 0, this.#input), null);
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

  /** A saved run that is judged again ends where the original one did: by --bail, or because nothing more was needed. */
  #wasLeftOut(exchange: Exchange, { rounds }: Step): boolean {
    return isUnrecorded(exchange) && (this.#input.settings.bail === true || rounds.soonerMs !== null);
  }

  /** Repeats one request at a time; stops when the target does not answer or its rate limiter refuses. */
  async #repeat(
    turn: StepTurn,
    instance: PlannedInstance,
    firsts: readonly Exchange[],
  ): Promise<readonly Exchange[]> {
    const { clock } = this.#input;
    const firstMs = clock.monotonicMs();
    const exchanges = [...firsts];
    const repeat = async (waitMs: number, pause: StepTurn['pause']): Promise<boolean> => {
      const next = await this.#nextOf(turn, instance, exchanges, waitMs, pause);
      if (next !== null) exchanges.push(next);
      return next !== null;
    };
    const { times, apartMs, soonerMs } = turn.step.rounds;
    let most = times;
    const sinceMs = (): number => clock.monotonicMs() - firstMs;
    const comesSooner = soonerMs !== null && ((await turn.mayComeSooner?.()) ?? true);
    if (comesSooner) {
      if (!(await repeat(soonerMs - sinceMs(), undefined))) return exchanges;
      const answered = { ...instance, exchanges, timed: null };
      if (this.#input.repetitionsPass(turn.step, answered, turn.form)) return exchanges;
      most += 1;
    }
    while (exchanges.length < most) {
      const isFirstWait = exchanges.length === firsts.length + (comesSooner ? 1 : 0);
      if (!(await repeat(isFirstWait ? apartMs - sinceMs() : apartMs, turn.pause))) break;
    }
    return exchanges;
  }

  /** The next answer to a request that is repeated; null if there is none to go on with. */
  async #nextOf(
    turn: StepTurn,
    instance: PlannedInstance,
    before: readonly Exchange[],
    waitMs: number,
    pause: StepTurn['pause'],
  ): Promise<Exchange | null> {
    const last = before.at(-1);
    const stopped = last === undefined || last.kind === 'unanswered' || isRateLimited(last);
    if (stopped && this.#input.planning !== true) return null;
    if (!this.#mayCall(turn, instance)) return null;
    const key = exchangeKey(instance.key, before.length);
    if (turn.step.rounds.apartMs > 0 && !this.scheduler.wasSent(key)) {
      const waited = this.scheduler.during('repeated-read', key, () =>
        this.scheduler.wait(Math.max(0, waitMs), turn.endsAtMs),
      );
      const maySend = (await pause?.(waited)) ?? true;
      await waited;
      if (!maySend) return null;
    }
    const next = await this.#ask(turn, instance, before.length);
    // Nobody would be served, or it was left out: the answers before it are what the step has.
    if (isTooOften(next) || this.#wasLeftOut(next, turn.step)) return null;
    turn.onAnswer?.({ ...instance, exchange: next });
    return next;
  }
}

function chainsOf(
  step: Step,
  instances: readonly PlannedInstance[],
): readonly (readonly PlannedInstance[])[] {
  const { rounds, request } = step;
  const oneByOne = isProvoking(step) || rounds.alone || request?.kind === 'message' || isFollowUp(step);
  return oneByOne ? [instances] : instances.map((instance) => [instance]);
}

export function isTooOften(exchange: Exchange): boolean {
  return exchange.kind === 'answered' && exchange.response.status === TOO_MANY_REQUESTS;
}
