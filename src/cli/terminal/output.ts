import { appendFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type FormatName, renderFormat } from '../../check/render/render-format.ts';
import { print, say } from '../../command-line/terminal.ts';
import type { TestResult } from '../../model/report.ts';
import type { FormatFlags } from '../options/output-flags.ts';
import { writeTextFile } from './write-file.ts';

/**
 * Writes a result in the requested formats and returns the paths. Each file is written completely or not at all.
 * Without `output`, the files go beside `besideFile`, with its name.
 */
export async function writeFormats(
  result: TestResult,
  { format = [], output }: FormatFlags,
  besideFile: string,
): Promise<readonly string[]> {
  const made = (await Promise.all(format.map(async (name) => renderFormat(result, name)))).flat();
  if (output === '-') {
    // If a format has two files, the first is for people.
    await print(made.slice(0, 1).map(({ text }) => text));
    return [];
  }
  const single = output !== undefined && made.length === 1 && !(await isFolder(output));
  const stem = output === undefined ? besideFile.replace(/\.json$/, '') : path.join(output, 'probity');
  const written: string[] = [];
  for (const { suffix, text } of made) {
    const file = single ? output : `${stem}${suffix}`;
    if (path.resolve(file) === path.resolve(besideFile)) continue;
    written.push(await writeTextFile(file, text, 'Choose another path with --output.'));
  }
  return written;
}

/** The formats of a check that become files. Annotations belong to the log; they are written too where they are named. */
export async function formatsForFiles({ format = [], output }: FormatFlags): Promise<readonly FormatName[]> {
  const others = format.filter((name) => name !== 'github');
  const isNamed = output !== undefined && output !== '-' && (others.length === 0 || (await isFolder(output)));
  return isNamed ? format : others;
}

/** The user named a folder, even if only one file goes into it. */
export async function isFolder(output: string): Promise<boolean> {
  if (output.endsWith('/') || output.endsWith(path.sep)) return true;
  return stat(output).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * GitHub’s runner reads annotations from the log, and the job summary from a file that it names. If standard output
 * is in use, the log goes to standard error.
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
    say(`Cannot write the job summary to GITHUB_STEP_SUMMARY: ${error.code ?? error.message}.`),
  );
}
