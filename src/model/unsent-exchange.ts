import type { Exchange, TransportFailure } from './exchange.ts';
import type { PlannedRequest } from './probe.ts';
import { sentBody } from './request-body.ts';

/** The exchange of a planned request that was not sent. */
export function unsentExchange(
  { key, method, url, headers, body }: Omit<PlannedRequest, 'timeoutMs'>,
  reason: TransportFailure,
  startedAtMs: number,
): Exchange {
  return {
    kind: 'unanswered',
    request: { key, method, url, headers, body: sentBody(body, (bytes) => bytes) },
    reason,
    timing: { startedAtMs, connectMs: null, firstByteMs: null, durationMs: 0 },
  };
}
