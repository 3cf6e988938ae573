import { runCommandLine } from 'probity/command-line';
import { createProgram } from './cli/program.ts';

/**
 * Runs the command line of the directory in this process: the service, or a command for its keys and entries. Prints
 * and sets the exit code like `probity`.
 *
 * @param name the name of the command in its help, such as `probity directory`
 */
export async function runDirectory(args: readonly string[], name: string): Promise<void> {
  await runCommandLine(createProgram(name), ['node', name, ...args]);
}
