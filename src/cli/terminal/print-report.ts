import { columnsOf, paletteFor, print } from '../../command-line/terminal.ts';
import type { TestResult } from '../../model/report.ts';
import { renderBench } from '../../report/terminal/bench-terminal.ts';
import type { Palette } from '../../report/terminal/palette.ts';
import { renderTerminal } from '../../report/terminal/terminal.ts';
import type { DetailFlags } from '../options/output-flags.ts';

/** Prints a report for people on standard output. */
export async function printReport(
  result: TestResult,
  { verbose, quiet }: DetailFlags,
  reportFile?: string,
): Promise<void> {
  const look = outputLook();
  const detail = verbose === true ? 'full' : quiet === true ? 'verdict' : 'brief';
  await print([
    result.bench === undefined
      ? renderTerminal(result, { ...look, detail, ...(reportFile === undefined ? {} : { reportFile }) })
      : renderBench(result, look),
  ]);
}

/** Colours and width of standard output. */
export function outputLook(): { readonly palette: Palette; readonly columns: number } {
  return { palette: paletteFor(process.stdout, process.env), columns: columnsOf(process.stdout) };
}
