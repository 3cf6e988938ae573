import { record, requireArguments, wholeFrom } from '../../model/arguments.ts';
import type { Kinds } from '../../model/kind.ts';
import type { TestResult } from '../../model/report.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { CHECK_ARGUMENTS, type CheckOptions } from '../check-options.ts';
import { checkInThreads } from './check-in-threads.ts';
import { createThreadPlaces } from './thread-places.ts';

export interface CheckPoolOptions {
  /** Maximum number of threads that checks share; 1 by default. */
  readonly threads?: number;
  /** Maximum number of checks at once that have a thread of their own; by default that of shared threads. */
  readonly ownThreads?: number;
  /** Maximum number of checks at once in a thread; 16 by default. */
  readonly checksPerThread?: number;
}

/** Checks many servers at once in few threads, because a check mostly waits. */
export interface CheckPool {
  /**
   * Checks a server like `checkServer`, as soon as there is a place; the deadline does not count that wait. Checks
   * without timing share a thread. A check that times its target, has a memory limit of its own, or needs more than its
   * share has a thread of its own.
   *
   * @throws what `checkServer` throws
   */
  check(url: string, options?: CheckOptions): Promise<TestResult>;
  /** How long the threads were busy until now: about the CPU time of all checks, in milliseconds. */
  busyMs(): number;
  /** Interrupts the checks, waits for their results, and ends the threads. Later checks are interrupted at once. */
  close(): Promise<void>;
}

const OPTIONS = {
  threads: wholeFrom(1),
  ownThreads: wholeFrom(1),
  checksPerThread: wholeFrom(1),
} satisfies Kinds<CheckPoolOptions>;

const DEFAULT_CHECKS_PER_THREAD = 16;

/** @throws OptionError when an option is unknown or of the wrong kind */
export function createCheckPool(options: CheckPoolOptions = {}): CheckPool {
  requireArguments('createCheckPool', { options }, { options: record(OPTIONS) });
  const { threads = 1, ownThreads = threads, checksPerThread = DEFAULT_CHECKS_PER_THREAD } = options;
  const places = createThreadPlaces({ threads, ownThreads, checksPerThread });
  const closing = new AbortController();
  const running = new Set<Promise<TestResult>>();
  return {
    check: async (url, given = {}) => {
      requireArguments('check', { url, options: given }, CHECK_ARGUMENTS);
      const signals = [closing.signal, ...(given.signal === undefined ? [] : [given.signal])];
      const checked = checkInThreads(
        places,
        url,
        { ...given, signal: AbortSignal.any(signals) },
        systemClock,
      );
      running.add(checked);
      return checked.finally(() => running.delete(checked));
    },
    busyMs: () => places.busyMs(),
    close: async () => {
      closing.abort();
      await Promise.allSettled(running);
      await places.close();
    },
  };
}
