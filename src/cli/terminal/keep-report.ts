import path from 'node:path';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import type { TestResult } from '../../model/report.ts';
import { pruneReports } from '../../report/prune-reports.ts';
import { storeReport } from '../../report/store-report.ts';
import type { StoreFlags } from '../options/output-flags.ts';
import { unwritable } from './write-file.ts';

/**
 * Writes the report, deletes the oldest ones of the same target, and returns the file; undefined if there is none. The
 * verdict does not depend on a folder, so that trouble with it is only a warning.
 */
export async function keepReport(
  result: TestResult,
  { reports, keep, store }: StoreFlags,
  inUse: readonly string[],
): Promise<string | undefined> {
  if (!store) return undefined;
  let written: string;
  try {
    written = await storeReport(result, reports);
  } catch (error) {
    warn(
      error,
      (code) =>
        `Cannot write the report to ${visible(reports)}: ${code}. Choose another folder with --reports, or --no-store.`,
    );
    return undefined;
  }
  try {
    await pruneReports(result, { keep, written, inUse });
  } catch (error) {
    warn(
      error,
      (code) =>
        `Cannot delete old reports from ${visible(path.dirname(written))}: ${code}. Make the folder writable, or raise --keep.`,
    );
  }
  return written;
}

function warn(error: unknown, wordsFor: (code: string) => string): void {
  say(`warning: ${unwritable(error, wordsFor).message}`);
}
