import type { Header, TransportFailure } from '../../model/exchange.ts';
import { createByteCollector } from './byte-collector.ts';
import { addField, bareLfIn, LineReader, readChunkSize, readStatusLine } from './response-lines.ts';
import {
  endedEarly,
  framingOf,
  limit,
  Stop,
  violation,
  type WireLimits,
  type WireResponse,
  type WireState,
} from './wire-response.ts';

/** What is read next, in the words for a response that ends there. */
const WORDS = {
  'status-line': 'status line',
  headers: 'headers',
  'sized-body': 'body: it is shorter than Content-Length says',
  'body-until-close': 'body',
  'chunk-size': 'chunked body',
  'chunk-data': 'chunked body',
  'chunk-end': 'chunked body',
  trailers: 'trailers',
  done: 'answer',
} as const;

type Phase = keyof typeof WORDS;

const HTTP = 'HTTP/1.';
const SWITCHING_PROTOCOLS = 101;
const WITHOUT_BODY = new Set([204, 304]);

/**
 * A strict HTTP/1.1 response parser. The bytes may be split anywhere. Takes linear time. Instead of undici, because a
 * check judges the bytes as they came: undici gives neither the head nor the body of an answer that breaks the protocol,
 * and tolerates some that do.
 */
export class ResponseParser {
  readonly #method: string;
  readonly #limits: WireLimits;
  readonly #upgrading: boolean;
  readonly #onPart: ((part: Buffer, headers: readonly Header[]) => void) | null;
  readonly #lines: LineReader;
  readonly #body = createByteCollector();
  readonly #oddities = new Set<string>();
  readonly #trailers: Header[] = [];
  #phase: Phase = 'status-line';
  #outcome: WireState = { kind: 'incomplete' };
  #version = '';
  #status = 0;
  #headers: Header[] = [];
  #informational = 0;
  #bodyProblem: TransportFailure | null = null;
  #remaining = 0;

  /**
   * `upgrading`: the request asked for another protocol. Then 101 is an answer too, and every answer ends with its head:
   * what follows is the other protocol, or the body of a refusal.
   *
   * `onPart`: sees the parts of the body, with the headers.
   */
  constructor(
    method: string,
    limits: WireLimits,
    upgrading = false,
    onPart: ((part: Buffer, headers: readonly Header[]) => void) | null = null,
  ) {
    this.#method = method;
    this.#limits = limits;
    this.#upgrading = upgrading;
    this.#onPart = onPart;
    this.#lines = new LineReader(limits);
  }

