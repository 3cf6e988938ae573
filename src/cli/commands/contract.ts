import { EXIT } from '../../command-line/exit-codes.ts';
import { print, say } from '../../command-line/terminal.ts';
import { contractText } from '../../contract/contract-file.ts';
import { visible } from '../../json/visible.ts';
import type { Contract } from '../../model/contract.ts';
import type { OnTargetFlags } from '../options/run-on-target.ts';
import type { CheckFlags } from '../options/settings.ts';
import { contractOfTarget } from '../options/target-contract.ts';
import { writeTextFile } from '../terminal/write-file.ts';

export type ContractFlags = Omit<CheckFlags, 'output'> & OnTargetFlags & { readonly output: string };

/** Prints what a server offers, or the server of a saved report. */
export async function contract(given: string | undefined, flags: ContractFlags): Promise<void> {
  const found = await contractOfTarget(given, flags as CheckFlags & OnTargetFlags);
  if (found !== null) await written(found, flags.output);
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
  if (unread.length > 0)
    return say(
      `Not written: ${visible(output)}. If the server always ends so, fix its lists: its clients get no more either.`,
    );
  const file = await writeTextFile(output, text, 'Choose another file with --output.');
  say(`written: ${visible(file)}`);
}
