import { type Command, Option } from 'commander';
import { collected, day, formOption, listedOf, wholeNumber } from '../command-line/option-values.ts';
import { CHECK_SETTINGS } from '../model/check-options.ts';
import { PROFILE_IDS } from '../model/profile.ts';
import { COMMAND_SETTINGS } from '../suite/config/command-settings.ts';
import { addOptions } from './options/add-options.ts';
import { benchOptions } from './options/bench-options.ts';
import {
  accessOptions,
  checkOptions,
  diffOptions,
  directoryCheckOptions,
  formatOptions,
  fuzzOptions,
  gateOptions,
  mcpOptions,
  storeOptions,
  watchOptions,
} from './options/command-options.ts';
import { type OnTargetFlags, runOnTarget } from './options/run-on-target.ts';

/** The commands that check servers, besides `check`. */
export function checkCommands(program: Command): void {
  fuzzOptions(
    mcpOptions(program.command('fuzz'))
      .argument('[target]', TARGET)
      .description('call functions with generated inputs, and show the smallest input for each fault'),
  ).action(
    onTarget(async (url, options) => {
      (await import('../check/threads/worker.ts')).startSpareWorker();
      return (await import('./commands/fuzz.ts')).fuzz(url, options);
    }),
  );

  benchOptions(
    mcpOptions(program.command('bench'))
      .argument('[target]', TARGET)
      .description('measure latency under a chosen load, and write the result to reports/'),
  ).action(onTarget(async (url, options) => (await import('./commands/bench.ts')).bench(url, options)));

  const { form, requestTimeoutMs } = CHECK_SETTINGS;
  addOptions(accessOptions(mcpOptions(program.command('portable'))), form, requestTimeoutMs)
    .argument('[target]', `${TARGET}; or a saved report or contract`)
    .description('print which clients and providers accept the definitions of the functions')
    .optionsGroup('Gate:')
    .addOption(
      new Option(
        '--profile <names>',
        'clients and providers to compare with, comma-separated or repeated; fails if one does not accept all (default: all)',
      )
        .choices(PROFILE_IDS)
        .argParser(listedOf(PROFILE_IDS)),
    )
    .optionsGroup('Output:')
    .option('--json', 'print JSON on standard output and nothing else')
    .option('--rewrite', 'print the definitions as each profile would need them, as JSON')
    .option('--output <folder>', 'with --rewrite: folder for a file of each profile')
    .action(async (target: string | undefined, options) =>
      (await import('./commands/portable.ts')).portable(target, options),
    );

  program
    .command('baseline')
    .argument('<report>', 'a saved report')
    .description('write a baseline that accepts the findings of a saved report, for `check --baseline`')
    .optionsGroup('Output:')
    .option('--output <file>', 'file to write, - for standard output', 'probity.baseline.yaml')
    .optionsGroup('Gate:')
    .option('--reason <text>', 'why new entries are accepted')
    .option('--until <date>', 'last day on which new entries are accepted (default: 90 days from today)', day)
    .option('--all', 'also accept findings that do not fail the run')
    .action(async (file: string, options) =>
      (await import('./commands/baseline.ts')).baseline(file, options),
    );

  contractCommand(program);

  diffOptions(program.command('diff'))
    .argument('<old>', 'a saved report, or a contract')
    .argument('<new>', 'a later one')
    .description(
      'print what got better or worse between two saved reports, or what changed for callers between two contracts',
    )
    .addHelpText('after', DIFF_EXIT_CODES)
    .action(async (before: string, after: string, options) =>
      (await import('./commands/diff.ts')).diff(before, after, options),
    );
}

