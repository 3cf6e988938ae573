import { UNASKED_CODES } from '../checks/transport-advice.ts';
import type { ReportedFinding } from '../model/judgement.ts';
import type { TestResult } from '../model/report.ts';

const RECEIVED: ReadonlySet<string> = new Set([
  ...[...UNASKED_CODES].map((code) => `none: ${code}`),
  'figures of an overloaded client',
  'no reliable figure',
]);
const MESSAGE =
  /^(?:there was no time left|the check was stopped before|the target’s rate limiter refused|too few timed calls|too few calls made at the same time)|, but not beyond doubt$/;

/**
 * A doubt caused by this run: its deadline, a busy machine, a rate limiter, figures near a limit. The next run may decide
 * it, so a baseline entry for it would be out of date at once. Pure.
 */
export function isTransientDoubt({
  outcome,
  message,
  received,
}: Pick<ReportedFinding, 'outcome' | 'message' | 'received'>): boolean {
  return outcome === 'undecided' && (RECEIVED.has(received) || MESSAGE.test(message));
}

/** The requirements that are undecided only for transient doubts, or blocked by such requirements. Pure. */
export function transientDoubts({ results, findings }: TestResult): ReadonlySet<string> {
  const doubtful = new Set(findings.filter(isTransientDoubt).map(({ id }) => id));
  for (const { id, outcome } of findings) if (outcome === 'failed') doubtful.delete(id);
  for (let known = -1; known < doubtful.size; ) {
    known = doubtful.size;
    for (const { id, blockedBy } of results)
      if (blockedBy !== undefined && doubtful.has(blockedBy)) doubtful.add(id);
  }
  return doubtful;
}
