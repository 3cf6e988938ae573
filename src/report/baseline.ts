import type { AcceptedFinding, BaselineProblem } from '../model/baseline.ts';
import type { ReportedFinding, Row } from '../model/judgement.ts';
import type { TestResult } from '../model/report.ts';
import { fingerprintOfBlocked } from './fingerprint.ts';
import { summarise, verdictOf } from './rows.ts';

/**
 * The same result with the findings that were accepted beforehand marked as such: they neither fail the run nor leave it
 * incomplete. An entry that has expired, that no longer occurs, or in whose place something else is found now, fails it.
 * The day that counts is the one on which the run began (UTC). Pure.
 */
export function applyBaseline(result: TestResult, entries: readonly AcceptedFinding[]): TestResult {
  const today = result.startedAt.slice(0, 'yyyy-mm-dd'.length);
  const valid = new Map(
    entries.filter(({ until }) => until >= today).map((entry) => [identityOfEntry(entry), entry]),
  );
  const findings = result.findings.map((finding) => {
    const entry = valid.get(identityOfFinding(finding));
    return entry === undefined
      ? finding
      : { ...finding, accepted: { reason: entry.reason, until: entry.until } };
  });
  const results = result.results.map((row): Row => {
    const own = findings.filter(({ id }) => id === row.id);
    const accepted =
      row.outcome === 'blocked'
        ? valid.has(identityOfBlocked(row))
        : (row.outcome === 'failed' || row.outcome === 'inconclusive') &&
          own.length > 0 &&
          own.every((finding) => finding.accepted !== undefined);
    return accepted ? { ...row, accepted } : row;
  });
  const problems = problemsOf(result, entries, today);
  const summary = summarise(results, result.settings.failOn === 'must' ? 'MUST' : 'SHOULD');
  return {
    ...result,
    verdict: problems.length > 0 ? 'fail' : verdictOf(summary),
    summary,
    results,
    findings,
    baseline: { entries, problems },
  };
}

export interface Terms {
  readonly reason: string;
  readonly until: string;
  /** Findings that do not fail the run are accepted as well. */
  readonly all: boolean;
}

/**
 * The entries that would let this result pass. Those that are among the earlier ones keep their reason and their end;
 * the others get the terms given. Pure.
 */
export function baselineOf(
  result: TestResult,
  terms: Terms,
  earlier: readonly AcceptedFinding[] = [],
): readonly AcceptedFinding[] {
  const known = new Map(earlier.map((entry) => [identityOfEntry(entry), entry]));
  const counts = ({ level }: { readonly level: Row['level'] }): boolean =>
    terms.all || level === 'MUST' || (level === 'SHOULD' && result.settings.failOn === 'should');
  const undecides = (outcome: Row['outcome']): boolean => outcome === 'inconclusive' || outcome === 'blocked';
  const rows = result.results.filter(
    (row) => undecides(row.outcome) || (row.outcome === 'failed' && counts(row)),
  );
  const ids = new Set(rows.map(({ id }) => id));
  const found = result.findings
    .filter(({ id }) => ids.has(id))
    .map(
      (finding): AcceptedFinding => ({
        requirement: finding.id,
        ...(finding.where.function === undefined ? {} : { function: finding.where.function }),
        outcome: finding.outcome,
        fingerprint: finding.fingerprint,
        evidence: `${finding.message}; expected ${finding.expected}; received ${finding.received}`,
        reason: terms.reason,
        until: terms.until,
      }),
    );
  const blocked = rows
    .filter(({ outcome }) => outcome === 'blocked')
    .map(
      (row): AcceptedFinding => ({
        requirement: row.id,
        outcome: 'blocked',
        fingerprint: fingerprintOfBlocked(row.id, row.blockedBy ?? ''),
        evidence: `blocked by ${row.blockedBy ?? 'what is not known'}`,
        reason: terms.reason,
        until: terms.until,
      }),
    );
  const entries = new Map([...found, ...blocked].map((entry) => [identityOfEntry(entry), entry]));
  return [...entries].map(([identity, entry]) => {
    const before = known.get(identity);
    return before === undefined ? entry : { ...entry, reason: before.reason, until: before.until };
  });
}

function problemsOf(
  result: TestResult,
  entries: readonly AcceptedFinding[],
  today: string,
): readonly BaselineProblem[] {
  const occurring = new Map(result.findings.map((finding) => [identityOfFinding(finding), finding]));
  const known = new Set(entries.map(identityOfEntry));
  return entries.flatMap((entry): readonly BaselineProblem[] => {
    const { requirement, function: name, until } = entry;
    const base = { requirement, ...(name === undefined ? {} : { function: name }) };
    const row = result.results.find(({ id }) => id === requirement);
    // Not asked for in this run, so nothing is known of it.
    if (row === undefined) return [];
    const occurs =
      entry.outcome === 'blocked'
        ? row.outcome === 'blocked' && identityOfBlocked(row) === identityOfEntry(entry)
        : occurring.has(identityOfEntry(entry));
    if (occurs)
      return until >= today
        ? []
        : [{ ...base, kind: 'expired', message: `it was accepted until ${until}, and is still found` }];
    if (row.outcome === 'blocked') return [];
    const instead = result.findings.find(
      (finding) =>
        finding.id === requirement &&
        finding.where.function === name &&
        !known.has(identityOfFinding(finding)),
    );
    if (instead !== undefined && entry.outcome !== 'blocked')
      return [
        {
          ...base,
          kind: 'changed',
          message: `what is found now is not what was accepted: ${instead.message}`,
        },
      ];
    if (row.outcome === 'inconclusive') return [];
    return [
      { ...base, kind: 'gone', message: 'what was accepted no longer occurs: take it out of the baseline' },
    ];
  });
}

function identityOfEntry({ requirement, function: name, outcome, fingerprint }: AcceptedFinding): string {
  return JSON.stringify([requirement, name ?? null, outcome, fingerprint]);
}

function identityOfFinding({ id, where, outcome, fingerprint }: ReportedFinding): string {
  return JSON.stringify([id, where.function ?? null, outcome, fingerprint]);
}

function identityOfBlocked({ id, blockedBy }: Row): string {
  return JSON.stringify([id, null, 'blocked', fingerprintOfBlocked(id, blockedBy ?? '')]);
}
