import type { Heard } from '../../model/exchange.ts';
import { bytesFrom } from '../../model/sent.ts';
import type { Conversation } from '../../model/wire.ts';
import type { Redactor } from '../redactor.ts';

export interface LineBounds {
  /** Of one line. */
  readonly maxLineBytes: number;
  /** Of all lines of a conversation; after that, only the start of each is kept. */
  readonly maxBytes: number;
  /** Of what is no answer. */
  readonly maxUnaskedBytes: number;
  readonly maxUnaskedLines: number;
}

export const DEFAULT_BOUNDS: LineBounds = {
  maxLineBytes: 4 * 1024 * 1024,
  maxBytes: 13 * 1024 * 1024,
  maxUnaskedBytes: 256 * 1024,
  maxUnaskedLines: 1000,
};

/** A line that is cut may end in the middle of a secret, which nobody would recognise. No secret is longer. */
const CUT_MARGIN_BYTES = 4096;
/** Kept of a line after the conversation has used its bytes. */
const START_BYTES = 1024;

/** What is kept of the lines of a conversation: without secrets, and no more than its bounds. */
export class KeptLines {
  readonly #bounds: LineBounds;
  readonly #redactor: Redactor;
  readonly #nowMs: () => number;
  #keptBytes = 0;
  #otherLines = 0;
  #otherBytes = 0;
  omitted: Conversation['omitted'] = { lines: 0, bytes: 0 };

  constructor(bounds: LineBounds, redactor: Redactor, nowMs: () => number) {
    this.#bounds = bounds;
    this.#redactor = redactor;
    this.#nowMs = nowMs;
  }

  /** What is no answer. A flood of it is counted, and not kept: then null. */
  keepOther(line: Buffer, omittedBytes: number): Heard | null {
    const { maxUnaskedBytes, maxUnaskedLines } = this.#bounds;
    if (this.#otherLines >= maxUnaskedLines || this.#otherBytes + line.byteLength > maxUnaskedBytes) {
      const { lines, bytes } = this.omitted;
      this.omitted = { lines: lines + 1, bytes: bytes + line.byteLength + omittedBytes };
      return null;
    }
    this.#otherLines += 1;
    this.#otherBytes += line.byteLength;
    return this.keep(line, omittedBytes);
  }

  keep(line: Buffer, omittedBytes: number): Heard {
    const clean = this.#redactor.bytes(line);
    const isFull = this.#keptBytes + clean.byteLength > this.#bounds.maxBytes;
    const isCut = omittedBytes > 0 || (isFull && clean.byteLength > START_BYTES);
    const whole = Math.max(0, clean.byteLength - (omittedBytes > 0 ? CUT_MARGIN_BYTES : 0));
    const bytes = isCut ? clean.subarray(0, isFull ? Math.min(whole, START_BYTES) : whole) : clean;
    this.#keptBytes += bytes.byteLength;
    return {
      bytes: bytesFrom(bytes),
      omittedBytes: omittedBytes + clean.byteLength - bytes.byteLength,
      atMs: this.#nowMs(),
      repeatedSecrets: this.#redactor.repeatedIn([], line),
    };
  }
}
