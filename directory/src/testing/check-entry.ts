import type { CheckOptions } from 'probity';
import type { TestResult } from 'probity/model';
import { type CheckPool, createCheckPool } from 'probity/service';
import { START_TIMEOUT_MS } from '../bridges/bridges.ts';
import type { Service } from '../http/service.ts';
import { QUEUES } from '../jobs/queues.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { Entry } from '../store/entries.ts';

export type EntryCheckOptions = CheckOptions &
  Required<Pick<CheckOptions, 'deadlineMs' | 'publicOnly' | 'signal'>>;

/** Checks mostly wait for the pace of their targets. More in a thread would wait for each other. */
const [MIN_IN_THREAD, MAX_IN_THREAD] = [16, 64];
/** Only one check at a time times its target, and a thread of its own takes much memory. */
const MAX_OWN_THREADS = 8;

/** The threads of the tests of one process, for as many as it may run at once. */
export function createChecks({ limits, concurrency }: ServiceSettings): CheckPool {
  const { checkThreads: threads, runningTests } = limits;
  const atOnce = concurrency ?? Math.max(runningTests, QUEUES.audit.concurrency);
  return createCheckPool({
    threads,
    ownThreads: Math.min(concurrency ?? runningTests, MAX_OWN_THREADS),
    checksPerThread: Math.min(Math.max(Math.ceil(atOnce / threads), MIN_IN_THREAD), MAX_IN_THREAD),
  });
}

/** Checks the target of an entry, in the protocol that it speaks. */
export function checkEntry(
  { checks }: Service,
  { endpoint, listing }: Entry,
  options: EntryCheckOptions,
): Promise<TestResult> {
  return checks.check(
    endpoint,
    listing.protocol === 'mcp' ? { ...options, mcp: { startTimeoutMs: START_TIMEOUT_MS } } : options,
  );
}
