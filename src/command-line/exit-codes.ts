import { ExpectedError } from '../model/expected-error.ts';
import type { TestResult } from '../model/report.ts';

export const EXIT = { pass: 0, fail: 1, usage: 2, unreachable: 3, incomplete: 4, harness: 70 } as const;

export function exitCodeFor({ reachable, verdict }: Pick<TestResult, 'reachable' | 'verdict'>): number {
  return reachable ? EXIT[verdict] : EXIT.unreachable;
}

/** A mistake in the user's input; printed without a stack. */
export class UsageError extends ExpectedError {
  override readonly name = 'UsageError';
}
