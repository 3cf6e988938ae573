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
import {
  type AnswerStream,
  createAnswerStream,
  type KnownHeads,
  type StreamedAnswer,
} from '../wire/answer-stream.ts';
import { headOf } from '../wire/send-request.ts';
import type { WireLimits } from '../wire/wire-response.ts';

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
  const known = new Map<readonly LoadRequest[], Prepared>();
  return {
    name: 'lean',
    connect: (requests, listener) => {
      const prepared = known.get(requests) ?? { bytes: requests.map(requestBytes), heads: [] };
      known.set(requests, prepared);
      return new LeanConnection(requests, prepared, listener, options);
    },
  };
}

/** The requests as bytes, and the heads of their answers that were parsed before. */
interface Prepared {
  readonly bytes: readonly Buffer[];
  readonly heads: KnownHeads;
}

class LeanConnection implements LoadConnection {
  readonly #requests: readonly LoadRequest[];
  readonly #bytes: readonly Buffer[];
  readonly #listener: LoadListener;
  readonly #options: TransportOptions;
  readonly #stream: AnswerStream;
  readonly #readBuffer = Buffer.allocUnsafe(READ_BYTES);
  #socket: Socket | null = null;
  #opening: AbortController | null = null;
  /** Index of the request in flight; -1 if there is none. */
  #waiting = -1;
  /** The connection has delivered an answer, so the server may close it because it is idle. */
  #used = false;
  #touched = false;
  #answeredMs = 0;
  #sentMs = 0;

  constructor(
    requests: readonly LoadRequest[],
    { bytes, heads }: Prepared,
    listener: LoadListener,
    options: TransportOptions,
  ) {
    this.#requests = requests;
    this.#bytes = bytes;
    this.#listener = listener;
    this.#options = options;
    const methods = requests.map(({ method }) => method);
    this.#stream = createAnswerStream(methods, LIMITS, heads);
  }

  async open(): Promise<void> {
    if (this.#socket !== null || this.#opening !== null) return;
    const control = new AbortController();
    this.#opening = control;
    const timer = setTimeout(() => control.abort(connectTimeout), this.#options.timeoutMs);
    try {
      const opened = await this.#connect(control.signal);
      if (this.#opening !== control) return void opened.socket.destroy();
      const own = opened.socket;
      this.#socket = own;
      this.#opening = null;
      if (opened.tls !== null) own.on('data', (chunk: Buffer) => this.#onBytes(chunk, chunk.length));
      own.on('error', (error) => this.#onGone(own, error));
      own.on('end', () => this.#onGone(own, null));
      own.on('close', () => this.#onGone(own, null));
      own.resume();
      if (this.#waiting !== -1) this.#write(this.#waiting);
    } catch (error) {
      if (this.#opening !== control) return;
      this.#opening = null;
      const failure = error === connectTimeout ? CONNECT_TIMEOUT : transportFailure(error);
      if (this.#waiting !== -1) this.#fail(failure);
    } finally {
      clearTimeout(timer);
    }
  }

  send(index: number, nowMs: number): void {
    this.#waiting = index;
    this.#sentMs = nowMs;
    this.#write(index);
  }

  drop(): void {
    this.#waiting = -1;
    this.#close();
  }

  #connect(signal: AbortSignal): ReturnType<typeof openConnection> {
    const { timeoutMs, publicOnly, ca } = this.#options;
    const onread = {
      buffer: this.#readBuffer,
      callback: (count: number) => {
        // Without a view of these bytes: to make one takes longer than to read a known answer.
        this.#onBytes(this.#readBuffer, count);
        return true;
      },
    };
    const url = new URL(this.#requests[0]?.url ?? '');
    return openConnection(url, { timeoutMs, publicOnly, ca, onread }, signal);
  }

  #write(index: number): void {
    this.#touched = false;
    if (this.#socket === null) return void this.open();
    this.#stream.expect(index);
    const request = this.#bytes[index];
    if (request !== undefined) this.#socket.write(request);
  }

  #onBytes(bytes: Buffer, length: number): void {
    this.#touched = true;
    // Taken before parsing, because parsing time is the client's, not the target's.
    const atMs = performance.now();
    this.#take(this.#stream.push(bytes, length), atMs);
  }

  #take(answer: StreamedAnswer | null, atMs: number): void {
    if (answer === null) return;
    if (this.#waiting === -1) {
      // Unrequested bytes close the connection; without a request, the listener is not called.
      this.#close();
    } else if (answer.kind === 'bad') {
      this.#fail({ code: answer.code, message: answer.message });
    } else {
      this.#waiting = -1;
      this.#used = true;
      this.#answeredMs = atMs;
      if (!answer.reusable) this.#close();
      this.#listener.onAnswer(answer.status, atMs);
    }
  }

  #onGone(from: Socket, error: Error | null): void {
    if (from !== this.#socket) return;
    if (this.#waiting === -1) {
      this.#close();
    } else if (this.#mayBeIdleClose(error) && this.#requests[this.#waiting]?.method === 'GET') {
      // The server closed the idle connection while the request was in transit. A client repeats a read then.
      this.#close();
      this.#write(this.#waiting);
    } else if (error !== null) {
      this.#fail(transportFailure(error));
    } else {
      const ended = this.#stream.end();
      this.#close();
      this.#take(ended ?? CLOSED, performance.now());
    }
  }

  /** A normal close, or any close after a silence, may have started before the request was sent. */
  #mayBeIdleClose(error: Error | null): boolean {
    const wasSilent = this.#sentMs - this.#answeredMs >= IDLE_MS;
    return this.#used && !this.#touched && (error === null || wasSilent);
  }

  #fail(failure: LoadFailure): void {
    const wasWaiting = this.#waiting !== -1;
    this.#waiting = -1;
    this.#close();
    if (wasWaiting) this.#listener.onFailure(failure);
  }

  #close(): void {
    this.#opening?.abort(new Error('cancelled'));
    this.#opening = null;
    const closing = this.#socket;
    this.#socket = null;
    this.#used = false;
    closing?.destroy();
  }
}

/** The bytes of a request on the wire, built once and sent many times. */
export function requestBytes({ method, url, headers, body }: LoadRequest): Buffer {
  const head = headOf({ method, url: new URL(url), headers, body, keepAlive: true });
  return body === null ? head : Buffer.concat([head, body]);
}
