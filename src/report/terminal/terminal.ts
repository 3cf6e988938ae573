import { type Kinds, record, requireArguments, text, wholeFrom } from '../../model/arguments.ts';
import type { Outcome, Row } from '../../model/judgement.ts';
import {
  isMeasurement,
  type Measurement,
  RESULT,
  type ResponseTimes,
  type TestResult,
  targetKindOf,
} from '../../model/report.ts';
import { visible } from '../../model/visible.ts';
import { figuresOf } from '../view/figures.ts';
import { shown } from '../view/printable.ts';
import {
  areaOf,
  decisionWords,
  OUTCOME_WORDS,
  summaryItems,
  verdictWord,
  verdictWords,
} from '../view/words.ts';
import { wrap, wrapItems } from '../view/wrap.ts';
import { PALETTE, type Palette, PLAIN } from './palette.ts';
import {
  acceptedFindings,
  failedFindings,
  listRows,
  undecidedFindings,
  type View,
} from './terminal-findings.ts';

export interface TerminalOptions {
  readonly palette?: Palette;
  readonly columns?: number;
  /** Where the report was written, if it was. */
  readonly reportFile?: string;
}

const TERMINAL_OPTIONS = {
  palette: PALETTE,
  columns: wholeFrom(1),
  reportFile: text,
} satisfies Kinds<TerminalOptions>;

/** The report for people, in plain text that is readable at 80 columns and without colour. Pure. */
export function renderTerminal(result: TestResult, options: TerminalOptions = {}): string {
  requireArguments(
    'renderTerminal',
    { result, options },
    { result: RESULT, options: record(TERMINAL_OPTIONS) },
  );
  const view: View = {
    palette: options.palette ?? PLAIN,
    width: Math.max(40, Math.min(options.columns ?? 80, 100)),
  };
  return [
    heading(result, view),
    areas(result, view),
    ...failedFindings(result, view),
    ...undecidedFindings(result, view),
    blockedRows(result, view),
    acceptedFindings(result, view),
    baselineProblems(result, view),
    latency(result, view),
    facts(result, view),
    totals(result, view, options.reportFile),
  ]
    .filter((block) => block !== '')
    .join('\n\n')
    .concat('\n');
}

function heading({ target, seed, harness, settings }: TestResult, { palette, width }: View): string {
  const { capabilities, execute } = target.form;
  const form =
    targetKindOf(settings) === 'directory'
      ? 'directory'
      : capabilities === null
        ? 'form unknown'
        : capabilities === execute
          ? `form ${capabilities}`
          : `forms ${capabilities} and ${execute}`;
  const named = [target.name, target.version]
    .filter((part) => part !== undefined)
    .map(shown)
    .join(' ');
  const first = `probity ${visible(harness.version)}  ${palette.strong(visible(target.url))}`;
  const about = [named === '' ? '' : `server ${named}`, form, `seed ${seed}`]
    .filter((part) => part !== '')
    .join(', ');
  return [first, ...wrap(about, width)].join('\n');
}

function areas({ results }: TestResult, { palette, width }: View): string {
  const names = [...new Set(results.map(({ id }) => areaOf(id)))];
  const widest = names.reduce((most, name) => Math.max(most, visible(name).length), 0);
  const indent = MARK_WIDTH + 1 + widest + 2;
  return names
    .map((name) => {
      const rows = results.filter(({ id }) => areaOf(id) === name);
      const counts = wrapItems(countWords(rows), ', ', width - indent).join(`\n${' '.repeat(indent)}`);
      return `${mark(rows, palette)} ${visible(name).padEnd(widest)}  ${counts}`;
    })
    .join('\n');
}

const MARK_WIDTH = 4;

