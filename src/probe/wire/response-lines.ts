// The lines of a response: its status line, its headers and trailers, and the sizes of its chunks (RFC 9112, sections 4, 5
// and 7.1).
import type { Header } from '../../model/exchange.ts';
import { BARE_LF, FIELD_NAME } from '../../model/sent.ts';
import { badChunkLine, limit, trimmedValue, violation, type WireLimits } from './wire-response.ts';

const STATUS_LINE = /^HTTP\/(\d)\.(\d) (\d{3})(?: ([^\0\r\n]*))?$/;
const FIELD_VALUE = /^[^\0\r\n]*$/;
const CHUNK_SIZE = /^([0-9A-Fa-f]+)[ \t]*(;[^\0\r\n]*)?$/;

export function readStatusLine(text: string): { readonly version: string; readonly status: number } {
  const match = STATUS_LINE.exec(text);
  if (match === null) throw violation(`the status line is not valid HTTP/1.1: ${JSON.stringify(text)}`);
  if (match[1] !== '1') throw violation(`the status line says HTTP/${match[1]}.${match[2]}`);
  const status = Number(match[3]);
  if (status < 100) throw violation(`${status} is not a status`);
  return { version: `${match[1]}.${match[2]}`, status };
}

/** Adds what a line says to the headers. Returns what is odd about it, or null. */
export function addField(into: Header[], text: string, maxCount: number): string | null {
  const last = into.at(-1);
  if (/^[ \t]/.test(text) && last !== undefined) {
    // RFC 9112, section 5.2: servers must not send it, and clients read it as one space.
    into[into.length - 1] = [last[0], `${last[1]} ${fieldValue(last[0], text)}`.trim()];
    return `the header ${last[0]} continues on a second line (obsolete line folding)`;
  }
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0));
  if (!FIELD_NAME.test(name)) throw violation(`not a header line: ${JSON.stringify(text)}`);
  into.push([name, fieldValue(name, text.slice(colon + 1))]);
  if (into.length > maxCount) throw limit('head', `there are more than ${maxCount} headers`);
  return null;
}

/** A header's value without surrounding blanks. Throws for one that no header may have. */
function fieldValue(name: string, text: string): string {
  const value = trimmedValue(text);
  if (!FIELD_VALUE.test(value)) throw violation(`the header ${name} holds a NUL or a bare CR`);
  return value;
}

export function readChunkSize(text: string): number {
  const size = CHUNK_SIZE.exec(text)?.[1];
  if (size === undefined) throw violation(`not a chunk size: ${JSON.stringify(text)}`);
  return Number.parseInt(size, 16);
}

const CHUNK_LINES: Readonly<Record<string, string>> = {
  'chunk-size': 'the line of a chunk size',
  'chunk-end': 'a chunk',
  trailers: 'a line after the last chunk',
};

/** RFC 9112, section 2.2: a client may accept a bare LF in the status line and the headers only. */
export function bareLfIn(phase: string): string {
  const line = CHUNK_LINES[phase];
  if (line !== undefined) throw badChunkLine(`${line} ends in LF alone, without the CR`);
  return BARE_LF;
}

const LF = 0x0a;

/** Puts the lines of a response together, however its bytes are split, and limits how long they are. */
export class LineReader {
  readonly #maxHeaderBytes: number;
  /** High enough for chunks of one byte with long extensions. */
  readonly #maxFramingBytes: number;
  #parts: Buffer[] = [];
  #headBytes = 0;
  #framingBytes = 0;
  /** The line that ended with the bytes that were taken last, with its end; null if none did. */
  whole: string | null = null;

  constructor({ maxHeaderBytes, maxInformational, maxBodyBytes }: WireLimits) {
    this.#maxHeaderBytes = maxHeaderBytes;
    this.#maxFramingBytes = maxHeaderBytes * (maxInformational + 1) + maxBodyBytes;
  }

  /** Takes a line, or a part of it, from the chunk; returns the position after it. */
  take(chunk: Buffer, from: number): number {
    const newline = chunk.indexOf(LF, from);
    const to = newline === -1 ? chunk.length : newline + 1;
    this.#headBytes += to - from;
    if (this.#headBytes > this.#maxHeaderBytes)
      throw limit('head', `headers, trailers and chunk sizes take more than ${this.#maxHeaderBytes} bytes`);
    this.#framingBytes += to - from;
    if (this.#framingBytes > this.#maxFramingBytes)
      throw limit('body', `more than ${this.#maxFramingBytes} bytes of chunk framing`);
    this.#parts.push(chunk.subarray(from, to));
    this.whole = newline === -1 ? null : this.begun();
    if (this.whole !== null) this.#parts = [];
    return to;
  }

  /** A line whose end has not come. */
  begun(): string {
    const [first] = this.#parts;
    return (this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts)).toString(
      'latin1',
    );
  }

  get hasBegun(): boolean {
    return this.#headBytes > 0;
  }

  /** The limit applies to the framing of one chunk, so that long streams of chunks are allowed. */
  startChunk(): void {
    this.#headBytes = 0;
  }
}
