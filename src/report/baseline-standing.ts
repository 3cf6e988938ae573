import { UNASKED_CODES } from '../checks/transport-advice.ts';
import { isForItem } from '../model/exchange-key.ts';
import type { AcceptedFinding, ReportedFinding, Row } from '../model/judgement.ts';
import type { TestResult } from '../model/report.ts';
import {
  fingerprintOfBlocked,
  identityOfEntry,
  identityOfFinding,
  lastingName,
  placeOf,
} from './fingerprint.ts';
import { cutShortBy, generatedCallsIn, isOnGeneratedInput } from './not-asked.ts';

export type Standing =
  | { readonly kind: 'occurs' }
  | { readonly kind: 'changed'; readonly instead: ReportedFinding }
  | { readonly kind: 'gone' }
  /** It was not selected, not asked for or not decided in this run. */
  | { readonly kind: 'unknown' };

/** The standing of each baseline entry in a result; what a run did not decide is unknown. Pure. */
export function standingsIn(
  result: TestResult,
  entries: readonly AcceptedFinding[],
): (entry: AcceptedFinding) => Standing {
  const rows = new Map(result.results.map((row) => [row.id, row]));
  const found = new Set(result.findings.map(identityOfFinding));
  const known = new Set(entries.map(identityOfEntry));
  const newFailures = result.findings.filter(
    (finding) => finding.outcome === 'failed' && !known.has(identityOfFinding(finding)),
  );
  const newFailureAt = new Map(
    newFailures
      .toReversed()
      .map((finding) => [placeOf(finding.id, lastingName(finding.where.function)), finding]),
  );
  const failsOtherwise = new Set(newFailures.map(({ where }) => where.function));
  const undecidedAt = new Set(
    result.findings
      .filter(({ outcome }) => outcome === 'undecided')
      .map(({ id, where }) => placeOf(id, lastingName(where.function))),
  );

  const made = generatedCallsIn(result);
  const wasAsked = ({ requirement: id, input }: AcceptedFinding): boolean =>
    input === undefined ? !isOnGeneratedInput({ id, where: null }) : made.has(input);
  const isCut = cutShortBy(result) !== null;

  const occurs = (entry: AcceptedFinding, row: Row): boolean =>
    entry.outcome === 'blocked'
      ? row.blockedBy !== undefined && identityOfBlocked(row) === identityOfEntry(entry)
      : found.has(identityOfEntry(entry));
  const isUndecided = ({ requirement, function: name }: AcceptedFinding, row: Row): boolean => {
    if (row.outcome === 'undecided') return true;
    if (undecidedAt.has(placeOf(requirement, undefined))) return true;
    if (name === undefined) return false;
    // A new failure of the function may keep this from being decided.
    return (
      undecidedAt.has(placeOf(requirement, name)) || failsOtherwise.has(name) || !wasCalled(name, result)
    );
  };

  return (entry) => {
    const row = rows.get(entry.requirement);
    if (!result.reachable || row === undefined) return { kind: 'unknown' };
    if (occurs(entry, row)) return { kind: 'occurs' };
    if (row.blockedBy !== undefined || isCut || !wasAsked(entry)) return { kind: 'unknown' };
    const instead = newFailureAt.get(placeOf(entry.requirement, entry.function));
    if (instead !== undefined && entry.outcome !== 'blocked') return { kind: 'changed', instead };
    return isUndecided(entry, row) ? { kind: 'unknown' } : { kind: 'gone' };
  };
}

/** Functions beyond --max-functions are not called. */
function wasCalled(name: string, { facts, exchanges }: TestResult): boolean {
  return (
    !facts.some((fact) => fact.name === 'bound') ||
    exchanges.some(({ request }) => isForItem(request.key, name))
  );
}

export function identityOfBlocked({ id, blockedBy }: Row): string {
  return JSON.stringify([id, null, 'blocked', fingerprintOfBlocked(id, blockedBy ?? '')]);
}

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
export function isTransientDoubt({ outcome, message, received }: ReportedFinding): boolean {
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
