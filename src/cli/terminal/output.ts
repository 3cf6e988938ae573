import { appendFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type FormatName, renderFormat } from '../../app/render-format.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { print, say } from '../../command-line/terminal.ts';
import type { TestResult } from '../../model/report.ts';
import { prepareFolder, writeWhole } from '../../report/store-report.ts';

/** Formats beside the stored result, and where they go. */
export interface FormatFlags {
  readonly format?: readonly FormatName[];
  /** A file for one format, a folder for several (or one that exists or ends in `/`), `-` for standard output. */
  readonly output?: string;
}

/** Refuses contradictory flags before any request is sent. */
export function refuseFormatFlags({ format = [], output }: FormatFlags, json: boolean): void {
  if (output !== undefined && format.length === 0)
    throw new UsageError(
      '--output says where a format is written: name one with --format, such as --format html.',
    );
  if (output === '-' && format.length > 1)
    throw new UsageError(
      '--output - prints one format: name only one with --format, or a folder with --output.',
    );
  if (output === '-' && json)
    throw new UsageError('--json and --output - both print to standard output: leave out one of the two.');
}

/**
 * Writes a result in the requested formats, each file whole or not at all, and returns their paths. Without `output` they
 * are written beside `besideFile`, under its name.
 */
export async function writeFormats(
  result: TestResult,
  { format = [], output }: FormatFlags,
  besideFile: string,
): Promise<readonly string[]> {
  const made = (await Promise.all(format.map(async (name) => renderFormat(result, name)))).flat();
  if (output === '-') {
    // Of a format of two files, the first is the one for people.
    await print(made.slice(0, 1).map(({ text }) => text));
    return [];
  }
  const single = output !== undefined && made.length === 1 && !(await isFolder(output));
  const stem = output === undefined ? besideFile.replace(/\.json$/, '') : path.join(output, 'probity');
  const written: string[] = [];
  for (const { suffix, text } of made) {
    const file = single ? output : `${stem}${suffix}`;
    if (path.resolve(file) === path.resolve(besideFile)) continue;
    written.push(await write(file, text));
  }
  return written;
}

/** A folder stays one even if only one file is written to it. */
async function isFolder(output: string): Promise<boolean> {
  if (output.endsWith('/') || output.endsWith(path.sep)) return true;
  return stat(output).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function write(file: string, text: string): Promise<string> {
  try {
    await prepareFolder(path.dirname(file));
    return await writeWhole(file, [text]);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw new UsageError(`${file} cannot be written: ${code}. Name another place with --output.`);
  }
}

/**
 * What GitHub’s runner reads: annotations from the log, and the job’s summary from a file that it names. The log goes to
 * standard error where standard output is taken.
 */
export async function reportToGithub(
  result: TestResult,
  environment: NodeJS.ProcessEnv,
  stream: NodeJS.WriteStream,
): Promise<void> {
  const [annotations] = await renderFormat(result, 'github');
  stream.write(annotations?.text ?? '');
  const file = environment.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  const [summary] = await renderFormat(result, 'markdown');
  await appendFile(file, summary?.text ?? '').catch((error: NodeJS.ErrnoException) =>
    say(`The job’s summary cannot be written to GITHUB_STEP_SUMMARY: ${error.code ?? error.message}.`),
  );
}
