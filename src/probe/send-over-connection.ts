import { type Header, isEventStream, type StreamEnd } from '../model/exchange.ts';
import type { PlannedHttp } from '../model/probe.ts';
import { bytesOf } from '../model/sent.ts';
import type { ReceivedAnswer } from './capture.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { type OpenConnection, openConnection } from './connector.ts';
import type { Stopwatch } from './request-time.ts';
import { staysOpen } from './wire/answer-stream.ts';
import { sendRequest } from './wire/send-request.ts';
import type { WireLimits } from './wire/wire-response.ts';

export interface ConnectionOptions {
  readonly bounds: WireLimits;
  /** Connect only to public addresses. */
  readonly publicOnly: boolean;
  /** Trusted authorities as PEM; null: those that Node.js trusts. */
  readonly ca: string | null;
  /**
   * Sends the requests instead of connections that the probe opens; it has a separate guard and separate authorities.
   */
  readonly pool?: ConnectionPool;
}

/** Sends over the pool, over a connection that was kept under the name that the request gives, or over a new one. */
export async function sendOverConnection(
  planned: PlannedHttp,
  headers: readonly Header[],
  { bounds, publicOnly, ca, pool }: ConnectionOptions,
  kept: Map<string, OpenConnection>,
  signal: AbortSignal,
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
