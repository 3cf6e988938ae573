import { shorten } from '../../json/json.ts';
import type { ReportedFinding } from '../../model/judgement.ts';
import { callName } from '../../model/measurement.ts';
import type { TestResult } from '../../model/report.ts';
import type { FindingChange, ResultDiff, RowChange, RunDifference } from '../compare/diff-results.ts';
import { changeWords } from './figures.ts';
import { madeVisible, type Visible } from './visible-result.ts';
import {
  counted,
  functionWords,
  numbered,
  OUTCOME_WORDS,
  sentenceOf,
  type VerdictMark,
  verdictWord,
} from './words.ts';

export type Tone = 'bad' | 'good' | 'doubtful' | 'faint';

export interface ChangeView {
  /** `WORSE`; changes with the same label are one group. */
  readonly label: string;
  readonly tone: Tone;
  readonly id: string;
  /** Requirement and function; no two changes have the same name. */
  readonly name: string;
  /** How it changed, in one line. */
  readonly words: string;
  /** The cause, in one line; may be empty. */
  readonly note: string;
  readonly parts: readonly ChangePart[];
}

export type ChangePart = ReturnType<typeof partOf>;

export const OTHERS_TITLE = 'Other changes, which may be the cause';
export const TIMES_TITLE = 'Response times';

/** A comparison of results, or of contracts. */
export interface DiffView {
  readonly isWorse: boolean;
  readonly isSame: boolean;
  readonly mark: VerdictMark;
  readonly word: string;
  /** The word as a sentence. */
  readonly words: string;
  readonly url: string;
  readonly otherTarget: string;
  /** Start and verdict of both. */
  readonly sides: string;
  readonly others: readonly { readonly title: string; readonly lines: readonly string[] }[];
  /** What changed, in one word. */
  readonly counted: 'requirement' | 'change';
  readonly changes: readonly ChangeView[];
  readonly times: readonly TimeView[];
  readonly timeNotes: readonly string[];
  readonly before: Pick<TestResult, 'id' | 'startedAt'>;
  readonly after: Pick<TestResult, 'id' | 'startedAt'>;
}

export type TimeView = ReturnType<typeof timeView>;

/** The differences between two results as all formats show them. A format decides only the appearance. Pure. */
export function diffView(given: ResultDiff, failsOnSlower = false): DiffView {
  const diff = madeVisible(given);
  const { before, after, sameTarget, latency } = diff;
  const changes = [...targetChanges(diff), ...diff.rows.map(rowView), ...diff.findings.map(findingView)];
  const names = numbered(changes.map(({ name }) => name));
  const others = othersOf(diff);
  const times = latency.moved.map((row) => timeView(row, failsOnSlower));
  const isSame = changes.length + others.length + times.length + latency.notes.length === 0;
  const isWorse = diff.isWorse || (failsOnSlower && diff.isSlower);
  return {
    isWorse,
    isSame,
    ...markOf(isWorse, diff, isSame),
    words: isSame ? sameWords(diff) : `${outcomeWords(diff)}${timesWords(diff)}`,
    url: after.target.url,
    otherTarget: sameTarget
      ? ''
      : `two targets: ${before.target.url} and ${after.target.url}; they may be the cause of differences`,
    sides: `${before.startedAt} ${verdictWord(before)} → ${after.startedAt} ${verdictWord(after)}`,
    others,
    counted: 'requirement',
    changes: changes.map((change, index) => ({ ...change, name: names[index] ?? change.name })),
    times,
    timeNotes: timeNotes(diff),
    before,
    after,
  };
}

type VisibleDiff = Visible<ResultDiff>;

function markOf(
  isWorse: boolean,
  { isBetter }: ResultDiff,
  isSame: boolean,
): { readonly mark: VerdictMark; readonly word: string } {
  if (isWorse) return { mark: 'fail', word: 'WORSE' };
  if (isBetter) return { mark: 'pass', word: 'BETTER' };
  return isSame ? { mark: 'pass', word: 'SAME' } : { mark: 'measured', word: 'CHANGED' };
}

function sameWords({ before, after, latency: { compared } }: VisibleDiff): string {
  const times =
    compared === 0 ? '' : `; ${counted(compared, 'figure')} of response times compared, no difference shown`;
  return `Nothing changed: ${after.target.url}, ${verdictWord(before)} both times${times}.`;
}

function outcomeWords({ before, after, rows, findings, isWorse, isBetter }: VisibleDiff): string {
  if (before.reachable && !after.reachable) return 'The target no longer answers.';
  if (isWorse) return isBetter ? 'Something got worse, and something better.' : 'Something got worse.';
  if (isBetter) return 'Something got better, and nothing worse.';
  return rows.length + findings.length === 0
    ? 'No outcome or finding changed.'
    : 'Nothing got better or worse.';
}

function timesWords({ isSlower, isFaster }: VisibleDiff): string {
  if (isSlower) return isFaster ? ' Some calls are slower, others faster.' : ' Some calls are slower.';
  return isFaster ? ' Some calls are faster.' : '';
}

