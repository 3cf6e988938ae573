import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import type { TestResult } from '../../model/report.ts';
import { readReport } from '../../report/read-report.ts';
import { type FormatFlags, refuseFormatFlags } from '../options/output-flags.ts';
import { writeFormats } from '../terminal/output.ts';
import { printReport } from '../terminal/print-report.ts';

/**
 * Renders a saved result in other formats: prints a single one unless a file is named, writes several beside the
 * result.
 */
export async function render(file: string, flags: FormatFlags): Promise<void> {
  refuseFormatFlags(flags, false);
  const result = await savedResult(file);
  const { format = [], output } = flags;
  if (format.length === 0) return printReport(result, { verbose: true });
  const printed = output === undefined && format.length === 1;
  const written = await writeFormats(result, printed ? { format, output: '-' } : flags, file);
  for (const path of written) say(`written: ${visible(path)}`);
}

/** @throws UsageError with the mistake in the file */
export async function savedResult(file: string): Promise<TestResult> {
  return readReport(file).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
}
