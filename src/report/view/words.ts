import type { Coverage, Outcome, ReportedFinding } from '../../model/judgement.ts';
import { callName, type ResponseTimes } from '../../model/measurement.ts';
import type { Summary, TestResult } from '../../model/report.ts';
import type { Requirement } from '../../model/requirement.ts';
import { operationName, unitOf } from '../operations.ts';

/** The outcome of a requirement as readers see it: also whether a failure fails the run, and why it is undecided. */
export type RowState = Outcome | 'warning' | 'accepted' | 'blocked' | 'not-exercised';

/** In the order of the counts. */
export const OUTCOME_WORDS: Readonly<Record<RowState, string>> = {
  passed: 'passed',
  failed: 'failed',
  warning: 'warning',
  inapplicable: 'not applicable',
  undecided: 'undecided',
  blocked: 'blocked',
  'not-exercised': 'not exercised',
  accepted: 'accepted',
};

export const ROW_STATES = Object.keys(OUTCOME_WORDS) as readonly RowState[];

/** Every kind of undecided requirement counts, and is coloured, as undecided. */
export function countedAs(state: RowState): RowState {
  return state === 'blocked' || state === 'not-exercised' ? 'undecided' : state;
}

export const COUNTED_STATES: readonly RowState[] = ROW_STATES.filter((state) => countedAs(state) === state);

