import { Argument, Command, Option } from 'commander';
import { authorCommands, checkCommands, onTarget, TARGET } from './check-commands.ts';
import { ProgramFor } from './command-by-name.ts';
import { serverOptions } from './commands/search/search-command.ts';
import { describeCommands } from './help/describe-commands.ts';
import { SHELLS, type Shell } from './help/shells.ts';
import {
  acceptOption,
  checkOptions,
  directoryCheckOptions,
  formatOptions,
  gateOptions,
  mcpOptions,
  profileOption,
  targetsOptions,
  webhookOption,
} from './options/command-options.ts';
import { mcpCommands, reportCommands } from './report-commands.ts';

const EXIT_CODES = `
Exit codes: 0 pass, 1 fail, 2 usage, suite or configuration, 3 target unreachable,
4 incomplete, 70 a fault of probity itself.`;

/**
 * The command line. Each command is loaded only when it is used.
 * @param words a command line; options of commands that are not among its words are not declared
 */
export function createProgram(words?: readonly string[]): Command {
  const program = (words === undefined ? new Command('probity') : new ProgramFor('probity', words))
    .description('Checks whether an MCP server follows its contract, and measures how fast it answers.')
    .optionsGroup('Help:')
    .version(VERSION, '-V, --version', 'print the version')
    .addHelpOption(new Option('-h, --help', 'print this help').helpGroup('Help:'))
    .addHelpText('after', EXIT_CODES)
    .showHelpAfterError('(probity --help lists the commands)')
    .enablePositionalOptions()
    .exitOverride();

  program.commandsGroup('Check and gate:');
  const check = program
    .command('check')
    .argument('[target]', `${TARGET} (default: the endpoint of --listing or --server)`)
    .description('check a server or a directory, print the report, and write it to reports/');
  const withOptions = profileOption(acceptOption(gateOptions(formatOptions(checkOptions(check)))));
  directoryCheckOptions(targetsOptions(serverOptions(mcpOptions(webhookOption(withOptions))))).action(
    onTarget(async (url, options) => {
      (await import('../check/threads/worker.ts')).startSpareWorker();
      return (await import('./commands/check.ts')).check(url, options);
    }),
  );
  checkCommands(program);
  authorCommands(program);
  reportCommands(program);
  mcpCommands(program);
  program.commandsGroup('Shell:');
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell that reads the script').choices(SHELLS))
    .description('print a script that completes commands, options, requirements and reports in a shell')
    .action(async (shell: Shell) =>
      (await import('./commands/completion.ts')).completion(shell, createProgram()),
    );
  program.addHelpCommand(
    new Command('help').argument('[command]').description('print the help of a command').helpOption(false),
  );
  describeCommands(program);
  return program;
}

declare const VERSION: string;
