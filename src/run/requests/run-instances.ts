import pLimit, { type LimitFunction } from 'p-limit';
import { isRefusal } from '../../checks/errors/error-answer.ts';
import { isServed } from '../../checks/json/answers.ts';
import type { Json } from '../../json/json.ts';
import { type Exchange, isAnswer } from '../../model/exchange.ts';
import { exchangeKey } from '../../model/exchange-key.ts';
import { isRateLimited } from '../../model/rate-limit.ts';
import type { Step } from '../../model/suite.ts';
import { nextCursor } from '../../wires/mcp/lists.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import type { MessageRequest, OpeningRequest } from '../calls/make-request.ts';
import { mayCall } from '../calls/policies.ts';
import type { StepTurn } from '../calls/run-state.ts';
import type { Answered } from '../state/learned.ts';
import type { InstanceRun } from '../state/record.ts';
import type { RunInput } from '../state/run-input.ts';
import { asksExecute, isFollowUp, isProvoking } from '../steps/step-kinds.ts';
import { requestFor } from './instance-request.ts';
import { repeatRequest } from './repeat-request.ts';
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
      exchanges: await repeatRequest(
        {
          turn,
          instance,
          ask: (count) => this.#ask(turn, instance, count),
          mayAsk: () => this.#mayCall(turn, instance),
        },
        answered.exchanges,
        this.scheduler,
        this.#input,
      ),
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
    for (const exchange of exchanges) turn.onAnswer?.({ ...instance, exchange });
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
}

function chainsOf(
  step: Step,
  instances: readonly PlannedInstance[],
): readonly (readonly PlannedInstance[])[] {
  const { rounds, request } = step;
  const oneByOne = isProvoking(step) || rounds.alone || request?.kind === 'message' || isFollowUp(step);
  return oneByOne ? [instances] : instances.map((instance) => [instance]);
}