/** `1 finding`, `2 findings`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The same names, a repeated one with its number. */
export function numbered(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

/** With a full stop, unless it ends in one. */
export function asSentence(words: string): string {
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}

/** For entries that only the JSON report has. */
export function andMore(count: number, one: string, many?: string): string {
  return `and ${counted(count, `more ${one}`, many && `more ${many}`)}, in the JSON report`;
}

/** The kind of colour or sign for the verdict. */
export type VerdictMark = TestResult['verdict'] | 'unreachable' | 'measured';

type Judged = Pick<TestResult, 'verdict' | 'reachable' | 'bench'>;

export function verdictMark({ verdict, reachable, bench }: Judged): VerdictMark {
  if (bench !== undefined) return 'measured';
  if (!reachable) return 'unreachable';
  return verdict === 'pass' || verdict === 'incomplete' ? verdict : 'fail';
}

export function verdictWord(result: Judged): string {
  return verdictMark(result).toUpperCase();
}

type Summarised = Pick<TestResult, 'summary' | 'coverage' | 'results' | 'baseline' | 'findings'>;

/** Where the user selected requirements, the words say so. */
export function verdictWords(result: Judged & { readonly settings: object } & Summarised): string {
  const { verdict, reachable, bench, summary, coverage, baseline, settings } = result;
  if (bench !== undefined) return 'A load measures, and decides no requirement.';
  if (!reachable) return 'No request was answered, so nothing else could be checked.';
  const exercised = coverage === undefined ? '' : exercisedWords(coverage, unitOf(result));
  const accepted =
    summary.accepted === undefined ? '' : `, except ${summary.accepted} that the baseline accepts`;
  if (verdict === 'pass') {
    const isSelection = 'only' in settings && Array.isArray(settings.only) && settings.only.length > 0;
    if (coverage === undefined && summary.warnings === 0)
      return `Every ${isSelection ? 'selected ' : ''}requirement that applies is met${accepted}.`;
    const all = coverage === undefined ? '' : `${exercised}, `;
    const none = isSelection ? 'no selected requirement' : 'nothing';
    const words = `${all}${none} ${summary.warnings > 0 ? 'is worse than a warning' : 'failed'}${accepted}.`;
    return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  }
  if (verdict === 'incomplete') return incompleteWords(result, exercised);
  const problems = baseline?.problems.length ?? 0;
  return [
    ...(summary.failed === 0 ? [] : [`The contract is broken in ${counted(summary.failed, 'place')}.`]),
    ...(problems === 0 ? [] : [outdatedWords(problems)]),
  ].join(' ');
}

function incompleteWords({ summary, coverage, results, findings }: Summarised, exercised: string): string {
  if (summary.passed === 0 && summary.accepted !== undefined)
    return 'No requirement passed except those that the baseline accepts, so this is not a pass.';
  const late = findings.find(({ received }) => received === OVER);
  if (late !== undefined) {
    const over = `${late.message.replace(/^t/, 'T')}: increase --deadline.`;
    return coverage === undefined ? over : `${over} ${exercised}.`;
  }
  if (coverage !== undefined && coverage.exercised < coverage.needed)
    return `${exercised}, ${coverage.needed} ${coverage.needed === 1 ? 'is' : 'are'} needed, so this is not a pass.`;
  if (summary.undecided === 0) return 'No requirement passed, so this is not a pass.';
  return results.some(({ because, accepted }) => because === 'turned-away' && !accepted)
    ? 'The target turned requests away, so not everything could be decided, and this is not a pass.'
    : 'Not everything could be decided, so this is not a pass.';
}

/** What a finding received if its request was not sent because the deadline was over. */
const OVER = 'none: deadline';

/** `health`, `execute:add`; of the Model Context Protocol `alive`, `call:add`. */
export function labelOf(
  result: { readonly settings: object },
  { operation, function: name }: Pick<ResponseTimes, 'operation' | 'function'>,
): string {
  return callName({
    operation: operationName(result, operation),
    ...(name === undefined ? {} : { function: name }),
  });
}

/** `5 of 8 functions exercised`. */
export function exercisedWords({ listed, excluded, exercised }: Coverage, unit: string): string {
  const more = excluded === 0 ? '' : `, ${excluded} excluded`;
  return `${exercised} of ${counted(listed - excluded, unit)} exercised${more}`;
}

export function outdatedWords(problems: number): string {
  return `${counted(problems, 'baseline entry is', 'baseline entries are')} out of date.`;
}

/** A directory's decision about the listing; empty without a listing. */
export function decisionWords({ listingDecision }: Pick<TestResult, 'listingDecision'>): string {
  if (listingDecision === undefined) return '';
  return {
    list: 'A directory may list it.',
    hold: 'A directory does not list it yet: not every mandatory requirement of a listing is decided.',
    reject: 'A directory must not list it: a mandatory requirement of a listing is not met.',
  }[listingDecision];
}

export function summaryCounts(summary: Summary) {
  const { warnings, accepted = 0, ...outcomes } = summary;
  return countsOf({ ...outcomes, warning: warnings, accepted });
}

/** With words such as `warnings`. */
export function countsOf(counts: Readonly<Partial<Record<RowState, number>>>) {
  return COUNTED_STATES.map((state) => {
    const folded = ROW_STATES.filter((one) => countedAs(one) === state);
    const count = folded.reduce((sum, one) => sum + (counts[one] ?? 0), 0);
    const word = OUTCOME_WORDS[state];
    return { state, count, word: state === 'warning' && count !== 1 ? `${word}s` : word };
  });
}

/** `88 passed, 2 failed, …`, item by item. */
export function summaryItems(summary: Summary): readonly string[] {
  return summaryCounts(summary)
    .filter(({ state, count }) => count > 0 || state !== 'accepted')
    .map(({ count, word }) => `${count} ${word}`);
}

/** `104 passed, 2 failed, 1 warning`: without what is not applicable or accepted. */
export function countsInLine(summary: Summary): string {
  const { passed, failed, warnings, undecided } = summary;
  return [
    `${passed} passed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
    ...(undecided === 0 ? [] : [`${undecided} undecided`]),
  ].join(', ');
}

export function sectionWords(spec: string): string {
  if (spec === '-') return 'good practice';
  // A page of the Model Context Protocol, in the revision that the server speaks.
  return spec.startsWith('MCP ') ? spec : `section ${spec}`;
}

/** The servers that a requirement is for; empty for all. */
export function scopeWords({ wire, since, until }: Pick<Requirement, 'wire' | 'since' | 'until'>): string {
  if (wire === 'rest') return 'forms A and B only';
  if (since !== undefined && until !== undefined) return `revisions ${since} to ${until}`;
  if (since !== undefined) return `since revision ${since}`;
  return until === undefined ? '' : `up to revision ${until}`;
}

/** A piece of a text of the product or of a user’s suite, in which code is between backticks. */
export interface ProsePart {
  readonly text: string;
  readonly isCode: boolean;
}

export function proseParts(text: string): readonly ProsePart[] {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => ({ text: part, isCode: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}

/** What is wrong and where. */
export function sentenceOf(finding: ReportedFinding): string {
  const place = placeOf(finding);
  return place === '' ? finding.message : `${finding.message} (${place})`;
}

export function placeOf({ where }: ReportedFinding): string {
  const parts = [
    functionWords(where),
    where.case === undefined ? '' : `case ${where.case}`,
    where.pointer ?? '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** The function; empty if there is none. */
export function functionWords({ function: name }: { readonly function?: string }): string {
  return name === undefined ? '' : `function "${name}"`;
}
