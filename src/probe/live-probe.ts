import type { Socket } from 'node:net';
import {
  type Bytes,
  type Header,
  headerValues,
  interrupted,
  isEventStream,
  type StreamEnd,
  type TlsSession,
  type TransportFailure,
  type TransportFailureCode,
} from '../model/exchange.ts';
import type { Clock, HttpProbe, PlannedHttp, Secret } from '../model/probe.ts';
import { byteLengthOf, bytesOf } from '../model/sent.ts';
import { startAwakeTimer } from './awake-timer.ts';
import type { ReceivedAnswer } from './capture.ts';
import { captureAnswer, captureFailure, captureRequest } from './capture.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { openConnection } from './connector.ts';
import { decodeContent } from './content-encoding.ts';
import { type GivenHeader, notGiven, underScheme, withGiven } from './given-headers.ts';
import { createRedactor } from './redactor.ts';
import { transportFailure } from './transport-failure.ts';
import { staysOpen } from './wire/answer-stream.ts';
import { FailedExchange, sendRequest } from './wire/send-request.ts';
import type { WireLimits } from './wire/wire-response.ts';

export interface LiveProbeOptions {
  readonly clock: Clock;
  /** Sent with every request that is not anonymous; they replace a step's headers of the same name. */
  readonly headers: readonly GivenHeader[];
  readonly secrets: readonly Secret[];
  readonly bounds: ProbeBounds;
  /** Connect only to public addresses. */
  readonly publicOnly: boolean;
  /** Trusted authorities as PEM; null: those that Node.js trusts. */
  readonly ca: string | null;
  /** Aborts all requests at once. */
  readonly signal: AbortSignal;
  /**
   * Sends the requests instead of connections that the probe opens; it has a separate guard and separate authorities.
   */
  readonly pool?: ConnectionPool;
}

export interface ProbeBounds extends WireLimits {
  /**
   * Total size in memory of all bodies of a run, which the report stores so that it can be judged again. Small bodies
   * are read beyond it, so that a few large answers do not prevent judging the rest of a target. Large bodies of
   * repeated reads that are equal to the one before have a total of the same size.
   */
  readonly maxRunBytes: number;
  /** The same for small bodies; after that only tiny ones are read. Thousands of calls can be made in a run. */
  readonly maxRunBytesWithSmall: number;
}

const SMALL_BODY_BYTES = 64 * 1024;
const TINY_BODY_BYTES = 4 * 1024;

export const DEFAULT_BOUNDS: ProbeBounds = {
  maxHeaderBytes: 64 * 1024,
  maxHeaderCount: 1000,
  maxInformational: 16,
  /** For one body, both as received and as decoded. */
  maxBodyBytes: 4 * 1024 * 1024,
  maxRunBytes: 13 * 1024 * 1024,
  maxRunBytesWithSmall: 39 * 1024 * 1024,
};

/** The outcome of one request, before redaction. */
export type Answer = ReceivedAnswer | { readonly kind: 'failed'; readonly failure: TransportFailure };

/** Times of a request; null for parts that were not reached. */
interface Progress {
  readonly stage: Stage;
  readonly connectMs: number | null;
  readonly firstByteMs: number | null;
  /** The bytes of the body that were sent, and when the last of them were. */
  readonly sent: { readonly bytes: number; readonly atMs: number } | null;
}

/** What the request waits for: a connection, the TLS handshake, or the answer. */
type Stage = 'connection' | 'handshake' | 'answer';

interface LargeBody {
  readonly body: Bytes;
  readonly byteLength: number;
}

function isSameBody(one: Bytes, other: Bytes): boolean {
  return 'text' in one
    ? 'text' in other && one.text === other.text
    : 'base64' in other && one.base64 === other.base64;
}

interface KeptConnection {
  readonly socket: Socket;
  readonly tls: TlsSession | null;
}

/**
 * Sends requests over HTTP/1.1. Each uses a separate connection unless it names a shared one, because a reused
 * connection may deliver the answer to another request. One timer and one signal limit a request from the DNS lookup to
 * the last byte of its answer.
 */
