import { visible } from '../../json/visible.ts';
import type { Verdict } from '../../model/judgement.ts';
import type { Summary, TestResult } from '../../model/report.ts';
import { counted, countsInLine, type VerdictMark, verdictMark } from './words.ts';

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

interface Outcome {
  readonly verdict: Verdict;
  readonly reachable: boolean;
}

export function judgedReport(
  file: string,
  saved: TestResult,
  { verdict, reachable, summary }: TestResult,
): JudgedReport {
  return {
    kind: 'judged',
    file,
    verdict,
    reachable,
    summary,
    saved: { verdict: saved.verdict, reachable: saved.reachable },
  };
}

export type JudgedMark = Exclude<VerdictMark, 'measured'> | 'not-judged';

export interface JudgedLine {
  readonly file: string;
  readonly mark: JudgedMark;
  /** `NOT JUDGED`. */
  readonly word: string;
  /** `104 passed, 2 failed (it was PASS)`, or why it was not judged. */
  readonly words: string;
}

export function judgedLine(report: JudgedReport): JudgedLine {
  const file = visible(report.file);
  const mark = markOf(report);
  const word = wordOf(mark);
  if (report.kind === 'not-judged') return { file, mark, word, words: visible(report.reason) };
  const before = verdictMark(report.saved);
  const changed = before === mark ? '' : ` (it was ${before.toUpperCase()})`;
  return { file, mark, word, words: `${countsInLine(report.summary)}${changed}` };
}

/** From the best to the worst, as in the totals. */
const MARKS = [
  'pass',
  'incomplete',
  'unreachable',
  'fail',
  'not-judged',
] as const satisfies readonly JudgedMark[];

/** `3 reports: 1 pass, 2 fail; 1 verdict changed`. Pure. */
export function judgedTotals(reports: readonly JudgedReport[]): string {
  const counts = new Map<JudgedMark, number>();
  for (const report of reports) counts.set(markOf(report), (counts.get(markOf(report)) ?? 0) + 1);
  const parts = MARKS.flatMap((mark) =>
    counts.has(mark) ? [`${counts.get(mark)} ${wordOf(mark).toLowerCase()}`] : [],
  );
  const changed = reports.filter(
    (report) => report.kind === 'judged' && verdictMark(report.saved) !== verdictMark(report),
  ).length;
  const more = changed === 0 ? '' : `; ${counted(changed, 'verdict')} changed`;
  return `${counted(reports.length, 'report')}: ${parts.join(', ')}${more}`;
}

function markOf(report: JudgedReport): JudgedMark {
  if (report.kind === 'not-judged') return 'not-judged';
  const mark = verdictMark(report);
  return mark === 'measured' ? 'incomplete' : mark;
}

function wordOf(mark: JudgedMark): string {
  return mark.replace('-', ' ').toUpperCase();
}
