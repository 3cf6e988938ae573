import { type HttpExchange, isRateLimited } from 'probity/model';
import type { Db } from '../db/tables.ts';
import { markCapabilitiesOutdated } from '../entries/capabilities.ts';
import { PROBLEM_MEDIA_TYPE, PROBLEMS, Problem, problemBody, retryProblem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import { callFunction, MAX_READ_TIMEOUT_MS, type TargetCall } from '../targets/target-client.ts';
import { type Span, traceHeaders } from '../telemetry/tracer.ts';
import { ObservedCalls } from '../watching/observations.ts';
import { type CallOutcome, functionMissing, outcomeOf, type WasCalled } from './call-outcome.ts';
import { claimProblem, type GivenCall, requestHashOf } from './given-call.ts';
import { type CallId, claimCall, keepAnswer, releaseCall, type StoredAnswer } from './idempotent-calls.ts';
import { type CalledTarget, capabilitiesReader } from './known-targets.ts';

export interface CallRequest {
  readonly target: CalledTarget;
  readonly call: GivenCall;
  /** Unique for each request: the directory's request id, and in form B also the target's. */
  readonly requestId: string;
  /** Of the request; null: there is no trace. */
  readonly span: Span | null;
  /** Null when the caller sent no Idempotency-Key. */
  readonly callId: CallId | null;
  /** Since the request arrived. */
  readonly elapsedMs: () => number;
  /** Counts the call against the target's limit; rejects with a Problem when the limit is exceeded. */
  readonly admit: () => Promise<void>;
  /** Logs an error that does not affect the answer. */
  readonly warn: (error: unknown, what: string) => void;
}

export interface GatewayAnswer extends StoredAnswer {
  readonly isReplay: boolean;
}

const BUSY_RETRY_SECONDS = 1;
/** Time for the work of an instance before and after a call. */
const CLAIM_MARGIN_MS = 30_000;

/** Passes calls on to targets, each once: the caller's limits first, then the target's capabilities, then the call. */
export class Gateway {
  readonly #service: Service;
  readonly #db: Db;
  readonly #calls: ObservedCalls;
  readonly #functionsOf: ReturnType<typeof capabilitiesReader>;
  readonly #pending = new Set<Promise<unknown>>();
  #running = 0;

  constructor(service: Service) {
    this.#service = service;
    this.#db = service.store.db;
    this.#calls = new ObservedCalls(this.#db);
    this.#functionsOf = capabilitiesReader(this.#db, service, (...read) => this.#heed(...read));
  }

  /**
   * Makes a call once, and finishes it even when the caller disconnects.
   *
   * @throws Problem when there is no answer to store: the call did not run, or its outcome is unknown
   */
  call(request: CallRequest): Promise<GatewayAnswer> {
    const { callId } = request;
    return this.#track(callId === null ? this.#callPlainly(request) : this.#callOnce(request, callId));
  }

  /** Resolves when no call is under way and what they showed is stored. */
  async close(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
    await this.#calls.close();
  }

  #track<Value>(work: Promise<Value>): Promise<Value> {
    const ended: Promise<unknown> = work.catch(() => undefined).finally(() => this.#pending.delete(ended));
    this.#pending.add(ended);
    return work;
  }

  /** The directory itself sends nothing to a host that asks a caller to wait. */
  #heed(target: CalledTarget, exchange: HttpExchange): void {
    // If it cannot be stored, the next answer says it again.
    if (isRateLimited(exchange))
      this.#track(this.#service.limiter.heed(target, { exchanges: [exchange], errors: [] })).catch(
        () => undefined,
      );
  }

  async #callPlainly(request: CallRequest): Promise<GatewayAnswer> {
    const outcome = await this.#perform(request, () => undefined);
    if (outcome.kind === 'failed') throw outcome.problem;
    return { ...answerOf(outcome, request.requestId), isReplay: false };
  }

  async #callOnce(request: CallRequest, callId: CallId): Promise<GatewayAnswer> {
    const { target, call, requestId, warn } = request;
    const claim = await claimCall(this.#db, callId, {
      requestHash: requestHashOf(target.id, call.digest()),
      maxMs: this.#service.settings.callTimeoutMs + MAX_READ_TIMEOUT_MS + CLAIM_MARGIN_MS,
    });
    if (claim.kind === 'answered') return { ...claim.answer, isReplay: true };
    if (claim.kind !== 'claimed') throw claimProblem(claim.kind);
    const release = (): Promise<void> =>
      releaseCall(this.#db, callId).catch((error: unknown) =>
        warn(error, 'an idempotent call could not be released'),
      );
    let isSent = false;
    const onSending = (): void => {
      isSent = true;
    };
    const outcome = await this.#perform(request, onSending).catch(async (error: unknown) => {
      if (!isSent) await release();
      throw error;
    });
    if (outcome.kind === 'failed' && !outcome.isFinal) {
      await release();
      throw outcome.problem;
    }
    const answer = answerOf(outcome, requestId);
    // The caller gets the answer even when it cannot be stored for a replay.
    await keepAnswer(this.#db, callId, answer).catch((error: unknown) =>
      warn(error, 'the answer to an idempotent call could not be stored'),
    );
    return { ...answer, isReplay: false };
  }

  async #perform(request: CallRequest, onSending: () => void): Promise<CallOutcome> {
    const note = this.#service.metrics.startCall();
    let isSent = false;
    try {
      const outcome = await this.#performAdmitted(request, () => {
        isSent = true;
        onSending();
      });
      note(outcome.kind === 'succeeded' ? 'succeeded' : outcome.problem.code);
      return outcome;
    } catch (error) {
      note(error instanceof Problem ? error.code : 'internal-error');
      if (!isSent) throw error;
      request.warn(error, 'a call failed after it was sent');
      throw new Problem('internal-error', 'The service failed after it had sent the call.', {
        more: { called: 'unknown' } satisfies { called: WasCalled },
      });
    }
  }

  async #performAdmitted(request: CallRequest, onSending: () => void): Promise<CallOutcome> {
    const { settings, tracer, metrics } = this.#service;
    if (this.#running >= settings.limits.runningCalls)
      throw retryProblem(
        'busy',
        `${settings.limits.runningCalls} calls are already under way; retry in ${BUSY_RETRY_SECONDS} s.`,
        BUSY_RETRY_SECONDS,
      );
    this.#running += 1;
    try {
      const { target, call, requestId, span } = request;
      await request.admit();
      const { functionName, inputText } = call;
      const { names, form, readAt } = await this.#functionsOf(functionName, target);
      if (!names.has(functionName))
        throw new Problem('function-not-found', functionMissing({ functionName, serverId: target.id }));
      const targetCall: TargetCall = { form, functionName, inputText, requestId };
      onSending();
      const requestSpan = tracer.beginRequest(span);
      const exchange = await callFunction(target, this.#service, targetCall, traceHeaders(requestSpan));
      tracer.endRequest(requestSpan, exchange);
      this.#heed(target, exchange);
      metrics.addedSeconds.observe(Math.max(0, request.elapsedMs() - exchange.timing.durationMs) / 1000);
      const outcome = outcomeOf(exchange, { ...targetCall, serverId: target.id }, Date.now());
      this.#record(request, outcome, readAt);
      return outcome;
    } finally {
      this.#running -= 1;
    }
  }

  #record({ target, warn }: CallRequest, outcome: CallOutcome, readAt: Date | null): void {
    if (outcome.kind === 'succeeded')
      this.#calls.note({
        entry_id: target.id,
        at: new Date(),
        up: true,
        operation: 'execute',
        duration_ms: outcome.durationMs,
        source: 'gateway',
      });
    else if (outcome.isUnknownFunction && readAt !== null)
      this.#track(markCapabilitiesOutdated(this.#db, target, readAt)).catch((error: unknown) =>
        warn(error, 'the capabilities of a server could not be marked as outdated'),
      );
  }
}

function answerOf(outcome: CallOutcome, requestId: string): StoredAnswer {
  if (outcome.kind === 'succeeded')
    return { status: 200, body: outcome.body, contentType: 'application/json' };
  return {
    status: PROBLEMS[outcome.problem.code].status,
    body: JSON.stringify(problemBody(outcome.problem, requestId)),
    contentType: PROBLEM_MEDIA_TYPE,
  };
}