export function createLiveProbe(options: LiveProbeOptions): HttpProbe {
  const { clock, bounds } = options;
  const redactor = createRedactor(options.secrets);
  const kept = new Map<string, KeptConnection>();
  /** The last large body of each address that is only read: repeated reads mostly get the same one. */
  const largeBodies = new Map<string, LargeBody>();
  let runBytes = 0;
  let repeatedBytes = 0;
  const largeBodyOf = ({ url, body }: PlannedHttp): LargeBody | undefined => {
    const known = body === null ? largeBodies.get(url) : undefined;
    return known === undefined || repeatedBytes + known.byteLength > bounds.maxRunBytes ? undefined : known;
  };
  return {
    send: async (planned) => {
      const given = planned.anonymous ? [] : underScheme(options.headers, planned.scheme ?? null);
      const own = notGiven(planned.headers, given);
      const request = captureRequest(planned, own, given, redactor);
      const isFull = runBytes >= bounds.maxRunBytesWithSmall;
      const earlier = largeBodyOf(planned);
      const left = Math.max(
        isFull ? TINY_BODY_BYTES : SMALL_BODY_BYTES,
        bounds.maxRunBytes - runBytes,
        earlier?.byteLength ?? 0,
      );
      const spent = isFull
        ? runBytesSpent(bounds.maxRunBytesWithSmall, TINY_BODY_BYTES)
        : runBytesSpent(bounds.maxRunBytes, SMALL_BODY_BYTES);
      const limits = { ...bounds, maxBodyBytes: Math.min(bounds.maxBodyBytes, left) };
      const headers = withGiven(own, given);
      const startedAtMs = clock.nowMs();
      const stopwatch = startStopwatch(clock);
      const answer = await sendWithin(planned, headers, { ...options, bounds: limits }, kept, stopwatch);
      const { connectMs, firstByteMs } = stopwatch.progress();
      const timing = { startedAtMs, connectMs, firstByteMs, durationMs: stopwatch.elapsedMs() };
      const decoded = answer.kind === 'failed' ? answer : await decode(answer, limits.maxBodyBytes);
      const failure = decoded.kind === 'failed' ? decoded.failure : decoded.response.bodyProblem;
      if (failure?.code === 'body-too-large' && left < bounds.maxBodyBytes)
        return captureFailure(request, spent, redactor, timing);
      if (decoded.kind === 'failed') return captureFailure(request, decoded.failure, redactor, timing);
      const captured = captureAnswer(request, decoded, redactor, timing);
      if (earlier !== undefined && isSameBody(captured.response.body, earlier.body)) {
        repeatedBytes += earlier.byteLength;
        return { ...captured, response: { ...captured.response, body: earlier.body } };
      }
      const keptBytes = memoryOf(captured.response.body);
      // Concurrent large answers were each allowed the whole remainder, which only one of them can use.
      if (keptBytes > SMALL_BODY_BYTES && runBytes + keptBytes > bounds.maxRunBytes)
        return captureFailure(request, spent, redactor, timing);
      runBytes += keptBytes;
      if (keptBytes > SMALL_BODY_BYTES && planned.body === null)
        largeBodies.set(planned.url, {
          body: captured.response.body,
          byteLength: decoded.response.body.byteLength,
        });
      return captured;
    },
    close: () => {
      for (const { socket } of kept.values()) socket.destroy();
      kept.clear();
    },
  };
}

const BEYOND_LATIN_1 = /[^\0-\xff]/;

