import path from 'node:path';
import { UsageError } from '../../command-line/exit-codes.ts';
import { prepareFolder, writeWhole } from '../../report/store-report.ts';

/** Writes a file completely or not at all, and creates its folder if necessary. */
export async function writeTextFile(file: string, text: string, remedy: string): Promise<string> {
  try {
    await prepareFolder(path.dirname(file));
    return await writeWhole(file, [text]);
  } catch (error) {
    throw unwritable(error, (code) => `Cannot write ${file}: ${code}. ${remedy}`);
  }
}

/** The usage error for a refusal by the file system; throws every other error. */
export function unwritable(error: unknown, wordsFor: (code: string) => string): UsageError {
  const { code } = error as { code?: string };
  if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
  return new UsageError(wordsFor(code));
}
