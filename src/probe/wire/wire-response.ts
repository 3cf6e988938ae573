// What a response on the wire is, where it ends, and what breaks the rules on the way (RFC 9112, sections 5 and 6).
import type { Header, TransportFailure } from '../../model/exchange.ts';

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

/** Ends the parsing of a response with its last state. */
export class Stop extends Error {
  readonly state: WireState;

  constructor(state: WireState) {
    super(state.kind);
    this.state = state;
  }
}

export const violation = (message: string): Stop => new Stop({ kind: 'violation', of: 'syntax', message });
export const badChunkLine = (message: string): Stop =>
  new Stop({ kind: 'violation', of: 'chunk-line', message });
export const endedEarly = (message: string): Stop => new Stop({ kind: 'violation', of: 'end', message });
export const limit = (of: 'head' | 'body', message: string): Stop => new Stop({ kind: 'limit', of, message });

type Framing = number | 'chunked' | 'close' | { readonly problem: TransportFailure };

const CODING = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+[ \t]*(;|$)/;

/** How the end of the body is found (RFC 9112, section 6.3): by length, by chunks, or by the end of the connection. */
export function framingOf(headers: readonly Header[], version: string): Framing {
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

/**
 * The value of a header without surrounding spaces and tabs (RFC 9112, section 5). Not a regular expression: one for
 * trailing spaces is tried at every space, and 60 KB of spaces would block for seconds.
 */
export function trimmedValue(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start += 1;
  while (end > start && isBlank(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}
