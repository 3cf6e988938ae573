import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { ChangeWatch } from '../db/change-watch.ts';
import type { Db } from '../db/open-store.ts';
import type { Scope } from '../settings.ts';
import { type FoundKey, findKey, hashOf, keyIdIn } from './keys.ts';

/** A valid key of a caller. */
export interface CallerKey {
  readonly keyId: string;
  readonly scopes: readonly Scope[];
}

/** The keys of recent callers, in memory. A key that is revoked or changed is refused from the next request on. */
export interface KnownKeys {
  /** Null when the key is unknown, revoked or expired. */
  find(key: string): Promise<CallerKey | null>;
  /** Stores the last uses that are not stored yet. */
  close(): Promise<void>;
}

const MAX_KNOWN = 10_000;
/** A last use is stored after up to `STORE_EVERY_MS`, and again a minute later. */
const STORE_EVERY_MS = 1000;
const USE_EVERY_MS = 60_000;

interface Known extends FoundKey {
  /** By the clock of this process; null: never. */
  readonly expiresAtMs: number | null;
}

export function createKnownKeys(db: Db, watch: ChangeWatch): KnownKeys {
  const known = new Map<string, Known>();
  /** When a use was last noted. */
  const notedAtMs = new Map<string, number>();
  let unstored = new Set<string>();

  const read = async (id: string): Promise<Known | null> => {
    const found = await findKey(db, id);
    if (found === null) return null;
    const { expiresInMs } = found;
    const fresh = { ...found, expiresAtMs: expiresInMs === null ? null : performance.now() + expiresInMs };
    known.delete(id);
    known.set(id, fresh);
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    return fresh;
  };
  const noteUse = (id: string): void => {
    const nowMs = performance.now();
    if (nowMs - (notedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < USE_EVERY_MS) return;
    notedAtMs.set(id, nowMs);
    unstored.add(id);
    if (notedAtMs.size > MAX_KNOWN) notedAtMs.clear();
  };
  const storeUses = async (): Promise<void> => {
    if (unstored.size === 0) return;
    const ids = [...unstored];
    unstored = new Set();
    try {
      await sql`
        update keys set last_used_at = now() where id in (
          select id from keys
          where id = any(${ids}::text[]) and (last_used_at is null or last_used_at < now() - interval '1 minute')
          order by id for update
        )`.execute(db);
    } catch {
      for (const id of ids) unstored.add(id);
    }
  };
  const timer = setInterval(() => void storeUses(), STORE_EVERY_MS).unref();

  return {
    find: async (key) => {
      const id = keyIdIn(key);
      if (id === key) return null;
      const { keys: version } = await watch.look();
      const remembered = known.get(id);
      const found = remembered?.version === version ? remembered : await read(id);
      // Compared in constant time.
      if (found === null || !timingSafeEqual(found.hash, hashOf(key))) return null;
      if (found.expiresAtMs !== null && found.expiresAtMs <= performance.now()) return null;
      noteUse(id);
      return { keyId: id, scopes: found.scopes };
    },
    close: async () => {
      clearInterval(timer);
      await storeUses();
    },
  };
}
