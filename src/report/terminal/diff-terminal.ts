import { type Kinds, record, requireArguments, wholeFrom } from '../../model/arguments.ts';
import { shorten } from '../../model/json.ts';
import type { ReportedFinding, Row } from '../../model/judgement.ts';
import {
  type FindingChange,
  RESULT_DIFF,
  type ResultDiff,
  type RowChange,
  type RunDifference,
} from '../diff-results.ts';
import { callName, inMs } from '../view/figures.ts';
import { functionWords } from '../view/judgement-view.ts';
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

/** What changed from one result to another, for people; readable at 80 columns and without colour. Pure. */
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
          `two targets: ${before.target.url}, and ${after.target.url}; what differs may be theirs`,
        ),
        width,
      );
  const sides = `${before.startedAt} ${verdictWord(before)} → ${after.startedAt} ${verdictWord(after)}`;
  return [palette.strong(after.target.url), ...other, ...hanging(sides, width)].join('\n');
}

const OF_WORDS: Readonly<Record<RunDifference['of'], string>> = {
  target: 'the target itself',
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
  return groups.length === 0 ? '' : ['What else changed, and may be why:', ...groups].join('\n');
}

const MAX_VALUE_CHARACTERS = 60;

function changeWords({ of, before, after }: RunDifference): string {
  const value = (text: string | null): string =>
    text === null ? 'none' : shorten(text, MAX_VALUE_CHARACTERS);
  // Digests, and lists of entries, say nothing to anybody.
  if (of === 'suites' || of === 'baseline') {
    if (before === null) return ': new';
    return after === null ? ': left out' : ': changed';
  }
  return `: ${value(before)} → ${value(after)}`;
}

const ROW_LABELS: Readonly<Record<RowChange['kind'], string>> = {
  worse: 'WORSE',
  better: 'BETTER',
  'undecided-now': 'UNDECIDED NOW',
  'decided-now': 'DECIDED NOW',
  'applies-otherwise': 'APPLIES OTHERWISE',
  new: 'NEW',
  vanished: 'NOT ASKED NOW',
  level: 'LEVEL',
};

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

function rowBlock(row: RowChange, { palette, width }: Layout): string {
  const { kind, id, before, after, findings } = row;
  const label = labelOf(kind, ROW_LABELS[kind], palette);
  const became = [before, after].filter((side) => side !== null).map(outcomeWords);
  const level =
    before !== null && after !== null && before.level !== after.level
      ? `, ${before.level} → ${after.level}`
      : `, ${(after ?? before)?.level}`;
  const head = `${label}  ${palette.strong(id)}  ${became.join(' → ')}${level}`;
  const told = kind === 'worse' || kind === 'new' || kind === 'decided-now' || kind === 'undecided-now';
  const because = after?.blockedBy === undefined ? [] : wrap(`blocked by ${after.blockedBy}`, width - 2);
  const lines = told
    ? [
        ...because,
        ...findings.slice(0, MAX_FINDINGS_EACH).flatMap((finding) => findingLines(finding, width - 2)),
        ...(findings.length > MAX_FINDINGS_EACH
          ? [`and ${findings.length - MAX_FINDINGS_EACH} more findings`]
          : []),
      ]
    : [];
  return [head, ...indented(lines)].join('\n');
}

function labelOf(kind: RowChange['kind'], label: string, palette: Palette): string {
  if (kind === 'worse') return palette.bad(label);
  if (kind === 'better') return palette.good(label);
  return kind === 'undecided-now' ? palette.doubtful(label) : palette.faint(label);
}

function outcomeWords({ outcome, accepted }: Pick<Row, 'outcome' | 'accepted'>): string {
  return `${OUTCOME_WORDS[outcome]}${accepted ? ' (accepted)' : ''}`;
}

function findingLines(finding: ReportedFinding, width: number): readonly string[] {
  const { message, expected, received, where } = finding;
  const at = where.function === undefined ? '' : ` (${functionWords(where)})`;
  return [
    ...wrap(`${message}${at}`, width),
    ...indented(hanging(`expected ${expected}`, width - 2)),
    ...indented(hanging(`received ${received}`, width - 2)),
  ];
}

const FINDING_LABELS: Readonly<Record<FindingChange['kind'], string>> = {
  new: 'WORSE',
  gone: 'BETTER',
  changed: 'CHANGED',
};

function findingsOf({ findings }: ResultDiff, { palette, width }: Layout): string {
  return findings
    .slice(0, MAX_ROWS_EACH)
    .map(({ kind, id, before, after }) => {
      const colour = { new: palette.bad, gone: palette.good, changed: palette.doubtful }[kind];
      const words = {
        new: 'fails here as well now',
        gone: 'fails in one place fewer',
        changed: 'fails otherwise',
      };
      const lines = [
        ...(before === null ? [] : wrap(`before: ${briefly(before)}`, width - 2)),
        ...(after === null ? [] : wrap(`now: ${briefly(after)}`, width - 2)),
      ];
      return [
        `${colour(FINDING_LABELS[kind])}  ${palette.strong(id)}  ${words[kind]}`,
        ...indented(lines),
      ].join('\n');
    })
    .concat(
      findings.length > MAX_ROWS_EACH ? [`and ${findings.length - MAX_ROWS_EACH} more; --json has all`] : [],
    )
    .join('\n');
}

function briefly({ message, received, where }: ReportedFinding): string {
  const at = where.function === undefined ? '' : ` (${functionWords(where)})`;
  return `${message}${at}, received ${received}`;
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
    ? 'Nothing changed in what was found.'
    : 'Nothing got better or worse.';
}
