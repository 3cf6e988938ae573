import type { Outcome, Row } from '../../model/judgement.ts';
import type { ResponseTimes, TestResult } from '../../model/report.ts';
import { visible } from '../visible.ts';
import { type Palette, PLAIN } from './palette.ts';
import {
  areaOf,
  failedFindings,
  listRows,
  shown,
  undecidedFindings,
  type View,
} from './terminal-findings.ts';
import { wrap, wrapItems } from './wrap.ts';

export interface TerminalOptions {
  readonly palette?: Palette;
  readonly columns?: number;
  /** Where the report was written, if it was. */
  readonly reportFile?: string;
}

/** The report for people, in plain text that is readable at 80 columns and without colour. Pure. */
export function renderTerminal(result: TestResult, options: TerminalOptions = {}): string {
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
    latency(result, view),
    facts(result, view),
    totals(result, view, options.reportFile),
  ]
    .filter((block) => block !== '')
    .join('\n\n')
    .concat('\n');
}

function heading({ target, seed, harness }: TestResult, { palette, width }: View): string {
  const { capabilities, execute } = target.form;
  const form =
    capabilities === null
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
  const has = (outcome: Outcome): boolean => rows.some((row) => row.outcome === outcome);
  if (rows.some((row) => row.outcome === 'failed' && row.level === 'MUST')) return palette.bad('FAIL');
  if (has('blocked') || has('inconclusive')) return palette.doubtful('  ? ');
  if (has('failed')) return palette.doubtful('warn');
  return has('passed') ? palette.good('  ok') : palette.faint('  - ');
}

const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  failed: 'failed',
  passed: 'passed',
  blocked: 'blocked',
  inconclusive: 'inconclusive',
  inapplicable: 'not applicable',
};

function countWords(rows: readonly Row[]): readonly string[] {
  return (['failed', 'passed', 'blocked', 'inconclusive', 'inapplicable'] as const)
    .map((outcome) => ({ outcome, count: rows.filter((row) => row.outcome === outcome).length }))
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }) => `${count} ${OUTCOME_WORDS[outcome]}`);
}

function blockedRows({ results, findings: all, reachable }: TestResult, { palette, width }: View): string {
  const blocked = results.filter(({ outcome }) => outcome === 'blocked');
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

function latency({ responseTimes, settings }: TestResult, { palette, width }: View): string {
  const operations = responseTimes.filter((times) => times.function === undefined);
  if (operations.length === 0) return '';
  const note = `Response times in ms, connecting included, with up to ${settings.concurrency} requests at once`;
  return [
    ...wrap(note, width).map(palette.faint),
    ...operations.flatMap((times) => latencyLines(times, width)),
  ].join('\n');
}

function latencyLines(times: ResponseTimes, width: number): readonly string[] {
  const { operation, count, errors, minMs, meanMs, maxMs, p50Ms, p90Ms, p95Ms, p99Ms, intervals } = times;
  const numbers = [
    ['min', minMs],
    ['mean', meanMs],
    ['p50', p50Ms],
    ['p90', p90Ms],
    ['p95', p95Ms],
    ['p99', p99Ms],
    ['max', maxMs],
  ] as const;
  const shown = numbers
    .filter(([, ms]) => ms !== undefined)
    .map(([name, ms]) => `${name} ${milliseconds(ms ?? 0)}${interval(intervals, name)}`);
  const calls = `${count} ${count === 1 ? 'call' : 'calls'}${errors > 0 ? `, ${errors} in error` : ''}`;
  const head = `  ${operation.padEnd(13)}${calls.padEnd(10)}  `;
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
  const { summary, verdict } = result;
  const counts = [
    `${summary.passed} passed`,
    `${summary.failed} failed`,
    `${summary.warnings} ${summary.warnings === 1 ? 'warning' : 'warnings'}`,
    `${summary.inapplicable} not applicable`,
    `${summary.blocked} blocked`,
    `${summary.inconclusive} inconclusive`,
  ].join(', ');
  const words = {
    pass: palette.good('PASS'),
    fail: palette.bad('FAIL'),
    incomplete: palette.doubtful('INCOMPLETE'),
  };
  const word = result.reachable ? words[verdict] : palette.bad('UNREACHABLE');
  return [
    `${palette.strong(word)}  ${verdictWords(result)}`,
    ...wrap(counts, width - 2).map((line) => `  ${line}`),
    ...(reportFile === undefined ? [] : [`  report: ${visible(reportFile)}`]),
  ].join('\n');
}

function verdictWords({ verdict, reachable, summary }: TestResult): string {
  if (!reachable) return 'No request was answered, so nothing else could be asked.';
  if (verdict === 'pass') return 'Every requirement that applies is met.';
  if (verdict === 'fail')
    return `The contract is broken in ${summary.failed} ${summary.failed === 1 ? 'place' : 'places'}.`;
  return 'Not everything could be decided, so this is not a pass.';
}
