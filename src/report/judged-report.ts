import type { Verdict } from '../model/judgement.ts';
import type { Summary, TestResult } from '../model/report.ts';

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

/** Pure. */
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
