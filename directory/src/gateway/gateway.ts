import { PROBLEM_MEDIA_TYPE, PROBLEMS, Problem, problemBody } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import { callFunction, MAX_READ_TIMEOUT_MS, type TargetCall } from '../probing/target-client.ts';
import { capabilitiesProblem } from '../probing/target-problem.ts';
import { distrustCapabilities } from '../store/capabilities.ts';
import type { Entry } from '../store/entries.ts';
import {
  type CallName,
  claimCall,
  keepAnswer,
  releaseCall,
  type StoredAnswer,
} from '../store/idempotent-calls.ts';
import { noteObservation } from '../store/observations.ts';
import { type CallOutcome, functionMissing, outcomeOf } from './call-outcome.ts';
import type { GivenCall } from './given-call.ts';
import { claimProblem, requestHashOf } from './idempotency.ts';
import { createCapabilitiesReader, formToCallIn, hasFunction } from './known-capabilities.ts';

/** A call that a caller wants made. */
export interface CallOrder {
  readonly entry: Entry;
  readonly call: GivenCall;
  /** Fresh for each request: the platform's request id, and the target's in form B. */
  readonly requestId: string;
  /** Null where the caller gave no Idempotency-Key. */
  readonly name: CallName | null;
  /** Counts the call against the target's limit; rejects with a Problem when that is used up. */
  readonly admit: () => Promise<void>;
  /** Told of what went wrong beside the call. */
  readonly warn: (error: unknown, what: string) => void;
}

export interface GatewayAnswer extends StoredAnswer {
  readonly isReplay: boolean;
}

export interface Gateway {
  /**
   * Makes a call, once, to its end, whether or not anybody still waits for it.
   *
   * @throws Problem for what is no answer to keep: the call did not run, or nobody knows
   */
  call(order: CallOrder): Promise<GatewayAnswer>;
  /** Resolves when nothing is under way any more. */
  settled(): Promise<void>;
}

const BUSY_RETRY_SECONDS = 1;
/** For what an instance does before and after a call, however slow it is. */
const CLAIM_MARGIN_MS = 30_000;

export function createGateway(service: Service): Gateway {
  const { store, settings } = service;
  const { db } = store;
  const capabilities = createCapabilitiesReader(db, service);
  const pending = new Set<Promise<unknown>>();
  let running = 0;

  const followToItsEnd = <Value>(work: Promise<Value>): Promise<Value> => {
    const ended: Promise<unknown> = work
      .catch(() => undefined)
      .finally(() => {
        pending.delete(ended);
      });
    pending.add(ended);
    return work;
  };

  /** What has to be known and allowed before anything is sent to /execute. */
  const prepare = async ({ entry, call, requestId, admit }: CallOrder) => {
    await admit();
    const { functionName, inputText } = call;
    const known = await capabilities.toFind(functionName, entry);
    if (known.kind === 'unknown') throw capabilitiesProblem(known.read);
    if (!hasFunction(known.record, functionName))
      throw new Problem('function-not-found', functionMissing({ functionName, serverId: entry.id }));
    const targetCall: TargetCall = { form: formToCallIn(known.record), functionName, inputText, requestId };
    return { targetCall, readAt: known.readAt };
  };

  const noteWhatItTells = (entry: Entry, outcome: CallOutcome, readAt: Date | null): Promise<void> => {
    if (outcome.kind === 'served')
      return noteObservation(db, {
        entry_id: entry.id,
        at: new Date(),
        up: true,
        operation: 'execute',
        duration_ms: outcome.durationMs,
        source: 'gateway',
      });
    return outcome.isUnknownFunction && readAt !== null
      ? distrustCapabilities(db, entry, readAt)
      : Promise.resolve();
  };

  const perform = async (order: CallOrder, onSending: () => void): Promise<CallOutcome> => {
    if (running >= settings.limits.runningCalls) throw busy(settings.limits.runningCalls);
    running += 1;
    try {
      const { entry, warn } = order;
      const { targetCall, readAt } = await prepare(order);
      onSending();
      const exchange = await callFunction(entry, service, targetCall);
      const outcome = outcomeOf(exchange, { ...targetCall, serverId: entry.id }, Date.now());
      followToItsEnd(noteWhatItTells(entry, outcome, readAt)).catch((error: unknown) =>
        warn(error, 'what a call told of its target is not kept'),
      );
      return outcome;
    } finally {
      running -= 1;
    }
  };

  const callOnce = async (order: CallOrder, name: CallName): Promise<GatewayAnswer> => {
    const { entry, call, requestId, warn } = order;
    const claim = await claimCall(db, name, {
      requestHash: requestHashOf(entry.id, call.digest),
      longestMs: settings.callTimeoutMs + MAX_READ_TIMEOUT_MS + CLAIM_MARGIN_MS,
    });
    if (claim.kind === 'answered') return { ...claim.answer, isReplay: true };
    if (claim.kind !== 'claimed') throw claimProblem(claim.kind);
    const release = (): Promise<void> =>
      releaseCall(db, name).catch((error: unknown) => warn(error, 'an idempotent call is not released'));
    let isSent = false;
    const onSending = (): void => {
      isSent = true;
    };
    const outcome = await perform(order, onSending).catch(async (error: unknown) => {
      if (!isSent) await release();
      throw error;
    });
    if (outcome.kind === 'failed' && !outcome.isFinal) {
      await release();
      throw outcome.problem;
    }
    const answer = answerOf(outcome, requestId);
    // The call is over: its caller gets the answer, also where it cannot be kept to be given again.
    await keepAnswer(db, name, answer).catch((error: unknown) =>
      warn(error, 'the answer of an idempotent call is not kept'),
    );
    return { ...answer, isReplay: false };
  };

  const callPlainly = async (order: CallOrder): Promise<GatewayAnswer> => {
    const outcome = await perform(order, () => undefined);
    if (outcome.kind === 'failed') throw outcome.problem;
    return { ...answerOf(outcome, order.requestId), isReplay: false };
  };

  return {
    call: (order) => followToItsEnd(order.name === null ? callPlainly(order) : callOnce(order, order.name)),
    settled: async () => {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

function busy(runningCalls: number): Problem {
  return new Problem(
    'busy',
    `${runningCalls} calls are under way already; ask again in ${BUSY_RETRY_SECONDS} s.`,
    {
      headers: { 'retry-after': String(BUSY_RETRY_SECONDS) },
      more: { retryAfterSeconds: BUSY_RETRY_SECONDS },
    },
  );
}

function answerOf(outcome: CallOutcome, requestId: string): StoredAnswer {
  if (outcome.kind === 'served') return { status: 200, body: outcome.body, contentType: 'application/json' };
  return {
    status: PROBLEMS[outcome.problem.code].status,
    body: JSON.stringify(problemBody(outcome.problem, requestId)),
    contentType: PROBLEM_MEDIA_TYPE,
  };
}