function mark(rows: readonly Row[], palette: Palette): string {
  const open = rows.filter(({ accepted }) => !accepted);
  const has = (outcome: Outcome): boolean => open.some((row) => row.outcome === outcome);
  if (open.some((row) => row.outcome === 'failed' && row.level === 'MUST')) return palette.bad('FAIL');
  if (has('blocked') || has('inconclusive')) return palette.doubtful('  ? ');
  if (has('failed')) return palette.doubtful('warn');
  return has('passed') || open.length < rows.length ? palette.good('  ok') : palette.faint('  - ');
}

function countWords(rows: readonly Row[]): readonly string[] {
  const accepted = rows.filter((row) => row.accepted).length;
  const counts = (['failed', 'passed', 'blocked', 'inconclusive', 'inapplicable'] as const)
    .map((outcome) => ({
      outcome,
      count: rows.filter((row) => row.outcome === outcome && !row.accepted).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }) => `${count} ${OUTCOME_WORDS[outcome]}`);
  return accepted === 0 ? counts : [...counts, `${accepted} accepted`];
}

function blockedRows({ results, findings: all, reachable }: TestResult, { palette, width }: View): string {
  const blocked = results.filter(({ outcome, accepted }) => outcome === 'blocked' && !accepted);
  if (!reachable) return '';
  const causes = [...new Set(blocked.map(({ blockedBy }) => blockedBy ?? ''))];
  return causes
    .map((cause) => {
      const ids = blocked.filter((row) => row.blockedBy === cause).map(({ id }) => visible(id));
      const undecided = all.some(({ id, outcome }) => id === cause && outcome === 'inconclusive');
      const title = `${palette.doubtful('BLOCKED')}  by ${palette.strong(visible(cause))}, which is ${undecided ? 'undecided' : 'not met'}`;
      return [title, ...wrap(listRows(ids), width - 4).map((line) => `    ${line}`)].join('\n');
    })
    .join('\n\n');
}

function baselineProblems({ baseline }: TestResult, { palette, width }: View): string {
  return (baseline?.problems ?? [])
    .map(({ kind, requirement, function: name, message }) =>
      [
        `${palette.bad('BASELINE')}  ${BASELINE_WORDS[kind]}  ${palette.strong(visible(requirement))}`,
        ...wrap(`${name === undefined ? '' : `function "${shown(name)}": `}${shown(message)}`, width - 2).map(
          (line) => `  ${line}`,
        ),
      ].join('\n'),
    )
    .join('\n\n');
}

const BASELINE_WORDS = { expired: 'expired', changed: 'changed', gone: 'no longer occurs' } as const;

