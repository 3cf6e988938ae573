import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../../command-line/exit-codes.ts';
import { visible } from '../../json/visible.ts';
import { FORMAT_SUFFIXES } from '../../report/generated/format-suffixes.ts';

/** The files in a folder that may be reports, the oldest first if they have the names that a check gives them. */
export async function reportFilesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      error.code === 'ENOENT'
        ? `The folder ${visible(folder)} does not exist. Run probity check URL, which writes reports, or name another folder.`
        : `Cannot read the folder ${visible(folder)}: ${error.code}. Name another folder.`,
    );
  });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map(({ name }) => name)
    .filter((name) => !FORMAT_SUFFIXES.some((suffix) => name.endsWith(suffix)))
    .toSorted()
    .map((name) => path.join(folder, name));
}
