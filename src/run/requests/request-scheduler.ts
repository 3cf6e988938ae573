import pLimit, { type LimitFunction } from 'p-limit';
import { bailedOut, type Exchange, interrupted, type TransportFailure } from '../../model/exchange.ts';
import { retriedKey, waitedKey } from '../../model/exchange-key.ts';
import type { OpeningExchanges, PlannedOpening } from '../../model/probe.ts';
import { isRateLimited } from '../../model/rate-limit.ts';
import type { RunSettings } from '../../model/report.ts';
import type { Retry } from '../../model/request-template.ts';
import { unsentExchange, wasLost } from '../../model/sent.ts';
import { type RecordSpan, recordNothing } from '../../model/span.ts';
import {
  blameDeadline,
  isUnrecorded,
  isWorthRetrying,
  overDeadline,
  pathOf,
  requestedWaitMs,
  shareUsedUp,
} from '../state/request-outcome.ts';
import type { Progress, RunInput, WaitedFor } from '../state/run-input.ts';
import type { ScheduledRequest } from './instance-request.ts';
import { FunctionShares, ONE_SECOND_MS, Pace } from './request-pace.ts';
import { withAnswers } from './with-answers.ts';

type ScheduledOpening = Omit<PlannedOpening, 'timeoutMs'> & { readonly endsAtMs: number };

const MAX_WAITS = 10;
/** The minimum wait, even if a rate limiter says 0. */
const MIN_WAIT_MS = 100;

export type RequestSchedulerOptions = Pick<
  RunInput,
  'probe' | 'clock' | 'signal' | 'bail' | 'onProgress' | 'onExchange' | 'recordSpan'
> & {
  readonly settings: Pick<
    RunSettings,
    'deadlineMs' | 'requestTimeoutMs' | 'concurrency' | 'requestsPerSecond' | 'answers'
  >;
};

/** Sends each request once, within the run's deadline; waits when the target's rate limiter requires it. */
export class RequestScheduler {
  readonly #options: RequestSchedulerOptions;
  readonly #limit: LimitFunction;
  readonly #pace: Pace;
  readonly #recordSpan: RecordSpan;
  readonly #shares: FunctionShares;
  readonly #requested = new Map<string, Promise<Exchange>>();
  readonly #order: (Exchange | undefined)[] = [];
  readonly #calls = new Map<string, number>();
  readonly #waits: WaitedFor[] = [];
  #isBailing = true;
  #leftOut = false;
  #sent = 0;
  #answered = 0;

  constructor(options: RequestSchedulerOptions) {
    const { concurrency, requestsPerSecond, deadlineMs } = options.settings;
    this.#options = options;
    this.#limit = pLimit(concurrency);
    this.#pace = new Pace(requestsPerSecond);
    this.#recordSpan = options.recordSpan ?? recordNothing;
    this.#shares = new FunctionShares(deadlineMs);
  }

  send(request: ScheduledRequest, retry: Retry | null): Promise<Exchange> {
    const known = this.#requested.get(request.key);
    if (known !== undefined) return known;
    const sendIt = (): Promise<Exchange> =>
      request.sentOnce === true
        ? this.#sendOnce(request)
        : this.#sendPatiently(request, retry).then((first) =>
            withAnswers(request, first, this.#options.settings.answers ?? {}, (next) => this.#sendOnce(next)),
          );
    const exchange = this.#begin(request, async () => this.#confirmed(request, await sendIt()));
    this.#requested.set(request.key, exchange);
    return exchange;
  }

  /** Sends at once and does not wait after a 429, for a step that provokes one. */
  press(request: ScheduledRequest): Promise<Exchange> {
    return this.#begin(request, () => this.#sendOnce(request, false));
  }

