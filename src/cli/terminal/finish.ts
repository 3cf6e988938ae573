import { exitCodeFor } from '../../command-line/exit-codes.ts';
import { print, say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import type { TestResult } from '../../model/report.ts';
import { reportPieces } from '../../report/serialise-report.ts';
import type { DetailFlags, FormatFlags, StoreFlags } from '../options/output-flags.ts';
import { keepReport } from './keep-report.ts';
import { formatsForFiles, reportToGithub, writeFormats } from './output.ts';
import { printReport } from './print-report.ts';

/**
 * Writes the report, prints the requested output, and sets the exit code. Returns the file of the report, if it was
 * written. Files in use are never deleted as old reports.
 */
export async function finish(
  result: TestResult,
  output: FormatFlags & DetailFlags & StoreFlags & { readonly json?: boolean },
  inUse: readonly string[] = [],
): Promise<string | undefined> {
  const { format = [] } = output;
  const toFiles = { ...output, format: await formatsForFiles(output) };
  const file = await keepReport(result, output, inUse);
  const [formats] = await Promise.allSettled([
    file === undefined && output.output === undefined ? [] : writeFormats(result, toFiles, file ?? ''),
  ]);
  if (output.json === true) await print(reportPieces(result));
  else if (output.output !== '-') await printReport(result, output, file);
  // What was asked for is missing: that ends the command, but the verdict is printed before.
  if (formats.status === 'rejected') throw formats.reason;
  for (const path of formats.value) say(`written: ${visible(path)}`);
  if (format.includes('github'))
    await reportToGithub(
      result,
      process.env,
      output.json === true || output.output === '-' ? process.stderr : process.stdout,
    );
  process.exitCode = exitCodeFor(result);
  return file;
}
