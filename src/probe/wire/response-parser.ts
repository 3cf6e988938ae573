import { BARE_LF, type Header, type TransportFailure } from '../../model/exchange.ts';
import { createByteCollector } from './byte-collector.ts';
import {
  badChunkLine,
  endedEarly,
  fieldValue,
  framingOf,
  limit,
  Stop,
  violation,
  type WireLimits,
  type WireResponse,
  type WireState,
} from './wire-response.ts';

type Phase =
  | 'status-line'
  | 'headers'
  | 'sized-body'
  | 'body-until-close'
  | 'chunk-size'
  | 'chunk-data'
  | 'chunk-end'
  | 'trailers'
  | 'done';

const LF = 0x0a;
const HTTP = 'HTTP/1.';
const STATUS_LINE = /^HTTP\/(\d)\.(\d) (\d{3})(?: ([^\0\r\n]*))?$/;
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const CHUNK_SIZE = /^([0-9A-Fa-f]+)[ \t]*(;[^\0\r\n]*)?$/;
const SWITCHING_PROTOCOLS = 101;
const WITHOUT_BODY = new Set([204, 304]);

/** A strict HTTP/1.1 response parser. The bytes may be split anywhere. Takes linear time. */
export class ResponseParser {
  readonly #method: string;
  readonly #limits: WireLimits;
  readonly #upgrading: boolean;
  readonly #onBody: ((part: Buffer) => void) | null;
  readonly #onPart: ((part: Buffer, headers: readonly Header[]) => void) | null;
  /** High enough for chunks of one byte with long extensions. */
  readonly #maxFramingBytes: number;
  readonly #body = createByteCollector();
  readonly #oddities = new Set<string>();
  readonly #trailers: Header[] = [];
  #phase: Phase = 'status-line';
  #outcome: WireState = { kind: 'incomplete' };
  #line: Buffer[] = [];
  #headBytes = 0;
  #version = '';
  #status = 0;
  #headers: Header[] = [];
  #informational = 0;
  #bodyProblem: TransportFailure | null = null;
  #remaining = 0;
  #framingBytes = 0;
  #bodyBytes = 0;

