import { visible } from '../../json/visible.ts';
import type { Summary, TestResult } from '../../model/report.ts';
import type { CheckedTarget, TargetEntry } from '../target-entry.ts';
import { inBrief } from './figures.ts';
import { madeVisible } from './visible-result.ts';
import { counted, countsInLine, type VerdictMark, verdictMark } from './words.ts';

export type TargetMark = Exclude<VerdictMark, 'measured'> | 'not-checked' | 'not-judged';

/** From the worst to the best. A mistake in a configuration comes first, because it hides what a check would find. */
export const TARGET_MARKS = [
  'not-checked',
  'not-judged',
  'fail',
  'unreachable',
  'incomplete',
  'pass',
] as const satisfies readonly TargetMark[];

function wordOf(mark: TargetMark): string {
  return mark.replace('-', ' ');
}

/** Several targets as all formats show them. Pure. */
export function targetsView(entries: readonly TargetEntry[]) {
  const targets = entries.map(targetLine);
  const marks = targets.map(({ mark }) => mark);
  const worst = TARGET_MARKS.find((mark) => marks.includes(mark)) ?? 'not-checked';
  return { targets, mark: worst, totals: totalsOf(marks, 'target') };
}

export type TargetLine = ReturnType<typeof targetLine>;

export function targetLine(given: TargetEntry) {
  const entry = madeVisible(given);
  const { name, url } = entry;
  const mark = entry.kind === 'not-checked' ? 'not-checked' : markOf(entry);
  const common = { name, url, mark, word: wordOf(mark).toUpperCase() };
  if (entry.kind === 'not-checked') {
    const counts = { failed: 0, warnings: 0, undecided: 0 };
    return { ...common, ...counts, words: entry.reason, duration: '', slowest: '', report: null };
  }
  const { summary, durationMs, slowest, report } = entry;
  const { failed, warnings, undecided } = summary;
  return {
    ...common,
    ...{ failed, warnings, undecided },
    words: countsInLine(summary),
    duration: `${(durationMs / 1000).toFixed(1)} s`,
    slowest: slowest === null ? '' : slowestWords(slowest),
    report,
  };
}

/** `12.4 (execute:add)`, in ms; `151 max (execute:add)` without a p95. */
function slowestWords({ name, p95Ms, maxMs, reliable }: NonNullable<CheckedTarget['slowest']>): string {
  const figure = p95Ms === null ? `${inBrief(maxMs ?? 0)} max` : inBrief(p95Ms);
  return `${figure} (${name}${reliable ? '' : ', unreliable'})`;
}

function markOf(result: Outcome): TargetMark {
  const mark = verdictMark(result);
  return mark === 'measured' ? 'incomplete' : mark;
}

/** `3 targets: 1 pass, 2 fail`, from the best to the worst. */
function totalsOf(marks: readonly TargetMark[], what: string): string {
  const counts = TARGET_MARKS.toReversed().flatMap((mark) => {
    const count = marks.filter((one) => one === mark).length;
    return count === 0 ? [] : [`${count} ${wordOf(mark)}`];
  });
  return `${counted(marks.length, what)}: ${counts.join(', ')}`;
}

/** What is shown of one of many reports that were judged again. A result has megabytes, and this has none of its texts. */
export type JudgedReport =
  | ({ readonly kind: 'judged'; readonly file: string } & Outcome & {
        readonly summary: Summary;
        /** The outcome in the file. */
        readonly saved: Outcome;
      })
  | {
      readonly kind: 'not-judged';
      readonly file: string;
      readonly reason: string;
      readonly exitCode: number;
    };

type Outcome = Pick<TestResult, 'verdict' | 'reachable'>;

export function judgedReport(
  file: string,
  saved: TestResult,
  { verdict, reachable, summary }: TestResult,
): JudgedReport {
  const before = { verdict: saved.verdict, reachable: saved.reachable };
  return { kind: 'judged', file, verdict, reachable, summary, saved: before };
}

/** The words are `104 passed, 2 failed (it was PASS)`, or why it was not judged. */
export function judgedLine(report: JudgedReport) {
  const file = visible(report.file);
  const mark = judgedMark(report);
  const word = wordOf(mark).toUpperCase();
  if (report.kind === 'not-judged') return { file, mark, word, words: visible(report.reason) };
  const before = verdictMark(report.saved);
  const changed = before === mark ? '' : ` (it was ${before.toUpperCase()})`;
  return { file, mark, word, words: `${countsInLine(report.summary)}${changed}` };
}

/** `3 reports: 1 pass, 2 fail; 1 verdict changed`. Pure. */
export function judgedTotals(reports: readonly JudgedReport[]): string {
  const changed = reports.filter(
    (report) => report.kind === 'judged' && verdictMark(report.saved) !== verdictMark(report),
  ).length;
  const more = changed === 0 ? '' : `; ${counted(changed, 'verdict')} changed`;
  return `${totalsOf(reports.map(judgedMark), 'report')}${more}`;
}

function judgedMark(report: JudgedReport): TargetMark {
  return report.kind === 'not-judged' ? 'not-judged' : markOf(report);
}