/** The commands for authors of servers. */
export function authorCommands(program: Command): void {
  program.commandsGroup('Write a server:');
  mcpOptions(
    gateOptions(
      formatOptions(
        watchOptions(
          program
            .command('watch')
            .argument('[target]', TARGET)
            .description('check a server, and again on a key press or when a watched file changes')
            .optionsGroup('Target:')
            .option('--watch <path>', 'another file or folder to watch; repeatable', collected)
            // Known only to say what to use instead.
            .addOption(new Option('--json').hideHelp()),
        ),
      ),
    ),
  ).action(async (url: string | undefined, options) =>
    (await import('./commands/watch.ts')).watch(url, options),
  );

  const { form, requestTimeoutMs } = CHECK_SETTINGS;
  addOptions(accessOptions(mcpOptions(program.command('init'))), form, requestTimeoutMs)
    .argument('[target]', `${TARGET}; without it, the files contain no samples`)
    .description('write a configuration with a sample for every function, and a listing to complete')
    .optionsGroup('Output:')
    .option('--force', 'overwrite existing files')
    .action(onTarget(async (url, options) => (await import('./commands/init/init.ts')).init(url, options)));

  storeOptions(program.command('demo'))
    .description('start a reference server, check it, and write a report')
    .optionsGroup('Target:')
    .addOption(referenceWireOption())
    .addOption(formOption(['A', 'B'], undefined, 'wire form of --wire rest (default: B)'))
    .optionsGroup('Response times:')
    .option('--no-latency', 'do not measure response times')
    .action(async (options) => (await import('./commands/demo.ts')).demo(options));

  program
    .command('reference')
    .description('start a reference server, to try out or to build on')
    .optionsGroup('Target:')
    .addOption(referenceWireOption())
    .addOption(formOption(['A', 'B'], undefined, 'wire form of --wire rest (default: B)'))
    .optionsGroup('Listening:')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--port <number>',
      'port to listen on; 0 selects a free one (default: 3000; with --wire mcp: standard streams instead of HTTP)',
      wholeNumber(0, 65_535),
    )
    .option('--base-path <path>', 'path prefix of the three endpoints')
    .action(async (options) => (await import('./commands/reference.ts')).reference(options));

  directoryCheckOptions(
    checkOptions(
      mcpOptions(program.command('plan'))
        .argument('[target]', `${TARGET}; omit it with --directory`)
        .description('print every request that a check would send; send only the reads that it needs')
        .optionsGroup('Target:')
        .option('--directory <url>', 'plan the check of the directory at this base address instead'),
    ),
  ).action(onTarget(async (url, options) => (await import('./commands/plan.ts')).plan(url, options)));

  program
    .command('explain')
    .argument('[id]', 'requirement, area such as health, or glob such as "health/*" (default: list all)')
    .description('print a requirement: its text, its section, why it matters, how to fix it')
    .optionsGroup('Output:')
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
    .action(async (files: string[]) => (await import('./commands/lint/lint.ts')).lint(files));
}

export const TARGET = 'base address of a server, endpoint of an MCP server, or its command in quotes';

function contractCommand(program: Command): void {
  const { config } = COMMAND_SETTINGS;
  const { form, requestTimeoutMs } = CHECK_SETTINGS;
  const command = program
    .command('contract')
    .argument('[target]', `${TARGET}; or a saved report or contract`)
    .description('print what a server offers its callers, as a file for `check --contract` and `diff`');
  addOptions(accessOptions(mcpOptions(command)), config, form, requestTimeoutMs)
    .optionsGroup('Output:')
    .option('-o, --output <file>', 'file to write, - for standard output', '-')
    .addHelpText('after', CONTRACT_EXIT_CODES)
    .action(async (target: string | undefined, options) =>
      (await import('./commands/contract.ts')).contract(target, options),
    );
}

const CONTRACT_EXIT_CODES = `
Exit codes: 0 printed or written, 2 a mistake in the arguments or a file, 3 the target is
unreachable, 4 a list could not be read whole: the file is not written.`;

const DIFF_EXIT_CODES = `
Exit codes: 0 nothing got worse, 1 something got worse (a requirement fails that did not,
or fails in one more place, or the target no longer answers; of contracts, a change breaks
callers), 2 a file that cannot be read.`;

/** A server of the Model Context Protocol is named by its command, its address or a file. */
export function onTarget<Flags extends OnTargetFlags>(
  run: (url: string | undefined, flags: Flags) => Promise<void>,
): (url: string | undefined, flags: Flags) => Promise<void> {
  return (url, flags) => runOnTarget(url, flags, run);
}

function referenceWireOption() {
  return new Option('--wire <wire>', 'rest, or mcp for the Model Context Protocol')
    .choices(['rest', 'mcp'])
    .default('rest');
}
