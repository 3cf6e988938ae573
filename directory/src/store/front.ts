import { type CallCounts, createCallCounts } from './call-counts.ts';
import { type ChangeWatch, createChangeWatch } from './change-watch.ts';
import { createKnownKeys, type KnownKeys } from './known-keys.ts';
import type { Db } from './open-store.ts';

/** What an instance keeps in memory, so that a read of a caller writes nothing and mostly reads one short statement. */
export interface Front {
  readonly watch: ChangeWatch;
  readonly keys: KnownKeys;
  readonly counts: CallCounts;
  /** Writes what the store does not have yet. */
  close(): Promise<void>;
}

export function createFront(db: Db): Front {
  const watch = createChangeWatch(db);
  const keys = createKnownKeys(db, watch);
  const counts = createCallCounts(db, watch);
  return {
    watch,
    keys,
    counts,
    close: async () => {
      await Promise.all([keys.close(), counts.close()]);
    },
  };
}
