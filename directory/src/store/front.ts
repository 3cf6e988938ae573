import { setTimeout } from 'node:timers/promises';
import { type CallCounts, createCallCounts } from './call-counts.ts';
import { type ChangeWatch, createChangeWatch } from './change-watch.ts';
import { createKnownKeys, type KnownKeys } from './known-keys.ts';
import { createObservedCalls, type ObservedCalls } from './observed-calls.ts';
import type { Db } from './open-store.ts';

/** What an instance keeps in memory, so that a read of a caller writes nothing and mostly reads one short statement. */
export interface Front {
  readonly watch: ChangeWatch;
  readonly keys: KnownKeys;
  readonly counts: CallCounts;
  readonly calls: ObservedCalls;
  /** Writes what the store does not have yet. */
  close(): Promise<void>;
}

/** A database that does not answer must not delay the end of the service. */
const MAX_CLOSE_MS = 2000;

export function createFront(db: Db): Front {
  const watch = createChangeWatch(db);
  const keys = createKnownKeys(db, watch);
  const counts = createCallCounts(db, watch);
  const calls = createObservedCalls(db);
  return {
    watch,
    keys,
    counts,
    calls,
    close: async () => {
      const written = Promise.all([keys.close(), counts.close(), calls.close()]);
      await Promise.race([written, setTimeout(MAX_CLOSE_MS, undefined, { ref: false })]);
    },
  };
}
