import { runCommandLine } from 'probity/command-line';
import { createProgram } from './cli/program.ts';

/**
 * Runs the command line of the directory in this process: the service, or work on its keys and entries. It prints, and
 * sets the exit code, as `probity` does.
 *
 * @param name what the help calls the command, such as `probity directory`
 */
export async function runDirectory(args: readonly string[], name: string): Promise<void> {
  await runCommandLine(createProgram(name), ['node', name, ...args]);
}
