import path from 'node:path';
import { UsageError } from '../../command-line/exit-codes.ts';
import { lookOf, print, say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import { prepareFolder, writeWhole } from '../../report/store-report.ts';
import type { Look } from '../../report/terminal/layout.ts';

/** Writes a file completely or not at all, and creates its folder if necessary. */
export async function writeTextFile(file: string, text: string, remedy: string): Promise<string> {
  try {
    await prepareFolder(path.dirname(file));
    return await writeWhole(file, [text]);
  } catch (error) {
    throw unwritable(error, (code) => `Cannot write ${file}: ${code}. ${remedy}`);
  }
}

/** The flags of a command that prints one text, or writes it to a file. */
export interface TextFlags<Format> {
  readonly format?: Format;
  readonly json?: boolean;
  /** A file; `-` for standard output. */
  readonly output: string;
}

export function formatOf<Format>({ json = false, format }: TextFlags<Format>): Format | 'text' | 'json' {
  if (json && format !== undefined && format !== 'json')
    throw new UsageError(`--json and --format ${format} contradict each other: remove one of the two.`);
  return format ?? (json ? 'json' : 'text');
}

/** Only standard output has colours and a width. */
export async function writeText(output: string, textFor: (look: Look) => Promise<string>): Promise<void> {
  if (output === '-') return print([await textFor(lookOf(process.stdout))]);
  const file = await writeTextFile(output, await textFor({}), 'Choose another file with --output.');
  say(`written: ${visible(file)}`);
}

/** The usage error for a refusal by the file system; throws every other error. */
export function unwritable(error: unknown, wordsFor: (code: string) => string): UsageError {
  const { code } = error as { code?: string };
  if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
  return new UsageError(wordsFor(code));
}
