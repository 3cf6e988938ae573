import { oneOf, record, requireArguments, text } from '../../model/arguments.ts';
import type { Kinds } from '../../model/kind.ts';
import type { ResponseTimes } from '../../model/measurement.ts';
import { RESULT, type TestResult, UNANSWERED } from '../../model/report.ts';
import { callWords, doubtWords, figuresOf, inBrief, notableTimes, typicalAndSlow } from '../view/figures.ts';
import type { AreaView } from '../view/judgement-view.ts';
import { type Labelled, type ReportView, reportView } from '../view/report-view.ts';
import { andMore, type RowState } from '../view/words.ts';
import { hanging, wrap, wrapItems } from '../view/wrap.ts';
import { briefBlocks } from './brief.ts';
import { clientsBlock } from './clients.ts';
import type { Palette } from './layout.ts';
import { inBlocks, indented, type Layout, LOOK, type Look, layoutOf } from './layout.ts';
import { acceptedBlock, colourOf, findingBlocks, problemLines } from './terminal-findings.ts';
import { totalLines } from './verdict-words.ts';

// This folder lays views out as plain text: the report here, `brief.ts` in its short form, and loads, differences, trends,
// targets and searches in files of their own. `layout.ts` has what all of them share.

export interface TerminalOptions extends Look {
  readonly reportFile?: string | undefined;
  /** `brief` (default): a line for each cause, and the first ones explained; `full`: everything; `verdict`: only that. */
  readonly detail?: Detail;
}

export const DETAILS = ['brief', 'full', 'verdict'] as const;
export type Detail = (typeof DETAILS)[number];

const TERMINAL_OPTIONS = {
  ...LOOK,
  reportFile: text,
  detail: oneOf(...DETAILS),
} satisfies Kinds<TerminalOptions>;

/** The report for people, in plain text that is readable at 80 columns and without colour. Pure. */
export function renderTerminal(result: TestResult, options: TerminalOptions = {}): string {
  requireArguments(
    'renderTerminal',
    { result, options },
    { result: RESULT, options: record(TERMINAL_OPTIONS) },
  );
  const view = reportView(result);
  const layout = layoutOf(options);
  const { detail = 'brief', reportFile } = options;
  if (detail === 'brief') return briefBlocks(view, layout, reportFile);
  const totals = totalLines(view, layout, reportFile, MAX_FUNCTIONS).join('\n');
  if (detail === 'verdict') return inBlocks([totals]);
  return inBlocks([
    heading(view, layout),
    areas(view, layout),
    ...findingBlocks(view, layout),
    unexercisedBlock(view, layout),
    acceptedBlock(view, layout),
    problemLines(view, layout),
    clientsBlock(view, layout),
    latency(view, layout),
    facts(view, layout),
    totals,
  ]);
}

const MAX_FUNCTIONS = 50;

/** Requirements that nothing decided, although the functions that they are about gave other results. */
function unexercisedBlock({ requirements, notExercised }: ReportView, { palette, width }: Layout): string {
  const named = new Set(notExercised.flatMap(({ names }) => names));
  return requirements
    .filter(({ state }) => state === 'not-exercised')
    .flatMap(({ id, findings }) => {
      const finding = findings.find(({ where }) => !named.has(where.function ?? ''));
      if (finding === undefined) return [];
      return [
        `${palette.doubtful('UNDECIDED')}  ${palette.strong(id)}`,
        ...indented(wrap(finding.message, width - 2)),
      ];
    })
    .join('\n');
}

function heading({ target, server, form, seed, harness }: ReportView, { palette, width }: Layout): string {
  const about = [...(server === '' ? [] : [`server ${server}`]), form, `seed ${seed}`].join(', ');
  return [`probity ${harness.version}  ${palette.strong(target.url)}`, ...wrap(about, width)].join('\n');
}

function areas({ areas: all }: ReportView, { palette, width }: Layout): string {
  const widest = Math.max(0, ...all.map(({ name }) => name.length));
  const indent = MARK_WIDTH + 1 + widest + 2;
  return all
    .map(({ name, counts }) => {
      const items = counts.filter(({ count }) => count > 0).map(({ count, word }) => `${count} ${word}`);
      const lines = wrapItems(items, ', ', width - indent).join(`\n${' '.repeat(indent)}`);
      return `${markOf(counts, palette)} ${name.padEnd(widest)}  ${lines}`;
    })
    .join('\n');
}

const MARK_WIDTH = 4;
/** The first of these states that occurs in the area counts. */
const MARKS = {
  failed: 'FAIL',
  blocked: '  ? ',
  'not-exercised': '  ? ',
  undecided: '  ? ',
  warning: 'warn',
  passed: '  ok',
  accepted: '  ok',
  inapplicable: '  - ',
} as const satisfies Readonly<Record<RowState, string>>;

function markOf(counts: AreaView['counts'], palette: Palette): string {
  const has = (state: RowState): boolean => counts.some((one) => one.state === state && one.count > 0);
  const state = (Object.keys(MARKS) as RowState[]).find(has) ?? 'inapplicable';
  return colourOf(state, palette)(MARKS[state]);
}

function latency(view: ReportView, layout: Layout): string {
  const { palette, width } = layout;
  const { notable, more } = notableTimes(view.measured);
  const block = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [...wrap(title, width).map(palette.faint), ...lines];
  return [
    ...block(view.measuredTitle, [
      ...timesLines(notable, typicalAndSlow, layout),
      ...(more > 0 ? [`  ${andMore(more, view.unit)}`] : []),
    ]),
    ...block(view.singleTitle, timesLines(view.single, figuresOf, layout)),
  ].join('\n');
}

const MAX_LABEL_CHARACTERS = 24;

function timesLines(
  all: readonly Labelled<ResponseTimes>[],
  figuresToShow: typeof figuresOf,
  { palette, width }: Layout,
): readonly string[] {
  const labels = all.map(({ label }) => cutLabel(label));
  const widest = Math.max(0, ...labels.map((label) => label.length));
  return all.flatMap((times, index) => {
    const head = `  ${(labels[index] ?? '').padEnd(widest)}  ${callWords(times).padEnd(8)}  `;
    const figures = figuresToShow(times).map(
      ([name, ms]) => `${name} ${inBrief(ms)}${intervalWords(times.intervals, name)}`,
    );
    const [first = '', ...rest] = wrapItems(figures, '  ', width - head.length);
    const doubt = doubtWords(times);
    return [
      `${head}${first}`.trimEnd(),
      ...indented(rest, head.length),
      ...(doubt === '' ? [] : indented(wrap(`unreliable: ${doubt}`, width - 4).map(palette.doubtful), 4)),
    ];
  });
}

function cutLabel(name: string): string {
  return name.length <= MAX_LABEL_CHARACTERS ? name : `${name.slice(0, MAX_LABEL_CHARACTERS - 1)}…`;
}

function intervalWords(intervals: ResponseTimes['intervals'], name: string): string {
  const bounds = intervals[name as keyof typeof intervals];
  return bounds === undefined ? '' : ` (${inBrief(bounds[0])} to ${inBrief(bounds[1])})`;
}

function facts({ facts: all }: ReportView, { width }: Layout): string {
  // What is said with the verdict is not said twice.
  const others = all.filter(({ name }) => name !== UNANSWERED);
  return indented(others.flatMap(({ name, text }) => hanging(`${name}: ${text}`, width - 2))).join('\n');
}
