import type { Socket } from 'node:net';
import {
  type Bytes,
  type Header,
  headerValues,
  interrupted,
  type TlsSession,
  type TransportFailure,
  type TransportFailureCode,
} from '../model/exchange.ts';
import type { Clock, PlannedRequest, Probe } from '../model/probe.ts';
import { byteLengthOf, bytesOf } from '../model/request-body.ts';
import { startAwakeTimer } from './awake-timer.ts';
import type { ReceivedAnswer } from './capture.ts';
import { captureAnswer, captureFailure, captureRequest } from './capture.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { openConnection } from './connector.ts';
import { decodeContent } from './content-encoding.ts';
import { type GivenHeader, notGiven, underScheme, withGiven } from './given-headers.ts';
import { createRedactor, type Secret } from './redactor.ts';
import { transportFailure } from './transport-failure.ts';
import type { WireLimits } from './wire/response-parser.ts';
import { FailedExchange, sendRequest } from './wire/send-request.ts';
import { staysOpen } from './wire/stays-open.ts';

export interface LiveProbeOptions {
  readonly clock: Clock;
  /** Sent with every request that is not anonymous; they win over a step's own headers of the same name. */
  readonly headers: readonly GivenHeader[];
  readonly secrets: readonly Secret[];
  readonly bounds: ProbeBounds;
  /** Connect to nothing but public addresses. */
  readonly publicOnly: boolean;
  /** The authorities whose certificates are trusted, as PEM; those that Node.js trusts when it is null. */
  readonly ca: string | null;
  /** Ends every request at once. */
  readonly signal: AbortSignal;
  /** Carries the requests in the place of connections that the probe opens; it has a guard and authorities of its own. */
  readonly pool?: ConnectionPool;
}

export interface ProbeBounds extends WireLimits {
  /**
   * For all bodies of a run together, as they take up memory: a report keeps them, so that it can be judged again. Small
   * ones are read all the same, so that a few large answers do not keep the rest of a target from being judged.
   */
  readonly maxRunBytes: number;
}

const SMALL_BODY_BYTES = 64 * 1024;

export const DEFAULT_BOUNDS: ProbeBounds = {
  maxHeaderBytes: 64 * 1024,
  maxHeaderCount: 1000,
  maxInformational: 16,
  /** For one body, as received and again as decoded. */
  maxBodyBytes: 4 * 1024 * 1024,
  maxRunBytes: 13 * 1024 * 1024,
};

/** What came of one request, before anything of it is kept. */
export type Answer = ReceivedAnswer | { readonly kind: 'failed'; readonly failure: TransportFailure };

/** The parts of a request's time as far as they were reached; null where they were not. */
interface Progress {
  readonly stage: Stage;
  readonly connectMs: number | null;
  readonly firstByteMs: number | null;
  /** How much of the body was taken by the network, and when the last of it. */
  readonly sent: { readonly bytes: number; readonly atMs: number } | null;
}

/** What is waited for: a connection, the TLS handshake over it, or the answer. */
type Stage = 'connection' | 'handshake' | 'answer';

interface KeptConnection {
  readonly socket: Socket;
  readonly tls: TlsSession | null;
}

/**
 * Sends requests over HTTP/1.1, each on a connection of its own unless it names one that it shares: a reused connection
 * may be handed the answer to another request. One timer and one signal bound a request from the look-up of its name to
 * the last byte of its answer.
 */
export function createLiveProbe(options: LiveProbeOptions): Probe {
  const { clock, bounds } = options;
  const redactor = createRedactor(options.secrets);
  const kept = new Map<string, KeptConnection>();
  let runBytes = 0;
  return {
    send: async (planned) => {
      const given = planned.anonymous ? [] : underScheme(options.headers, planned.scheme ?? null);
      const own = notGiven(planned.headers, given);
      const request = captureRequest(planned, own, given, redactor);
      const left = Math.max(SMALL_BODY_BYTES, bounds.maxRunBytes - runBytes);
      const limits = { ...bounds, maxBodyBytes: Math.min(bounds.maxBodyBytes, left) };
      const headers = withGiven(own, given);
      const startedAtMs = clock.nowMs();
      const stopwatch = startStopwatch(clock);
      const answer = await ask(planned, headers, { ...options, bounds: limits }, kept, stopwatch);
      const { connectMs, firstByteMs } = stopwatch.progress();
      const timing = { startedAtMs, connectMs, firstByteMs, durationMs: stopwatch.elapsedMs() };
      const decoded = answer.kind === 'failed' ? answer : await decode(answer, limits.maxBodyBytes);
      const failure = decoded.kind === 'failed' ? decoded.failure : decoded.response.bodyProblem;
      if (failure?.code === 'body-too-large' && left < bounds.maxBodyBytes)
        return captureFailure(request, runBytesSpent(bounds.maxRunBytes), redactor, timing);
      if (decoded.kind === 'failed') return captureFailure(request, decoded.failure, redactor, timing);
      const captured = captureAnswer(request, decoded, redactor, timing);
      const keptBytes = memoryOf(captured.response.body);
      // Large answers that were under way at the same time were each promised what only one of them can have.
      if (keptBytes > SMALL_BODY_BYTES && runBytes + keptBytes > bounds.maxRunBytes)
        return captureFailure(request, runBytesSpent(bounds.maxRunBytes), redactor, timing);
      runBytes += keptBytes;
      return captured;
    },
    close: () => {
      for (const { socket } of kept.values()) socket.destroy();
      kept.clear();
    },
  };
}

