import { setTimeout } from 'node:timers/promises';
import { type CallCounts, createCallCounts } from './call-counts.ts';
import { type ChangeWatch, createChangeWatch } from './change-watch.ts';
import { createKnownKeys, type KnownKeys } from './known-keys.ts';
import { insertCalls, type Observation } from './observations.ts';
import type { Db } from './open-store.ts';
import { shareRuns } from './share-runs.ts';

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

/**
 * Stores observations of calls in batches, so that no call waits for a statement. A process that is killed loses those of
 * the last `STORE_EVERY_MS`.
 */
interface ObservedCalls {
  note(call: Observation): void;
  /** Stores those that are not stored yet. */
  close(): Promise<void>;
}

const STORE_EVERY_MS = 1000;
/** More than this are stored at once. */
const MAX_BATCH = 1000;
/** While the store does not answer, older observations are dropped: they are not worth the memory. */
const MAX_WAITING = 20_000;

function createObservedCalls(db: Db): ObservedCalls {
  let waiting: Observation[] = [];
  let isStoring = false;
  const store = shareRuns(async (): Promise<void> => {
    const calls = waiting;
    if (calls.length === 0) return;
    waiting = [];
    isStoring = true;
    try {
      await insertCalls(db, calls);
    } catch {
      // Those of a failed batch wait for the next one.
      waiting = [...calls, ...waiting].slice(-MAX_WAITING);
    } finally {
      isStoring = false;
    }
  });
  const timer = setInterval(() => void store(), STORE_EVERY_MS).unref();
  return {
    note: (call) => {
      waiting.push(call);
      if (waiting.length > MAX_WAITING) waiting = waiting.slice(-MAX_WAITING / 2);
      if (waiting.length >= MAX_BATCH && !isStoring) void store();
    },
    close: async () => {
      clearInterval(timer);
      await store();
    },
  };
}
