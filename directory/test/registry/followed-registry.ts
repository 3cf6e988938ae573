import { createConnectionPool } from 'probity/service';
import { afterAll, afterEach, beforeEach } from 'vitest';
import type { Db } from '../../src/db/tables.ts';
import { followOnce } from '../../src/registry/follow.ts';
import { followSource } from '../../src/registry/sources.ts';
import type { TestStores } from '../db/stores.ts';
import { type FakeRegistry, startRegistry } from './fake-registry.ts';

export const HOUR_MS = 3_600_000;

interface Followed {
  readonly db: Db;
  readonly registry: FakeRegistry;
}

/** Before each test, opens an empty store that follows an empty registry. Returns what a reader of registries needs. */
export function followEmptyRegistry(stores: TestStores, use: (followed: Followed) => void) {
  let followed: Followed;
  const pool = createConnectionPool({
    publicOnly: false,
    ca: null,
    connectTimeoutMs: 10_000,
    viaProxy: false,
  });
  beforeEach(async () => {
    const [{ db }, registry] = await Promise.all([stores.open(), startRegistry()]);
    followed = { db, registry };
    await followSource(db, registry.url, HOUR_MS);
    use(followed);
  });
  afterEach(() => followed.registry.stop());
  afterAll(async () => {
    await pool.close();
    await stores.close();
  });
  const follower = (publicOnly = false) => ({ db: followed.db, pool, settings: { publicOnly } });
  return {
    follower,
    /** Reads a registry to its end, by default the one of the test. */
    read: (url = followed.registry.url, publicOnly = false) =>
      followOnce(follower(publicOnly), url, new AbortController().signal),
  };
}
