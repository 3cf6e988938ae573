import { existsSync } from 'node:fs';
import { checkServer } from '../../check/threads/check-server.ts';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { print, say, sayProxyUnused } from '../../command-line/terminal.ts';
import { contractText } from '../../contract/contract-file.ts';
import { contractOf } from '../../contract/read-contract.ts';
import { visible } from '../../json/visible.ts';
import { CONTRACT_SCHEMA_ID, type Contract } from '../../model/contract.ts';
import type { TestResult } from '../../model/report.ts';
import { readContract } from '../../report/read-contract.ts';
import { chosenTarget } from '../options/chosen-target.ts';
import { type OnTargetFlags, runOnTarget } from '../options/run-on-target.ts';
import { type CheckFlags, readSettings } from '../options/settings.ts';
import { interruptible } from '../process/interruptible.ts';
import { writeTextFile } from '../terminal/write-file.ts';

export type ContractFlags = Omit<CheckFlags, 'output'> & OnTargetFlags & { readonly output: string };

/** The only row that needs every list and calls nothing. */
const READING = ['contract/unbroken'];

/** What the lists are compared with, where nobody looks at the outcome. */
const NOTHING: Contract = {
  schema: CONTRACT_SCHEMA_ID,
  wire: 'mcp',
  server: {},
  functions: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  unread: [],
};

/** Prints what a server offers, or the server of a saved report. */
export async function contract(given: string | undefined, flags: ContractFlags): Promise<void> {
  if (given !== undefined && existsSync(given) && given.endsWith('.json'))
    return written(await savedContract(given), flags.output);
  const interrupt = interruptible();
  const result = await runOnTarget(given, flags as CheckFlags & OnTargetFlags, (url, own) =>
    listed(url, own, interrupt.signal),
  ).finally(interrupt.done);
  if (!result.reachable) {
    sayProxyUnused(result.target.url);
    say(`${visible(result.target.url)} does not answer: ${reasonIn(result)}`);
    process.exitCode = EXIT.unreachable;
    return;
  }
  const found = contractOf(result);
  if (found === null) {
    say(`The list of the functions was not read: ${reasonIn(result)}`);
    process.exitCode = EXIT.incomplete;
    return;
  }
  await written(found, flags.output);
}

async function listed(
  given: string | undefined,
  flags: CheckFlags,
  signal: AbortSignal,
): Promise<TestResult> {
  const { url, options: ofTarget } = chosenTarget(given, { ...flags, listing: undefined });
  const { options } = await readSettings(flags, process.env);
  return checkServer(url, { ...options, ...ofTarget, only: READING, skip: [], contract: NOTHING, signal });
}

function reasonIn({ exchanges, findings }: TestResult): string {
  for (const exchange of exchanges)
    if (exchange.kind === 'unanswered') return visible(exchange.reason.message);
  return visible(findings[0]?.message ?? 'no answer lists them');
}

/** Prints a contract, or writes it; not over a whole one if it is not whole. */
async function written(found: Contract, output: string): Promise<void> {
  const { unread } = found;
  if (unread.length > 0) {
    say(`Not all pages were read of: ${unread.join(', ')}. What is missing of them is not known.`);
    process.exitCode = EXIT.incomplete;
  }
  const text = contractText(found);
  if (output === '-') return print([text]);
  if (unread.length > 0) return say(`Not written: ${visible(output)}. Run the command again.`);
  const file = await writeTextFile(output, text, 'Choose another file with --output.');
  say(`written: ${visible(file)}`);
}

async function savedContract(file: string): Promise<Contract> {
  return readContract(file).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  });
}
