import type { Socket } from 'node:net';
import type { Header, TransportFailure } from '../../model/exchange.ts';
import {
  createResponseParser,
  type WireLimits,
  type WireResponse,
  type WireState,
} from './response-parser.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | null;
  /** Go away after so many bytes of the body, which is announced whole. */
  readonly abortAfterBytes: number | null;
  /** Let the connection stay open for another request. */
  readonly keepAlive: boolean;
  /** The protocol that the request asks to change to. */
  readonly upgrade: string | null;
}

/** Told how a request gets on. */
export interface WireWatch {
  firstByte(): void;
  bodyBytesSent(count: number): void;
  /** Is given the body as it comes, which is not kept then. */
  readonly onBody?: (part: Buffer) => void;
}

/** Thrown for a failure that is already in the words of an exchange. */
export class FailedExchange extends Error {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * Sends a request over an open connection and reads the answer to it with the strict parser: nothing decides what an
 * answer is but the bytes that came. Rejects with a FailedExchange, with the error of the socket, or with the signal's
 * reason. Leaves the connection as it is; the caller closes it or keeps it.
 */
export function sendRequest(
  socket: Socket,
  request: WireRequest,
  limits: WireLimits,
  signal: AbortSignal,
  watch: WireWatch,
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const parser = createResponseParser(
      request.method,
      limits,
      request.upgrade !== null,
      watch.onBody ?? null,
    );
    const finish = (): void => {
      signal.removeEventListener('abort', onAbort);
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener);
      // Later errors of a connection that has served its purpose are nobody's.
      socket.on('error', () => undefined);
      socket.pause();
    };
    const fail = (error: unknown): void => {
      finish();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    const take = (state: WireState): void => {
      if (state.kind === 'complete') {
        finish();
        resolve(state.response);
      } else if (state.kind !== 'incomplete') fail(new FailedExchange(failureOf(state)));
    };
    const listeners = {
      data: (chunk: Buffer): void => {
        watch.firstByte();
        take(parser.push(chunk));
      },
      end: (): void => take(parser.end()),
      error: fail,
      close: (): void => take(parser.end()),
    };
    if (signal.aborted) return reject(signal.reason);
    const unsendable = request.headers.find(([name, value]) => !TOKEN.test(name) || !FIELD_VALUE.test(value));
    if (unsendable !== undefined) return reject(refused(unsendable[0]));
    signal.addEventListener('abort', onAbort, { once: true });
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
    socket.resume();
    socket.write(headOf(request));
    const { body, abortAfterBytes } = request;
    if (body === null) return;
    if (abortAfterBytes === null) return writeInPieces(socket, body, watch.bodyBytesSent);
    socket.write(body.subarray(0, abortAfterBytes), () => setImmediate(() => fail(abortedOnPurpose)));
  });
}

const PIECE_BYTES = 64 * 1024;

/** Piece by piece, so that it can be told whether a large body is still on its way. */
function writeInPieces(socket: Socket, body: Uint8Array, onSent: (count: number) => void): void {
  const writeFrom = (start: number): void => {
    const end = Math.min(start + PIECE_BYTES, body.byteLength);
    socket.write(body.subarray(start, end), (error) => {
      if (error) return;
      onSent(end);
      if (end < body.byteLength && !socket.destroyed) writeFrom(end);
    });
  };
  writeFrom(0);
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A line break in a value, which may come from a target, would start another header or another request. */
function refused(name: string): FailedExchange {
  const message = `the header ${JSON.stringify(name)} holds what no header can carry: the request was not sent`;
  return new FailedExchange({ code: 'request-refused', fault: 'harness', message });
}

const abortedOnPurpose = new FailedExchange({
  code: 'aborted-on-purpose',
  fault: 'harness',
  message: 'the request was cut off on purpose',
});

const VIOLATION_CODES = {
  syntax: 'invalid-http',
  'chunk-line': 'bare-lf-in-chunks',
  end: 'closed-early',
} as const;

/** What the parser refuses, in the words of an exchange. */
export function failureOf(
  state: Extract<WireState, { readonly kind: 'violation' | 'limit' }>,
): TransportFailure {
  if (state.kind === 'violation') {
    return {
      code: VIOLATION_CODES[state.of],
      fault: 'server',
      message: `the answer breaks HTTP/1.1: ${state.message}`,
    };
  }
  const code = state.of === 'body' ? 'body-too-large' : 'headers-too-large';
  return { code, fault: 'harness', message: `the answer is more than the harness reads: ${state.message}` };
}

/** The request line and the headers, as bytes. */
export function headOf({ method, url, headers, body, keepAlive, upgrade }: WireRequest): Buffer {
  const unlessUpgrading = keepAlive ? 'keep-alive' : 'close';
  const own: readonly Header[] = [
    ['host', url.host],
    ['connection', upgrade === null ? unlessUpgrading : 'Upgrade'],
    ...(upgrade === null ? [] : ([['upgrade', upgrade]] as const)),
    ...headers,
    ...(body === null ? [] : ([['content-length', String(body.byteLength)]] as const)),
  ];
  const lines = own.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines}\r\n`, 'latin1');
}
