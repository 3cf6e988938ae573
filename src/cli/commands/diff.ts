import {
  type DiffFormatName,
  renderContractDiffFormat,
  renderDiffFormat,
} from '../../check/render/render-compared.ts';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { escapeLive } from '../../json/visible.ts';
import type { TestResult } from '../../model/report.ts';
import { diffResults } from '../../report/compare/diff-results.ts';
import { readCompared, readContract } from '../../report/read-contract.ts';
import { diffText, renderDiff } from '../../report/terminal/diff-terminal.ts';
import { formatOf, type TextFlags, writeText } from '../terminal/write-file.ts';

interface DiffFlags extends TextFlags<DiffFormatName | 'text' | 'json'> {
  readonly failOnSlower?: boolean;
}

/** Compares two saved reports, or two contracts; the exit code shows whether something got worse. */
export async function diff(beforeFile: string, afterFile: string, flags: DiffFlags): Promise<void> {
  const format = formatOf(flags);
  const [before, after] = [await read(readCompared, beforeFile), await read(readCompared, afterFile)];
  const isWorse =
    before.kind === 'result' && after.kind === 'result'
      ? await diffReports(before.result, after.result, format, flags)
      : await diffOfContracts(beforeFile, afterFile, format, flags);
  process.exitCode = isWorse ? EXIT.fail : EXIT.pass;
}

type Format = DiffFormatName | 'text' | 'json';

async function diffReports(
  before: TestResult,
  after: TestResult,
  format: Format,
  { output, failOnSlower = false }: DiffFlags,
): Promise<boolean> {
  const differences = diffResults(before, after);
  await writeText(output, async (look) => {
    if (format === 'json') return jsonOf(differences);
    return format === 'text'
      ? renderDiff(differences, look)
      : renderDiffFormat(differences, format, failOnSlower);
  });
  return differences.isWorse || (failOnSlower && differences.isSlower);
}

/** One of the two may be a report: then the contract of its server. */
async function diffOfContracts(
  beforeFile: string,
  afterFile: string,
  format: Format,
  { output, failOnSlower = false }: DiffFlags,
): Promise<boolean> {
  if (failOnSlower)
    throw new UsageError('--fail-on-slower is for two reports: contracts have no response times. Remove it.');
  const { diffContracts } = await import('../../report/compare/diff-contracts.ts');
  const { contractDiffView } = await import('../../report/view/contract-diff-view.ts');
  const [before, after] = [await read(readContract, beforeFile), await read(readContract, afterFile)];
  const differences = diffContracts(before, after);
  await writeText(output, async (look) => {
    if (format === 'json') return jsonOf(differences);
    return format === 'text'
      ? diffText(contractDiffView(differences), look)
      : renderContractDiffFormat(differences, format);
  });
  return differences.isBreaking;
}

function jsonOf(differences: object): string {
  return `${escapeLive(JSON.stringify(differences, null, 2))}\n`;
}

async function read<Value>(reader: (file: string) => Promise<Value>, file: string): Promise<Value> {
  return reader(file).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  });
}
