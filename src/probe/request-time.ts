// How far a request has come, and what it means that its time is over.
import type { TransportFailure, TransportFailureCode } from '../model/exchange.ts';
import type { Clock } from '../model/probe.ts';

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

export type Stopwatch = ReturnType<typeof startStopwatch>;

export function startStopwatch(clock: Clock) {
  const startMs = clock.monotonicMs();
  let stage: Stage = 'connection';
  let connectMs: number | null = null;
  let firstByteMs: number | null = null;
  let sent: Progress['sent'] = null;
  const elapsedMs = (): number => Math.round((clock.monotonicMs() - startMs) * 1000) / 1000;
  return {
    elapsedMs,
    waitFor: (next: Stage): void => {
      stage = next;
    },
    connected: (): void => {
      stage = 'answer';
      connectMs ??= elapsedMs();
    },
    firstByte: (): void => {
      firstByteMs ??= elapsedMs();
    },
    bodyBytesSent: (count: number): void => {
      sent = { bytes: count, atMs: elapsedMs() };
    },
    progress: (): Progress => ({ stage, connectMs, firstByteMs, sent }),
  };
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

/** Whether a failure may only show that this client did not run for `longestMs` of the time-out. */
export function mayResultFromSuspension(
  { code, fault }: TransportFailure,
  longestMs: number,
  timeoutMs: number,
): boolean {
  return (
    longestMs >= Math.max(MIN_SUSPENSION_MS, timeoutMs * SUSPENDED_SHARE) &&
    (fault === 'network' || CAUSED_BY_WAITING.has(code))
  );
}

export function clientSuspended(heldUpMs: number): TransportFailure {
  return {
    code: 'client-suspended',
    fault: 'harness',
    message: `this client was suspended, or had no CPU time, for ${(heldUpMs / 1000).toFixed(1)} s while it waited`,
  };
}

/** An upload that still progressed in this last share of the time-out is slow, not stalled. */
const STALLED_SHARE = 0.5;

export function timedOut(
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
