import { print } from '../../command-line/terminal.ts';
import type { TestResult } from '../../model/report.ts';
import { diffResults } from '../../report/compare/diff-results.ts';
import { renderDiff } from '../../report/terminal/diff-terminal.ts';
import { outputLook } from './print-report.ts';

/** Prints what changed since the last check of the same server, and what a changed baseline makes of it. */
export async function printChanges(before: TestResult, now: TestResult): Promise<void> {
  const diff = diffResults(before, now);
  const same = diff.rows.length + diff.findings.length === 0 && before.reachable === now.reachable;
  const ofBaseline = [
    ...acceptedOnlyIn(now, before).map((id) => `${id} fails as before, and the baseline accepts it now.\n`),
    ...acceptedOnlyIn(before, now).map(
      (id) => `${id} fails as before, and the baseline no longer accepts it.\n`,
    ),
  ];
  const nothing = ofBaseline.length === 0 ? '\nNothing changed since the last check.\n' : '';
  const changes = same ? nothing : `\nSince the last check:\n\n${renderDiff(diff, outputLook())}`;
  await print([...(ofBaseline.length === 0 ? [] : ['\n', ...ofBaseline]), changes]);
}

/** Of the requirements that fail in both. */
function acceptedOnlyIn(one: TestResult, other: TestResult): readonly string[] {
  const fails = new Set(
    other.results.filter(({ outcome, accepted }) => outcome === 'failed' && !accepted).map(({ id }) => id),
  );
  return one.results.filter(({ id, accepted }) => accepted === true && fails.has(id)).map(({ id }) => id);
}
