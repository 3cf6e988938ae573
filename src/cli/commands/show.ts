import { UsageError } from '../../command-line/exit-codes.ts';
import { print } from '../../command-line/terminal.ts';
import { renderRequirements } from '../../report/terminal/terminal-findings.ts';
import { matchesGlob } from '../../text/glob.ts';
import { nearest } from '../../text/nearest-name.ts';
import { type DetailFlags, refuseDetailFlags } from '../options/output-flags.ts';
import { outputLook, printReport } from '../terminal/print-report.ts';
import { savedResult } from './render.ts';

/** Prints a saved report as `check` did, or some of its requirements with all their findings. */
export async function show(file: string, wanted: readonly string[], flags: DetailFlags): Promise<void> {
  refuseDetailFlags(flags);
  const result = await savedResult(file);
  if (wanted.length === 0) return printReport(result, flags);
  const ids = result.results.map(({ id }) => id);
  const unknown = wanted.find((pattern) => !ids.some((id) => matchesGlob(pattern, id)));
  if (unknown !== undefined) {
    const close = nearest(unknown, ids);
    throw new UsageError(
      `The report has no requirement "${unknown}". ${close === undefined ? '`probity show REPORT --verbose` lists them.' : `Did you mean "${close}"?`}`,
    );
  }
  const chosen = new Set(ids.filter((id) => wanted.some((pattern) => matchesGlob(pattern, id))));
  await print([renderRequirements(result, chosen, outputLook())]);
}
