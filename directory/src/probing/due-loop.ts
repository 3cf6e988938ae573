import { setTimeout } from 'node:timers/promises';
import type { EntryTarget } from '../store/entries.ts';

export interface DueWork {
  readonly maxAtOnce: number;
  claim(max: number): Promise<readonly EntryTarget[]>;
  /** Milliseconds until something is due. */
  untilDue(): Promise<number>;
  /** Never rejects. */
  work(target: EntryTarget): Promise<void>;
  onError(error: unknown): void;
}

const MIN_PAUSE_MS = 50;
const PAUSE_AFTER_ERROR_MS = 2000;

/** Runs entries when they are due, up to `maxAtOnce` at a time. When the signal aborts, waits for the running ones. */
export async function runDueLoop(due: DueWork, signal: AbortSignal): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const pause = async (ms: number): Promise<void> => {
    await setTimeout(Math.max(MIN_PAUSE_MS, ms), undefined, { signal }).catch(() => undefined);
  };
  while (!signal.aborted) {
    try {
      const free = due.maxAtOnce - underWay.size;
      const claimed = await due.claim(free);
      for (const target of claimed) {
        const work: Promise<void> = due.work(target).finally(() => underWay.delete(work));
        underWay.add(work);
      }
      if (underWay.size >= due.maxAtOnce) await Promise.race(underWay);
      else if (claimed.length < free) await pause(await due.untilDue());
    } catch (error) {
      due.onError(error);
      await pause(PAUSE_AFTER_ERROR_MS);
    }
  }
  await Promise.all(underWay);
}
