import { type Kinds, record, requireArguments, wholeFrom } from '../../model/arguments.ts';
import { shorten } from '../../model/json.ts';
import type { ReportedFinding, Row } from '../../model/judgement.ts';
import { visible } from '../../model/visible.ts';
import {
  type FindingChange,
  RESULT_DIFF,
  type ResultDiff,
  type RowChange,
  type RunDifference,
} from '../diff-results.ts';
import { hanging, inMs } from '../view/figures.ts';
import { shown } from '../view/printable.ts';
import { OUTCOME_WORDS, verdictWord } from '../view/words.ts';
import { wrap } from '../view/wrap.ts';
import { PALETTE, type Palette, PLAIN } from './palette.ts';

export interface DiffOptions {
  readonly palette?: Palette;
  readonly columns?: number;
}

const DIFF_OPTIONS = { palette: PALETTE, columns: wholeFrom(1) } satisfies Kinds<DiffOptions>;

/** What changed from one result to another, for people; readable at 80 columns and without colour. Pure. */
export function renderDiff(diff: ResultDiff, options: DiffOptions = {}): string {
  requireArguments('renderDiff', { diff, options }, { diff: RESULT_DIFF, options: record(DIFF_OPTIONS) });
  const view = {
    palette: options.palette ?? PLAIN,
    width: Math.max(40, Math.min(options.columns ?? 80, 100)),
  };
  if (isSame(diff)) return `${sameWords(diff)}\n`;
  const blocks = [
    heading(diff, view),
    runs(diff, view),
    rowsOf(diff, view),
    findingsOf(diff, view),
    latency(diff, view),
    conclusion(diff, view),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
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
    compared === 0
      ? ''
      : `; ${compared} ${compared === 1 ? 'figure' : 'figures'} of response times compared, no difference shown`;
  return `Nothing changed: ${shown(after.target.url)}, ${verdictWord(before)} both times${times}.`;
}

interface View {
  readonly palette: Palette;
  readonly width: number;
}

function heading({ before, after, sameTarget }: ResultDiff, { palette, width }: View): string {
  const other = sameTarget
    ? []
    : hanging(
        palette.doubtful(
          `two targets: ${shown(before.target.url)}, and ${shown(after.target.url)}; what differs may be theirs`,
        ),
        width,
      );
  const sides = `${visible(before.startedAt)} ${verdictWord(before)} → ${visible(after.startedAt)} ${verdictWord(after)}`;
  return [palette.strong(shown(after.target.url)), ...other, ...hanging(sides, width)].join('\n');
}

const OF_WORDS: Readonly<Record<RunDifference['of'], string>> = {
  target: 'the target itself',
  suites: 'the suites: other rules, or other requests',
  harness: 'probity',
  settings: 'the settings',
  baseline: 'the baseline',
};

function runs({ runs: all }: ResultDiff, { width }: View): string {
  const groups = (Object.keys(OF_WORDS) as RunDifference['of'][]).flatMap((of) => {
    const own = all.filter((one) => one.of === of);
    const lines = own.flatMap((one) => hanging(`${shown(one.name)}${changeWords(one)}`, width - 4));
    return own.length === 0 ? [] : [`  ${OF_WORDS[of]}`, ...lines.map((line) => `    ${line}`)];
  });
  return groups.length === 0 ? '' : ['What else changed, and may be why:', ...groups].join('\n');
}

const MAX_VALUE_CHARACTERS = 60;

function changeWords({ of, before, after }: RunDifference): string {
  const value = (text: string | null): string =>
    text === null ? 'none' : visible(shorten(text, MAX_VALUE_CHARACTERS));
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

function rowsOf({ rows }: ResultDiff, view: View): string {
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  return kinds
    .map((kind) => {
      const own = rows.filter((row) => row.kind === kind);
      const rest = own.length - MAX_ROWS_EACH;
      return [
        ...own.slice(0, MAX_ROWS_EACH).map((row) => rowBlock(row, view)),
        ...(rest > 0 ? [`and ${rest} more; --json has all`] : []),
      ].join('\n');
    })
    .join('\n\n');
}

function rowBlock(row: RowChange, { palette, width }: View): string {
  const { kind, id, before, after, findings } = row;
  const label = labelOf(kind, ROW_LABELS[kind], palette);
  const became = [before, after].filter((side) => side !== null).map(outcomeWords);
  const level =
    before !== null && after !== null && before.level !== after.level
      ? `, ${before.level} → ${after.level}`
      : `, ${(after ?? before)?.level}`;
  const head = `${label}  ${palette.strong(visible(id))}  ${became.join(' → ')}${level}`;
  const told = kind === 'worse' || kind === 'new' || kind === 'decided-now' || kind === 'undecided-now';
  const because =
    after?.blockedBy === undefined ? [] : wrap(`blocked by ${shown(after.blockedBy)}`, width - 2);
  const lines = told
    ? [
        ...because,
        ...findings.slice(0, MAX_FINDINGS_EACH).flatMap((finding) => findingLines(finding, width - 2)),
        ...(findings.length > MAX_FINDINGS_EACH
          ? [`and ${findings.length - MAX_FINDINGS_EACH} more findings`]
          : []),
      ]
    : [];
  return [head, ...lines.map((line) => `  ${line}`)].join('\n');
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
  const at = where.function === undefined ? '' : ` (function "${shown(where.function)}")`;
  return [
    ...wrap(`${shown(message)}${at}`, width),
    ...hanging(`expected ${shown(expected)}`, width - 2).map((line) => `  ${line}`),
    ...hanging(`received ${shown(received)}`, width - 2).map((line) => `  ${line}`),
  ];
}

const FINDING_LABELS: Readonly<Record<FindingChange['kind'], string>> = {
  new: 'WORSE',
  gone: 'BETTER',
  changed: 'CHANGED',
};

function findingsOf({ findings }: ResultDiff, { palette, width }: View): string {
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
        `${colour(FINDING_LABELS[kind])}  ${palette.strong(visible(id))}  ${words[kind]}`,
        ...lines.map((line) => `  ${line}`),
      ].join('\n');
    })
    .concat(
      findings.length > MAX_ROWS_EACH ? [`and ${findings.length - MAX_ROWS_EACH} more; --json has all`] : [],
    )
    .join('\n');
}

function briefly({ message, received, where }: ReportedFinding): string {
  const at = where.function === undefined ? '' : ` (function "${shown(where.function)}")`;
  return `${shown(message)}${at}, received ${shown(received)}`;
}

function latency({ latency: { moved, compared, notes } }: ResultDiff, { palette, width }: View): string {
  if (compared === 0 && notes.length === 0) return '';
  const lines = moved.map(({ operation, function: name, percentile, beforeMs, afterMs, ratio, outcome }) => {
    const what = shown(name === undefined ? operation : `${operation}:${name}`);
    const change = ratio === null ? '' : `, ${ratio.toFixed(2)} times`;
    const label = outcome === 'worse' ? palette.doubtful('SLOWER') : palette.good('FASTER');
    return `${label}  ${what} ${percentile}  ${inMs(beforeMs)} → ${inMs(afterMs)}${change}`;
  });
  const still = compared - moved.length;
  return [
    'Response times',
    ...lines.map((line) => `  ${line}`),
    ...(still > 0 ? [`  ${still} other ${still === 1 ? 'figure' : 'figures'}: no difference shown`] : []),
    ...notes
      .flatMap((note) => hanging(`- not compared: ${shown(note)}`, width - 2))
      .map((line) => `  ${line}`),
  ].join('\n');
}

function conclusion(diff: ResultDiff, { palette }: View): string {
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
