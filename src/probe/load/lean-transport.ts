import type { Socket } from 'node:net';
import type { LoadRequest } from '../../model/load.ts';
import type {
  LoadConnection,
  LoadFailure,
  LoadListener,
  LoadTransport,
  TransportOptions,
} from '../../model/load-transport.ts';
import { openConnection } from '../connector.ts';
import { transportFailure } from '../transport-failure.ts';
import { createAnswerStream, type KnownHeads, type StreamedAnswer } from '../wire/answer-stream.ts';
import type { WireLimits } from '../wire/response-parser.ts';
import { requestBytes } from './request-bytes.ts';

/** For the answers to a load. */
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

/** Servers that close connections for want of use wait for longer than this. */
const IDLE_MS = 500;

const connectTimeout = new Error('no connection in time');
const CONNECT_TIMEOUT: LoadFailure = {
  code: 'connect-timeout',
  message: 'no connection could be opened in time',
};

/**
 * Carries a load straight over sockets: requests are bytes that were made beforehand, answers are read with our own strict
 * parser, and nothing stands in between that would take time of its own.
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
  /** The place of the request under way; -1 when there is none. */
  let waiting = -1;
  /** An answer came over this connection before: then it may be closed for no other reason than its age. */
  let used = false;
  let touched = false;
  let answeredMs = 0;
  let sentMs = 0;

  const close = (): void => {
    opening?.abort(new Error('given up'));
    opening = null;
    const closing = socket;
    socket = null;
    used = false;
    closing?.destroy();
  };

  const fail = (failure: LoadFailure): void => {
    const told = waiting !== -1;
    waiting = -1;
    close();
    if (told) listener.onFailure(failure);
  };

  const take = (answer: StreamedAnswer | null, atMs: number): void => {
    if (answer === null) return;
    if (waiting === -1) {
      // Bytes that nobody asked for end the connection; without a request there is nobody to tell.
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

  const onBytes = (chunk: Buffer): void => {
    touched = true;
    // To read them is our own time, not the target's.
    const atMs = performance.now();
    take(stream.push(chunk), atMs);
  };

  /** An end in good order, or any after a while of silence, may have been on its way before the request was. */
  const mayBeOfAge = (error: Error | null): boolean =>
    used && !touched && (error === null || sentMs - answeredMs >= IDLE_MS);

  const onGone = (from: Socket, error: Error | null): void => {
    if (from !== socket) return;
    if (waiting === -1) {
      close();
    } else if (mayBeOfAge(error) && requests[waiting]?.method === 'GET') {
      // Closed for its age while the request was on its way: a client sends a read again, and so it was never answered.
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
              onBytes(readBuffer.subarray(0, count));
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
      if (opened.tls !== null) own.on('data', onBytes);
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
    send: (index) => {
      waiting = index;
      sentMs = performance.now();
      write(index);
    },
    drop: () => {
      waiting = -1;
      close();
    },
  };
}
