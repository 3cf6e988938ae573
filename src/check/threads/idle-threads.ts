import type { CheckThread } from './check-thread.ts';

/** Threads whose check has finished. The next check needs neither a start nor the compilation of the code. */
export interface IdleThreads {
  /** A thread with this memory limit, if there is one. */
  take(heapMb: number): CheckThread | null;
  keep(thread: CheckThread, heapMb: number): void;
  end(): Promise<void>;
}

/** The memory of a thread is released after this time. */
const MAX_IDLE_MS = 1000;

interface Idle {
  readonly heapMb: number;
  readonly timer: NodeJS.Timeout;
  readonly stopListening: () => void;
}

export function createIdleThreads(): IdleThreads {
  const idle = new Map<CheckThread, Idle>();
  const remove = (thread: CheckThread): void => {
    const one = idle.get(thread);
    if (one === undefined) return;
    idle.delete(thread);
    clearTimeout(one.timer);
    one.stopListening();
  };
  const end = (thread: CheckThread): Promise<void> => {
    remove(thread);
    return thread.end();
  };
  return {
    take: (heapMb) => {
      const [thread] = [...idle].find(([, one]) => one.heapMb === heapMb) ?? [];
      if (thread === undefined) return null;
      remove(thread);
      thread.keepAlive(true);
      return thread;
    },
    keep: (thread, heapMb) => {
      let hasEnded = false;
      const stopListening = thread.onEnd(() => {
        hasEnded = true;
        remove(thread);
      });
      if (hasEnded) return;
      thread.keepAlive(false);
      const timer = setTimeout(() => void end(thread), MAX_IDLE_MS).unref();
      idle.set(thread, { heapMb, timer, stopListening });
    },
    end: async () => {
      await Promise.all([...idle.keys()].map(end));
    },
  };
}
