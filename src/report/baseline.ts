import { shorten } from '../json/json.ts';
import { visible } from '../json/visible.ts';
import {
  day,
  flag,
  listOf,
  oneOf,
  record,
  requireArguments,
  required,
  text,
  textNotEmpty,
  wholeFrom,
} from '../model/arguments.ts';
import type { AcceptedFinding, Baseline, BaselineProblem, ReportedFinding, Row } from '../model/judgement.ts';
import type { RecordOf } from '../model/kind.ts';
import { failingLevel, RESULT, type TestResult } from '../model/report.ts';
import { isAtLeast } from '../model/requirement.ts';
import { groupedBy } from '../text/grouped-by.ts';
import {
  identityOfBlocked,
  isTransientDoubt,
  type Standing,
  standingsIn,
  transientDoubts,
} from './baseline-standing.ts';
import { fingerprintOfBlocked, identityOfEntry, identityOfFinding, lastingName } from './fingerprint.ts';
import { cutShortBy, identityOfCalls, isOnGeneratedInput } from './not-asked.ts';
import { concluded } from './rows.ts';

/**
 * Marks the findings that the baseline accepts: they neither fail the run nor make it incomplete. An entry fails the
 * run if it has expired, no longer occurs, or was replaced by another finding. The date is the day on which the run
 * began (UTC). Pure.
 *
 * @throws OptionError when an argument is of the wrong kind
 */
export function applyBaseline(judged: TestResult, baseline: Baseline): TestResult {
  requireArguments(
    'applyBaseline',
    { result: judged, baseline },
    { result: RESULT, baseline: required(BASELINE) },
  );
  const { entries } = baseline;
  const result = withoutBaseline(judged);
  const today = dayOf(result);
  const valid = new Map(
    entries.filter(({ until }) => until >= today).map((entry) => [identityOfEntry(entry), entry]),
  );
  const findings = result.findings.map((finding): ReportedFinding => {
    const entry = valid.get(identityOfFinding(finding));
    if (entry === undefined) return finding;
    const { reason, until } = entry;
    return { ...finding, accepted: { reason, until } };
  });
  const ofRow = groupedBy(findings, ({ id }) => id);
  const results = result.results.map((row) =>
    acceptedRow(row, ofRow.get(row.id) ?? [], valid.has(identityOfBlocked(row))),
  );
  const standingOf = standingsIn(result, entries);
  const problems = [
    ...entries.flatMap((entry) => problemOf(entry, standingOf(entry), today)),
    ...growthOf(result, baseline),
  ];
  return concluded({ ...result, results, findings, baseline: { ...baseline, problems } });
}

/** The result as judged, without a baseline. */
function withoutBaseline({ baseline, ...result }: TestResult): TestResult {
  if (baseline === undefined) return result;
  const failed = new Set(result.findings.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id));
  const results = result.results.map(
    ({ accepted: _, ...row }): Row => (failed.has(row.id) ? { ...row, outcome: 'failed' } : row),
  );
  const findings = result.findings.map(({ accepted: _, ...finding }): ReportedFinding => finding);
  return concluded({ ...result, results, findings });
}

/** If all failures are accepted and another finding is undecided, the row is undecided. */
function acceptedRow(row: Row, own: readonly ReportedFinding[], blockAccepted: boolean): Row {
  const open = own.filter(({ accepted }) => accepted === undefined);
  if (row.blockedBy !== undefined)
    return blockAccepted && open.length === 0 ? { ...row, accepted: true } : row;
  if ((row.outcome !== 'failed' && row.outcome !== 'undecided') || own.length === 0) return row;
  if (open.length === 0) return { ...row, accepted: true };
  return open.some(({ outcome }) => outcome === 'failed') ? row : { ...row, outcome: 'undecided' };
}

function problemOf(entry: AcceptedFinding, standing: Standing, today: string): readonly BaselineProblem[] {
  const { requirement, function: name, until } = entry;
  const problem = (kind: BaselineProblem['kind'], message: string): readonly BaselineProblem[] => [
    { kind, requirement, ...(name === undefined ? {} : { function: name }), message },
  ];
  switch (standing.kind) {
    case 'unknown':
      return [];
    case 'occurs':
      return until >= today
        ? []
        : problem('expired', `it was accepted until ${until} and still occurs: fix it or extend the entry`);
    case 'changed':
      return problem(
        'changed',
        `the finding changed: ${standing.instead.message}; received ${standing.instead.received}; fix it, or accept it with probity baseline`,
      );
    case 'gone':
      return problem('gone', 'the accepted finding no longer occurs: remove the entry');
  }
}

const TOLERATED_GROWTH = 1.1;
/** Of a small server, one more parameter is over ten percent. */
const MIN_GROWTH_TOKENS = 100;

/** What the definitions of the functions cost more than when the baseline was written. */
function growthOf({ clientView }: TestResult, { definitionTokens }: Baseline): readonly BaselineProblem[] {
  if (clientView === undefined || definitionTokens === undefined) return [];
  const { total } = clientView.tokens;
  if (total <= definitionTokens * TOLERATED_GROWTH || total <= definitionTokens + MIN_GROWTH_TOKENS)
    return [];
  const message = `the definitions of the functions cost about ${total} tokens in each conversation, and ${definitionTokens} when the baseline was written: shorten them, or accept it with probity baseline`;
  return [{ kind: 'grown', requirement: 'documentation/definition-tokens', message }];
}

