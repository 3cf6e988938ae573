import pLimit from 'p-limit';
import { type CheckThread, startThread, takeThread } from './check-thread.ts';

/** Where checks run. */
export interface ThreadPlaces {
  /** Whether checks without timing share threads. */
  readonly areShared: boolean;
  /** Runs work in a thread with others, as soon as there is a place. */
  shared<T>(work: (place: Place) => Promise<T>): Promise<T>;
  /** Runs work in a thread that ends with it, as soon as there may be another thread. */
  own<T>(heapMb: number, work: (place: Place) => Promise<T>): Promise<T>;
  /** Ends the shared threads. */
  close(): Promise<void>;
}

export interface Place {
  readonly thread: CheckThread;
  readonly heapMb: number;
}

export interface ThreadPlacesOptions {
  readonly threads: number;
  readonly ownThreads: number;
  readonly checksPerThread: number;
  /** Memory limit of a shared thread; by default in proportion to its checks. */
  readonly sharedHeapMb?: number;
}

/** What a shared thread needs for itself, and for each check within its share. */
const SHARED_HEAP_MB = 256;
const SHARED_HEAP_MB_PER_CHECK = 32;
/** With less, the answers of many checks at once are copied again and again before they can be released. */
const SHARED_YOUNG_MB = 192;

/**
 * A thread that does not answer for so long is ended. Only time counts in which the process had a processor: a suspended
 * one, or one on a busy machine, answers nobody either.
 */
const MAX_SILENT_MS = 2000;
const TICK_MS = 250;

interface SharedThread {
  readonly thread: CheckThread;
  checks: number;
  beats: number;
  silentMs: number;
}

export function createThreadPlaces({
  threads,
  ownThreads,
  checksPerThread,
  sharedHeapMb: heapMb = SHARED_HEAP_MB + checksPerThread * SHARED_HEAP_MB_PER_CHECK,
}: ThreadPlacesOptions): ThreadPlaces {
  const inShared = pLimit(threads * checksPerThread);
  const inOwn = pLimit(ownThreads);
  const shared = new Set<SharedThread>();
  let watch: NodeJS.Timeout | null = null;

  const startShared = (): SharedThread => {
    const started: SharedThread = {
      thread: startThread(heapMb, SHARED_YOUNG_MB),
      checks: 0,
      beats: 0,
      silentMs: 0,
    };
    shared.add(started);
    started.thread.onEnd(() => shared.delete(started));
    watch ??= setInterval(endBlocked, TICK_MS).unref();
    return started;
  };

  /** The thread with the fewest checks, which is a new one until all are used. */
  const sharedWithPlace = (): SharedThread => {
    if (shared.size < threads) {
      const idle = [...shared].find(({ checks }) => checks === 0);
      return idle ?? startShared();
    }
    const [fewest] = [...shared].toSorted((one, other) => one.checks - other.checks);
    return fewest === undefined || fewest.checks >= checksPerThread ? startShared() : fewest;
  };

  let usage = process.cpuUsage();
  const endBlocked = (): void => {
    const { user, system } = process.cpuUsage(usage);
    usage = process.cpuUsage();
    const ranMs = Math.min(TICK_MS, (user + system) / 1000);
    for (const one of shared) {
      const beats = one.thread.beats();
      one.silentMs = one.checks === 0 || beats !== one.beats ? 0 : one.silentMs + ranMs;
      one.beats = beats;
      if (one.silentMs >= MAX_SILENT_MS) void one.thread.end({ kind: 'blocked' });
    }
  };

  return {
    areShared: checksPerThread > 1,
    shared: (work) =>
      inShared(async () => {
        const place = sharedWithPlace();
        place.checks += 1;
        place.thread.keepAlive(true);
        try {
          return await work({ thread: place.thread, heapMb });
        } finally {
          place.checks -= 1;
          if (place.checks === 0) place.thread.keepAlive(false);
        }
      }),
    own: (ownHeapMb, work) =>
      inOwn(async () => {
        const thread = takeThread(ownHeapMb);
        // Wait for its end, so that two threads do not use their memory at the same time.
        return work({ thread, heapMb: ownHeapMb }).finally(() => thread.end());
      }),
    close: async () => {
      if (watch !== null) clearInterval(watch);
      await Promise.all([...shared].map(({ thread }) => thread.end()));
      shared.clear();
    },
  };
}
