import { setTimeout } from 'node:timers/promises';
import { type ChangeWatch, createChangeWatch } from '../db/change-watch.ts';
import type { Db } from '../db/open-store.ts';
import { type CallCounts, createCallCounts } from './call-counts.ts';
import { createKnownKeys, type KnownKeys } from './known-keys.ts';

/** What an instance keeps in memory, so that a read of a caller writes nothing and mostly reads one short statement. */
export interface Front {
  readonly watch: ChangeWatch;
  readonly keys: KnownKeys;
  readonly counts: CallCounts;
  /** Writes what the store does not have yet. */
  close(): Promise<void>;
}

/** A database that does not answer must not delay the end of the service. */
const MAX_CLOSE_MS = 2000;

export function createFront(db: Db): Front {
  const watch = createChangeWatch(db);
  const keys = createKnownKeys(db, watch);
  const counts = createCallCounts(db, watch);
  return {
    watch,
    keys,
    counts,
    close: async () => {
      const written = Promise.all([keys.close(), counts.close()]);
      await Promise.race([written, setTimeout(MAX_CLOSE_MS, undefined, { ref: false })]);
    },
  };
}