/** A string takes one byte per character, or two if any character is beyond Latin-1. */
function memoryOf(body: Bytes): number {
  if ('base64' in body) return body.base64.length;
  return BEYOND_LATIN_1.test(body.text) ? 2 * body.text.length : body.text.length;
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

interface Stopwatch {
  elapsedMs(): number;
  waitFor(stage: Stage): void;
  connected(): void;
  firstByte(): void;
  bodyBytesSent(count: number): void;
  progress(): Progress;
}

function startStopwatch(clock: Clock): Stopwatch {
  const startMs = clock.monotonicMs();
  let stage: Stage = 'connection';
  let connectMs: number | null = null;
  let firstByteMs: number | null = null;
  let sent: Progress['sent'] = null;
  const elapsedMs = (): number => Math.round((clock.monotonicMs() - startMs) * 1000) / 1000;
  return {
    elapsedMs,
    waitFor: (next) => {
      stage = next;
    },
    connected: () => {
      stage = 'answer';
      connectMs ??= elapsedMs();
    },
    firstByte: () => {
      firstByteMs ??= elapsedMs();
    },
    bodyBytesSent: (count) => {
      sent = { bytes: count, atMs: elapsedMs() };
    },
    progress: () => ({ stage, connectMs, firstByteMs, sent }),
  };
}

async function sendWithin(
  planned: PlannedHttp,
  headers: readonly Header[],
  options: LiveProbeOptions,
  kept: Map<string, KeptConnection>,
  stopwatch: Stopwatch,
): Promise<Answer> {
  const ending = new AbortController();
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
    return await sendOverConnection(planned, headers, options, kept, ending.signal, stopwatch);
  } catch (error) {
    const failure = error instanceof FailedExchange ? error.failure : transportFailure(error);
    const { longestMs, totalMs } = timer.heldUp();
    const wasSuspended =
      longestMs >= Math.max(MIN_SUSPENSION_MS, timeoutMs * SUSPENDED_SHARE) &&
      mayResultFromSuspension(failure);
    return { kind: 'failed', failure: wasSuspended ? clientSuspended(totalMs) : failure };
  } finally {
    timer.stop();
    options.signal.removeEventListener('abort', onInterrupt);
  }
}

async function sendOverConnection(
  planned: PlannedHttp,
  headers: readonly Header[],
  { bounds, publicOnly, ca, pool }: LiveProbeOptions,
  kept: Map<string, KeptConnection>,
  signal: AbortSignal,
  stopwatch: Stopwatch,
): Promise<Answer> {
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
  const send = async ({ socket, tls }: KeptConnection, reused: boolean): Promise<Answer> => {
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

/**
 * After a suspension longer than this share of the time-out, the peer or the network may have closed the connection.
 * Many short hold-ups have no such effect: the time-out does not count them.
 */
const SUSPENDED_SHARE = 0.5;
/** Shorter suspensions are common on a busy machine, and no peer closes a connection because of them. */
const MIN_SUSPENSION_MS = 1000;

const CAUSED_BY_WAITING: ReadonlySet<TransportFailureCode> = new Set([
  'timeout',
  'tls-timeout',
  'slow-upload',
  'connection-reset',
  'closed-early',
]);

function mayResultFromSuspension({ code, fault }: TransportFailure): boolean {
  return fault === 'network' || CAUSED_BY_WAITING.has(code);
}

function clientSuspended(heldUpMs: number): TransportFailure {
  return {
    code: 'client-suspended',
    fault: 'harness',
    message: `this client was suspended, or had no CPU time, for ${(heldUpMs / 1000).toFixed(1)} s while it waited`,
  };
}

/** An upload that still progressed in this last share of the time-out is slow, not stalled. */
const STALLED_SHARE = 0.5;

function timedOut(
  timeoutMs: number,
  bodyBytes: number,
  { stage, firstByteMs, sent }: Progress,
): TransportFailure {
  const seconds = `${Number((timeoutMs / 1000).toFixed(3))} s`;
  if (stage === 'handshake')
    return {
      code: 'tls-timeout',
      fault: 'server',
      message: `the connection was opened, but the TLS handshake was not complete within ${seconds}`,
    };
  if (stage === 'connection')
    return { code: 'connect-timeout', fault: 'network', message: `no connection within ${seconds}` };
  const isUploading = sent !== null && sent.bytes < bodyBytes && sent.atMs > timeoutMs * STALLED_SHARE;
  if (isUploading && firstByteMs === null)
    return {
      code: 'slow-upload',
      fault: 'harness',
      message: `only ${sent.bytes} of the request’s ${bodyBytes} bytes could be sent within ${seconds}`,
    };
  const what = firstByteMs === null ? 'no answer' : 'the answer was not complete';
  return { code: 'timeout', fault: 'server', message: `${what} within ${seconds}` };
}

function runBytesSpent(maxBytes: number, readBytes: number): TransportFailure {
  return {
    code: 'run-bytes-spent',
    fault: 'harness',
    message: `a check keeps ${maxBytes} bytes of answers, which this run has used; after that it reads answers of up to ${readBytes} bytes, and this one is larger`,
  };
}
