import pLimit from 'p-limit';
import { type CheckThread, startThread, takeThread } from './check-thread.ts';
import { type Beside, type CheckTurns, processTurns } from './check-turns.ts';
import { createIdleThreads } from './idle-threads.ts';
import type { ThreadOutcome } from './run-in-thread.ts';

/** Where checks run. */
export interface ThreadPlaces {
  /** Whether checks without timing share threads. */
  readonly areShared: boolean;
  /** Runs work in a thread with others, as soon as there is a place. */
  shared<T>(work: (place: Place) => Promise<T>): Promise<T>;
  /** Runs a check in a thread of its own, as soon as there may be another thread, or when it is interrupted. */
  own(check: OwnCheck, work: (place: Place) => Promise<ThreadOutcome>): Promise<ThreadOutcome>;
  /** How long all threads until now were busy, in milliseconds. */
  busyMs(): number;
  /** Ends the threads. */
  close(): Promise<void>;
}

export interface Place {
  /** The thread, which may begin with this call. */
  readonly thread: () => CheckThread;
  readonly heapMb: number;
  /** Null in a thread with others. */
  readonly turns: CheckTurns | null;
}

export interface OwnCheck {
  readonly heapMb: number;
  readonly timedBeside: Beside;
  readonly signal: AbortSignal | undefined;
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

/** How much a shared thread has to do. */
export interface ThreadLoad {
  readonly checks: number;
  /** In the last tick. */
  readonly utilization: number;
  /** How many checks began since then. */
  readonly begun: number;
}

/** So many checks share a thread also when it is busy. */
const CHECKS_OF_BUSY_THREAD = 8;
const BUSY = 0.9;
/** Their effect is seen in the next tick. */
const MAX_BEGUN_IN_TICK = 4;

/**
 * Whether another check may begin in a thread. Checks mostly wait, so there can be many, but in a thread that is always
 * busy they would only slow each other down, until they run out of time.
 */
export function hasRoom({ checks, utilization, begun }: ThreadLoad, checksPerThread: number): boolean {
  if (checks < Math.min(CHECKS_OF_BUSY_THREAD, checksPerThread)) return true;
  return checks < checksPerThread && utilization < BUSY && begun < MAX_BEGUN_IN_TICK;
}

interface SharedThread extends Writable<ThreadLoad> {
  readonly thread: CheckThread;
  beats: number;
  silentMs: number;
}

type Writable<Members> = { -readonly [Name in keyof Members]: Members[Name] };

export function createThreadPlaces({
  threads,
  ownThreads,
  checksPerThread,
  sharedHeapMb: heapMb = SHARED_HEAP_MB + checksPerThread * SHARED_HEAP_MB_PER_CHECK,
}: ThreadPlacesOptions): ThreadPlaces {
  const inShared = pLimit(threads * checksPerThread);
  const inOwn = pLimit(ownThreads);
  const shared = new Set<SharedThread>();
  const idle = createIdleThreads();
  const alive = new Set<CheckThread>();
  let endedBusyMs = 0;
  let watch: NodeJS.Timeout | null = null;

  const count = (thread: CheckThread): void => {
    if (alive.has(thread)) return;
    alive.add(thread);
    thread.onEnd(() => {
      alive.delete(thread);
      endedBusyMs += thread.busyMs();
    });
  };

  const startShared = (): SharedThread => {
    const started: SharedThread = {
      thread: startThread(heapMb, SHARED_YOUNG_MB),
      checks: 0,
      utilization: 0,
      begun: 0,
      beats: 0,
      silentMs: 0,
    };
    shared.add(started);
    count(started.thread);
    started.thread.onEnd(() => shared.delete(started));
    watch ??= setInterval(onTick, TICK_MS).unref();
    return started;
  };

  /** The thread with the fewest checks, which is a new one until all are used; null while all are busy. */
  const sharedWithPlace = (): SharedThread | null => {
    if (shared.size < threads) {
      const idle = [...shared].find(({ checks }) => checks === 0);
      return idle ?? startShared();
    }
    const [fewest] = [...shared].toSorted((one, other) => one.checks - other.checks);
    if (fewest === undefined || fewest.checks >= checksPerThread) return startShared();
    return hasRoom(fewest, checksPerThread) ? fewest : null;
  };

  /** Those who wait until a thread is less busy, in their order. */
  const waiting: (() => void)[] = [];
  const takePlace = async (): Promise<SharedThread> => {
    for (;;) {
      const place = sharedWithPlace();
      if (place !== null) {
        place.checks += 1;
        place.begun += 1;
        return place;
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };

  let usage = process.cpuUsage();
  const onTick = (): void => {
    const { user, system } = process.cpuUsage(usage);
    usage = process.cpuUsage();
    const ranMs = Math.min(TICK_MS, (user + system) / 1000);
    for (const one of shared) {
      one.utilization = one.thread.utilization();
      one.begun = 0;
      const beats = one.thread.beats();
      one.silentMs = one.checks === 0 || beats !== one.beats ? 0 : one.silentMs + ranMs;
      one.beats = beats;
      if (one.silentMs >= MAX_SILENT_MS) void one.thread.end({ kind: 'blocked' });
    }
    for (const goOn of waiting.splice(0)) goOn();
  };

  return {
    areShared: checksPerThread > 1,
    shared: (work) =>
      inShared(async () => {
        const place = await takePlace();
        place.thread.keepAlive(true);
        try {
          return await work({ thread: () => place.thread, heapMb, turns: null });
        } finally {
          place.checks -= 1;
          if (place.checks === 0) place.thread.keepAlive(false);
        }
      }),
    own: ({ heapMb: ownHeapMb, timedBeside, signal }, work) =>
      inOwn(async () => {
        const turns = processTurns.join(timedBeside);
        const leave = (): void => turns.leave();
        if (!signal?.aborted) {
          signal?.addEventListener('abort', leave, { once: true });
          await turns.work();
          signal?.removeEventListener('abort', leave);
        }
        const used: { thread: CheckThread | null; isIdle: boolean } = { thread: null, isIdle: false };
        const thread = (): CheckThread => {
          used.thread ??= idle.take(ownHeapMb) ?? takeThread(ownHeapMb);
          count(used.thread);
          return used.thread;
        };
        try {
          const outcome = await work({ thread, heapMb: ownHeapMb, turns });
          used.isIdle = outcome.kind === 'finished';
          return outcome;
        } finally {
          leave();
          if (used.thread !== null && used.isIdle) idle.keep(used.thread, ownHeapMb);
          // Wait for its end, so that two threads do not use their memory at the same time.
          else await used.thread?.end();
        }
      }),
    busyMs: () => [...alive].reduce((sum, thread) => sum + thread.busyMs(), endedBusyMs),
    close: async () => {
      if (watch !== null) clearInterval(watch);
      await Promise.all([...shared].map(({ thread }) => thread.end()));
      shared.clear();
      await idle.end();
    },
  };
}
