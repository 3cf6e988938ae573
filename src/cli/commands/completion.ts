import type { Command } from 'commander';
import { print } from '../../command-line/terminal.ts';
import { loadRegistry } from '../../suite/load-suites.ts';
import { bashCompletion } from '../help/bash-completion.ts';
import { commandModels } from '../help/command-model.ts';
import { fishCompletion } from '../help/fish-completion.ts';
import type { Shell } from '../help/shells.ts';
import { zshCompletion } from '../help/zsh-completion.ts';

const WRITERS = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} as const satisfies Readonly<Record<Shell, typeof bashCompletion>>;

/** Prints a completion script, in which all words are already written: the shell starts no process to complete one. */
export async function completion(shell: Shell, program: Command): Promise<void> {
  const ids = [...(await loadRegistry()).keys()];
  await print([WRITERS[shell](commandModels(program), ids)]);
}
