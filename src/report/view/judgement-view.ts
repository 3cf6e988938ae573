import type { Fault } from '../../model/exchange.ts';
import type { BaselineProblem, ReportedFinding, Row } from '../../model/judgement.ts';
import { failingLevel } from '../../model/report.ts';
import { areaOf, isAtLeast, type Level } from '../../model/requirement.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import type { VisibleJudgement } from './visible-result.ts';
import {
  counted,
  countsOf,
  functionWords,
  numbered,
  OUTCOME_WORDS,
  placeOf,
  type RowState,
  sectionWords,
  sentenceOf,
} from './words.ts';

/** A label and its text, neither of them empty. */
export type Field = readonly [label: FieldLabel, text: string];
type EvidenceLabel = 'at' | 'expected' | 'received' | 'fault' | 'accepted' | 'suite' | 'curl' | 'fix';
type FieldLabel = EvidenceLabel | 'why' | 'again';

export interface FindingView extends ReportedFinding {
  /** What is wrong and where, in one line. */
  readonly sentence: string;
  /** What was found, and how to reproduce it. */
  readonly evidence: readonly Field[];
}

export interface RequirementView extends Row {
  readonly area: string;
  readonly section: string;
  readonly state: RowState;
  readonly word: string;
  /** Why it did not simply pass, in one line; empty if it did. */
  readonly reason: string;
  /** The same if its findings do not state it, else empty. */
  readonly note: string;
  /** The finding that decided the row comes first, accepted ones last. */
  readonly findings: readonly FindingView[];
  /** For all its findings: why, fix, and the command that checks it again. */
  readonly advice: readonly Field[];
}

export type JudgementView = ReturnType<typeof judgementView>;
export type AreaView = JudgementView['areas'][number];
export type AcceptedView = JudgementView['accepted'][number];
export type ProblemView = JudgementView['problems'][number];

/** Which requirements are met, in the order and words that all formats show. Pure. */
export function judgementView(judged: VisibleJudgement) {
  const { results, findings, baseline } = judged;
  const rows = new Map(results.map((row) => [row.id, row]));
  const byId = groupedBy(findings, ({ id }) => id);
  const requirements = results.map((row) => {
    const cause = row.blockedBy === undefined ? undefined : rows.get(row.blockedBy);
    return requirementView(row, byId.get(row.id) ?? [], cause, judged);
  });
  const acceptedRows = results.filter(({ accepted }) => accepted);
  return {
    requirements,
    areas: [...groupedBy(requirements, ({ area }) => area)].map(([name, own]) => areaView(name, own)),
    toFix: toFix(requirements),
    accepted: acceptedViews(findings),
    acceptedBlocked: acceptedRows.filter(({ blockedBy }) => blockedBy !== undefined).map(({ id }) => id),
    problems: problemViews(baseline?.problems ?? []),
  };
}

function requirementView(
  row: Row,
  found: readonly ReportedFinding[],
  cause: Row | undefined,
  { settings, baseline }: VisibleJudgement,
): RequirementView {
  const sorted = found.toSorted((left, right) => rankOf(left, row) - rankOf(right, row));
  const [first] = sorted;
  const findings = sorted.map((finding) => findingView(finding, first));
  const state = stateOf(row, failingLevel(settings));
  const terms =
    found.find(({ accepted }) => accepted !== undefined)?.accepted ??
    baseline?.entries.find(
      ({ requirement, outcome }) =>
        requirement === row.id && outcome === (row.blockedBy === undefined ? row.outcome : 'blocked'),
    );
  const reasons: Partial<Record<RowState, string>> = {
    passed: decidedWords(row),
    accepted:
      terms === undefined ? 'accepted by the baseline' : `accepted until ${terms.until}: ${terms.reason}`,
    blocked: `blocked by ${row.blockedBy ?? 'an unknown cause'}, which ${causeWords(cause)}`,
    'not-exercised': 'no function that was exercised shows it',
    inapplicable: row.reason ?? 'it does not apply',
  };
  const reason = reasons[state] ?? reasonFrom(findings) ?? row.reason ?? 'no reason was recorded';
  return {
    ...row,
    area: areaOf(row.id),
    section: sectionWords(row.spec),
    state,
    word: OUTCOME_WORDS[state],
    reason,
    note: findings.length === 0 || state === 'blocked' || state === 'passed' ? reason : '',
    findings,
    advice: first === undefined ? [] : fields({ why: first.why, fix: first.fix, again: first.check ?? '' }),
  };
}

/** Empty if every function that it is about shows it. */
function decidedWords({ decidedOn }: Row): string {
  if (decidedOn === undefined || decidedOn.functions === decidedOn.of) return '';
  return `decided on ${decidedOn.functions} of ${counted(decidedOn.of, 'function')}`;
}

/** There is no row for a requirement that was not selected, and for a step that had no answer. */
function causeWords(cause: Row | undefined): string {
  if (cause === undefined) return 'was not decided in this run';
  if (cause.outcome === 'inapplicable') return 'does not apply';
  return cause.outcome === 'failed' ? 'is not met' : 'is undecided';
}