  open(opening: ScheduledOpening): Promise<OpeningExchanges> {
    return this.#limit(async () => {
      const { probe, onExchange } = this.#options;
      const unsent = this.#whyUnsent(opening.endsAtMs);
      if (unsent !== null || probe.open === undefined) return this.#notOpened(opening, unsent);
      this.#noteSent(opening.key);
      const open = probe.open.bind(probe);
      const made = await this.#recordSpan('answer', opening.key, () =>
        open({ ...opening, timeoutMs: this.#remainingMs(opening.endsAtMs) }),
      );
      for (const exchange of [...made.others, made.deciding]) {
        this.#order.push(exchange);
        onExchange?.(exchange);
      }
      this.#noteAnswered(opening.key);
      return made;
    });
  }

  /** Waits until the load engine can send this many requests at this rate within the pace of the run. */
  async reserve(count: number, ratePerSecond: number, endsAtMs: number): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs();
    const waitMs = this.#pace.takeMany(nowMs, count, ONE_SECOND_MS / ratePerSecond);
    if (waitMs > 0) await this.wait(waitMs, endsAtMs, 'rate-limit');
  }

  wait(durationMs: number, endsAtMs: number, kind: 'pause' | 'rate-limit' = 'pause'): Promise<void> {
    const { clock, signal, bail } = this.#options;
    const waitMs = Math.min(durationMs, Math.max(0, this.#remainingMs(endsAtMs)));
    return this.#recordSpan(kind, `${durationMs.toFixed(0)} ms`, () =>
      clock.sleep(waitMs, bail?.ending ?? signal),
    );
  }

  /** Whether another thread, or an earlier check, sent it. */
  wasSent(key: string): boolean {
    return this.#options.probe.wasSent?.({ key }) === true;
  }

  /** Asked before a request: whether nothing more is sent, because an answer broke a MUST. */
  hasBailed(): boolean {
    const isOver = this.#isBailing && this.#options.bail?.isOver() === true;
    this.#leftOut ||= isOver;
    return isOver;
  }

  /** Whether that left a request out. */
  leftOut(): boolean {
    return this.#leftOut;
  }

  /** Lets requests be sent again after that. */
  goOn(): void {
    this.#isBailing = false;
  }

  /** Does the work, and meanwhile reports what the run waits for. */
  async during<T>(waitingFor: WaitedFor, key: string, work: () => Promise<T>): Promise<T> {
    this.#waits.push(waitingFor);
    this.#report('waiting', key);
    const recorded = waitingFor === 'timed-calls' ? this.#recordSpan(waitingFor, key, work) : work();
    return recorded.finally(() => this.#waits.splice(this.#waits.indexOf(waitingFor), 1));
  }

  exchanges(): readonly Exchange[] {
    return this.#order.filter((exchange) => exchange !== undefined);
  }

  /** Calls of each function so far, including refused ones and those not sent yet. */
  calls(): ReadonlyMap<string, number> {
    return this.#calls;
  }

  #begin(request: ScheduledRequest, sendIt: () => Promise<Exchange>): Promise<Exchange> {
    const { unsendable } = request;
    if (unsendable) return this.#limit(() => this.#leaveOut(request, unsendable));
    this.#count(request);
    return this.#limit(sendIt);
  }

  async #sendOnce(scheduled: ScheduledRequest, isPaced = true): Promise<Exchange> {
    const {
      minTimeoutMs,
      unsendable: _,
      functionName = null,
      maxCalls: _max,
      sentOnce: _once,
      ...request
    } = scheduled;
    const { probe, clock, settings, onExchange } = this.#options;
    if (isPaced && probe.wasSent?.(request) !== true) {
      const waitMs = this.#pace.take(clock.monotonicMs(), pathOf(request));
      if (waitMs > 0) await this.wait(waitMs, request.endsAtMs, 'rate-limit');
    }
    const unsent = this.#whyUnsent(request.endsAtMs);
    if (unsent !== null) return this.#leaveOut(request, unsent);
    if (functionName !== null && this.#shares.isUsedUp(functionName))
      return this.#leaveOut(request, shareUsedUp(functionName, request, settings.deadlineMs));
    const position = this.#order.push(undefined) - 1;
    this.#noteSent(request.key);
    const patienceMs = Math.max(settings.requestTimeoutMs, minTimeoutMs ?? 0);
    const timeoutMs = Math.min(patienceMs, this.#remainingMs(request.endsAtMs));
    const over = functionName === null ? null : this.#shares.begin(functionName, clock.monotonicMs());
    const answer = await this.#recordSpan('answer', request.key, () => probe.send({ ...request, timeoutMs }));
    over?.(clock.monotonicMs());
    const exchange = blameDeadline(answer, timeoutMs < patienceMs, settings.deadlineMs);
    this.#order[position] = exchange;
    onExchange?.(exchange);
    this.#noteAnswered(request.key);
    return exchange;
  }

  async #sendPatiently(request: ScheduledRequest, retry: Retry | null): Promise<Exchange> {
    const { clock } = this.#options;
    let exchange = await this.#sendOnce(request);
    for (let waits = 1; waits <= MAX_WAITS && isRateLimited(exchange); waits += 1) {
      const waitMs = Math.max(MIN_WAIT_MS, requestedWaitMs(exchange, clock.nowMs()));
      if (waitMs >= this.#remainingMs(request.endsAtMs) || !this.#maySendAgain(request)) break;
      this.#count(request);
      this.#pace.pause(clock.monotonicMs() + waitMs, pathOf(request));
      const next = await this.#sendOnce({ ...request, key: waitedKey(request.key, waits) });
      if (isUnrecorded(next)) return exchange;
      exchange = next;
    }
    if (retry === null) return exchange;
    for (let attempt = 2; attempt <= retry.attempts; attempt += 1) {
      if (!isWorthRetrying(exchange, retry) || !this.#maySendAgain(request)) break;
      this.#count(request);
      await this.wait(retry.waitMs, request.endsAtMs);
      const next = await this.#sendOnce({ ...request, key: retriedKey(request.key, attempt) });
      if (isUnrecorded(next)) return exchange;
      exchange = next;
    }
    return exchange;
  }

  /** Asks again if the process of the server ended: another request, or their number, may have been why. */
  async #confirmed(request: ScheduledRequest, first: Exchange): Promise<Exchange> {
    let exchange = first;
    // The second time others may be under way again, and the third time none is.
    for (let attempt = 2; attempt <= 3 && wasLost(exchange) && this.#maySendAgain(request); attempt += 1) {
      this.#count(request);
      const again = await this.#sendOnce({ ...request, key: retriedKey(first.request.key, attempt) });
      if (again.kind === 'unanswered' && !wasLost(again)) break;
      exchange = again;
      if (again.kind !== 'unanswered' || again.reason.code === 'closed-early') break;
    }
    return exchange;
  }

  #notOpened({ key, conversation }: ScheduledOpening, reason: TransportFailure | null): OpeningExchanges {
    const late = overDeadline(this.#options.settings.deadlineMs);
    const deciding = this.#leaveOut({ key, conversation }, reason ?? late);
    return { deciding, others: [], opened: null };
  }

  #leaveOut(request: Parameters<typeof unsentExchange>[0], reason: TransportFailure): Exchange {
    const exchange = unsentExchange(request, reason, this.#options.clock.nowMs());
    this.#order.push(exchange);
    return exchange;
  }

  #whyUnsent(endsAtMs: number): TransportFailure | null {
    const { signal, settings } = this.#options;
    if (signal.aborted) return interrupted;
    if (this.hasBailed()) return bailedOut;
    return this.#remainingMs(endsAtMs) <= 0 ? overDeadline(settings.deadlineMs) : null;
  }

  #remainingMs(endsAtMs: number): number {
    return endsAtMs - this.#options.clock.monotonicMs();
  }

  #callsOf(functionName: string): number {
    return this.#calls.get(functionName) ?? 0;
  }

  #count({ functionName = null }: ScheduledRequest): void {
    if (functionName !== null) this.#calls.set(functionName, this.#callsOf(functionName) + 1);
  }

  #maySendAgain({ functionName = null, maxCalls = null }: ScheduledRequest): boolean {
    return functionName === null || maxCalls === null || this.#callsOf(functionName) < maxCalls;
  }

  #noteSent(key: string): void {
    this.#sent += 1;
    this.#report('sent', key);
  }

  #noteAnswered(key: string): void {
    this.#answered += 1;
    this.#report('answered', key);
  }

  #report(kind: Progress['kind'], key: string): void {
    const [sent, answered, waitingFor] = [this.#sent, this.#answered, this.#waits.at(-1) ?? null];
    this.#options.onProgress?.({ kind, key, sent, answered, waitingFor });
  }
}
