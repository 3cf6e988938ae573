import { existsSync } from 'node:fs';
import type { CheckOptions } from '../../check/check-options.ts';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { compareContracts } from '../../contract/compare-contracts.ts';
import { contractText } from '../../contract/contract-file.ts';
import { contractOf } from '../../contract/read-contract.ts';
import { visible } from '../../json/visible.ts';
import { CHANGE_KINDS, type Contract, type ContractChange } from '../../model/contract.ts';
import type { TestResult } from '../../model/report.ts';
import { readContract } from '../../report/read-contract.ts';
import { writeTextFile } from '../terminal/write-file.ts';

/** What a check does with the contract of its target. */
export interface KeptContract {
  readonly options: Pick<CheckOptions, 'contract'>;
  /** After the check, with its result. */
  readonly renew: (result: TestResult) => Promise<void>;
}

/** Compares the target with the contract in a file. */
export async function compareWithContract(file: string, isDirectory: boolean): Promise<KeptContract> {
  refuseDirectory(isDirectory);
  if (!existsSync(file))
    throw new UsageError(
      `--contract: ${file} does not exist. Write it with --accept, which keeps what the target offers now.`,
    );
  return { options: { contract: await contractIn(file) }, renew: async () => undefined };
}

/** Keeps what the target offers as the new contract, and says what changed. */
export async function renewContract(file: string | undefined, isDirectory: boolean): Promise<KeptContract> {
  refuseDirectory(isDirectory);
  if (file === undefined)
    throw new UsageError('--accept renews the file of a contract: name it with --contract FILE.');
  // An unreadable file may be another one: it is not overwritten.
  const before = existsSync(file) ? await contractIn(file) : null;
  return { options: {}, renew: (result) => renew(file, before, result) };
}

async function renew(file: string, before: Contract | null, result: TestResult): Promise<void> {
  const now = result.reachable ? contractOf(result) : null;
  if (now === null || now.unread.length > 0) {
    const reason =
      now === null
        ? 'the list of its functions was not read'
        : `not all pages were read of ${now.unread.join(', ')}`;
    const { only, skip } = result.settings;
    const remedy = only.length + skip.length > 0 ? ' Check the target without --only and --skip.' : '';
    say(`The contract was not renewed: ${reason}.${remedy}`);
    if (process.exitCode === EXIT.pass) process.exitCode = EXIT.incomplete;
    return;
  }
  const changes = before === null ? [] : compareContracts(before, now);
  for (const change of changes) say(`accepted: ${visible(lineOf(change))}`);
  if (before !== null && contractText(before) === contractText(now))
    return say(`unchanged: ${visible(file)}`);
  const written = await writeTextFile(file, contractText(now), 'Choose another file with --contract.');
  say(`written: ${visible(written)}${before === null ? '' : ` (${countsOf(changes)})`}`);
}

function lineOf({ kind, of, name, message, isSuspicious }: ContractChange): string {
  const what = name === null ? 'the server' : `${of} ${JSON.stringify(name)}`;
  return `${isSuspicious === true ? 'suspicious' : kind}: ${what}: ${message}`;
}

function countsOf(changes: readonly ContractChange[]): string {
  const counts = CHANGE_KINDS.flatMap((kind) => {
    const count = changes.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [`${count} ${kind}`];
  });
  return counts.length === 0 ? 'nothing that a caller sees' : counts.join(', ');
}

async function contractIn(file: string): Promise<Contract> {
  return readContract(file).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  });
}

function refuseDirectory(isDirectory: boolean): void {
  if (isDirectory)
    throw new UsageError('--contract and --accept are for a server, and --directory checks a directory.');
}
