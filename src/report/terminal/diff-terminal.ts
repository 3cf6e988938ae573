import { type Kinds, record, requireArguments, wholeFrom } from '../../model/arguments.ts';
import { shorten } from '../../model/json.ts';
import type { ReportedFinding, Row } from '../../model/judgement.ts';
import { callName } from '../../model/report.ts';
import {
  type FindingChange,
  RESULT_DIFF,
  type ResultDiff,
  type RowChange,
  type RunDifference,
} from '../diff-results.ts';
import { inMs } from '../view/figures.ts';
import { sentenceOf } from '../view/judgement-view.ts';
import { madeVisible } from '../view/visible-result.ts';
import { counted, OUTCOME_WORDS, verdictWord } from '../view/words.ts';
import { hanging, wrap } from '../view/wrap.ts';
import { inBlocks, indented, type Layout, layoutOf } from './layout.ts';
import { PALETTE, type Palette } from './palette.ts';

export interface DiffOptions {
  readonly palette?: Palette;
  readonly columns?: number;
}

const DIFF_OPTIONS = { palette: PALETTE, columns: wholeFrom(1) } satisfies Kinds<DiffOptions>;

/** The differences between two results as plain text, readable at 80 columns and without colour. Pure. */
export function renderDiff(given: ResultDiff, options: DiffOptions = {}): string {
  requireArguments(
    'renderDiff',
    { diff: given, options },
    { diff: RESULT_DIFF, options: record(DIFF_OPTIONS) },
  );
  const diff = madeVisible(given);
  const layout = layoutOf(options);
  if (isSame(diff)) return `${sameWords(diff)}\n`;
  return inBlocks([
    heading(diff, layout),
    runs(diff, layout),
    rowsOf(diff, layout),
    findingsOf(diff, layout),
    latency(diff, layout),
    conclusion(diff, layout),
  ]);
}

function isSame({
  runs: all,
  rows,
  findings,
  latency: { moved, notes },
  before,
  after,
}: ResultDiff): boolean {
  return (
    all.length + rows.length + findings.length + moved.length + notes.length === 0 &&
    before.reachable === after.reachable
  );
}

function sameWords({ before, after, latency: { compared } }: ResultDiff): string {
  const times =
    compared === 0 ? '' : `; ${counted(compared, 'figure')} of response times compared, no difference shown`;
  return `Nothing changed: ${after.target.url}, ${verdictWord(before)} both times${times}.`;
}

function heading({ before, after, sameTarget }: ResultDiff, { palette, width }: Layout): string {
  const other = sameTarget
    ? []
    : hanging(
        palette.doubtful(
          `two targets: ${before.target.url} and ${after.target.url}; they may be the cause of differences`,
        ),
        width,
      );
  const sides = `${before.startedAt} ${verdictWord(before)} → ${after.startedAt} ${verdictWord(after)}`;
  return [palette.strong(after.target.url), ...other, ...hanging(sides, width)].join('\n');
}

const OF_WORDS: Readonly<Record<RunDifference['of'], string>> = {
  target: 'the target',
  suites: 'the suites: other rules, or other requests',
  harness: 'probity',
  settings: 'the settings',
  baseline: 'the baseline',
};

function runs({ runs: all }: ResultDiff, { width }: Layout): string {
  const groups = (Object.keys(OF_WORDS) as RunDifference['of'][]).flatMap((of) => {
    const own = all.filter((one) => one.of === of);
    const lines = own.flatMap((one) => hanging(`${one.name}${changeWords(one)}`, width - 4));
    return own.length === 0 ? [] : [`  ${OF_WORDS[of]}`, ...indented(lines, 4)];
  });
  return groups.length === 0 ? '' : ['Other changes, which may be the cause:', ...groups].join('\n');
}

const MAX_VALUE_CHARACTERS = 60;

function changeWords({ of, before, after }: RunDifference): string {
  const value = (text: string | null): string =>
    text === null ? 'none' : shorten(text, MAX_VALUE_CHARACTERS);
  // Digests and lists of entries are not readable.
  if (of === 'suites' || of === 'baseline') {
    if (before === null) return ': new';
    return after === null ? ': removed' : ': changed';
  }
  return `: ${value(before)} → ${value(after)}`;
}

type Label = readonly [text: string, colour: keyof Palette];

const ROW_LABELS: Readonly<Record<RowChange['kind'], Label>> = {
  worse: ['WORSE', 'bad'],
  better: ['BETTER', 'good'],
  'undecided-now': ['UNDECIDED NOW', 'doubtful'],
  'decided-now': ['DECIDED NOW', 'faint'],
  'applies-otherwise': ['APPLICABILITY', 'faint'],
  new: ['NEW', 'faint'],
  vanished: ['NOT CHECKED NOW', 'faint'],
  level: ['LEVEL', 'faint'],
};

const WITH_FINDINGS = new Set<RowChange['kind']>(['worse', 'new', 'decided-now', 'undecided-now']);
const MAX_ROWS_EACH = 20;
const MAX_FINDINGS_EACH = 3;

