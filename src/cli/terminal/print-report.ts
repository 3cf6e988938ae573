import { lookOf, print } from '../../command-line/terminal.ts';
import type { TestResult } from '../../model/report.ts';
import { renderBench } from '../../report/terminal/bench-terminal.ts';
import { renderTerminal } from '../../report/terminal/terminal.ts';
import type { DetailFlags } from '../options/output-flags.ts';

export async function printReport(
  result: TestResult,
  { verbose, quiet }: DetailFlags,
  reportFile?: string,
): Promise<void> {
  const look = outputLook();
  const detail = verbose === true ? 'full' : quiet === true ? 'verdict' : 'brief';
  await print([
    result.bench === undefined
      ? renderTerminal(result, { ...look, detail, reportFile })
      : renderBench(result, look),
  ]);
}

export function outputLook() {
  return lookOf(process.stdout);
}
