import type { OpenBridge, SubjectError } from 'probity/mcp';
import {
  type HttpExchange,
  headerValue,
  overHttp,
  type PlannedHttp,
  TOO_MANY_REQUESTS,
  type TransportFailure,
  unsentExchange,
} from 'probity/model';
import { systemClock } from 'probity/service';

export interface BridgedRequest {
  /** As it is shown: its URL is below the endpoint of the server. */
  readonly request: PlannedHttp;
  /** Of the contract: `/health`, `/capabilities` or `/execute`. */
  readonly path: string;
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal;
}

/**
 * The exchange of a request that a bridge in this process answers; `challengeOf` gives the header WWW-Authenticate of a
 * refusal, which the bridge does not pass on. Never rejects.
 */
export async function bridgedExchange(
  bridge: Pick<OpenBridge, 'answer'>,
  { request, path, maxBodyBytes, signal }: BridgedRequest,
  challengeOf: () => string | null,
): Promise<HttpExchange> {
  const startedAtMs = systemClock.nowMs();
  const startedMs = systemClock.monotonicMs();
  const { request: sent } = overHttp(unsentExchange(request, NOT_SENT, startedAtMs));
  const timing = (connectMs: number | null) => {
    const durationMs = systemClock.monotonicMs() - startedMs;
    return { startedAtMs, connectMs, firstByteMs: null, durationMs };
  };
  const failed = (reason: TransportFailure, mayHaveArrived = true): HttpExchange => ({
    kind: 'unanswered',
    request: sent,
    reason,
    timing: timing(mayHaveArrived ? 0 : null),
  });

  const ending = new AbortController();
  const over = systemClock.sleep(request.timeoutMs, AbortSignal.any([ending.signal, signal]));
  const answered = bridge.answer({
    method: request.method,
    path,
    contentType: request.body === null ? undefined : 'application/json',
    trace: traceIn(request),
    body: bytesOf(request),
    signal: ending.signal,
  });
  const answer = await Promise.race([answered, over]);
  // Cancels a call that nobody waits for any more.
  ending.abort();
  if (answer === undefined) return failed(signal.aborted ? INTERRUPTED : lateAfter(request.timeoutMs));
  const { serverStatus, error } = answer;
  const isRefused = serverStatus !== null && REFUSALS.has(serverStatus);
  if (error !== null && !isRefused) {
    const reason = reasonOf(error);
    if (reason !== null) return failed(reason, mayHaveArrived(error));
  }
  const challenge = isRefused ? challengeOf() : null;
  if (Buffer.byteLength(answer.body) > maxBodyBytes)
    return failed(
      tooLarge(`the answer is more than the harness reads: it has more than ${maxBodyBytes} bytes`),
    );
  return {
    kind: 'answered',
    request: sent,
    response: {
      status: isRefused ? serverStatus : answer.status,
      headers: [
        ...Object.entries(answer.headers),
        ...(challenge === null ? [] : [['www-authenticate', challenge] as const]),
      ],
      body: { text: answer.body },
      repeatedSecrets: [],
      oddities: [],
    },
    connection: { reused: true, tls: null },
    timing: timing(0),
  };
}

function traceIn({ headers }: PlannedHttp) {
  const traceparent = headerValue(headers, 'traceparent');
  const tracestate = headerValue(headers, 'tracestate');
  if (traceparent === undefined) return undefined;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** The server refuses the directory; servers without a bridge answer like this too. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, TOO_MANY_REQUESTS]);

const NOT_SENT: TransportFailure = { code: 'not-sent', fault: 'harness', message: 'it was not sent' };
const INTERRUPTED: TransportFailure = {
  code: 'interrupted',
  fault: 'harness',
  message: 'the request was interrupted',
};

function lateAfter(timeoutMs: number): TransportFailure {
  return { code: 'timeout', fault: 'server', message: `no answer within ${timeoutMs / 1000} s` };
}

function bytesOf({ body }: PlannedHttp): Buffer {
  return Buffer.concat((body ?? []).flatMap(({ bytes, times }) => Array<Uint8Array>(times).fill(bytes)));
}

function tooLarge(message: string): TransportFailure {
  return { code: 'body-too-large', fault: 'harness', message };
}

/** The codes of failures; an error of the protocol has none, because it is an answer. */
const CODE_OF: Readonly<Partial<Record<SubjectError['fault'], TransportFailure['code']>>> = {
  unavailable: 'invalid-http',
  ended: 'connection-reset',
  timeout: 'timeout',
  invalid: 'invalid-http',
};

/** Why the server did not answer; null for an answer. */
function reasonOf({ fault, failure, message }: SubjectError): TransportFailure | null {
  if (fault === 'too-large') return tooLarge(message);
  const code = CODE_OF[fault];
  return code === undefined ? null : (failure ?? { code, fault: 'server', message });
}

/** Without a connection, nothing arrived. */
function mayHaveArrived({ fault, failure }: SubjectError): boolean {
  const isUnconnected = failure?.fault === 'network' || failure?.code === 'address-refused';
  return fault !== 'unavailable' && !(fault === 'ended' && isUnconnected);
}