  push(chunk: Buffer): WireState {
    if (this.#outcome.kind === 'complete' && chunk.length > 0 && this.#mayBeExcess())
      this.#outcome = withExcess(this.#outcome.response);
    return this.#guarded(() => this.#consume(chunk));
  }

  /** Called when the server closed the connection normally. */
  end(): WireState {
    return this.#guarded(() => {
      if (this.#phase === 'body-until-close') return this.#complete(0);
      if (this.#phase === 'status-line' && !this.#lines.hasBegun)
        throw endedEarly('the connection was closed without an answer');
      const rest = this.#lines.begun();
      // A response that is not HTTP, such as a TLS alert, need not contain line breaks.
      if (this.#phase === 'status-line' && !rest.startsWith(HTTP.slice(0, rest.length)))
        this.#onStatusLine(rest);
      throw endedEarly(`the connection was closed in the middle of the ${WORDS[this.#phase]}`);
    });
  }

  /** The response as far as its body has arrived; null before the end of its head. */
  cut(): WireResponse | null {
    return this.#phase === 'status-line' || this.#phase === 'headers' ? null : this.#responseOf(true);
  }

  #takeBody(part: Buffer): void {
    if (this.#body.length() + part.length > this.#limits.maxBodyBytes)
      throw limit('body', `the body is larger than ${this.#limits.maxBodyBytes} bytes`);
    this.#body.add(part);
    this.#onPart?.(part, this.#headers);
  }

  #onStatusLine(text: string): void {
    ({ version: this.#version, status: this.#status } = readStatusLine(text));
    this.#phase = 'headers';
  }

  #onField(text: string, into: Header[]): void {
    const oddity = addField(into, text, this.#limits.maxHeaderCount);
    if (oddity !== null) this.#oddities.add(oddity);
  }

  #onHeadersEnd(): void {
    if (this.#upgrading && (this.#status === SWITCHING_PROTOCOLS || this.#status >= 200)) {
      this.#phase = 'done';
      return;
    }
    if (this.#status === SWITCHING_PROTOCOLS)
      throw violation('101 Switching Protocols, which was not requested');
    if (this.#status < 200) {
      this.#informational += 1;
      if (this.#informational > this.#limits.maxInformational)
        throw limit('head', `more than ${this.#limits.maxInformational} informational responses`);
      this.#headers = [];
      this.#phase = 'status-line';
      return;
    }
    const framing = framingOf(this.#headers, this.#version);
    if (this.#method === 'HEAD' || WITHOUT_BODY.has(this.#status) || framing === 0) this.#phase = 'done';
    else if (typeof framing === 'object') {
      // The body cannot be read with this framing; the status and the headers are the answer.
      this.#bodyProblem = framing.problem;
      this.#phase = 'done';
    } else if (framing === 'chunked') this.#phase = 'chunk-size';
    else if (framing === 'close') this.#phase = 'body-until-close';
    else {
      // The declared length is not checked against the limit, because the actual body may be smaller.
      this.#remaining = framing;
      this.#phase = 'sized-body';
    }
  }

  #onLine(text: string): void {
    switch (this.#phase) {
      case 'status-line':
        // RFC 9112, section 2.2: clients should ignore an empty line before the status line.
        if (text !== '') this.#onStatusLine(text);
        break;
      case 'headers':
        if (text === '') this.#onHeadersEnd();
        else this.#onField(text, this.#headers);
        break;
      case 'chunk-size':
        this.#remaining = readChunkSize(text);
        this.#phase = this.#remaining === 0 ? 'trailers' : 'chunk-data';
        break;
      case 'chunk-end':
        if (text !== '') throw violation('a chunk is longer than its size says');
        this.#phase = 'chunk-size';
        break;
      default:
        if (text === '') this.#phase = 'done';
        else this.#onField(text, this.#trailers);
    }
  }

  /** Reads a line, or a part of it, from the chunk; returns the position after it. */
  #takeLine(chunk: Buffer, from: number): number {
    const to = this.#lines.take(chunk, from);
    const { whole } = this.#lines;
    if (whole === null) return to;
    const inFull = whole.endsWith('\r\n');
    const linePhase = this.#phase;
    this.#onLine(whole.slice(0, inFull ? -2 : -1));
    if (!inFull) this.#oddities.add(bareLfIn(linePhase));
    if (this.#phase === 'chunk-data' || this.#phase === 'chunk-size') this.#lines.startChunk();
    return to;
  }

  #takeSized(chunk: Buffer, from: number): number {
    const to = Math.min(chunk.length, from + this.#remaining);
    this.#takeBody(chunk.subarray(from, to));
    this.#remaining -= to - from;
    if (this.#remaining === 0) this.#phase = this.#phase === 'chunk-data' ? 'chunk-end' : 'done';
    return to;
  }

  #responseOf(isCut: boolean): WireResponse {
    return {
      version: this.#version,
      status: this.#status,
      headers: this.#headers,
      body: this.#body.whole(),
      bodyProblem: this.#bodyProblem,
      trailers: this.#trailers,
      informational: this.#informational,
      framed: this.#phase !== 'body-until-close' && !this.#upgrading && this.#bodyProblem === null && !isCut,
      oddities: [...this.#oddities],
      isCut,
    };
  }

  #complete(excessBytes: number): WireState {
    const response = this.#responseOf(false);
    return excessBytes > 0 && this.#mayBeExcess() ? withExcess(response) : { kind: 'complete', response };
  }

  #mayBeExcess(): boolean {
    return !this.#upgrading && this.#bodyProblem === null;
  }

  #consume(chunk: Buffer): WireState {
    let at = 0;
    while (at < chunk.length && this.#phase !== 'done') {
      if (this.#phase === 'sized-body' || this.#phase === 'chunk-data') at = this.#takeSized(chunk, at);
      else if (this.#phase === 'body-until-close') {
        this.#takeBody(chunk.subarray(at));
        at = chunk.length;
      } else at = this.#takeLine(chunk, at);
    }
    return this.#phase === 'done' ? this.#complete(chunk.length - at) : { kind: 'incomplete' };
  }

  #guarded(work: () => WireState): WireState {
    if (this.#outcome.kind !== 'incomplete') return this.#outcome;
    try {
      this.#outcome = work();
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      this.#outcome = error.state;
    }
    return this.#outcome;
  }
}

export const EXCESS = 'more bytes follow the end of the answer';

function withExcess(response: WireResponse): WireState {
  const oddities = [...new Set([...response.oddities, EXCESS])];
  return { kind: 'complete', response: { ...response, oddities } };
}
