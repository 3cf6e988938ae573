import { createByteCollector } from '../wire/byte-collector.ts';

const NEWLINE = 0x0a;

/** Splits what a process writes into lines of bytes, without their LF. A longer line is cut at `maxBytes`. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: Buffer, omittedBytes: number) => void;
  #line = createByteCollector();
  #omittedBytes = 0;

  constructor(maxBytes: number, onLine: (line: Buffer, omittedBytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      this.end();
      from = at + 1;
    }
    this.#add(chunk.subarray(from));
  }

  /** The end of a line, or of everything: the last line may have no LF. */
  end(): void {
    const [line, omittedBytes] = [this.#line.whole(), this.#omittedBytes];
    this.#line = createByteCollector();
    this.#omittedBytes = 0;
    if (line.byteLength > 0) this.#onLine(line, omittedBytes);
  }

  #add(part: Buffer): void {
    const room = this.#maxBytes - this.#line.length();
    this.#line.add(part.subarray(0, room));
    this.#omittedBytes += Math.max(0, part.byteLength - room);
  }
}
