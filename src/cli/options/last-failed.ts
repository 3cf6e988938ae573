import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import { readReport } from '../../report/read-report.ts';

/** Older reports are of no interest, and a folder may contain thousands. */
const MAX_REPORTS = 100;

/**
 * The requirements that failed or were undecided in the newest report of the target; null if there were none, so that
 * everything is checked.
 * @throws UsageError if the folder has no report of the target
 */
export async function lastFailed(
  folder: string,
  address: string,
  targetName: string | undefined,
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

const OPEN: ReadonlySet<string> = new Set(['failed', 'undecided']);
