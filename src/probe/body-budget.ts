import type { Bytes, TransportFailure } from '../model/exchange.ts';
import type { PlannedHttp } from '../model/probe.ts';

export interface BudgetBounds {
  /**
   * Total size in memory of all bodies of a run, which the report stores so that it can be judged again. Small bodies
   * are read beyond it, so that a few large answers do not prevent judging the rest of a target. Large bodies of
   * repeated reads that are equal to the one before have a total of the same size.
   */
  readonly maxRunBytes: number;
  /** The same for small bodies; after that only tiny ones are read. Thousands of calls can be made in a run. */
  readonly maxRunBytesWithSmall: number;
}

const SMALL_BODY_BYTES = 64 * 1024;
const TINY_BODY_BYTES = 4 * 1024;

interface LargeBody {
  readonly body: Bytes;
  readonly byteLength: number;
}

interface Allowance {
  readonly maxBytes: number;
  readonly spent: TransportFailure;
  /** The last answer to the same read, if it was large. */
  readonly earlier: LargeBody | undefined;
}

/** Shares out the memory of a run among the bodies of its answers. */
export class BodyBudget {
  readonly #bounds: BudgetBounds;
  /** The last large body of each address that is only read: repeated reads mostly get the same one. */
  readonly #largeBodies = new Map<string, LargeBody>();
  #runBytes = 0;
  #repeatedBytes = 0;

  constructor(bounds: BudgetBounds) {
    this.#bounds = bounds;
  }

  allowanceOf({ url, body }: PlannedHttp): Allowance {
    const { maxRunBytes, maxRunBytesWithSmall } = this.#bounds;
    const known = body === null ? this.#largeBodies.get(url) : undefined;
    const earlier =
      known === undefined || this.#repeatedBytes + known.byteLength > maxRunBytes ? undefined : known;
    const isFull = this.#runBytes >= maxRunBytesWithSmall;
    const alwaysRead = isFull ? TINY_BODY_BYTES : SMALL_BODY_BYTES;
    return {
      maxBytes: Math.max(alwaysRead, maxRunBytes - this.#runBytes, earlier?.byteLength ?? 0),
      spent: runBytesSpent(isFull ? maxRunBytesWithSmall : maxRunBytes, alwaysRead),
      earlier,
    };
  }

  /** The body as it is kept; null if there is no room for it. */
  keep({ url, body: sent }: PlannedHttp, body: Bytes, byteLength: number, earlier?: LargeBody): Bytes | null {
    if (earlier !== undefined && isSameBody(body, earlier.body)) {
      this.#repeatedBytes += earlier.byteLength;
      return earlier.body;
    }
    const bytes = memoryOf(body);
    const isLarge = bytes > SMALL_BODY_BYTES;
    // Concurrent large answers were each allowed the whole remainder, which only one of them can use.
    if (isLarge && this.#runBytes + bytes > this.#bounds.maxRunBytes) return null;
    this.#runBytes += bytes;
    if (isLarge && sent === null) this.#largeBodies.set(url, { body, byteLength });
    return body;
  }
}

function isSameBody(one: Bytes, other: Bytes): boolean {
  return 'text' in one
    ? 'text' in other && one.text === other.text
    : 'base64' in other && one.base64 === other.base64;
}

const BEYOND_LATIN_1 = /[^\0-\xff]/;

/** A string takes one byte per character, or two if any character is beyond Latin-1. */
function memoryOf(body: Bytes): number {
  if ('base64' in body) return body.base64.length;
  return BEYOND_LATIN_1.test(body.text) ? 2 * body.text.length : body.text.length;
}

function runBytesSpent(maxBytes: number, readBytes: number): TransportFailure {
  return {
    code: 'run-bytes-spent',
    fault: 'harness',
    message: `a check keeps ${maxBytes} bytes of answers, which this run has used; after that it reads answers of up to ${readBytes} bytes, and this one is larger`,
  };
}
