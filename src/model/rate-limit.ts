import { type Exchange, headerValue } from './exchange.ts';

export const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;

/** A 503 with Retry-After is a rate limit; one without it is a server error. */
export function isRateLimit(status: number, retryAfter: string | undefined): boolean {
  return status === TOO_MANY_REQUESTS || (status === SERVICE_UNAVAILABLE && retryAfter !== undefined);
}

export function isRateLimited(exchange: Exchange): boolean {
  if (exchange.kind !== 'answered') return false;
  const { status, headers } = exchange.response;
  return isRateLimit(status, headerValue(headers, 'retry-after'));
}

/** The wait in Retry-After: seconds or a date (RFC 9110, section 10.2.3). Null if it is neither. */
export function retryAfterMs(field: string | undefined, nowMs: number): number | null {
  const text = field?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const at = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
