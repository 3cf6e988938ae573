import type { CheckOptions } from 'probity';
import type { TestResult } from 'probity/model';
import { type CheckPool, createCheckPool } from 'probity/service';
import type { Service } from '../http/service.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { Entry } from '../store/entries.ts';
import { checkThroughBridge } from './check-through-bridge.ts';

export type EntryCheckOptions = CheckOptions &
  Required<Pick<CheckOptions, 'deadlineMs' | 'publicOnly' | 'signal'>>;

/** The threads of the tests of one process, as many as it may run at once. */
export function createChecks({ limits, concurrency }: ServiceSettings): CheckPool {
  return createCheckPool({ threads: limits.checkThreads, ownThreads: concurrency ?? limits.runningTests });
}

/** Checks the target of an entry: at its base address, or through a bridge. */
export function checkEntry(service: Service, entry: Entry, options: EntryCheckOptions): Promise<TestResult> {
  return entry.listing.protocol === 'mcp'
    ? checkThroughBridge(service, entry, options)
    : service.checks.check(entry.endpoint, options);
}