function rowsOf({ rows }: ResultDiff, layout: Layout): string {
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  return kinds
    .map((kind) => {
      const own = rows.filter((row) => row.kind === kind);
      const rest = own.length - MAX_ROWS_EACH;
      return [
        ...own.slice(0, MAX_ROWS_EACH).map((row) => rowBlock(row, layout)),
        ...(rest > 0 ? [`and ${rest} more; --json has all`] : []),
      ].join('\n');
    })
    .join('\n\n');
}

function rowBlock({ kind, id, before, after, findings }: RowChange, { palette, width }: Layout): string {
  const [label, colour] = ROW_LABELS[kind];
  const sides = [before, after].filter((side) => side !== null);
  const levels = [...new Set(sides.map(({ level }) => level))].join(' → ');
  const rest = findings.length - MAX_FINDINGS_EACH;
  const lines = [
    ...(after?.blockedBy === undefined ? [] : wrap(`blocked by ${after.blockedBy}`, width - 2)),
    ...findings.slice(0, MAX_FINDINGS_EACH).flatMap((finding) => findingLines(finding, width - 2)),
    ...(rest > 0 ? [`and ${counted(rest, 'more finding')}`] : []),
  ];
  return [
    `${palette[colour](label)}  ${palette.strong(id)}  ${sides.map(outcomeWords).join(' → ')}, ${levels}`,
    ...(WITH_FINDINGS.has(kind) ? indented(lines) : []),
  ].join('\n');
}

function outcomeWords({ outcome, accepted }: Pick<Row, 'outcome' | 'accepted'>): string {
  return `${OUTCOME_WORDS[outcome]}${accepted ? ' (accepted)' : ''}`;
}

function findingLines(finding: ReportedFinding, width: number): readonly string[] {
  return [
    ...wrap(sentenceOf(finding), width),
    ...indented(hanging(`expected ${finding.expected}`, width - 2)),
    ...indented(hanging(`received ${finding.received}`, width - 2)),
  ];
}

const FINDING_LABELS: Readonly<Record<FindingChange['kind'], readonly [...Label, words: string]>> = {
  new: ['WORSE', 'bad', 'also fails here now'],
  gone: ['BETTER', 'good', 'no longer fails here'],
  changed: ['CHANGED', 'doubtful', 'fails differently'],
};

function findingsOf({ findings }: ResultDiff, { palette, width }: Layout): string {
  const rest = findings.length - MAX_ROWS_EACH;
  const side = (name: string, finding: ReportedFinding | null): readonly string[] =>
    finding === null
      ? []
      : indented(wrap(`${name}: ${sentenceOf(finding)}, received ${finding.received}`, width - 2));
  return [
    ...findings.slice(0, MAX_ROWS_EACH).flatMap(({ kind, id, before, after }) => {
      const [label, colour, words] = FINDING_LABELS[kind];
      return [
        `${palette[colour](label)}  ${palette.strong(id)}  ${words}`,
        ...side('before', before),
        ...side('now', after),
      ];
    }),
    ...(rest > 0 ? [`and ${rest} more; --json has all`] : []),
  ].join('\n');
}

function latency({ latency: { moved, compared, notes } }: ResultDiff, { palette, width }: Layout): string {
  if (compared === 0 && notes.length === 0) return '';
  const lines = moved.map((row) => {
    const { percentile, beforeMs, afterMs, ratio, outcome } = row;
    const change = ratio === null ? '' : `, ${ratio.toFixed(2)} times`;
    const label = outcome === 'worse' ? palette.doubtful('SLOWER') : palette.good('FASTER');
    return `${label}  ${callName(row)} ${percentile}  ${inMs(beforeMs)} → ${inMs(afterMs)}${change}`;
  });
  const still = compared - moved.length;
  return [
    'Response times',
    ...indented(lines),
    ...(still > 0 ? [`  ${counted(still, 'other figure')}: no difference shown`] : []),
    ...indented(notes.flatMap((note) => hanging(`- not compared: ${note}`, width - 2))),
  ].join('\n');
}

function conclusion(diff: ResultDiff, { palette }: Layout): string {
  const { isWorse, isBetter, isSlower, isFaster, after, before } = diff;
  const times = isSlower
    ? isFaster
      ? ' Some calls are slower, others faster.'
      : ' Some calls are slower.'
    : '';
  const words = `${outcomeInWords(diff)}${times === '' && isFaster ? ' Some calls are faster.' : times}`;
  if (isWorse || (before.reachable && !after.reachable)) return palette.bad(words);
  return isBetter ? palette.good(words) : words;
}

function outcomeInWords({ before, after, rows, findings, isWorse, isBetter }: ResultDiff): string {
  if (before.reachable && !after.reachable) return 'The target no longer answers.';
  if (isWorse) return isBetter ? 'Something got worse, and something better.' : 'Something got worse.';
  if (isBetter) return 'Something got better, and nothing worse.';
  return rows.length + findings.length === 0
    ? 'No outcome or finding changed.'
    : 'Nothing got better or worse.';
}
