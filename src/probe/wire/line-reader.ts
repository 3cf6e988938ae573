import { limit, type WireLimits } from './wire-response.ts';

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
