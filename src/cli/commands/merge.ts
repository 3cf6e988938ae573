import path from 'node:path';
import type { FormatName } from '../../check/render/render-format.ts';
import {
  renderTargets,
  renderTogether,
  TOGETHER_FORMATS,
  type TogetherFormat,
} from '../../check/render/render-targets.ts';
import { exitCodeFor, UsageError, worstExitCode } from '../../command-line/exit-codes.ts';
import { print, say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import type { TestResult } from '../../model/report.ts';
import { mergeReports } from '../../report/merge-reports.ts';
import { seriesName } from '../../report/store-report.ts';
import { type NamedResult, type TargetEntry, targetEntry } from '../../report/target-entry.ts';
import { renderTargetLine, renderTargetTotals } from '../../report/terminal/targets-terminal.ts';
import { numbered } from '../../report/view/words.ts';
import { type FormatFlags, refuseFormatFlags } from '../options/output-flags.ts';
import { isFolder, writeFormats } from '../terminal/output.ts';
import { outputLook, printReport } from '../terminal/print-report.ts';
import { writeTextFile } from '../terminal/write-file.ts';
import { savedResult } from './render.ts';

/** Merges reports of one target into one, and shows those of several targets together. */
export async function merge(files: readonly string[], flags: FormatFlags): Promise<void> {
  refuseFormatFlags(flags, false);
  const reports = await Promise.all(files.map(async (file) => ({ file, result: await savedResult(file) })));
  const { results, notes } = mergeReports(reports);
  for (const note of notes) say(note);
  const [only, ...more] = results;
  if (only !== undefined && more.length === 0) await showOne(only, flags);
  else await showSeveral(results, flags, notes);
  process.exitCode = worstExitCode(results.map(exitCodeFor));
}

/** One target: the same as for the report of one run. */
async function showOne(result: TestResult, { format = [], output }: FormatFlags): Promise<void> {
  if (format.length === 0) return printReport(result, {});
  const toStdout = output === undefined || output === '-';
  if (toStdout && format.length > 1)
    throw new UsageError('Several formats need a folder: add --output out/.');
  const written = await writeFormats(result, { format, output: output ?? '-' }, '');
  for (const file of written) say(`written: ${visible(file)}`);
}

async function showSeveral(
  results: readonly TestResult[],
  { format = [], output = '-' }: FormatFlags,
  notes: readonly string[],
): Promise<void> {
  const names = numbered(results.map((result) => result.settings.targetName ?? result.target.url));
  const targets = results.map((result, index) => ({ name: names[index] ?? '', result }));
  const formats = format.map(forSeveral);
  const toFolder = output !== '-' && (formats.length > 1 || (await isFolder(output)));
  if (output === '-' && formats.length > 1)
    throw new UsageError('Several formats need a folder: add --output out/.');
  if (formats.length === 0) return printLines(targets);
  for (const name of formats) {
    const made =
      toFolder && name === 'html'
        ? await renderTargets(await withReports(targets, output), name, notes)
        : await renderTogether(targets, name, notes);
    const stem = name === 'html' || name === 'json' ? 'index' : 'probity';
    for (const { suffix, text } of made)
      if (output === '-') await print([text]);
      else {
        const file = toFolder ? path.join(output, `${stem}${suffix}`) : output;
        say(`written: ${visible(await writeTextFile(file, text, 'Choose another path with --output.'))}`);
      }
  }
}

function forSeveral(name: FormatName): TogetherFormat {
  const found = TOGETHER_FORMATS.find((one) => one === name);
  if (found !== undefined) return found;
  throw new UsageError(
    `--format ${name} holds one target, and these reports are of several. Formats for several are ${TOGETHER_FORMATS.join(', ')}; or render each report.`,
  );
}

async function printLines(targets: readonly NamedResult[]): Promise<void> {
  const names = targets.map(({ name }) => name);
  const entries = targets.map(({ name, result }) => targetEntry(result, name, null));
  const { palette } = outputLook();
  await print(entries.map((entry) => renderTargetLine(entry, names, palette)));
  await print(['\n', renderTargetTotals(entries, null)]);
}

/** The index of a folder links to the pages of the targets, which are written beside it. */
async function withReports(targets: readonly NamedResult[], output: string): Promise<readonly TargetEntry[]> {
  const folders = numbered(targets.map(({ result }) => seriesName(result)));
  const entries: TargetEntry[] = [];
  for (const [index, { name, result }] of targets.entries()) {
    const folder = folders[index] ?? '';
    const inFolder = `${path.join(output, folder)}${path.sep}`;
    const [file = ''] = await writeFormats(result, { format: ['html'], output: inFolder }, '');
    entries.push(targetEntry(result, name, `${folder}/${path.basename(file)}`));
  }
  return entries;
}
