import { BARE_LF, type Header, type TransportFailure } from '../../model/exchange.ts';
import { createByteCollector } from './byte-collector.ts';
import { trimmedValue } from './field-value.ts';

/** A complete response from the wire, before content decoding. */
export interface WireResponse {
  readonly version: string;
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** Why the body was not read; the body is empty then. */
  readonly bodyProblem: TransportFailure | null;
  readonly trailers: readonly Header[];
  /** The number of informational (1xx) responses before it. */
  readonly informational: number;
  /** The answer declares where it ends, so its end is not the end of the connection. */
  readonly framed: boolean;
  /** Violations that clients tolerate. */
  readonly oddities: readonly string[];
  /** The body is what had arrived when the client stopped to read. */
  readonly isCut: boolean;
}

export interface WireLimits {
  readonly maxHeaderBytes: number;
  readonly maxHeaderCount: number;
  readonly maxBodyBytes: number;
  readonly maxInformational: number;
}

/**
 * The state after the bytes so far. A violation breaks RFC 9112; a limit is one of the harness. Messages quote lines in
 * full, up to the limit for headers: a shortened line could contain part of a secret, which the redactor would not
 * find.
 */
export type WireState =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'complete'; readonly response: WireResponse }
  | { readonly kind: 'violation'; readonly of: 'syntax' | 'chunk-line' | 'end'; readonly message: string }
  | { readonly kind: 'limit'; readonly of: 'head' | 'body'; readonly message: string };

/** A strict HTTP/1.1 response parser. The bytes may be split anywhere. Pure, and takes linear time. */
export interface ResponseParser {
  push(chunk: Buffer): WireState;
  /** Called when the server closed the connection normally. */
  end(): WireState;
  /** The response as far as its body has arrived; null before the end of its head. */
  cut(): WireResponse | null;
}

class Stop extends Error {
  readonly state: WireState;

  constructor(state: WireState) {
    super(state.kind);
    this.state = state;
  }
}

const violation = (message: string): Stop => new Stop({ kind: 'violation', of: 'syntax', message });
const badChunkLine = (message: string): Stop => new Stop({ kind: 'violation', of: 'chunk-line', message });
const endedEarly = (message: string): Stop => new Stop({ kind: 'violation', of: 'end', message });
const limit = (of: 'head' | 'body', message: string): Stop => new Stop({ kind: 'limit', of, message });

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
const FIELD_VALUE = /^[^\0\r\n]*$/;
const CHUNK_SIZE = /^([0-9A-Fa-f]+)[ \t]*(;[^\0\r\n]*)?$/;
const SWITCHING_PROTOCOLS = 101;
const WITHOUT_BODY = new Set([204, 304]);

/**
 * `upgrading`: the request asked for another protocol. Then 101 is an answer too, and every answer ends with its head:
 * what follows is the other protocol, or the body of a refusal.
 *
 * `onBody`: receives the parts of the body. The body of the response is then empty.
 *
 * `onPart`: sees the parts of the body, with the headers.
 */
