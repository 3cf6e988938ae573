import type { CheckOptions } from 'probity';
import type { TestResult } from 'probity/model';
import type { Service } from '../http/service.ts';
import type { Entry } from '../store/entries.ts';
import { checkThroughBridge } from './check-through-bridge.ts';

export type EntryCheckOptions = CheckOptions &
  Required<Pick<CheckOptions, 'deadlineMs' | 'publicOnly' | 'signal'>>;

/** Checks the target of an entry: at its base address, or through a bridge. */
export function checkEntry(service: Service, entry: Entry, options: EntryCheckOptions): Promise<TestResult> {
  return entry.listing.protocol === 'mcp'
    ? checkThroughBridge(service, entry, options)
    : service.checks.check(entry.endpoint, options);
}