const OF_WORDS: Readonly<Record<RunDifference['of'], string>> = {
  target: 'the target',
  suites: 'the suites: other rules, or other requests',
  harness: 'probity',
  settings: 'the settings',
  baseline: 'the baseline',
};

function othersOf({ runs }: VisibleDiff) {
  return (Object.keys(OF_WORDS) as RunDifference['of'][]).flatMap((of) => {
    const own = runs.filter((one) => one.of === of);
    const lines = own.map((one) => `${one.name}${differenceWords(one)}`);
    return own.length === 0 ? [] : [{ title: OF_WORDS[of], lines }];
  });
}

const MAX_VALUE_CHARACTERS = 60;

function differenceWords({ of, before, after }: RunDifference): string {
  const value = (text: string | null): string =>
    text === null ? 'none' : shorten(text, MAX_VALUE_CHARACTERS);
  // Digests and lists of entries are not readable.
  if (of === 'suites' || of === 'baseline') {
    if (before === null) return ': new';
    return after === null ? ': removed' : ': changed';
  }
  return `: ${value(before)} → ${value(after)}`;
}

function targetChanges({ before, after }: VisibleDiff): readonly ChangeView[] {
  if (before.reachable === after.reachable) return [];
  const named = { id: 'target', name: 'target', note: '', parts: [] };
  return after.reachable
    ? [{ ...named, label: 'BETTER', tone: 'good', words: 'did not answer → answers' }]
    : [{ ...named, label: 'WORSE', tone: 'bad', words: 'answered → does not answer' }];
}

const ROW_LABELS: Readonly<Record<RowChange['kind'], readonly [label: string, tone: Tone]>> = {
  worse: ['WORSE', 'bad'],
  better: ['BETTER', 'good'],
  'undecided-now': ['UNDECIDED NOW', 'doubtful'],
  'not-compared': ['NOT COMPARED', 'doubtful'],
  'decided-now': ['DECIDED NOW', 'faint'],
  'applies-otherwise': ['APPLICABILITY', 'faint'],
  new: ['NEW', 'faint'],
  vanished: ['NOT CHECKED NOW', 'faint'],
  level: ['LEVEL', 'faint'],
};

const WITH_FINDINGS = new Set<RowChange['kind']>(['worse', 'new', 'decided-now', 'undecided-now']);

function rowView({ kind, id, before, after, findings, because }: RowChange): ChangeView {
  const [label, tone] = ROW_LABELS[kind];
  const sides = [before, after].filter((side) => side !== null);
  const levels = [...new Set(sides.map(({ level }) => level))].join(' → ');
  const outcomes = sides.map((side) => `${OUTCOME_WORDS[side.outcome]}${side.accepted ? ' (accepted)' : ''}`);
  return {
    label,
    tone,
    id,
    name: id,
    words: `${outcomes.join(' → ')}, ${levels}`,
    note: because ?? (after?.blockedBy === undefined ? '' : `blocked by ${after.blockedBy}`),
    parts: WITH_FINDINGS.has(kind) ? findings.map((finding) => partOf(finding, '')) : [],
  };
}

const FINDING_LABELS: Readonly<
  Record<FindingChange['kind'], readonly [label: string, tone: Tone, words: string]>
> = {
  new: ['WORSE', 'bad', 'also fails here now'],
  gone: ['BETTER', 'good', 'no longer fails here'],
  changed: ['CHANGED', 'doubtful', 'fails differently'],
  'not-compared': ['NOT COMPARED', 'doubtful', 'was not looked for in both'],
};

function findingView(change: FindingChange): ChangeView {
  const { kind, id, before, after, because = '' } = change;
  const [label, tone, words] = FINDING_LABELS[kind];
  const place = functionWords(change);
  return {
    label,
    tone,
    id,
    name: place === '' ? id : `${id}, ${place}`,
    words,
    note: because,
    parts: [
      ...(before === null ? [] : [partOf(before, 'before')]),
      ...(after === null ? [] : [partOf(after, 'now')]),
    ],
  };
}

/** The side is that of a finding that replaced another one. `again` is null if no command checks it again. */
function partOf(finding: ReportedFinding, side: 'before' | 'now' | '') {
  const { expected, received, fix, check } = finding;
  return { side, sentence: sentenceOf(finding), expected, received, fix, again: check };
}

function timeView(row: ResultDiff['latency']['moved'][number], failsOnSlower: boolean) {
  const isSlower = row.outcome === 'worse';
  const tone: Tone = isSlower ? (failsOnSlower ? 'bad' : 'doubtful') : 'good';
  const words = `${changeWords(row)}, for the fastest ${row.fastest} of its calls`;
  return { label: isSlower ? 'SLOWER' : 'FASTER', tone, name: callName(row), words };
}

function timeNotes({ latency: { moved, compared, notes } }: VisibleDiff): readonly string[] {
  const still = compared - moved.length;
  return [
    ...(still > 0 ? [`${counted(still, 'other call')}: no difference shown`] : []),
    ...notes.map((note) => `not compared: ${note}`),
  ];
}
