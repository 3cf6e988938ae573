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

/** The exchange of a request that a bridge in this process answers. Never rejects. */
export async function bridgedExchange(
  bridge: Pick<OpenBridge, 'answer'>,
  { request, path, maxBodyBytes, signal }: BridgedRequest,
): Promise<HttpExchange> {
  const startedAtMs = systemClock.nowMs();
  const startedMs = systemClock.monotonicMs();
  const { request: sent } = overHttp(unsentExchange(request, NOT_SENT, startedAtMs));
  const timing = (connectMs: number | null) => {
    const durationMs = systemClock.monotonicMs() - startedMs;
    return { startedAtMs, connectMs, firstByteMs: null, durationMs };
  };
  const failed = (reason: TransportFailure, connectMs: number | null = 0): HttpExchange => ({
    kind: 'unanswered',
    request: sent,
    reason,
    timing: timing(connectMs),
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
    const found = failureOf(error);
    if (found !== null) return failed(found.reason, found.mayHaveArrived ? 0 : null);
  }
  if (Buffer.byteLength(answer.body) > maxBodyBytes)
    return failed({
      code: 'body-too-large',
      fault: 'harness',
      message: `the answer is more than the harness reads: it has more than ${maxBodyBytes} bytes`,
    });
  return {
    kind: 'answered',
    request: sent,
    response: {
      status: isRefused ? serverStatus : answer.status,
      headers: Object.entries(answer.headers),
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

interface BridgeFailure {
  readonly reason: TransportFailure;
  readonly mayHaveArrived: boolean;
}

/** Why the server did not answer; null for an error of the protocol, which is an answer. */
function failureOf({ fault, failure, message }: SubjectError): BridgeFailure | null {
  const because = (code: TransportFailure['code']): TransportFailure =>
    failure ?? { code, fault: 'server', message };
  switch (fault) {
    case 'unavailable':
      return { reason: because('invalid-http'), mayHaveArrived: false };
    case 'ended':
      return { reason: because('connection-reset'), mayHaveArrived: !isUnconnected(failure) };
    case 'timeout':
      return { reason: because('timeout'), mayHaveArrived: true };
    case 'invalid':
      return { reason: because('invalid-http'), mayHaveArrived: true };
    case 'too-large':
      return { reason: { code: 'body-too-large', fault: 'harness', message }, mayHaveArrived: true };
    case 'refused':
    case 'unsendable':
    case 'abandoned':
      return null;
  }
}

/** Without a connection, nothing arrived. */
function isUnconnected(failure: TransportFailure | null): boolean {
  return failure?.fault === 'network' || failure?.code === 'address-refused';
}
