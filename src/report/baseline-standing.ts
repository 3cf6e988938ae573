import type { AcceptedFinding } from '../model/baseline.ts';
import type { ReportedFinding, Row } from '../model/judgement.ts';
import type { TestResult } from '../model/report.ts';
import { fingerprintOfBlocked, lastingName } from './fingerprint.ts';

/** What a result tells of an accepted finding. */
export type Standing =
  | { readonly kind: 'occurs' }
  | { readonly kind: 'changed'; readonly instead: ReportedFinding }
  | { readonly kind: 'gone' }
  /** It was not asked for, or was not decided in this run. */
  | { readonly kind: 'unknown' };

/** How an entry of a baseline stands in a result; what a run did not decide is no claim. Pure. */
export function standingOf(
  entry: AcceptedFinding,
  result: TestResult,
  entries: readonly AcceptedFinding[],
): Standing {
  const row = result.results.find(({ id }) => id === entry.requirement);
  if (!result.reachable || row === undefined) return { kind: 'unknown' };
  if (occursIn(entry, row, result)) return { kind: 'occurs' };
  if (row.outcome === 'blocked') return { kind: 'unknown' };
  const instead = otherFailure(entry, result, entries);
  if (instead !== undefined && entry.outcome !== 'blocked') return { kind: 'changed', instead };
  return isUndecided(entry, row, result, entries) ? { kind: 'unknown' } : { kind: 'gone' };
}

function occursIn(entry: AcceptedFinding, row: Row, { findings }: TestResult): boolean {
  const identity = identityOfEntry(entry);
  return entry.outcome === 'blocked'
    ? row.outcome === 'blocked' && identityOfBlocked(row) === identity
    : findings.some((finding) => identityOfFinding(finding) === identity);
}

/** A failure in the same place that no entry accepts. */
function otherFailure(
  { requirement, function: name }: AcceptedFinding,
  { findings }: TestResult,
  entries: readonly AcceptedFinding[],
): ReportedFinding | undefined {
  const known = new Set(entries.map(identityOfEntry));
  return findings.find(
    (finding) =>
      finding.id === requirement &&
      finding.outcome === 'failed' &&
      lastingName(finding.where.function) === name &&
      !known.has(identityOfFinding(finding)),
  );
}

function isUndecided(
  { requirement, function: name }: AcceptedFinding,
  row: Row,
  result: TestResult,
  entries: readonly AcceptedFinding[],
): boolean {
  if (row.outcome === 'inconclusive') return true;
  const open = result.findings.some(
    ({ id, outcome, where }) =>
      id === requirement &&
      outcome === 'inconclusive' &&
      [undefined, name].includes(lastingName(where.function)),
  );
  if (open || name === undefined) return open;
  const known = new Set(entries.map(identityOfEntry));
  // What fails now may well be what keeps this from being decided.
  const failsOtherwise = result.findings.some(
    (finding) =>
      finding.outcome === 'failed' &&
      lastingName(finding.where.function) === name &&
      !known.has(identityOfFinding(finding)),
  );
  return failsOtherwise || !wasAsked(name, result);
}

/** Of more functions than --max-functions allows, some are left out. A long name is shortened in keys. */
function wasAsked(name: string, { facts, exchanges }: TestResult): boolean {
  const shownOfName = name.slice(0, LEAST_SHOWN_CHARACTERS);
  return (
    !facts.some((fact) => fact.name === 'bound') ||
    exchanges.some(({ request: { key } }) =>
      key.includes(name === shownOfName ? `[${name}]` : `[${shownOfName}`),
    )
  );
}

const LEAST_SHOWN_CHARACTERS = 30;

export function identityOfEntry({
  requirement,
  function: name,
  outcome,
  fingerprint,
}: AcceptedFinding): string {
  return JSON.stringify([requirement, name ?? null, outcome, fingerprint]);
}

export function identityOfFinding({ id, where, outcome, fingerprint }: ReportedFinding): string {
  return JSON.stringify([id, lastingName(where.function) ?? null, outcome, fingerprint]);
}

export function identityOfBlocked({ id, blockedBy }: Row): string {
  return JSON.stringify([id, null, 'blocked', fingerprintOfBlocked(id, blockedBy ?? '')]);
}
