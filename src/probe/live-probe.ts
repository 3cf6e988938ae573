import {
  type Header,
  headerValues,
  interrupted,
  isEventStream,
  type StreamEnd,
  type TransportFailure,
} from '../model/exchange.ts';
import type { Clock, HttpProbe, PlannedHttp, Secret } from '../model/probe.ts';
import { byteLengthOf, bytesOf } from '../model/sent.ts';
import { startAwakeTimer } from './awake-timer.ts';
import { BodyBudget, type BudgetBounds } from './body-budget.ts';
import { captureAnswer, captureFailure, captureRequest, type ReceivedAnswer } from './capture.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { type ConnectorOptions, type OpenConnection, openConnection } from './connector.ts';
import { decodeContent } from './content-encoding.ts';
import { type GivenHeader, type GivenTokens, givenTo, notGiven, withGiven } from './given-headers.ts';
import { createRedactor } from './redactor.ts';
import {
  clientSuspended,
  mayResultFromSuspension,
  type Stopwatch,
  startStopwatch,
  timedOut,
} from './request-time.ts';
import { watchClock } from './system-clock.ts';
import { transportFailure } from './transport-failure.ts';
import { staysOpen } from './wire/answer-stream.ts';
import { Ending, type EndSignal } from './wire/ending.ts';
import { FailedExchange, sendRequest } from './wire/send-request.ts';
import type { WireLimits } from './wire/wire-response.ts';

export interface LiveProbeOptions extends Pick<ConnectorOptions, 'publicOnly' | 'ca'> {
  readonly clock: Clock;
  /** Sent with every request that is not anonymous; they replace a step's headers of the same name. */
  readonly headers: readonly GivenHeader[];
  readonly secrets: readonly Secret[];
  /** Sent instead of the user's token by a request that names them. */
  readonly tokens?: GivenTokens | undefined;
  readonly bounds: ProbeBounds;
  /**
   * Sends the requests instead of connections that the probe opens; it has a separate guard and separate authorities.
   */
  readonly pool?: ConnectionPool;
  /** Aborts all requests at once. */
  readonly signal: AbortSignal;
}

export interface ProbeBounds extends WireLimits, BudgetBounds {}

export const DEFAULT_BOUNDS: ProbeBounds = {
  maxHeaderBytes: 64 * 1024,
  maxHeaderCount: 1000,
  maxInformational: 16,
  /** For one body, both as received and as decoded. */
  maxBodyBytes: 4 * 1024 * 1024,
  maxRunBytes: 13 * 1024 * 1024,
  maxRunBytesWithSmall: 39 * 1024 * 1024,
};

type Answer = ReceivedAnswer | { readonly kind: 'failed'; readonly failure: TransportFailure };

/**
 * Sends requests over HTTP/1.1. Each uses a separate connection unless it names a shared one, because a reused
 * connection may deliver the answer to another request. One timer and one signal limit a request from the DNS lookup to
 * the last byte of its answer.
 */
export function createLiveProbe(options: LiveProbeOptions): HttpProbe {
  const { clock, bounds } = options;
  const redactor = createRedactor(options.secrets);
  const kept = new Map<string, OpenConnection>();
  const budget = new BodyBudget(bounds);
  return {
    send: async (planned) => {
      const given = planned.anonymous ? [] : givenTo(planned, options);
      const own = notGiven(planned.headers, given);
      const request = captureRequest(planned, own, given, redactor);
      const { maxBytes, spent, earlier } = budget.allowanceOf(planned);
      const limits = { ...bounds, maxBodyBytes: Math.min(bounds.maxBodyBytes, maxBytes) };
      const headers = withGiven(own, given);
      const startedAtMs = clock.nowMs();
      const clockSet = watchClock(clock);
      const stopwatch = startStopwatch(clock);
      const answer = await sendWithin(planned, headers, { ...options, bounds: limits }, kept, stopwatch);
      const { connectMs, firstByteMs } = stopwatch.progress();
      const timing = {
        startedAtMs,
        connectMs,
        firstByteMs,
        durationMs: stopwatch.elapsedMs(),
        ...clockSet(),
      };
      const decoded = answer.kind === 'failed' ? answer : await decode(answer, limits.maxBodyBytes);
      const failure = decoded.kind === 'failed' ? decoded.failure : decoded.response.bodyProblem;
      if (failure?.code === 'body-too-large' && maxBytes < bounds.maxBodyBytes)
        return captureFailure(request, spent, redactor, timing);
      if (decoded.kind === 'failed') return captureFailure(request, decoded.failure, redactor, timing);
      const captured = captureAnswer(request, decoded, redactor, timing);
      const { response } = captured;
      const body = budget.keep(planned, response.body, decoded.response.body.byteLength, earlier);
      return body === null
        ? captureFailure(request, spent, redactor, timing)
        : { ...captured, response: { ...response, body } };
    },
    close: () => {
      for (const { socket } of kept.values()) socket.destroy();
      kept.clear();
    },
  };
}