const ENTRIES = listOf(
  record({
    requirement: required(textNotEmpty),
    function: text,
    outcome: required(oneOf('failed', 'undecided', 'blocked')),
    fingerprint: required(textNotEmpty),
    input: text,
    evidence: text,
    reason: required(textNotEmpty),
    until: required(day),
  }),
);

const BASELINE = record({
  entries: required(ENTRIES),
  exercised: wholeFrom(0),
  definitionTokens: wholeFrom(0),
});

const TERMS = {
  reason: required(textNotEmpty),
  until: required(day),
  /** Also accepts findings that do not fail the run. */
  all: required(flag),
};

export type Terms = RecordOf<typeof TERMS>;

const NO_BASELINE: Baseline = { entries: [] };

export type DraftedBaseline = ReturnType<typeof draftBaseline>;

/**
 * The entries with which this result would pass. Earlier entries that still occur, or that the run did not decide, keep
 * their end date; only people extend it. Pure.
 */
export function draftBaseline(
  judged: TestResult,
  terms: Terms,
  { entries: earlier, definitionTokens, exercised } = NO_BASELINE,
) {
  const result = withoutBaseline(judged);
  const standingOf = standingsIn(result, earlier);
  const standings = earlier.map((entry) => ({ entry, kind: standingOf(entry).kind }));
  const kept = standings.filter(({ kind }) => kind === 'occurs' || kind === 'unknown');
  const dropped = standings.filter(({ kind }) => kind === 'changed' || kind === 'gone');
  const known = new Set(kept.map(({ entry }) => identityOfEntry(entry)));
  const added = new Map(
    [...acceptable(result, terms)]
      .map((entry) => [identityOfEntry(entry), entry] as const)
      .filter(([identity]) => !known.has(identity)),
  );
  const today = dayOf(result);
  return {
    // Kept entries in their order, then new ones.
    baseline: {
      entries: [...kept.map(({ entry }) => entry), ...added.values()],
      ...reachedBy(result, exercised),
      ...costOf(result.clientView?.tokens.total ?? definitionTokens),
    },
    kept: kept.length,
    added: added.size,
    // Earlier entries that no longer occur as accepted.
    dropped: dropped.map(({ entry }) => entry),
    // Kept entries that fail the run.
    expired: kept.flatMap(({ entry, kind }) => (kind === 'occurs' && entry.until < today ? [entry] : [])),
    // They get no entry, because a transient doubt leaves them undecided.
    leftOpen: [...transientDoubts(result)],
  };
}

/** Kept from the earlier baseline if the run ended before it had called everything. */
function reachedBy(result: TestResult, earlier: number | undefined): Pick<Baseline, 'exercised'> {
  const exercised = cutShortBy(result) === null ? result.coverage?.exercised : earlier;
  return exercised === undefined ? {} : { exercised };
}

/** Kept from the earlier baseline if the run did not read the list of functions. */
function costOf(definitionTokens: number | undefined): Pick<Baseline, 'definitionTokens'> {
  return definitionTokens === undefined ? {} : { definitionTokens };
}

/**
 * The entries with which this result would pass; earlier entries keep their reason and end date. Pure.
 *
 * @throws OptionError when an argument is of the wrong kind
 */
export function baselineOf(result: TestResult, terms: Terms, earlier: Baseline = NO_BASELINE): Baseline {
  requireArguments(
    'baselineOf',
    { result, terms, earlier },
    { result: RESULT, terms: required(record(TERMS)), earlier: BASELINE },
  );
  return draftBaseline(result, terms, earlier).baseline;
}

const MAX_EVIDENCE_CHARACTERS = 400;

function acceptable(result: TestResult, { reason, until, all }: Terms): readonly AcceptedFinding[] {
  const counts = ({ outcome, because, level }: Row): boolean =>
    (outcome === 'undecided' && because !== 'not-exercised') ||
    (outcome === 'failed' && (all || isAtLeast(level, failingLevel(result.settings))));
  const ofRow = groupedBy(result.findings, ({ id }) => id);
  const transient = transientDoubts(result);
  const identityOf = identityOfCalls(result.exchanges);
  return result.results.filter(counts).flatMap((row) => {
    const lasting = (ofRow.get(row.id) ?? []).filter((finding) => !isTransientDoubt(finding));
    const found = lasting.map(
      ({ id, where, outcome, fingerprint, message, expected, received }): AcceptedFinding => {
        const name = lastingName(where.function);
        const input = isOnGeneratedInput({ id, where }) ? identityOf(where.exchange ?? '') : undefined;
        return {
          requirement: id,
          ...(name === undefined ? {} : { function: name }),
          outcome,
          fingerprint,
          ...(input === undefined ? {} : { input }),
          evidence: inert(`${message}; expected ${expected}; received ${received}`),
          reason,
          until,
        };
      },
    );
    const { blockedBy } = row;
    if (blockedBy === undefined || transient.has(row.id)) return found;
    const fingerprint = fingerprintOfBlocked(row.id, blockedBy);
    const evidence = inert(`blocked by ${blockedBy}`);
    const terms = { evidence, reason, until };
    return [...found, { requirement: row.id, outcome: 'blocked' as const, fingerprint, ...terms }];
  });
}

function inert(evidence: string): string {
  return shorten(visible(evidence.slice(0, MAX_EVIDENCE_CHARACTERS * 2)), MAX_EVIDENCE_CHARACTERS);
}

function dayOf({ startedAt }: TestResult): string {
  return startedAt.slice(0, 'yyyy-mm-dd'.length);
}
