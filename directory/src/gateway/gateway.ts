import { type HttpExchange, isRateLimited } from 'probity/model';
import { markCapabilitiesOutdated } from '../entries/capabilities.ts';
import { PROBLEM_MEDIA_TYPE, PROBLEMS, Problem, problemBody, retryProblem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import { createPoliteTurns } from '../targets/polite-turns.ts';
import { callFunction, MAX_READ_TIMEOUT_MS, type TargetCall } from '../targets/target-client.ts';
import { type Span, traceHeaders } from '../telemetry/tracer.ts';
import { ObservedCalls } from '../watching/observed-calls.ts';
import { type CallOutcome, functionMissing, outcomeOf } from './call-outcome.ts';
import { claimProblem, type GivenCall, requestHashOf } from './given-call.ts';
import { type CallId, claimCall, keepAnswer, releaseCall, type StoredAnswer } from './idempotent-calls.ts';
import { type CalledTarget, createCapabilitiesReader } from './known-targets.ts';
import { capabilitiesProblem } from './target-problem.ts';

/** A call that a caller requests. */
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

export interface Gateway {
  /**
   * Makes a call once, and finishes it even when the caller disconnects.
   *
   * @throws Problem when there is no answer to store: the call did not run, or its outcome is unknown
   */
  call(request: CallRequest): Promise<GatewayAnswer>;
  /** Resolves when no call is under way and what they showed is stored. */
  close(): Promise<void>;
}

const BUSY_RETRY_SECONDS = 1;
/** Time for the work of an instance before and after a call. */
const CLAIM_MARGIN_MS = 30_000;

export function createGateway(service: Service): Gateway {
  const { store, settings, metrics, tracer } = service;
  const { db } = store;
  const calls = new ObservedCalls(db);
  const turns = createPoliteTurns(service);
  const pending = new Set<Promise<unknown>>();
  let running = 0;

  const track = <Value>(work: Promise<Value>): Promise<Value> => {
    const ended: Promise<unknown> = work
      .catch(() => undefined)
      .finally(() => {
        pending.delete(ended);
      });
    pending.add(ended);
    return work;
  };

  /** The directory itself sends nothing to a host that asks a caller to wait. */
  const heed = (target: CalledTarget, exchange: HttpExchange): void => {
    // If it cannot be stored, the next answer says it again.
    if (isRateLimited(exchange))
      track(turns.heed(target, { exchanges: [exchange], errors: [] })).catch(() => undefined);
  };
  const capabilities = createCapabilitiesReader(db, service, heed);

  /** Checks the limit and the capabilities before a request is sent to /execute. */
  const prepare = async ({ target, call, requestId, admit }: CallRequest) => {
    await admit();
    const { functionName, inputText } = call;
    const known = await capabilities.toFind(functionName, target);
    if (known.kind === 'unknown') throw capabilitiesProblem(known.read);
    const { names, form } = known.functions;
    if (!names.has(functionName))
      throw new Problem('function-not-found', functionMissing({ functionName, serverId: target.id }));
    const targetCall: TargetCall = { form, functionName, inputText, requestId };
    return { targetCall, readAt: known.readAt };
  };

  const recordOutcome = ({ target, warn }: CallRequest, outcome: CallOutcome, readAt: Date | null): void => {
    if (outcome.kind === 'succeeded')
      calls.note({
        entry_id: target.id,
        at: new Date(),
        up: true,
        operation: 'execute',
        duration_ms: outcome.durationMs,
        source: 'gateway',
      });
    else if (outcome.isUnknownFunction && readAt !== null)
      track(markCapabilitiesOutdated(db, target, readAt)).catch((error: unknown) =>
        warn(error, 'the capabilities of a server could not be marked as outdated'),
      );
  };

  const performAdmitted = async (request: CallRequest, onSending: () => void): Promise<CallOutcome> => {
    if (running >= settings.limits.runningCalls)
      throw retryProblem(
        'busy',
        `${settings.limits.runningCalls} calls are already under way; retry in ${BUSY_RETRY_SECONDS} s.`,
        BUSY_RETRY_SECONDS,
      );
    running += 1;
    try {
      const { target, span } = request;
      const { targetCall, readAt } = await prepare(request);
      onSending();
      const requestSpan = tracer.beginRequest(span);
      const exchange = await callFunction(target, service, targetCall, traceHeaders(requestSpan));
      tracer.endRequest(requestSpan, exchange);
      heed(target, exchange);
      metrics.noteAdded(request.elapsedMs() - exchange.timing.durationMs);
      const outcome = outcomeOf(exchange, { ...targetCall, serverId: target.id }, Date.now());
      recordOutcome(request, outcome, readAt);
      return outcome;
    } finally {
      running -= 1;
    }
  };

  const perform = async (request: CallRequest, onSending: () => void): Promise<CallOutcome> => {
    const note = metrics.startCall();
    try {
      const outcome = await performAdmitted(request, onSending);
      note(outcome.kind === 'succeeded' ? 'succeeded' : outcome.problem.code);
      return outcome;
    } catch (error) {
      note(error instanceof Problem ? error.code : 'internal-error');
      throw error;
    }
  };

  const callOnce = async (request: CallRequest, callId: CallId): Promise<GatewayAnswer> => {
    const { target, call, requestId, warn } = request;
    const claim = await claimCall(db, callId, {
      requestHash: requestHashOf(target.id, call.digest()),
      maxMs: settings.callTimeoutMs + MAX_READ_TIMEOUT_MS + CLAIM_MARGIN_MS,
    });
    if (claim.kind === 'answered') return { ...claim.answer, isReplay: true };
    if (claim.kind !== 'claimed') throw claimProblem(claim.kind);
    const release = (): Promise<void> =>
      releaseCall(db, callId).catch((error: unknown) =>
        warn(error, 'an idempotent call could not be released'),
      );
    let isSent = false;
    const onSending = (): void => {
      isSent = true;
    };
    const outcome = await perform(request, onSending).catch(async (error: unknown) => {
      if (!isSent) await release();
      throw error;
    });
    if (outcome.kind === 'failed' && !outcome.isFinal) {
      await release();
      throw outcome.problem;
    }
    const answer = answerOf(outcome, requestId);
    // The caller gets the answer even when it cannot be stored for a replay.
    await keepAnswer(db, callId, answer).catch((error: unknown) =>
      warn(error, 'the answer to an idempotent call could not be stored'),
    );
    return { ...answer, isReplay: false };
  };

  const callPlainly = async (request: CallRequest): Promise<GatewayAnswer> => {
    const outcome = await perform(request, () => undefined);
    if (outcome.kind === 'failed') throw outcome.problem;
    return { ...answerOf(outcome, request.requestId), isReplay: false };
  };

  return {
    call: (request) =>
      track(request.callId === null ? callPlainly(request) : callOnce(request, request.callId)),
    close: async () => {
      while (pending.size > 0) await Promise.all(pending);
      await calls.close();
    },
  };
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
