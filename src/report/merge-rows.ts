import { ExpectedError } from '../model/expected-error.ts';
import type { ReportedFinding, Row } from '../model/judgement.ts';
import type { TestResult } from '../model/report.ts';
import { groupedBy } from '../text/grouped-by.ts';

/** A report, with the name by which messages call it. */
export interface NamedReport {
  readonly file: string;
  readonly result: TestResult;
}

/** Reports that do not belong together. */
export class MergeError extends ExpectedError {
  override readonly name = 'MergeError';
}

/** Every requirement once, with its findings. */
export function rowsOf(parts: readonly NamedReport[]) {
  const seen = new Map<string, { readonly file: string; readonly row: Row; readonly decided: string }>();
  const findings: ReportedFinding[] = [];
  for (const { file, result } of parts) {
    const byId = groupedBy(result.findings, ({ id }) => id);
    for (const row of result.results) {
      const own = byId.get(row.id) ?? [];
      const decided = JSON.stringify([
        row.outcome,
        row.accepted,
        own.map(({ fingerprint }) => fingerprint).sort(),
      ]);
      const known = seen.get(row.id);
      if (known === undefined) {
        seen.set(row.id, { file, row, decided });
        findings.push(...own);
      } else if (known.decided !== decided)
        throw new MergeError(
          `${row.id} of ${result.target.url} is ${conflictWords(known, { file, row })}. Merge parts of one run, each with its own requirements (--only).`,
        );
    }
  }
  return { rows: [...seen.values()].map(({ row }) => row), findings };
}

type Decided = { readonly file: string; readonly row: Row };

function conflictWords(known: Decided, other: Decided): string {
  return known.row.outcome === other.row.outcome
    ? `${known.row.outcome} in ${known.file} and in ${other.file}, with different findings`
    : `${known.row.outcome} in ${known.file} and ${other.row.outcome} in ${other.file}`;
}