const BEYOND_LATIN_1 = /[^\0-\xff]/;

/** A text takes a byte for each character, or two if any of them is beyond Latin-1. */
function memoryOf(body: Bytes): number {
  if ('base64' in body) return body.base64.length;
  return BEYOND_LATIN_1.test(body.text) ? 2 * body.text.length : body.text.length;
}

/** Undoes the content coding. Where it cannot be undone, the status and the headers are an answer all the same. */
async function decode(answer: ReceivedAnswer, maxBodyBytes: number): Promise<ReceivedAnswer> {
  const { response } = answer;
  if (response.bodyProblem !== null) return answer;
  // Several headers of a name are one list (RFC 9110, section 5.3).
  const codings = headerValues(response.headers, 'content-encoding').join(', ');
  const decoded = await decodeContent(response.body, codings, maxBodyBytes);
  const read =
    'failure' in decoded
      ? // Kept as they are, packed bytes could hold a secret that nobody would find in them.
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

async function ask(
  planned: PlannedRequest,
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
    return await overConnection(planned, headers, options, kept, ending.signal, stopwatch);
  } catch (error) {
    const failure = error instanceof FailedExchange ? error.failure : transportFailure(error);
    const { longestMs, totalMs } = timer.heldUp();
    const isOurs = longestMs >= minSuspensionMs(timeoutMs) && mayComeOfSuspension(failure);
    return { kind: 'failed', failure: isOurs ? clientSuspended(totalMs) : failure };
  } finally {
    timer.stop();
    options.signal.removeEventListener('abort', onInterrupt);
  }
}

async function overConnection(
  planned: PlannedRequest,
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
  const send = async ({ socket, tls }: KeptConnection, reused: boolean): Promise<Answer> => {
    let keep = false;
    try {
      const response = await sendRequest(socket, request, bounds, signal, stopwatch);
      keep = planned.connection !== null && staysOpen(response) && !socket.destroyed;
      if (keep && planned.connection !== null) kept.set(planned.connection, { socket, tls });
      return { kind: 'received', response, connection: { reused, tls } };
    } finally {
      if (!keep) socket.destroy();
    }
  };
  const earlier = planned.connection === null ? undefined : kept.get(planned.connection);
  if (earlier !== undefined && planned.connection !== null) kept.delete(planned.connection);
  // What is closed already says nothing any more: to wait for it would be to wait for the time-out.
  if (earlier !== undefined && !earlier.socket.destroyed) {
    try {
      stopwatch.waitFor('answer');
      return await send(earlier, true);
    } catch (error) {
      // A server may close an idle connection whenever it likes, also while the next request is on its way.
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
 * After a suspension as long as this part of the time-out, a peer or the network may well have given up. Many short
 * hold-ups do no such harm: the time-out leaves them out.
 */
const SUSPENDED_SHARE = 0.5;
/** Shorter ones are common where other work needs the CPU, and nobody gives up for them. */
const MIN_SUSPENSION_MS = 1000;

function minSuspensionMs(timeoutMs: number): number {
  return Math.max(MIN_SUSPENSION_MS, timeoutMs * SUSPENDED_SHARE);
}

const COMES_OF_WAITING: ReadonlySet<TransportFailureCode> = new Set([
  'timeout',
  'tls-timeout',
  'slow-upload',
  'connection-reset',
  'closed-early',
]);

function mayComeOfSuspension({ code, fault }: TransportFailure): boolean {
  return fault === 'network' || COMES_OF_WAITING.has(code);
}

function clientSuspended(heldUpMs: number): TransportFailure {
  return {
    code: 'client-suspended',
    fault: 'harness',
    message: `this client was suspended, or had no CPU time, for ${(heldUpMs / 1000).toFixed(1)} s of the time that it waited`,
  };
}

/** A body of which the network still took a part in the last while is on its way, however slowly. */
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
      message: `the connection was opened, but the TLS handshake was not over within ${seconds}`,
    };
  if (stage === 'connection')
    return { code: 'connect-timeout', fault: 'network', message: `no connection within ${seconds}` };
  const isOnItsWay = sent !== null && sent.bytes < bodyBytes && sent.atMs > timeoutMs * STALLED_SHARE;
  if (isOnItsWay && firstByteMs === null)
    return {
      code: 'slow-upload',
      fault: 'harness',
      message: `only ${sent.bytes} of the request’s ${bodyBytes} bytes could be sent within ${seconds}`,
    };
  const what = firstByteMs === null ? 'no answer' : 'the answer was not complete';
  return { code: 'timeout', fault: 'server', message: `${what} within ${seconds}` };
}

function runBytesSpent(maxBytes: number): TransportFailure {
  return {
    code: 'run-bytes-spent',
    fault: 'harness',
    message: `the answers of this run are larger than the harness keeps (${maxBytes} bytes)`,
  };
}
