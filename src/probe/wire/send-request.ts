import type { Socket } from 'node:net';
import { type Header, headerValue, isEventStream, type TransportFailure } from '../../model/exchange.ts';
import type { EventWatch } from '../../model/probe.ts';
import { FIELD_NAME } from '../../model/sent.ts';
import type { EndSignal } from './ending.ts';
import { ResponseParser } from './response-parser.ts';
import type { WireLimits, WireResponse, WireState } from './wire-response.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | null;
  /** Close the connection after this many bytes of the body, although Content-Length announces all of it. */
  readonly abortAfterBytes?: number | null;
  /** Keep the connection open for another request. */
  readonly keepAlive?: boolean;
  /** The protocol to upgrade to. */
  readonly upgrade?: string | null;
}

export interface WireWatch {
  firstByte(): void;
  bodyBytesSent(count: number): void;
  /** Ends the reading of an event stream. */
  readonly events?: EventWatch | undefined;
}

/** For the server to close an event stream after what was awaited. */
const CLOSING_MS = 1000;

export class FailedExchange extends Error {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * Sends a request over an open connection and reads the answer with the strict parser, from the received bytes alone.
 * It leaves the connection open; the caller closes or keeps it.
 */
export function sendRequest(
  socket: Socket,
  request: WireRequest,
  limits: WireLimits,
  signal: EndSignal,
  watch: WireWatch,
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    let closing: NodeJS.Timeout | undefined;
    const { events } = watch;
    const onPart = (part: Buffer, headers: readonly Header[]): void => {
      if (isEventStream(headers) && events?.push(part) === true) closing ??= setTimeout(cut, CLOSING_MS);
    };
    const parser = new ResponseParser(
      request.method,
      limits,
      (request.upgrade ?? null) !== null,
      events === undefined ? null : onPart,
    );
    const finish = (): void => {
      clearTimeout(closing);
      signal.removeEventListener('abort', onAbort);
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener);
      // Later errors of a connection that is no longer used are ignored. One that is used again has the listener.
      if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
      socket.pause();
    };
    const fail = (error: unknown): void => {
      finish();
      reject(error);
    };
    /** What has arrived of an event stream is an answer, even if the server never ends it. */
    const cut = (): boolean => {
      const response = events === undefined ? null : parser.cut();
      if (response === null || !isEventStream(response.headers)) return false;
      finish();
      resolve(response);
      return true;
    };
    const onAbort = (): void => {
      const isTimeout = signal.reason instanceof FailedExchange && signal.reason.failure.code === 'timeout';
      if (!isTimeout || !cut()) fail(signal.reason);
    };
    const take = (state: WireState): void => {
      if (state.kind === 'complete') {
        finish();
        resolve(state.response);
      } else if (state.kind === 'violation' && state.of === 'end' && closing !== undefined) cut();
      else if (state.kind !== 'incomplete') fail(new FailedExchange(failureOf(state)));
    };
    const listeners = {
      data: (chunk: Buffer): void => {
        watch.firstByte();
        const state = parser.push(chunk);
        if (events?.endsWithHead === true && state.kind === 'incomplete' && cut()) return;
        take(state);
      },
      end: (): void => take(parser.end()),
      error: fail,
      close: (): void => take(parser.end()),
    };
    if (signal.aborted) return reject(signal.reason);
    const unsendable = request.headers.find(
      ([name, value]) => !FIELD_NAME.test(name) || !FIELD_VALUE.test(value),
    );
    if (unsendable !== undefined) return reject(refused(unsendable[0]));
    signal.addEventListener('abort', onAbort, { once: true });
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
    socket.resume();
    const { body, abortAfterBytes = null } = request;
    // Head and body leave together, which costs both sides less than two packets.
    socket.cork();
    socket.write(headOf(request));
    if (body !== null && abortAfterBytes === null) writeInPieces(socket, body, watch.bodyBytesSent);
    if (body !== null && abortAfterBytes !== null)
      socket.write(body.subarray(0, abortAfterBytes), () => setImmediate(() => fail(intentionalAbort)));
    socket.uncork();
  });
}

function ignore(): void {
  // Nobody waits for an answer.
}

const PIECE_BYTES = 64 * 1024;

/** Writes in pieces, to observe the progress of a large upload. */
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

const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A value may come from a target. A line break in it would start another header or another request. */
function refused(name: string): FailedExchange {
  const message = `the header ${JSON.stringify(name)} contains a character that headers cannot contain: the request was not sent`;
  return new FailedExchange({ code: 'request-refused', fault: 'harness', message });
}

const intentionalAbort = new FailedExchange({
  code: 'aborted-on-purpose',
  fault: 'harness',
  message: 'the harness cut off the request intentionally',
});

const VIOLATION_CODES = {
  syntax: 'invalid-http',
  'chunk-line': 'bare-lf-in-chunks',
  end: 'closed-early',
} as const;

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

export function headOf({ method, url, headers, body, keepAlive, upgrade = null }: WireRequest): Buffer {
  const withoutUpgrade = keepAlive ? 'keep-alive' : 'close';
  const own: readonly Header[] = [
    // A check may ask as somebody does who was sent to another name.
    ['host', headerValue(headers, 'host') ?? url.host],
    ['connection', upgrade === null ? withoutUpgrade : 'Upgrade'],
    ...(upgrade === null ? [] : ([['upgrade', upgrade]] as const)),
    ...headers.filter(([name]) => name !== 'host'),
    ...(body === null ? [] : ([['content-length', String(body.byteLength)]] as const)),
  ];
  const lines = own.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines}\r\n`, 'latin1');
}