export function createResponseParser(
  method: string,
  limits: WireLimits,
  upgrading = false,
  onBody: ((part: Buffer) => void) | null = null,
  onPart: ((part: Buffer, headers: readonly Header[]) => void) | null = null,
): ResponseParser {
  let phase: Phase = 'status-line';
  let outcome: WireState = { kind: 'incomplete' };
  let line: Buffer[] = [];
  let headBytes = 0;
  let version = '';
  let status = 0;
  let headers: Header[] = [];
  const trailers: Header[] = [];
  let informational = 0;
  let bodyProblem: TransportFailure | null = null;
  let remaining = 0;
  let framingBytes = 0;
  const body = createByteCollector();
  let bodyBytes = 0;
  const oddities = new Set<string>();
  // High enough for chunks of one byte with long extensions.
  const maxFramingBytes = limits.maxHeaderBytes * (limits.maxInformational + 1) + limits.maxBodyBytes;

  const takeBody = (part: Buffer): void => {
    bodyBytes += part.length;
    if (bodyBytes > limits.maxBodyBytes)
      throw limit('body', `the body is larger than ${limits.maxBodyBytes} bytes`);
    if (onBody === null) body.add(part);
    else onBody(part);
    onPart?.(part, headers);
  };

  const onStatusLine = (text: string): void => {
    const match = STATUS_LINE.exec(text);
    if (match === null) throw violation(`the status line is not valid HTTP/1.1: ${JSON.stringify(text)}`);
    if (match[1] !== '1') throw violation(`the status line says HTTP/${match[1]}.${match[2]}`);
    version = `${match[1]}.${match[2]}`;
    status = Number(match[3]);
    if (status < 100) throw violation(`${status} is not a status`);
    phase = 'headers';
  };

  const onField = (text: string, into: Header[]): void => {
    const [last] = into.slice(-1);
    if (/^[ \t]/.test(text) && last !== undefined) {
      // RFC 9112, section 5.2: servers must not send it, and clients read it as one space.
      oddities.add(`the header ${last[0]} continues on a second line (obsolete line folding)`);
      into[into.length - 1] = [last[0], `${last[1]} ${fieldValue(last[0], text)}`.trim()];
      return;
    }
    const colon = text.indexOf(':');
    const name = text.slice(0, Math.max(colon, 0));
    if (!FIELD_NAME.test(name)) throw violation(`not a header line: ${JSON.stringify(text)}`);
    into.push([name, fieldValue(name, text.slice(colon + 1))]);
    if (into.length > limits.maxHeaderCount)
      throw limit('head', `there are more than ${limits.maxHeaderCount} headers`);
  };

  const onHeadersEnd = (): void => {
    if (upgrading && (status === SWITCHING_PROTOCOLS || status >= 200)) {
      phase = 'done';
      return;
    }
    if (status === SWITCHING_PROTOCOLS) throw violation('101 Switching Protocols, which was not requested');
    if (status < 200) {
      informational += 1;
      if (informational > limits.maxInformational)
        throw limit('head', `more than ${limits.maxInformational} informational responses`);
      headers = [];
      phase = 'status-line';
      return;
    }
    const framing = framingOf(headers, version);
    if (method === 'HEAD' || WITHOUT_BODY.has(status) || framing === 0) phase = 'done';
    else if (typeof framing === 'object') {
      // The body cannot be read with this framing; the status and the headers are the answer.
      bodyProblem = framing.problem;
      phase = 'done';
    } else if (framing === 'chunked') phase = 'chunk-size';
    else if (framing === 'close') phase = 'body-until-close';
    else {
      // The declared length is not checked against the limit, because the actual body may be smaller.
      remaining = framing;
      phase = 'sized-body';
    }
  };

  const onLine = (text: string): void => {
    switch (phase) {
      case 'status-line':
        // RFC 9112, section 2.2: clients should ignore an empty line before the status line.
        if (text !== '') onStatusLine(text);
        break;
      case 'headers':
        if (text === '') onHeadersEnd();
        else onField(text, headers);
        break;
      case 'chunk-size': {
        const size = CHUNK_SIZE.exec(text)?.[1];
        if (size === undefined) throw violation(`not a chunk size: ${JSON.stringify(text)}`);
        remaining = Number.parseInt(size, 16);
        phase = remaining === 0 ? 'trailers' : 'chunk-data';
        break;
      }
      case 'chunk-end':
        if (text !== '') throw violation('a chunk is longer than its size says');
        phase = 'chunk-size';
        break;
      default:
        if (text === '') phase = 'done';
        else onField(text, trailers);
    }
  };

  /** RFC 9112, section 2.2: a client may accept a bare LF in the status line and the headers only. */
  const refuseOrNoteBareLf = (of: Phase): void => {
    if (of === 'chunk-size' || of === 'chunk-end' || of === 'trailers')
      throw badChunkLine(`${CHUNK_LINES[of]} ends in LF alone, without the CR`);
    oddities.add(BARE_LF);
  };

  /** Reads a line, or a part of it, from the chunk; returns the position after it. */
  const takeLine = (chunk: Buffer, from: number): number => {
    const newline = chunk.indexOf(LF, from);
    const to = newline === -1 ? chunk.length : newline + 1;
    headBytes += to - from;
    if (headBytes > limits.maxHeaderBytes)
      throw limit('head', `headers, trailers and chunk sizes take more than ${limits.maxHeaderBytes} bytes`);
    framingBytes += to - from;
    if (framingBytes > maxFramingBytes)
      throw limit('body', `more than ${maxFramingBytes} bytes of chunk framing`);
    line.push(chunk.subarray(from, to));
    if (newline === -1) return to;
    const [first] = line;
    const whole = (line.length === 1 && first !== undefined ? first : Buffer.concat(line)).toString('latin1');
    line = [];
    const inFull = whole.endsWith('\r\n');
    const linePhase = phase;
    onLine(whole.slice(0, inFull ? -2 : -1));
    if (!inFull) refuseOrNoteBareLf(linePhase);
    // The limit applies to the framing of one chunk, so that long streams of chunks are allowed.
    if (phase === 'chunk-data' || phase === 'chunk-size') headBytes = 0;
    return to;
  };

  const takeSized = (chunk: Buffer, from: number): number => {
    const to = Math.min(chunk.length, from + remaining);
    takeBody(chunk.subarray(from, to));
    remaining -= to - from;
    if (remaining === 0) phase = phase === 'chunk-data' ? 'chunk-end' : 'done';
    return to;
  };

  const responseOf = (isCut: boolean): WireResponse => ({
    version,
    status,
    headers,
    body: body.whole(),
    bodyProblem,
    trailers,
    informational,
    framed: phase !== 'body-until-close' && !upgrading && bodyProblem === null && !isCut,
    oddities: [...oddities],
    isCut,
  });

  const complete = (excessBytes: number): WireState => {
    const response = responseOf(false);
    return excessBytes > 0 && mayBeExcess() ? withExcess(response) : { kind: 'complete', response };
  };

  const mayBeExcess = (): boolean => !upgrading && bodyProblem === null;

  const consume = (chunk: Buffer): WireState => {
    let at = 0;
    while (at < chunk.length && phase !== 'done') {
      if (phase === 'sized-body' || phase === 'chunk-data') at = takeSized(chunk, at);
      else if (phase === 'body-until-close') {
        takeBody(chunk.subarray(at));
        at = chunk.length;
      } else at = takeLine(chunk, at);
    }
    return phase === 'done' ? complete(chunk.length - at) : { kind: 'incomplete' };
  };

  const guarded = (work: () => WireState): WireState => {
    if (outcome.kind !== 'incomplete') return outcome;
    try {
      outcome = work();
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      outcome = error.state;
    }
    return outcome;
  };

  return {
    cut: () => (phase === 'status-line' || phase === 'headers' ? null : responseOf(true)),
    push: (chunk) => {
      if (outcome.kind === 'complete' && chunk.length > 0 && mayBeExcess())
        outcome = withExcess(outcome.response);
      return guarded(() => consume(chunk));
    },
    end: () =>
      guarded(() => {
        if (phase === 'body-until-close') return complete(0);
        if (phase === 'status-line' && headBytes === 0)
          throw endedEarly('the connection was closed without an answer');
        const rest = Buffer.concat(line).toString('latin1');
        // A response that is not HTTP, such as a TLS alert, need not contain line breaks.
        if (phase === 'status-line' && !rest.startsWith(HTTP.slice(0, rest.length))) onStatusLine(rest);
        throw endedEarly(`the connection was closed in the middle of the ${WORDS[phase]}`);
      }),
  };
}

