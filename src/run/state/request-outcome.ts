import {
  type Exchange,
  headerValue,
  type TransportFailure,
  type TransportFailureCode,
} from '../../model/exchange.ts';
import type { PlannedHttp, PlannedMessage } from '../../model/probe.ts';
import { retryAfterMs } from '../../model/rate-limit.ts';
import type { Retry } from '../../model/request-template.ts';

// What an answer, or its absence, means for sending on: whether to send again, how long to wait, and whose fault it is.

const DEFAULT_WAIT_MS = 1000;

export function failedBy(exchange: Exchange, ...codes: readonly TransportFailureCode[]): boolean {
  return exchange.kind === 'unanswered' && codes.includes(exchange.reason.code);
}

/** A saved run that is judged again stops waiting where the original run did. */
export function isUnrecorded(exchange: Exchange): boolean {
  return failedBy(exchange, 'not-recorded');
}

export function pathOf(request: Pick<PlannedHttp, 'url'> | Pick<PlannedMessage, 'conversation'>): string {
  if (!('url' in request)) return request.conversation;
  return request.url.split('?', 1)[0] ?? request.url;
}

export function isWorthRetrying(exchange: Exchange, retry: Retry): boolean {
  if (exchange.kind === 'unanswered') return retry.on.includes('unanswered');
  return exchange.kind === 'answered' && retry.on.includes(exchange.response.status);
}

export function requestedWaitMs(exchange: Exchange, nowMs: number): number {
  const field =
    exchange.kind === 'answered' ? headerValue(exchange.response.headers, 'retry-after') : undefined;
  return retryAfterMs(field, nowMs) ?? DEFAULT_WAIT_MS;
}

const CUT_SHORT: ReadonlySet<TransportFailureCode> = new Set([
  'client-suspended',
  'timeout',
  'connect-timeout',
  'tls-timeout',
  'slow-upload',
]);

/** A time-out that the run's deadline shortened is not blamed on the server. */
export function blameDeadline(exchange: Exchange, cutShort: boolean, deadlineMs: number): Exchange {
  if (!cutShort || exchange.kind !== 'unanswered') return exchange;
  const { code } = exchange.reason;
  return CUT_SHORT.has(code) ? { ...exchange, reason: overDeadline(deadlineMs) } : exchange;
}

/** In the Model Context Protocol, which sets no time for a call, a slow tool is only not exercised. */
export function shareUsedUp(functionName: string, request: object, deadlineMs: number): TransportFailure {
  return {
    code: 'sends' in request ? 'share-used-up' : 'deadline',
    fault: 'harness',
    message: `the earlier calls of "${functionName}" used up its share of the run’s deadline of ${deadlineMs / 1000} s`,
  };
}

export function overDeadline(deadlineMs: number): TransportFailure {
  return {
    code: 'deadline',
    fault: 'harness',
    message: `the run’s deadline of ${deadlineMs / 1000} s was over`,
  };
}

/** There was no connection, or no process, so the request itself did not cause the failure. */
export function hadNoConnection(exchange: Exchange): boolean {
  if (exchange.kind !== 'unanswered') return false;
  const { fault, code } = exchange.reason;
  return fault === 'network' || code === 'not-running';
}
