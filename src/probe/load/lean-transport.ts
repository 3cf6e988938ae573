import type { Socket } from 'node:net';
import type {
  LoadConnection,
  LoadFailure,
  LoadListener,
  LoadRequest,
  LoadTransport,
  TransportOptions,
} from '../../model/load.ts';
import { openConnection } from '../connector.ts';
import { transportFailure } from '../transport-failure.ts';
import { createAnswerStream, type KnownHeads, type StreamedAnswer } from '../wire/answer-stream.ts';
import { headOf } from '../wire/send-request.ts';
import type { WireLimits } from '../wire/wire-response.ts';

/** Limits for the answers to a load. */
export const LIMITS: WireLimits = {
  maxHeaderBytes: 64 * 1024,
  maxHeaderCount: 1000,
  maxInformational: 16,
  maxBodyBytes: 16 * 1024 * 1024,
};

const READ_BYTES = 64 * 1024;

const CLOSED: StreamedAnswer = {
  kind: 'bad',
  code: 'closed-early',
  message: 'the connection was closed without an answer',
};

/** Servers close idle connections after a longer time than this. */
const IDLE_MS = 500;

const connectTimeout = new Error('no connection in time');
const CONNECT_TIMEOUT: LoadFailure = {
  code: 'connect-timeout',
  message: 'no connection could be opened in time',
};

/**
 * Sends a load directly over sockets, with the least possible overhead: requests are prebuilt bytes, and the strict
 * parser reads the answers.
 */
export function createLeanTransport(options: TransportOptions): LoadTransport {
  const known = new Map<readonly LoadRequest[], { bytes: readonly Buffer[]; heads: KnownHeads }>();
  return {
    name: 'lean',
    connect: (requests, listener) => {
      const prepared = known.get(requests) ?? { bytes: requests.map(requestBytes), heads: [] };
      known.set(requests, prepared);
      return connection(requests, prepared.bytes, prepared.heads, listener, options);
    },
  };
}

function connection(
  requests: readonly LoadRequest[],
  bytes: readonly Buffer[],
  heads: KnownHeads,
  listener: LoadListener,
  options: TransportOptions,
): LoadConnection {
  const methods = requests.map(({ method }) => method);
  const stream = createAnswerStream(methods, LIMITS, heads);
  const url = new URL(requests[0]?.url ?? '');
  const readBuffer = Buffer.allocUnsafe(READ_BYTES);
  let socket: Socket | null = null;
  let opening: AbortController | null = null;
  /** Index of the request in flight; -1 if there is none. */
  let waiting = -1;
  /** The connection has delivered an answer, so the server may close it because it is idle. */
  let used = false;
  let touched = false;
  let answeredMs = 0;
  let sentMs = 0;

  const close = (): void => {
    opening?.abort(new Error('cancelled'));
    opening = null;
    const closing = socket;
    socket = null;
    used = false;
    closing?.destroy();
  };

  const fail = (failure: LoadFailure): void => {
    const wasWaiting = waiting !== -1;
    waiting = -1;
    close();
    if (wasWaiting) listener.onFailure(failure);
  };

  const take = (answer: StreamedAnswer | null, atMs: number): void => {
    if (answer === null) return;
    if (waiting === -1) {
      // Unrequested bytes close the connection; without a request, the listener is not called.
      close();
    } else if (answer.kind === 'bad') {
      fail({ code: answer.code, message: answer.message });
    } else {
      waiting = -1;
      used = true;
      answeredMs = atMs;
      if (!answer.reusable) close();
      listener.onAnswer(answer.status, atMs);
    }
  };

  const onBytes = (bytes: Buffer, length: number): void => {
    touched = true;
    // Taken before parsing, because parsing time is the client's, not the target's.
    const atMs = performance.now();
    take(stream.push(bytes, length), atMs);
  };

  /** A normal close, or any close after a silence, may have started before the request was sent. */
  const mayBeIdleClose = (error: Error | null): boolean =>
    used && !touched && (error === null || sentMs - answeredMs >= IDLE_MS);

  const onGone = (from: Socket, error: Error | null): void => {
    if (from !== socket) return;
    if (waiting === -1) {
      close();
    } else if (mayBeIdleClose(error) && requests[waiting]?.method === 'GET') {
      // The server closed the idle connection while the request was in transit. A client repeats a read then.
      close();
      write(waiting);
    } else if (error !== null) {
      fail(transportFailure(error));
    } else {
      const ended = stream.end();
      close();
      take(ended ?? CLOSED, performance.now());
    }
  };

  const connect = async (): Promise<void> => {
    if (socket !== null || opening !== null) return;
    const control = new AbortController();
    opening = control;
    const timer = setTimeout(() => control.abort(connectTimeout), options.timeoutMs);
    try {
      const opened = await openConnection(
        url,
        {
          timeoutMs: options.timeoutMs,
          publicOnly: options.publicOnly,
          ca: options.ca,
          onread: {
            buffer: readBuffer,
            callback: (count) => {
              // Without a view of these bytes: to make one takes longer than to read a known answer.
              onBytes(readBuffer, count);
              return true;
            },
          },
        },
        control.signal,
      );
      if (opening !== control) return void opened.socket.destroy();
      const own = opened.socket;
      socket = own;
      opening = null;
      if (opened.tls !== null) own.on('data', (chunk: Buffer) => onBytes(chunk, chunk.length));
      own.on('error', (error) => onGone(own, error));
      own.on('end', () => onGone(own, null));
      own.on('close', () => onGone(own, null));
      own.resume();
      if (waiting !== -1) write(waiting);
    } catch (error) {
      if (opening !== control) return;
      opening = null;
      if (waiting !== -1) fail(error === connectTimeout ? CONNECT_TIMEOUT : transportFailure(error));
    } finally {
      clearTimeout(timer);
    }
  };

  const write = (index: number): void => {
    touched = false;
    if (socket === null) return void connect();
    stream.expect(index);
    const request = bytes[index];
    if (request !== undefined) socket.write(request);
  };

  return {
    open: connect,
    send: (index, nowMs) => {
      waiting = index;
      sentMs = nowMs;
      write(index);
    },
    drop: () => {
      waiting = -1;
      close();
    },
  };
}

/** The bytes of a request on the wire, built once and sent many times. */
export function requestBytes({ method, url, headers, body }: LoadRequest): Buffer {
  const head = headOf({ method, url: new URL(url), headers, body, keepAlive: true });
  return body === null ? head : Buffer.concat([head, body]);
}
