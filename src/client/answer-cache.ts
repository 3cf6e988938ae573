/** A stored body, with what is needed to reuse it. */
interface StoredAnswer {
  readonly body: string;
  readonly bytes: number;
  readonly etag: string | null;
  readonly freshUntilMs: number;
}

const MAX_ENTRIES = 200;
const MAX_BYTES = 10 * 1024 * 1024;

/**
 * The answers of a directory by address, limited in memory; evicts the least recently used answer first. All requests of
 * a client have the same headers, so the only `Vary` that matters is `*`.
 */
export class AnswerCache {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #answers = new Map<string, StoredAnswer>();
  #bytes = 0;

  constructor(maxEntries = MAX_ENTRIES, maxBytes = MAX_BYTES) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  find(address: string): StoredAnswer | null {
    const found = this.#answers.get(address);
    if (found === undefined) return null;
    this.#answers.delete(address);
    this.#answers.set(address, found);
    return found;
  }

  /** Stores an answer as its fields allow. Fields that a 304 does not repeat keep the values of `renewed`. */
  store(
    address: string,
    body: string,
    fields: Headers,
    nowMs: number,
    renewed: StoredAnswer | null = null,
  ): void {
    this.#remove(address);
    const freshMs = freshMsOf(fields, nowMs);
    const etag = fields.get('etag') ?? renewed?.etag ?? null;
    const bytes = Buffer.byteLength(body);
    if (freshMs === null || (freshMs === 0 && etag === null) || bytes > this.#maxBytes) return;
    this.#answers.set(address, { body, bytes, etag, freshUntilMs: nowMs + freshMs });
    this.#bytes += bytes;
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest);
    }
  }

  /** The stored answer must be revalidated before it is reused. */
  expire(address: string): void {
    const found = this.#answers.get(address);
    if (found !== undefined) this.#answers.set(address, { ...found, freshUntilMs: 0 });
  }

  #remove(address: string): void {
    this.#bytes -= this.#answers.get(address)?.bytes ?? 0;
    this.#answers.delete(address);
  }
}

/** How long a private cache may use an answer without a request (RFC 9111); null if it must not store it. */
function freshMsOf(fields: Headers, nowMs: number): number | null {
  const control = fields.get('cache-control')?.toLowerCase() ?? '';
  if (/\bno-store\b/.test(control) || fields.get('vary')?.includes('*')) return null;
  if (/\bno-cache\b/.test(control)) return 0;
  const maxAge = /\bmax-age\s*=\s*"?(\d{0,10})/.exec(control)?.[1];
  const date = Date.parse(fields.get('date') ?? '') || nowMs;
  const lifetimeMs =
    maxAge === undefined ? Date.parse(fields.get('expires') ?? '') - date : Number(maxAge) * 1000;
  const ageMs = Math.max(0, Number(fields.get('age') ?? 0) || 0) * 1000;
  // What is no date or no number makes the answer stale.
  return Math.max(0, lifetimeMs - ageMs || 0);
}
