/** A stored body, with what is needed to reuse it. */
export interface StoredAnswer {
  readonly body: string;
  readonly bytes: number;
  readonly etag: string | null;
  readonly freshUntilMs: number;
  readonly vary: string | null;
  /** See `selectedBy`. */
  readonly selectedBy: string;
}

/** Limited in memory; evicts the least recently used answer first. */
export interface AnswerCache {
  find(address: string): StoredAnswer | null;
  store(address: string, answer: StoredAnswer): void;
  remove(address: string): void;
  /** The stored answer must be revalidated before it is reused. */
  expire(address: string): void;
}

interface Bounds {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

const DEFAULT_BOUNDS: Bounds = { maxEntries: 200, maxBytes: 10 * 1024 * 1024 };

export function createAnswerCache({ maxEntries, maxBytes }: Bounds = DEFAULT_BOUNDS): AnswerCache {
  // In the order of their last use.
  const answers = new Map<string, StoredAnswer>();
  let bytes = 0;
  const remove = (address: string): void => {
    bytes -= answers.get(address)?.bytes ?? 0;
    answers.delete(address);
  };
  return {
    find: (address) => {
      const found = answers.get(address);
      if (found === undefined) return null;
      answers.delete(address);
      answers.set(address, found);
      return found;
    },
    store: (address, answer) => {
      remove(address);
      if (answer.bytes > maxBytes) return;
      answers.set(address, answer);
      bytes += answer.bytes;
      for (const [oldest] of answers) {
        if (answers.size <= maxEntries && bytes <= maxBytes) break;
        remove(oldest);
      }
    },
    remove,
    expire: (address) => {
      const found = answers.get(address);
      if (found !== undefined) answers.set(address, { ...found, freshUntilMs: 0 });
    },
  };
}
