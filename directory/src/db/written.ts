/** Begins a statement that changes nothing, for which nobody has to look at an embedded database again. */
export const ONLY_READS = '/* only reads */';

const PARSE = 'P'.charCodeAt(0);
/** After the letter of the message, its length, and the empty name of its statement. */
const TEXT_AT = 6;
const BEGINNING = Buffer.from(ONLY_READS);

/** Whether a batch of messages of a PostgreSQL client may change something: each one that does not say that it only reads. */
export function mayWrite(batch: Uint8Array): boolean {
  const text = batch.subarray(TEXT_AT, TEXT_AT + BEGINNING.length);
  return batch[0] !== PARSE || batch[TEXT_AT - 1] !== 0 || !BEGINNING.equals(text);
}

/**
 * Counts the batches that may write to the embedded database of this process, in memory that the threads share: those of
 * all processes, each before its sender knows that it ended.
 */
export class Written {
  readonly memory: SharedArrayBuffer;
  readonly #count: Int32Array;

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#count = new Int32Array(memory);
  }

  note(): void {
    Atomics.add(this.#count, 0, 1);
  }

  get count(): number {
    return Atomics.load(this.#count, 0);
  }
}