function stateOf({ accepted, outcome, level, because, blockedBy }: Row, failOn: Level): RowState {
  if (accepted) return 'accepted';
  if (outcome === 'undecided' && because === 'not-exercised') return 'not-exercised';
  if (outcome === 'undecided' && blockedBy !== undefined) return 'blocked';
  if (outcome === 'failed' && !isAtLeast(level, failOn)) return 'warning';
  // An untrusted result may contain any outcome; an unknown one must not look passed.
  return Object.hasOwn(OUTCOME_WORDS, outcome) ? outcome : 'undecided';
}

function rankOf({ accepted, outcome }: ReportedFinding, row: Row): number {
  return (accepted === undefined ? 0 : 2) + Number(outcome !== row.outcome);
}

function reasonFrom([first, ...more]: readonly FindingView[]): string | undefined {
  if (first === undefined) return undefined;
  const others = more.length === 0 ? '' : `, and ${counted(more.length, 'more finding')}`;
  return `${sentenceOf(first)}${others}`;
}

function findingView(finding: ReportedFinding, first: ReportedFinding | undefined): FindingView {
  const { outcome, expected, received, where, fault, accepted, curl, fix } = finding;
  return {
    ...finding,
    sentence: `${outcome === 'undecided' ? 'undecided: ' : ''}${sentenceOf(finding)}`,
    evidence: fields({
      at: placeOf(finding),
      expected,
      received,
      fault: FAULT_WORDS.get(fault) ?? fault,
      accepted: accepted === undefined ? '' : `until ${accepted.until}: ${accepted.reason}`,
      suite: `${where.suite}:${where.line}:${where.column}`,
      curl: curl ?? '',
      fix: fix === first?.fix ? '' : fix,
    }),
  };
}

const FAULT_WORDS = new Map<Fault, string>([
  ['server', ''],
  ['network', 'the network’s, or nothing listens there'],
  ['harness', 'not the server’s: a limit of the check'],
]);

function fields(texts: Readonly<Partial<Record<FieldLabel, string>>>): readonly Field[] {
  return (Object.entries(texts) as Field[]).filter(([, text]) => text !== '');
}

function areaView(name: string, requirements: readonly RequirementView[]) {
  const byState = groupedBy(requirements, ({ state }) => state);
  const passed = byState.get('passed')?.length ?? 0;
  const applicable = requirements.length - (byState.get('inapplicable')?.length ?? 0);
  return {
    name,
    requirements,
    counts: countsOf(Object.fromEntries([...byState].map(([state, own]) => [state, own.length]))),
    // Without the requirements that do not apply.
    words: applicable === 0 ? OUTCOME_WORDS.inapplicable : `${passed} of ${applicable} passed`,
    isMet: passed === applicable,
  };
}

/** What decided the verdict comes first. */
const ORDER: readonly RowState[] = ['failed', 'warning', 'undecided', 'blocked'];
const ORDER_WITHOUT_FAILURE: readonly RowState[] = ['undecided', 'blocked', 'warning'];
const LEVEL_RANK: Readonly<Record<Level, number>> = { MUST: 0, SHOULD: 1, MAY: 2 };

function toFix(requirements: readonly RequirementView[]): readonly RequirementView[] {
  const order = requirements.some(({ state }) => state === 'failed') ? ORDER : ORDER_WITHOUT_FAILURE;
  const blocking = new Set(requirements.flatMap(({ blockedBy }) => blockedBy ?? []));
  // A warning that leaves others undecided decided the verdict; it explains them, so it comes before them.
  const placeOf = ({ state, id }: RequirementView): number =>
    state === 'warning' && blocking.has(id)
      ? Math.min(order.indexOf('warning'), order.indexOf('blocked') - 0.5)
      : order.indexOf(state);
  return requirements
    .filter(({ state }) => order.includes(state))
    .map((one) => ({ ...one, findings: one.findings.filter(({ accepted }) => accepted === undefined) }))
    .toSorted(
      (left, right) => placeOf(left) - placeOf(right) || LEVEL_RANK[left.level] - LEVEL_RANK[right.level],
    );
}

/** Findings of one requirement and function that are accepted for the same reason and time. */
function acceptedViews(findings: readonly ReportedFinding[]) {
  const groups = groupedBy(
    findings.filter(({ accepted }) => accepted !== undefined),
    ({ id, where, accepted }) => JSON.stringify([id, where.function, accepted?.until, accepted?.reason]),
  );
  return [...groups.values()].flatMap(([first, ...more]) => {
    if (first?.accepted === undefined) return [];
    const { id, where, message, accepted } = first;
    const words = `${message}: ${accepted.reason}`;
    return [{ id, place: functionWords(where), count: more.length + 1, until: accepted.until, words }];
  });
}

/** The entries of the baseline that fail the run. Several with the same words are numbered. */
function problemViews(problems: readonly BaselineProblem[]) {
  const views = problems.map((problem) => {
    const word = PROBLEM_WORDS[problem.kind] ?? problem.kind;
    const place = functionWords(problem);
    return { ...problem, word, place, name: `${word}: ${problem.requirement}${place && `, ${place}`}` };
  });
  const names = numbered(views.map(({ name }) => name));
  return views.map((view, index) => ({ ...view, name: names[index] ?? view.name }));
}

const PROBLEM_WORDS = {
  expired: 'expired',
  changed: 'changed',
  gone: 'no longer occurs',
  grown: 'grown',
} as const;
