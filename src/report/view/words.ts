import { groupedBy } from '../../model/grouped-by.ts';
import type { Outcome, ReportedFinding, Row } from '../../model/judgement.ts';
import { failingLevel, type RunSettings, type Summary, type TestResult } from '../../model/report.ts';
import { isAtLeast, type Level } from '../../model/requirement.ts';

export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  failed: 'failed',
  passed: 'passed',
  blocked: 'blocked',
  inconclusive: 'inconclusive',
  inapplicable: 'not applicable',
};

/** The part of the contract to which a requirement belongs, such as `health`. */
export function areaOf(id: string): string {
  return id.split('/', 1)[0] ?? id;
}

export function verdictWord({ verdict, reachable }: Pick<TestResult, 'verdict' | 'reachable'>): string {
  return reachable ? verdict.toUpperCase() : 'UNREACHABLE';
}

export function verdictWords({
  verdict,
  reachable,
  summary,
  baseline,
}: Pick<TestResult, 'verdict' | 'reachable' | 'summary' | 'baseline'>): string {
  if (!reachable) return 'No request was answered, so nothing else could be asked.';
  const problems = baseline?.problems.length ?? 0;
  if (verdict === 'pass')
    return summary.accepted === undefined
      ? 'Every requirement that applies is met.'
      : `Every requirement that applies is met, but for ${summary.accepted} that the baseline accepts.`;
  if (verdict === 'incomplete' && summary.passed === 0 && summary.accepted !== undefined)
    return 'No requirement is met: there is nothing but what the baseline accepts, so this is not a pass.';
  if (verdict === 'incomplete') return 'Not everything could be decided, so this is not a pass.';
  const outdated = `${problems} ${problems === 1 ? 'entry of the baseline does' : 'entries of the baseline do'} not hold any more.`;
  if (summary.failed === 0) return outdated;
  const broken = `The contract is broken in ${summary.failed} ${summary.failed === 1 ? 'place' : 'places'}.`;
  return problems === 0 ? broken : `${broken} ${outdated}`;
}

/** What a directory makes of the listing; empty where none was given. */
export function decisionWords({ listingDecision }: Pick<TestResult, 'listingDecision'>): string {
  if (listingDecision === undefined) return '';
  return {
    list: 'A directory may list it.',
    hold: 'A directory holds it back: not everything that binds a listing is decided.',
    reject: 'A directory may not list it: something that binds a listing is not met.',
  }[listingDecision];
}

/** `88 passed, 2 failed, …`, item by item. */
export function summaryItems(summary: Summary): readonly string[] {
  return [
    `${summary.passed} passed`,
    `${summary.failed} failed`,
    `${summary.warnings} ${summary.warnings === 1 ? 'warning' : 'warnings'}`,
    `${summary.inapplicable} not applicable`,
    `${summary.blocked} blocked`,
    `${summary.inconclusive} inconclusive`,
    ...(summary.accepted === undefined ? [] : [`${summary.accepted} accepted`]),
  ];
}

export function sectionWords(spec: string): string {
  return spec === '-' ? 'good practice' : `section ${spec}`;
}

/** What became of a requirement, as far as readers have to tell it apart: whether a failure fails the run, too. */
export type RowState = Outcome | 'warning' | 'accepted';

export function stateOf(
  row: Pick<Row, 'outcome' | 'level' | 'accepted'>,
  { settings }: { readonly settings: Pick<RunSettings, 'failOn'> },
): RowState {
  if (row.accepted) return 'accepted';
  return row.outcome === 'failed' && !isAtLeast(row.level, failingLevel(settings)) ? 'warning' : row.outcome;
}

export interface FoundOf {
  readonly row: Row;
  readonly findings: readonly ReportedFinding[];
}

const TURN: Readonly<Record<string, number>> = { failed: 0, blocked: 1, inconclusive: 2 };
const LEVEL_TURN: Readonly<Record<Level, number>> = { MUST: 0, SHOULD: 1, MAY: 2 };

/** The requirements that somebody has to do something about, what matters most first, each with all that was found. */
export function toMend({ results, findings }: Pick<TestResult, 'results' | 'findings'>): readonly FoundOf[] {
  const byId = groupedBy(findings, ({ id }) => id);
  return results
    .filter(({ outcome, accepted }) => Object.hasOwn(TURN, outcome) && !accepted)
    .map((row) => ({
      row,
      // What decided the row comes before what is undecided besides.
      findings: (byId.get(row.id) ?? []).toSorted(
        (left, right) => Number(right.outcome === row.outcome) - Number(left.outcome === row.outcome),
      ),
    }))
    .toSorted(
      ({ row: left }, { row: right }) =>
        (TURN[left.outcome] ?? 0) - (TURN[right.outcome] ?? 0) ||
        LEVEL_TURN[left.level] - LEVEL_TURN[right.level],
    );
}