export const EXCESS = 'more bytes follow the end of the answer';

function withExcess(response: WireResponse): WireState {
  const oddities = [...new Set([...response.oddities, EXCESS])];
  return { kind: 'complete', response: { ...response, oddities } };
}

function fieldValue(name: string, text: string): string {
  const value = trimmedValue(text);
  if (!FIELD_VALUE.test(value)) throw violation(`the header ${name} holds a NUL or a bare CR`);
  return value;
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

type Framing = number | 'chunked' | 'close' | { readonly problem: TransportFailure };

const CODING = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+[ \t]*(;|$)/;

/** How the end of the body is found (RFC 9112, section 6.3): by length, by chunks, or by the end of the connection. */
function framingOf(headers: readonly Header[], version: string): Framing {
  const values = (name: string): readonly string[] =>
    headers
      .filter(([header]) => header.toLowerCase() === name)
      .flatMap(([, value]) => value.split(',').map(trimmedValue));
  const codings = values('transfer-encoding');
  const lengths = values('content-length');
  if (codings.length > 0) {
    if (lengths.length > 0) throw violation('both Transfer-Encoding and Content-Length are given');
    if (version === '1.0') throw violation('Transfer-Encoding in an HTTP/1.0 answer');
    if (codings.length === 1 && codings[0]?.toLowerCase() === 'chunked') return 'chunked';
    const odd = codings.find((coding) => !CODING.test(coding));
    if (odd !== undefined) throw violation(`not a transfer coding: ${JSON.stringify(odd)}`);
    if (codings.filter((coding) => coding.toLowerCase() === 'chunked').length > 1)
      throw violation('the transfer coding is chunked more than once');
    return { problem: unrequestedTransferCoding(codings) };
  }
  const [first] = lengths;
  if (first === undefined) return 'close';
  if (!/^\d+$/.test(first)) throw violation(`Content-Length is not a number: ${JSON.stringify(first)}`);
  if (lengths.some((other) => other !== first))
    throw violation(`Content-Length is given twice, as ${lengths.slice(0, 3).join(' and ')}`);
  return Number(first);
}

/** Without a TE header in the request, only chunked is acceptable (RFC 9112, section 7.4). */
function unrequestedTransferCoding(codings: readonly string[]): TransportFailure {
  const unrequested = codings.filter((coding) => coding.toLowerCase() !== 'chunked').join(', ');
  return {
    code: 'unasked-coding',
    fault: 'server',
    message: `the body cannot be read: it comes with Transfer-Encoding: ${codings.join(', ')}, but the request had no TE header that asks for ${unrequested}`,
  };
}