function latency({ responseTimes, settings }: TestResult, view: View): string {
  const { palette, width } = view;
  const measured = responseTimes.filter(isMeasurement);
  const known = new Set(measured.map(({ operation }) => operation));
  const others = responseTimes.filter((times) => times.function === undefined && !known.has(times.operation));
  const block = (note: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [[...wrap(note, width).map(palette.faint), ...lines].join('\n')];
  const of = measured.length === 0 ? '' : ' of other requests';
  return [
    ...block(
      'Response times in ms of timed calls over open connections (95 % intervals)',
      measuredLines(measured, view),
    ),
    ...block(
      `Response times in ms${of}, connecting included, with up to ${settings.concurrency} requests at once`,
      others.flatMap((times) => latencyLines(times, width)),
    ),
  ].join('\n');
}

const MAX_FUNCTIONS = 10;
const MAX_LABEL_CHARACTERS = 24;
const MEASURED_FIGURES = ['p50', 'p95', 'p99'] as const;

function measuredLines(measured: readonly Measurement[], { palette, width }: View): readonly string[] {
  const operations = measured.filter((times) => times.function === undefined);
  const functions = measured.filter((times) => times.function !== undefined);
  // Those that cannot be relied on, and the slowest: what somebody may have to do something about.
  const telling = functions.toSorted(
    (left, right) =>
      right.unreliable.length - left.unreliable.length || (right.p50Ms ?? 0) - (left.p50Ms ?? 0),
  );
  const chosen = new Set(telling.slice(0, MAX_FUNCTIONS));
  const lines = [...operations, ...functions.filter((times) => chosen.has(times))];
  const labels = lines.map((times) => labelOf(times));
  const widest = Math.max(0, ...labels.map((label) => label.length));
  const more = functions.length - chosen.size;
  return [
    ...lines.flatMap((times, index) => {
      const head = `  ${(labels[index] ?? '').padEnd(widest)}  ${callsOf(times).padEnd(8)}  `;
      const figures = MEASURED_FIGURES.flatMap((name) => {
        const ms = times[`${name}Ms`];
        return ms === undefined ? [] : [`${name} ${milliseconds(ms)}${interval(times.intervals, name)}`];
      });
      const [first = '', ...rest] = wrapItems(figures, '  ', width - head.length);
      const indent = ' '.repeat(head.length);
      const doubts =
        times.unreliable.length === 0 ? [] : [`unreliable: ${times.unreliable.map(shown).join('; ')}`];
      return [
        `${head}${first}`.trimEnd(),
        ...rest.map((line) => `${indent}${line}`.trimEnd()),
        ...doubts.flatMap((text) => wrap(text, width - 4)).map((line) => `    ${palette.doubtful(line)}`),
      ];
    }),
    ...(more > 0 ? [`  and ${more} more ${more === 1 ? 'function' : 'functions'}, in the report`] : []),
  ];
}

function labelOf({ operation, function: name }: Measurement): string {
  if (name === undefined) return operation;
  const label = `execute ${shown(name)}`;
  return label.length <= MAX_LABEL_CHARACTERS ? label : `${label.slice(0, MAX_LABEL_CHARACTERS - 1)}…`;
}

function callsOf({ count, errors }: ResponseTimes): string {
  return `${count} ${count === 1 ? 'call' : 'calls'}${errors > 0 ? `, ${errors} in error` : ''}`;
}

function latencyLines(times: ResponseTimes, width: number): readonly string[] {
  const { operation, intervals } = times;
  const shown = figuresOf(times).map(
    ([name, ms]) => `${name} ${milliseconds(ms)}${interval(intervals, name)}`,
  );
  const head = `  ${operation.padEnd(13)}${callsOf(times).padEnd(10)}  `;
  const lines = wrapItems(shown, '  ', width - head.length);
  return (lines.length === 0 ? [''] : lines).map((line, index) =>
    `${index === 0 ? head : ' '.repeat(head.length)}${line}`.trimEnd(),
  );
}

function interval(intervals: ResponseTimes['intervals'], name: string): string {
  const bounds = intervals[name as keyof typeof intervals];
  return bounds === undefined ? '' : ` (${milliseconds(bounds[0])} to ${milliseconds(bounds[1])})`;
}

function milliseconds(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0);
}

function facts({ facts: all }: TestResult, { width }: View): string {
  return all
    .filter(({ name }) => name !== 'form')
    .flatMap(({ name, text }) =>
      wrap(`${shown(name)}: ${shown(text)}`, width - 4).map((line, index) =>
        index === 0 ? `  ${line}` : `    ${line}`,
      ),
    )
    .join('\n');
}

function totals(result: TestResult, { palette, width }: View, reportFile: string | undefined): string {
  const { summary, verdict, reachable } = result;
  const counts = summaryItems(summary).join(', ');
  const colours = new Map([
    ['pass', palette.good],
    ['incomplete', palette.doubtful],
  ]);
  const colour = (reachable ? colours.get(verdict) : undefined) ?? palette.bad;
  const word = colour(verdictWord(result));
  return [
    `${palette.strong(word)}  ${verdictWords(result)}`,
    ...wrap(counts, width - 2).map((line) => `  ${line}`),
    ...wrap(decisionWords(result), width - 2).flatMap((line) => (line === '' ? [] : [`  ${line}`])),
    ...(reportFile === undefined ? [] : [`  report: ${visible(reportFile)}`]),
  ].join('\n');
}
