import type { InputSource } from '../../model/call.ts';
import type { TransportFailure } from '../../model/exchange.ts';
import { exchangeKey } from '../../model/exchange-key.ts';
import { ENDING_MS, type PlannedHttp, type PlannedMessage, type TimedRequest } from '../../model/probe.ts';
import { WITHHELD } from '../calls/expand-calls.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import type { StepTurn } from '../calls/run-state.ts';
import { feedsOthers } from '../state/learned.ts';
import type { RunInput } from '../state/run-input.ts';
import { asksExecute, isExploring } from '../steps/step-kinds.ts';

export type ScheduledRequest = (Omit<PlannedHttp, 'timeoutMs'> | Omit<PlannedMessage, 'timeoutMs'>) & {
  /** When it must end, on the monotonic clock; earlier than the run if time is reserved for later requests. */
  readonly endsAtMs: number;
  /** Minimum time to wait for the answer. */
  readonly minTimeoutMs?: number | null;
  /** Why it cannot be sent, if so. */
  readonly unsendable?: TransportFailure | null;
  readonly functionName?: string | null;
  /** It is sent once, whatever the answer is: the target's rate limiter is not waited for. */
  readonly sentOnce?: boolean;
  /** It is not repeated after this many calls of the function in this run. */
  readonly maxCalls?: number | null;
};

type RequestBasis = Pick<RunInput, 'targetUrl' | 'commonHeaders'>;

/** What the load engine sends again and again. */
export function sentBy(
  { request }: PlannedInstance,
  { targetUrl, commonHeaders }: RequestBasis,
): TimedRequest {
  if (request !== null && 'version' in request) throw new TypeError('an opening is no single request');
  if (request !== null && 'sends' in request) {
    const { conversation, sends, headers, anonymous, token = null } = request;
    return { conversation, sends, headers, anonymous, token };
  }
  const own = new Set(request?.headers.map(([name]) => name));
  return {
    method: request?.method ?? 'GET',
    url: (request?.from ?? targetUrl) + (request?.path ?? ''),
    headers: [...commonHeaders.filter(([name]) => !own.has(name)), ...(request?.headers ?? [])],
    body: request?.body ?? null,
    anonymous: request?.anonymous ?? false,
  };
}

export function requestFor(
  { step, restraint, endsAtMs }: StepTurn,
  instance: PlannedInstance,
  copy: number,
  input: RequestBasis,
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
  const sent = sentBy(instance, input);
  if ('sends' in sent) {
    const isEnding = sent.sends.kind === 'close';
    return { ...sent, ...common, ...(isEnding ? { minTimeoutMs: ENDING_MS } : {}) };
  }
  const http = request !== null && 'path' in request ? request : null;
  return {
    ...sent,
    ...common,
    abortAfterBytes: http?.abortAfterBytes ?? null,
    connection: http?.keepConnection ? key : null,
    upgrade: http?.upgrade ?? null,
    scheme: http?.scheme ?? null,
    token: http?.token ?? null,
  };
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
