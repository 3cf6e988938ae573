import { type Exchange, headerValue } from './exchange.ts';

export const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;

/** A 503 that says when to come back asks for patience; one that does not is how the server is. */
export function isRateLimited(exchange: Exchange): boolean {
  if (exchange.kind !== 'answered') return false;
  const { status, headers } = exchange.response;
  return (
    status === TOO_MANY_REQUESTS ||
    (status === SERVICE_UNAVAILABLE && headerValue(headers, 'retry-after') !== undefined)
  );
}

/** How long Retry-After says to wait: seconds or a date (RFC 9110, section 10.2.3). Null where it says neither. */
export function retryAfterMs(field: string | undefined, nowMs: number): number | null {
  const text = field?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const at = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
