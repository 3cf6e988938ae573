import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { CheckOptions } from '../../check/check-options.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import { OptionError } from '../../model/arguments.ts';
import { type TestResult, targetKindOf } from '../../model/report.ts';
import { readReport } from '../../report/read-report.ts';
import { loadSuites } from '../../suite/load-suites.ts';

/** Older reports are of no interest, and a folder may contain thousands. */
const MAX_REPORTS = 100;

/**
 * The requirements that failed or were undecided in the newest report of the target; null if there were none, so that
 * everything is checked.
 * @throws UsageError if the folder has no report of the target, or a suite that decides one of them is missing
 */
export async function lastFailed(
  folder: string,
  address: string,
  { targetName, suites }: Pick<CheckOptions, 'targetName' | 'suites'>,
): Promise<readonly string[] | null> {
  const names = await readdir(folder).catch((): readonly string[] => []);
  const files = names.filter((name) => name.endsWith('.json')).toSorted();
  for (const name of files.toReversed().slice(0, MAX_REPORTS)) {
    const file = path.join(folder, name);
    const result = await readReport(file).catch(() => null);
    if (result === null || result.bench !== undefined || result.target.url !== address) continue;
    if (result.settings.targetName !== targetName) continue;
    const failed = result.results.filter(({ outcome, accepted }) => accepted !== true && OPEN.has(outcome));
    const ids = failed.map(({ id }) => id);
    await refuseMissingSuite(ids, file, result, suites);
    say(
      ids.length === 0
        ? `Nothing failed in ${visible(file)}, so everything is checked.`
        : `checking what failed in ${visible(file)}`,
    );
    return ids.length === 0 ? null : ids;
  }
  throw new UsageError(
    `--last-failed: ${folder} has no report of ${visible(address)}. Run the check once without --last-failed.`,
  );
}

/** Without its suite, a requirement would seem to be a mistake of the user, who did not name it. */
async function refuseMissingSuite(
  ids: readonly string[],
  file: string,
  { suites: then, settings }: TestResult,
  given: CheckOptions['suites'],
): Promise<void> {
  const now = given ?? (await loadSuites([], targetKindOf(settings))).suites;
  const missing = then.filter(({ id }) => now.every((suite) => suite.id !== id));
  for (const { id: suite } of missing) {
    const id = ids.find((one) => one.startsWith(`${suite}/`));
    if (id !== undefined)
      throw new UsageError(
        `--last-failed: ${visible(id)} did not pass in ${visible(file)}, and its suite "${visible(suite)}" is not part of this check. Pass the file of the suite again with --suite, or leave out --last-failed.`,
      );
  }
}

/** An error about the selection, which the user did not write. */
export function ofLastFailed(error: unknown): unknown {
  return error instanceof OptionError && error.option === 'only'
    ? new UsageError(error.message.replaceAll('`only`', '--last-failed'))
    : error;
}

const OPEN: ReadonlySet<string> = new Set(['failed', 'undecided']);
