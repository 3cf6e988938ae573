import { stringifyExactly } from '../json/exact-json.ts';
import type { Exchange, SentRequest, TransportFailure } from './exchange.ts';
import type { PlannedHttp, PlannedMessage } from './probe.ts';
import { sentBody } from './request-body.ts';
import type { SentLine } from './wire.ts';

/** The exchange of a planned request that was not sent. */
export function unsentExchange(planned: Unsent, reason: TransportFailure, startedAtMs: number): Exchange {
  return {
    kind: 'unanswered',
    request: requestOf(planned),
    reason,
    timing: { startedAtMs, connectMs: null, firstByteMs: null, durationMs: 0 },
  };
}

type Unsent = Omit<PlannedHttp, 'timeoutMs'> | Omit<PlannedMessage, 'timeoutMs'>;

function requestOf(planned: Unsent): SentRequest | SentLine {
  const { key } = planned;
  if (!('conversation' in planned)) {
    const { method, url, headers, body } = planned;
    return { key, method, url, headers, body: sentBody(body, (bytes) => bytes) };
  }
  const { conversation, sends } = planned;
  const text = sends.kind === 'message' ? stringifyExactly(sends.message) : '';
  return { key, message: { conversation, awaited: null }, line: { text }, atMs: 0 };
}