  /**
   * `upgrading`: the request asked for another protocol. Then 101 is an answer too, and every answer ends with its head:
   * what follows is the other protocol, or the body of a refusal.
   *
   * `onBody`: receives the parts of the body. The body of the response is then empty.
   *
   * `onPart`: sees the parts of the body, with the headers.
   */
  constructor(
    method: string,
    limits: WireLimits,
    upgrading = false,
    onBody: ((part: Buffer) => void) | null = null,
    onPart: ((part: Buffer, headers: readonly Header[]) => void) | null = null,
  ) {
    this.#method = method;
    this.#limits = limits;
    this.#upgrading = upgrading;
    this.#onBody = onBody;
    this.#onPart = onPart;
    this.#maxFramingBytes = limits.maxHeaderBytes * (limits.maxInformational + 1) + limits.maxBodyBytes;
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
      if (this.#phase === 'status-line' && this.#headBytes === 0)
        throw endedEarly('the connection was closed without an answer');
      const rest = Buffer.concat(this.#line).toString('latin1');
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
    this.#bodyBytes += part.length;
    if (this.#bodyBytes > this.#limits.maxBodyBytes)
      throw limit('body', `the body is larger than ${this.#limits.maxBodyBytes} bytes`);
    if (this.#onBody === null) this.#body.add(part);
    else this.#onBody(part);
    this.#onPart?.(part, this.#headers);
  }

  #onStatusLine(text: string): void {
    const match = STATUS_LINE.exec(text);
    if (match === null) throw violation(`the status line is not valid HTTP/1.1: ${JSON.stringify(text)}`);
    if (match[1] !== '1') throw violation(`the status line says HTTP/${match[1]}.${match[2]}`);
    this.#version = `${match[1]}.${match[2]}`;
    this.#status = Number(match[3]);
    if (this.#status < 100) throw violation(`${this.#status} is not a status`);
    this.#phase = 'headers';
  }

  #onField(text: string, into: Header[]): void {
    const [last] = into.slice(-1);
    if (/^[ \t]/.test(text) && last !== undefined) {
      // RFC 9112, section 5.2: servers must not send it, and clients read it as one space.
      this.#oddities.add(`the header ${last[0]} continues on a second line (obsolete line folding)`);
      into[into.length - 1] = [last[0], `${last[1]} ${fieldValue(last[0], text)}`.trim()];
      return;
    }
    const colon = text.indexOf(':');
    const name = text.slice(0, Math.max(colon, 0));
    if (!FIELD_NAME.test(name)) throw violation(`not a header line: ${JSON.stringify(text)}`);
    into.push([name, fieldValue(name, text.slice(colon + 1))]);
    if (into.length > this.#limits.maxHeaderCount)
      throw limit('head', `there are more than ${this.#limits.maxHeaderCount} headers`);
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
      case 'chunk-size': {
        const size = CHUNK_SIZE.exec(text)?.[1];
        if (size === undefined) throw violation(`not a chunk size: ${JSON.stringify(text)}`);
        this.#remaining = Number.parseInt(size, 16);
        this.#phase = this.#remaining === 0 ? 'trailers' : 'chunk-data';
        break;
      }
      case 'chunk-end':
        if (text !== '') throw violation('a chunk is longer than its size says');
        this.#phase = 'chunk-size';
        break;
      default:
        if (text === '') this.#phase = 'done';
        else this.#onField(text, this.#trailers);
    }
  }

  /** RFC 9112, section 2.2: a client may accept a bare LF in the status line and the headers only. */
  #refuseOrNoteBareLf(of: Phase): void {
    if (of === 'chunk-size' || of === 'chunk-end' || of === 'trailers')
      throw badChunkLine(`${CHUNK_LINES[of]} ends in LF alone, without the CR`);
    this.#oddities.add(BARE_LF);
  }

  /** Reads a line, or a part of it, from the chunk; returns the position after it. */
  #takeLine(chunk: Buffer, from: number): number {
    const newline = chunk.indexOf(LF, from);
    const to = newline === -1 ? chunk.length : newline + 1;
    this.#headBytes += to - from;
    if (this.#headBytes > this.#limits.maxHeaderBytes)
      throw limit(
        'head',
        `headers, trailers and chunk sizes take more than ${this.#limits.maxHeaderBytes} bytes`,
      );
    this.#framingBytes += to - from;
    if (this.#framingBytes > this.#maxFramingBytes)
      throw limit('body', `more than ${this.#maxFramingBytes} bytes of chunk framing`);
    this.#line.push(chunk.subarray(from, to));
    if (newline === -1) return to;
    const [first] = this.#line;
    const whole = (
      this.#line.length === 1 && first !== undefined ? first : Buffer.concat(this.#line)
    ).toString('latin1');
    this.#line = [];
    const inFull = whole.endsWith('\r\n');
    const linePhase = this.#phase;
    this.#onLine(whole.slice(0, inFull ? -2 : -1));
    if (!inFull) this.#refuseOrNoteBareLf(linePhase);
    // The limit applies to the framing of one chunk, so that long streams of chunks are allowed.
    if (this.#phase === 'chunk-data' || this.#phase === 'chunk-size') this.#headBytes = 0;
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

const WORDS: Readonly<Record<Phase, string>> = {
  'status-line': 'status line',
  headers: 'headers',
  'sized-body': 'body: it is shorter than Content-Length says',
  'body-until-close': 'body',
  'chunk-size': 'chunked body',
  'chunk-data': 'chunked body',
  'chunk-end': 'chunked body',
  trailers: 'trailers',
  done: 'answer',
};

const CHUNK_LINES = {
  'chunk-size': 'the line of a chunk size',
  'chunk-end': 'a chunk',
  trailers: 'a line after the last chunk',
} as const;
