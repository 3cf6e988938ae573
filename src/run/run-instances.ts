import type { Exchange } from '../model/exchange.ts';
import type { PlannedRequest } from '../model/probe.ts';
import type { Step } from '../model/suite.ts';
import { type Asker, isRateLimited, type RequestToAsk } from './asker.ts';
import type { PlannedInstance } from './expand.ts';
import type { Learned, Readiness } from './learned.ts';
import { operationOf } from './operation.ts';
import { type Among, planSample } from './plan-sample.ts';
import type { InstanceRun, Timed } from './record.ts';
import type { RunInput } from './run-input.ts';

export interface StartedInstance {
  readonly instance: PlannedInstance;
  readonly first: Promise<readonly Exchange[]>;
  readonly all: Promise<Pick<InstanceRun, 'exchanges' | 'timed'>>;
}

type SentAgain = Pick<PlannedRequest, 'method' | 'url' | 'headers' | 'body' | 'anonymous'>;

const LEAST_ERROR_STATUS = 400;
/** Of earlier calls, to tell how long one takes. */
const MOST_LOOKED_AT = 10;
/** Sends what a step asks of each item: once, repeatedly, side by side, or again and again to time it. */
export class InstanceRunner {
  readonly #input: RunInput;
  readonly #asker: Asker;
  readonly #learned: Learned;
  /** What must be left of the time for the steps that come after. */
  readonly #reservedMs: () => number;

  constructor(input: RunInput, asker: Asker, learned: Learned, reservedMs: () => number) {
    this.#input = input;
    this.#asker = asker;
    this.#learned = learned;
    this.#reservedMs = reservedMs;
  }

  async run(
    step: Step,
    instances: readonly PlannedInstance[],
    settle: (readiness: Readiness) => void,
  ): Promise<readonly InstanceRun[]> {
    const started: StartedInstance[] = [];
    for (const [index, instance] of instances.entries()) {
      if (step.abusive || step.sample !== 0) await started.at(-1)?.all;
      const among = { all: instances.length, left: instances.length - index };
      started.push(this.start(step, instance, among));
    }
    const firsts = await Promise.all(
      started.map(async ({ instance, first }) => ({ ...instance, exchanges: await first })),
    );
    settle(this.#learned.readinessAfter(step, firsts));
    return Promise.all(started.map(async ({ instance, all }) => ({ ...instance, ...(await all) })));
  }

  start(step: Step, instance: PlannedInstance, among: Among): StartedInstance {
    const { request } = instance;
    if (request === null) {
      const nothing = { exchanges: [], timed: null };
      return { instance, first: Promise.resolve([]), all: Promise.resolve(nothing) };
    }
    const { targetUrl, commonHeaders } = this.#input;
    const own = new Set(request.headers.map(([name]) => name));
    const sent = {
      method: request.method,
      url: (request.from ?? targetUrl) + request.path,
      headers: [...commonHeaders.filter(([name]) => !own.has(name)), ...request.headers],
      body: request.body,
      anonymous: request.anonymous,
    };
    const requestFor = (copy: number): RequestToAsk => ({
      ...sent,
      key: `${instance.key}#${copy}`,
      abortAfterBytes: request.abortAfterBytes,
      connection: request.keepConnection ? instance.key : null,
      upgrade: request.upgrade,
      scheme: request.scheme,
      leastTimeoutMs: request.timeoutMs,
      feedsLaterSteps: feedsOthers(step),
    });
    const ask = (copy: number): Promise<Exchange> => this.#asker.ask(requestFor(copy), step.retry);
    if (step.burst > 0) {
      const all = this.#burst(step, (copy) => this.#asker.press(requestFor(copy)));
      return { instance, first: all, all: all.then((exchanges) => ({ exchanges, timed: null })) };
    }
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
      if (this.#learned.gateOf(step, instance) !== null || ordinary.kind === 'unanswered')
        return { kind: 'not-measured', because: 'unanswered' };
      if (ordinary.response.status >= LEAST_ERROR_STATUS) return { kind: 'not-measured', because: 'refused' };
    }
    const remainingMs = endsAtMs - this.#reservedMs() - clock.monotonicMs();
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

  /** As many at once as may be under way, until one is told that it was too often. */
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
}

/** Planning sends such reads, for what comes later is made from their answers. */
function feedsOthers({ save, choose }: Step): boolean {
  return Object.keys(save).length > 0 || Object.keys(choose).length > 0;
}

const TOO_MANY_REQUESTS = 429;

function isTooOften(exchange: Exchange): boolean {
  return exchange.kind === 'answered' && exchange.response.status === TOO_MANY_REQUESTS;
}

function isOverDeadline(exchange: Exchange): boolean {
  return exchange.kind === 'unanswered' && exchange.reason.code === 'deadline';
}