/** Decodes the body. If it cannot be decoded, the status and the headers are still an answer. */
async function decode(answer: ReceivedAnswer, maxBodyBytes: number): Promise<ReceivedAnswer> {
  const { response } = answer;
  if (response.bodyProblem !== null) return answer;
  // Several headers of one name form one list (RFC 9110, section 5.3).
  const codings = headerValues(response.headers, 'content-encoding').join(', ');
  const decoded = await decodeContent(response.body, codings, maxBodyBytes);
  const read =
    'failure' in decoded
      ? // The compressed bytes are dropped, because the redactor cannot find secrets in them.
        { body: Buffer.alloc(0), bodyProblem: decoded.failure }
      : { body: decoded.bytes };
  return { ...answer, response: { ...response, ...read } };
}

async function sendWithin(
  planned: PlannedHttp,
  headers: readonly Header[],
  options: LiveProbeOptions,
  kept: Map<string, OpenConnection>,
  stopwatch: Stopwatch,
): Promise<Answer> {
  const ending = new Ending();
  const end = (failure: TransportFailure): void => ending.abort(new FailedExchange(failure));
  const onInterrupt = (): void => end(interrupted);
  const bodyBytes = planned.body === null ? 0 : byteLengthOf(planned.body);
  const { timeoutMs, endsAtMs } = planned;
  const timer = startAwakeTimer({
    awakeMs: timeoutMs,
    ...(endsAtMs === undefined ? {} : { maxMs: endsAtMs - options.clock.monotonicMs() }),
    onOver: (waitedFully) =>
      end(
        waitedFully
          ? timedOut(timeoutMs, bodyBytes, stopwatch.progress())
          : clientSuspended(timer.heldUp().totalMs),
      ),
  });
  options.signal.addEventListener('abort', onInterrupt, { once: true });
  try {
    if (options.signal.aborted) throw new FailedExchange(interrupted);
    return await sendOverConnection(planned, headers, options, kept, ending, stopwatch);
  } catch (error) {
    const failure = error instanceof FailedExchange ? error.failure : transportFailure(error);
    const { longestMs, totalMs } = timer.heldUp();
    const wasSuspended = mayResultFromSuspension(failure, longestMs, timeoutMs);
    return { kind: 'failed', failure: wasSuspended ? clientSuspended(totalMs) : failure };
  } finally {
    timer.stop();
    options.signal.removeEventListener('abort', onInterrupt);
  }
}

/** Sends over the pool, over a connection that was kept under the name that the request gives, or over a new one. */
async function sendOverConnection(
  planned: PlannedHttp,
  headers: readonly Header[],
  { bounds, publicOnly, ca, pool }: LiveProbeOptions,
  kept: Map<string, OpenConnection>,
  signal: EndSignal,
  stopwatch: Stopwatch,
): Promise<ReceivedAnswer> {
  const url = new URL(planned.url);
  const request = {
    method: planned.method,
    url,
    headers,
    body: planned.body === null ? null : bytesOf(planned.body),
    abortAfterBytes: planned.abortAfterBytes,
    keepAlive: planned.connection !== null,
    upgrade: planned.upgrade,
  };
  if (pool !== undefined)
    return { kind: 'received', ...(await pool.send(request, bounds, signal, stopwatch)) };
  const { events } = planned;
  const send = async ({ socket, tls }: OpenConnection, reused: boolean): Promise<ReceivedAnswer> => {
    let keep = false;
    let answeredAtMs: number | null = null;
    const push = (part: Uint8Array): boolean => {
      const isAnswered = events?.push(part) === true;
      if (isAnswered) answeredAtMs ??= stopwatch.elapsedMs();
      return isAnswered;
    };
    const watch = { ...stopwatch, events: events === undefined ? undefined : { ...events, push } };
    try {
      const response = await sendRequest(socket, request, bounds, signal, watch);
      const stream: StreamEnd | undefined =
        events === undefined || !isEventStream(response.headers)
          ? undefined
          : { answeredAtMs, closedBy: response.isCut ? 'probe' : 'server' };
      keep = planned.connection !== null && staysOpen(response) && !socket.destroyed;
      if (keep && planned.connection !== null) kept.set(planned.connection, { socket, tls });
      return { kind: 'received', response, connection: { reused, tls }, stream };
    } finally {
      if (!keep) socket.destroy();
    }
  };
  const earlier = planned.connection === null ? undefined : kept.get(planned.connection);
  if (earlier !== undefined && planned.connection !== null) kept.delete(planned.connection);
  // A closed socket emits no further events, so waiting for it would end in a time-out.
  if (earlier !== undefined && !earlier.socket.destroyed) {
    try {
      stopwatch.waitFor('answer');
      return await send(earlier, true);
    } catch (error) {
      // A server may close an idle connection at any time, even while the next request is in transit.
      if (signal.aborted || stopwatch.progress().firstByteMs !== null) throw error;
    }
  }
  stopwatch.waitFor('connection');
  const onSecuring = (): void => stopwatch.waitFor('handshake');
  const { timeoutMs } = planned;
  const opened = await openConnection(url, { timeoutMs, publicOnly, ca, onSecuring }, signal);
  stopwatch.connected();
  return send(opened, false);
}
