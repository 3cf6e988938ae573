import { Argument, Command, Option } from 'commander';
import { collected, day, formOption, seconds, wholeNumber } from '../command-line/option-values.ts';
import { ProgramFor } from './command-by-name.ts';
import { searchCommand, serverOptions } from './commands/search-command.ts';
import { groupHelp } from './help/group-help.ts';
import { SHELLS, type Shell } from './help/shells.ts';
import {
  benchOptions,
  checkOptions,
  detailOptions,
  diffOptions,
  directoryCheckOptions,
  formatOptions,
  fuzzOptions,
  gateOptions,
  mcpOptions,
  storeOptions,
  targetsOptions,
  trendOptions,
  watchOptions,
  webhookOption,
} from './options/command-options.ts';
import { type OnTargetFlags, runOnTarget } from './options/run-on-target.ts';

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
    .version(VERSION, '-V, --version', 'print the version')
    .addHelpOption(new Option('-h, --help', 'print this help').helpGroup('Help:'))
    .addHelpText('after', EXIT_CODES)
    .showHelpAfterError('(probity --help lists the commands)')
    .enablePositionalOptions()
    .exitOverride();

  const checkCommand = gateOptions(
    formatOptions(
      checkOptions(
        program
          .command('check')
          .argument('[target]', `${TARGET} (default: the endpoint of --listing or --server)`)
          .description('check a server or a directory, print the report, and write it to reports/'),
      ),
    ),
  );
  directoryCheckOptions(targetsOptions(serverOptions(mcpOptions(webhookOption(checkCommand))))).action(
    onTarget(async (url, options) => {
      (await import('../check/check-thread.ts')).startSpareThread();
      return (await import('./commands/check.ts')).check(url, options);
    }),
  );

  mcpOptions(
    gateOptions(
      formatOptions(
        watchOptions(
          program
            .command('watch')
            .argument('[target]', TARGET)
            .description('check a server, and again on a key press or when a watched file changes')
            .option('--watch <path>', 'another file or folder to watch; repeatable', collected)
            // Known only to say what to use instead.
            .addOption(new Option('--json').hideHelp()),
        ),
      ),
    ),
  ).action(async (url: string | undefined, options) =>
    (await import('./commands/watch.ts')).watch(url, options),
  );

  mcpOptions(program.command('init'))
    .argument('[target]', `${TARGET}; without it, the files contain no samples`)
    .description('write a configuration with a sample for every function, and a listing to complete')
    .addOption(formOption(['auto', 'A', 'B'], undefined))
    .option('--header <line>', '"Name: value", sent with both requests; repeatable', collected)
    .option('--bearer-env <name>', 'environment variable with a bearer token')
    .option('--ca <file>', 'PEM file of certificate authorities to trust instead of the default ones')
    .option('--public-only', 'connect only to public addresses')
    .option('--timeout <seconds>', 'time limit of one request (default: 10)', seconds)
    .option('--force', 'overwrite existing files')
    .action(onTarget(async (url, options) => (await import('./commands/init.ts')).init(url, options)));

  fuzzOptions(
    mcpOptions(program.command('fuzz'))
      .argument('[target]', TARGET)
      .description('call functions with generated inputs, and show the smallest input for each fault'),
  ).action(
    onTarget(async (url, options) => {
      (await import('../check/check-thread.ts')).startSpareThread();
      return (await import('./commands/fuzz.ts')).fuzz(url, options);
    }),
  );

  benchOptions(
    mcpOptions(program.command('bench'))
      .argument('[target]', TARGET)
      .description('measure latency under a chosen load, and write the result to reports/'),
  ).action(onTarget(async (url, options) => (await import('./commands/bench.ts')).bench(url, options)));

  storeOptions(program.command('demo'))
    .description('start a reference server, check it, and write a report')
    .addOption(referenceWireOption())
    .addOption(formOption(['A', 'B'], undefined, 'wire form of --wire rest (default: B)'))
    .option('--no-latency', 'do not measure response times')
    .action(async (options) => (await import('./commands/demo.ts')).demo(options));

  program
    .command('reference')
    .description('start a reference server, to try out or to build on')
    .addOption(referenceWireOption())
    .addOption(formOption(['A', 'B'], undefined, 'wire form of --wire rest (default: B)'))
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--port <number>',
      'port to listen on; 0 selects a free one (default: 3000; with --wire mcp: standard streams instead of HTTP)',
      wholeNumber(0, 65_535),
    )
    .option('--base-path <path>', 'path prefix of the three endpoints')
    .action(async (options) => (await import('./commands/reference.ts')).reference(options));

  program
    .command('bridge')
    .argument('<target...>', 'command with its arguments, or address of the server: https://example.com/mcp')
    .description('serve a server of the Model Context Protocol at the three endpoints')
    .addOption(formOption(['A', 'B'], 'B'))
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 selects a free one', wholeNumber(0, 65_535), 3000)
    .option('--base-path <path>', 'path prefix of the three endpoints', '')
    .option('--sessions <number>', 'sessions (for a command: processes) to keep open', wholeNumber(1, 64), 1)
    .option('--env <name>', 'environment variable to pass to the command; repeatable', collected)
    .option('--header <line>', '"Name: value", sent with every request to the address; repeatable', collected)
    .option('--bearer-env <name>', 'environment variable with a bearer token for the address')
    .option('--ca <file>', 'PEM file of certificate authorities to trust instead of the default ones')
    .option('--public-only', 'connect only to public addresses')
    .option('--timeout <seconds>', 'time limit of one request', seconds, 60)
    .option('--start-timeout <seconds>', 'time limit for the first answer of the server', seconds, 60)
    // Options behind the command belong to the command.
    .passThroughOptions()
    .action(async (target: string[], options) =>
      (await import('./commands/bridge.ts')).bridge(target, options),
    );

  program
    .command('send')
    .argument('<target>', 'command in quotes, or address of the server: https://example.com/mcp')
    .argument('<message>', 'JSON text of a message; @FILE reads a file, - standard input')
    .description(
      'send one message to a server of the Model Context Protocol, and print each line of the answer',
    )
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
    .option('--header <line>', '"Name: value", sent with every request to the address; repeatable', collected)
    .option('--bearer-env <name>', 'environment variable with a bearer token for the address')
    .option('--ca <file>', 'PEM file of certificate authorities to trust instead of the default ones')
    .option('--public-only', 'connect only to public addresses')
    .option('--raw', 'send the bytes as they are; nothing is added')
    .option('--no-open', 'send no messages that open the conversation')
    .option(
      '--timeout <seconds>',
      'time limit of the answer (default: 60; 1 where none is expected)',
      seconds,
    )
    .option('--start-timeout <seconds>', 'time limit for the first answer of the server', seconds, 60)
    .option('--json', 'print a JSON object for each line that is received')
    .addHelpText('after', SEND_EXIT_CODES)
    .action(async (target: string, message: string, options) =>
      (await import('./commands/send.ts')).send(target, message, options),
    );

  directoryCheckOptions(
    checkOptions(
      mcpOptions(program.command('plan'))
        .argument('[target]', `${TARGET}; omit it with --directory`)
        .description('print every request that a check would send; send only the reads that it needs')
        .option('--directory <url>', 'plan the check of the directory at this base address instead'),
    ),
  ).action(onTarget(async (url, options) => (await import('./commands/plan.ts')).plan(url, options)));

  program
    .command('explain')
    .argument('[id]', 'requirement, area such as health, or glob such as "health/*" (default: list all)')
    .description('print a requirement: its text, its section, why it matters, how to fix it')
    .option('--checks', 'list the checks that suites can use')
    .action(async (id: string | undefined, options) =>
      (await import('./commands/explain.ts')).explain(id, options),
    );

  program
    .command('lint')
    .argument(
      '[files...]',
      'suites, configurations, baselines, listings and registries (default: the product’s own suites, and the usual files of this folder)',
    )
    .description('check suites, configurations, baselines and listings')
    .action(async (files: string[]) => (await import('./commands/lint.ts')).lint(files));

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
    .option('--json', 'print the test result, or the verdicts of several, and nothing else')
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

  program
    .command('baseline')
    .argument('<report>', 'a saved report')
    .description('write a baseline that accepts the findings of a saved report, for `check --baseline`')
    .option('--output <file>', 'file to write, - for standard output', 'probity.baseline.yaml')
    .option('--reason <text>', 'why new entries are accepted')
    .option('--until <date>', 'last day on which new entries are accepted (default: 90 days from today)', day)
    .option('--all', 'also accept findings that do not fail the run')
    .action(async (file: string, options) =>
      (await import('./commands/baseline.ts')).baseline(file, options),
    );

  diffOptions(program.command('diff'))
    .argument('<old>', 'a saved report')
    .argument('<new>', 'a later one')
    .description('print what got better or worse between two saved reports, and what else changed')
    .addHelpText('after', DIFF_EXIT_CODES)
    .action(async (before: string, after: string, options) =>
      (await import('./commands/diff.ts')).diff(before, after, options),
    );

  trendOptions(program.command('trend'))
    .argument('[folder]', 'folder of saved reports', 'reports')
    .description('print the verdicts, changes and response times of the saved reports of each target')
    .action(async (folder: string, options) => (await import('./commands/trend.ts')).trend(folder, options));

  searchCommand(program);

  program
    .command('directory')
    .argument('[arguments...]', 'see `probity directory --help`')
    .description('the directory service: serve it, and manage its keys and entries')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (args: string[]) => (await import('./commands/directory.ts')).directory(args));
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell that reads the script').choices(SHELLS))
    .description('print a script that completes commands, options, requirements and reports in a shell')
    .action(async (shell: Shell) =>
      (await import('./commands/completion.ts')).completion(shell, createProgram()),
    );
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('print the help of a command')
      .helpOption(false)
      .helpGroup('Shell:'),
  );
  groupHelp(program);
  return program;
}

const TARGET = 'base address of a server, endpoint of an MCP server, or its command in quotes';

const DIFF_EXIT_CODES = `
Exit codes: 0 nothing got worse, 1 something got worse (a requirement fails that did not,
or fails in one more place, or the target no longer answers), 2 a file that cannot be read.`;

const SEND_EXIT_CODES = `
Exit codes: 0 the message was answered, also with an error, or needs no answer; 1 the server
answers, but opens no conversation, or sends something that is no answer; 2 a mistake in the
arguments; 3 the server is unreachable, ended, or did not answer in time; 4 the server wants
a key, or the command was interrupted.`;

/** A server of the Model Context Protocol is named by its command, its address or a file. */
function onTarget<Flags extends OnTargetFlags>(
  run: (url: string | undefined, flags: Flags) => Promise<void>,
): (url: string | undefined, flags: Flags) => Promise<void> {
  return (url, flags) => runOnTarget(url, flags, run);
}

declare const VERSION: string;

function referenceWireOption() {
  return new Option('--wire <wire>', 'rest, or mcp for the Model Context Protocol')
    .choices(['rest', 'mcp'])
    .default('rest');
}
