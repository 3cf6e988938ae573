import { type Command, Option } from 'commander';
import { collected, formOption, seconds, wholeNumber } from '../command-line/option-values.ts';
import { searchCommand } from './commands/search/search-command.ts';
import { accessOptions, detailOptions, formatOptions, trendOptions } from './options/command-options.ts';

/** The commands that read saved reports. */
export function reportCommands(program: Command): void {
  program.commandsGroup('Reports:');
  detailOptions(
    program
      .command('show')
      .argument('<report>', 'a saved report')
      .argument('[ids...]', 'requirements to show with all their findings: ids and globs')
      .description('print a saved report, or some of its requirements in full'),
  ).action(async (file: string, ids: string[], options) =>
    (await import('./commands/show.ts')).show(file, ids, options),
  );

  detailOptions(program.command('judge'))
    .argument('<reports...>', 'saved reports, and folders of them')
    .description('judge the exchanges of saved reports again, offline')
    .optionsGroup('Output:')
    .option('--json', 'print the test result, or the verdicts of several, and nothing else')
    .optionsGroup('Selection:')
    .option('--suite <file>', 'another suite that the reports were made with; repeatable', collected)
    .action(async (files: string[], options) => (await import('./commands/judge.ts')).judge(files, options));

  formatOptions(
    program
      .command('render')
      .argument('<report>', 'a saved report')
      .description('show a saved report, or write it in other formats'),
  ).action(async (file: string, options) => (await import('./commands/render.ts')).render(file, options));

  formatOptions(
    program
      .command('merge')
      .argument('<reports...>', 'saved reports: of several targets, or of parts of one check (--only)')
      .description('merge saved reports: parts of one check into one report, several targets into one index'),
  ).action(async (files: string[], options) => (await import('./commands/merge.ts')).merge(files, options));

  trendOptions(program.command('trend'))
    .argument('[folder]', 'folder of saved reports', 'reports')
    .description('print the verdicts, changes and response times of the saved reports of each target')
    .action(async (folder: string, options) => (await import('./commands/trend.ts')).trend(folder, options));
}

/** The commands for servers of the Model Context Protocol and for directories. */
export function mcpCommands(program: Command): void {
  program.commandsGroup('MCP and directories:');
  accessOptions(program.command('bridge'))
    .argument('<target...>', 'command with its arguments, or address of the server: https://example.com/mcp')
    .description('serve a server of the Model Context Protocol at the three endpoints')
    .optionsGroup('Target:')
    .addOption(formOption(['A', 'B'], 'B'))
    .option('--env <name>', 'environment variable to pass to the command; repeatable', collected)
    .optionsGroup('Listening:')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 selects a free one', wholeNumber(0, 65_535), 3000)
    .option('--base-path <path>', 'path prefix of the three endpoints', '')
    .option('--sessions <number>', 'sessions (for a command: processes) to keep open', wholeNumber(1, 64), 1)
    .optionsGroup('Limits:')
    .option('--timeout <seconds>', 'time limit of one request', seconds, 60)
    .option('--start-timeout <seconds>', 'time limit for the first answer of the server', seconds, 60)
    // Options behind the command belong to the command.
    .passThroughOptions()
    .action(async (target: string[], options) =>
      (await import('./commands/bridge.ts')).bridge(target, options),
    );

  program
    .command('login')
    .argument('<target>', 'address of the server: https://example.com/mcp')
    .description('log in to a server of the Model Context Protocol, and print a token for --bearer-env')
    .optionsGroup('Access:')
    .option('--client-id <id>', 'a client that is registered already (default: registers one)')
    .option('--client-secret-env <name>', 'environment variable with the secret of that client')
    .option('--scope <scopes>', 'scopes to ask for, separated by spaces (default: what the server asks for)')
    .option('--ca <file>', 'PEM file of certificate authorities to trust instead of the default ones')
    .option('--public-only', 'connect only to public addresses')
    .optionsGroup('Listening:')
    .option(
      '--port <number>',
      'port on this machine to which the browser returns; 0 selects a free one',
      wholeNumber(0, 65_535),
      0,
    )
    .optionsGroup('Limits:')
    .option('--timeout <seconds>', 'time limit for the login', seconds, 300)
    .action(async (target: string, options) =>
      (await import('./commands/login.ts')).loginTo(target, options),
    );

  accessOptions(program.command('send'))
    .argument(
      '<target>',
      'command in quotes, or address of the server: https://example.com/mcp; with --from its name in the file',
    )
    .argument('<message>', 'JSON text of a message; @FILE reads a file, - standard input')
    .description(
      'send one message to a server of the Model Context Protocol, and print each line of the answer',
    )
    .optionsGroup('Target:')
    .addOption(
      new Option('--era <era>', 'revisions of the protocol to speak: up to 2025-11-25, or from 2026-07-28')
        .choices(['auto', 'session', 'stateless'])
        .default('auto'),
    )
    .option(
      '--env <name>',
      'environment variable to pass to the command, or NAME=VALUE; repeatable',
      collected,
    )
    .option('--from <file>', 'the client’s configuration or the server.json that names the target')
    .option('--raw', 'send the bytes as they are; nothing is added')
    .option('--no-open', 'send no messages that open the conversation')
    .optionsGroup('Limits:')
    .option(
      '--timeout <seconds>',
      'time limit of the answer (default: 60; 1 where none is expected)',
      seconds,
    )
    .option('--start-timeout <seconds>', 'time limit for the first answer of the server', seconds, 60)
    .optionsGroup('Output:')
    .option('--json', 'print a JSON object for each line that is received')
    .addHelpText('after', SEND_EXIT_CODES)
    .action(async (target: string, message: string, options) =>
      (await import('./commands/send.ts')).send(target, message, options),
    );

  searchCommand(program);

  program
    .command('directory')
    .argument('[arguments...]', 'see `probity directory --help`')
    .description('the directory service: serve it, and manage its keys and entries')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (args: string[]) => (await import('./commands/directory.ts')).directory(args));
}

const SEND_EXIT_CODES = `
Exit codes: 0 the message was answered, also with an error, or needs no answer; 1 the server
answers, but opens no conversation, or sends something that is no answer; 2 a mistake in the
arguments; 3 the server is unreachable, ended, or did not answer in time; 4 the server wants
a key, or the command was interrupted.`;
