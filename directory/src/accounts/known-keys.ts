import { timingSafeEqual } from 'node:crypto';
import type { ChangeWatch } from '../db/change-watch.ts';
import { Recent } from '../db/recent.ts';
import { firstRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { Scope } from '../settings/settings.ts';
import { hashOf, keyIdIn } from './keys.ts';

/** A valid key of a caller. */
export interface CallerKey {
  readonly keyId: string;
  /** Who uses it, as its operator said. */
  readonly name: string;
  readonly scopes: readonly Scope[];
}

const MAX_KNOWN = 10_000;
/** A last use is stored after up to `STORE_EVERY_MS`, and again a minute later. */
const STORE_EVERY_MS = 1000;
const USE_EVERY_MS = 60_000;

interface Known {
  readonly hash: Buffer;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** By the clock of this process; null: never. */
  readonly expiresAtMs: number | null;
  /** The last transaction that changed a key. While it stays the same, so does this one. */
  readonly version: string;
}

/** The keys of recent callers, in memory. A key that is revoked or changed is refused from the next request on. */
export class KnownKeys {
  readonly #db: Db;
  readonly #watch: ChangeWatch;
  readonly #known = new Recent<Known>(MAX_KNOWN);
  /** When a use was last noted. */
  readonly #notedAtMs = new Recent<number>(MAX_KNOWN);
  readonly #timer = setInterval(() => void this.#storeUses(), STORE_EVERY_MS).unref();
  #unstored = new Set<string>();

  constructor(db: Db, watch: ChangeWatch) {
    this.#db = db;
    this.#watch = watch;
  }

  /** Null when the key is unknown, revoked or expired. */
  async find(key: string): Promise<CallerKey | null> {
    const id = keyIdIn(key);
    if (id === key) return null;
    const { keys: version } = await this.#watch.look();
    const remembered = this.#known.get(id);
    const found = remembered?.version === version ? remembered : await this.#read(id);
    // Compared in constant time.
    if (found === null || !timingSafeEqual(found.hash, hashOf(key))) return null;
    if (found.expiresAtMs !== null && found.expiresAtMs <= performance.now()) return null;
    this.#noteUse(id);
    return { keyId: id, name: found.name, scopes: found.scopes };
  }

  /** Stores the last uses that are not stored yet. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#storeUses();
  }

  async #read(id: string): Promise<Known | null> {
    const found = await firstRow<Omit<Known, 'expiresAtMs'> & { readonly expiresInMs: number | null }>(
      this.#db,
    )`
      select hash, name, scopes, (extract(epoch from expires_at - now()) * 1000)::double precision as "expiresInMs",
        (select transaction_id::text from last_key_change) as version
      from keys where id = ${id} and revoked_at is null and (expires_at is null or expires_at > now())`;
    if (found === null) return null;
    const { expiresInMs, ...key } = found;
    const known = { ...key, expiresAtMs: expiresInMs === null ? null : performance.now() + expiresInMs };
    this.#known.set(id, known);
    return known;
  }

  #noteUse(id: string): void {
    const nowMs = performance.now();
    if (nowMs - (this.#notedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < USE_EVERY_MS) return;
    this.#notedAtMs.set(id, nowMs);
    this.#unstored.add(id);
  }

  async #storeUses(): Promise<void> {
    if (this.#unstored.size === 0) return;
    const ids = [...this.#unstored];
    this.#unstored = new Set();
    try {
      await run(this.#db)`
        update keys set last_used_at = now() where id in (
          select id from keys
          where id = any(${ids}::text[]) and (last_used_at is null or last_used_at < now() - interval '1 minute')
          order by id for update
        )`;
    } catch {
      for (const id of ids) this.#unstored.add(id);
    }
  }
}
