import { type Command, Option } from 'commander';
import { DIFF_FORMAT_NAMES } from '../../check/render/render-compared.ts';
import { FORMAT_NAMES } from '../../check/render/render-format.ts';
import {
  collected,
  formats,
  listed,
  seconds,
  shellCommand,
  wholeNumber,
} from '../../command-line/option-values.ts';
import { CHECK_SETTINGS, LATENCY_OPTIONS, MUTATING_OPTIONS } from '../../model/check-options.ts';
import { FUZZ_CALLS } from '../../run/steps/exploring-settings.ts';
import { COMMAND_SETTINGS } from '../../suite/config/command-settings.ts';
import { addOptions } from './add-options.ts';

export function checkOptions(command: Command): Command {
  return watchOptions(jsonOption(command));
}

/** The options of `check` that apply to many checks in a row. */
export function watchOptions(command: Command): Command {
  const { config, suite, listing, trustedRoot } = COMMAND_SETTINGS;
  return addOptions(
    storeOptions(command),
    ...Object.values(CHECK_SETTINGS),
    ...Object.values(MUTATING_OPTIONS),
    ...Object.values(LATENCY_OPTIONS),
    config,
    suite,
    listing,
    trustedRoot,
  );
}

export function accessOptions(command: Command): Command {
  const { headers, bearerEnv, ca, publicOnly } = CHECK_SETTINGS;
  return addOptions(command, headers, bearerEnv, ca, publicOnly);
}

export function storeOptions(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--reports <folder>', 'where to write the report', 'reports')
    .option(
      '--keep <number>',
      'reports of the same target to keep there; older ones are deleted',
      wholeNumber(1, 100_000),
      20,
    )
    .option('--no-store', 'write no report');
}

function jsonOption(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--json', 'print the test result on standard output and nothing else');
}

/** The target may be a server of the Model Context Protocol. */
export function mcpOptions(command: Command): Command {
  return command
    .optionsGroup('Target:')
    .option(
      '--mcp <target>',
      'a server of the Model Context Protocol: its command in quotes, or its address (the target, without finding out)',
      shellCommand,
    )
    .addOption(
      new Option(
        '--wire <kind>',
        'what the target speaks (default: found out from its first answers)',
      ).choices(['rest', 'mcp']),
    )
    .option(
      '--env <name>',
      'environment variable to pass to the command that is the target; repeatable',
      collected,
    )
    .addOption(
      new Option(
        '--era <era>',
        'revisions of the Model Context Protocol to speak: up to 2025-11-25, or from 2026-07-28 (default: what the server speaks)',
      ).choices(['session', 'stateless']),
    )
    .optionsGroup('Limits:')
    .option(
      '--start-timeout <seconds>',
      'time limit for the first answer of a server of the Model Context Protocol (default: 60)',
      seconds,
    );
}

/** Options of a directory check; --directory itself is in `serverOptions`. */
export function directoryCheckOptions(command: Command): Command {
  return command
    .optionsGroup('Target:')
    .option('--entry <id>', 'with --directory: the listed server to read, test and call (default: chosen)')
    .optionsGroup('Selection:')
    .option('--try-rate-limit', 'with --directory: send up to 600 searches at once, to test for a 429');
}

export function gateOptions(command: Command): Command {
  const { wait, start, baseline, contract } = COMMAND_SETTINGS;
  return addOptions(detailOptions(command), wait, start, baseline, contract)
    .optionsGroup('Selection:')
    .option('--last-failed', 'decide only what failed or was undecided in the newest report of the target');
}

export function targetsOptions(command: Command): Command {
  return command
    .optionsGroup('Target:')
    .option(
      '--from <file>',
      'check every server of a client’s configuration (mcp.json and its relatives) or of a server.json',
    )
    .option(
      '--target <names>',
      'targets of the configuration or of --from to check: names and globs, comma-separated or repeated (default: all)',
      listed,
    )
    .optionsGroup('Limits:')
    .option('--jobs <number>', 'maximum number of targets to check at once (default: 4)', wholeNumber(1, 64));
}

export function acceptOption(command: Command): Command {
  return command
    .optionsGroup('Gate:')
    .option(
      '--accept',
      'write what the target offers now into the file of --contract, and print what changed',
    );
}

export function profileOption(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option(
      '--profile <file>',
      'print where the time of the check went, and write it as a trace for Perfetto or chrome://tracing',
    );
}

export function webhookOption(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option(
      '--webhook-env <name>',
      'environment variable with the address of a Slack-compatible webhook, which gets the verdict',
    );
}

export function detailOptions(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('-v, --verbose', 'print every finding, area, response time and fact')
    .option('-q, --quiet', 'print only the verdict');
}

export function formatOptions(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option(
      '--format <names>',
      `additional formats, comma-separated or repeated: ${FORMAT_NAMES.join(', ')}`,
      formats,
    )
    .option(
      '--output <path>',
      'where to write them: a file for one, a folder/ for one or several, - for standard output (default: beside the report)',
    );
}

/** One format, which is printed or written to a file. */
function textOptions(command: Command, formats: readonly string[]): Command {
  return command
    .addOption(new Option('--format <name>', 'format (default: text)').choices(['text', 'json', ...formats]))
    .option('--json', 'the same as --format json')
    .option('--output <file>', 'file to write, - for standard output', '-');
}

export function diffOptions(command: Command): Command {
  return textOptions(command.optionsGroup('Output:'), DIFF_FORMAT_NAMES)
    .optionsGroup('Gate:')
    .option('--fail-on-slower', 'count response times that rose beyond noise as worse');
}

export function trendOptions(command: Command): Command {
  const about = 'only the reports of this server: its address, or its name in the configuration';
  return textOptions(command.optionsGroup('Output:').option('--target <url>', about), ['html']);
}

export function fuzzOptions(command: Command): Command {
  const { form, failOn, maxFunctions, concurrency, requestsPerSecond, requestTimeoutMs, seed } =
    CHECK_SETTINGS;
  const reach = accessOptions(addOptions(command, form, COMMAND_SETTINGS.config));
  const limits = [failOn, maxFunctions, concurrency, requestsPerSecond, requestTimeoutMs, seed];
  return storeOptions(addOptions(jsonOption(detailOptions(reach)), ...limits))
    .optionsGroup('Selection:')
    .option(
      '--function <names>',
      'functions to explore: names and globs, comma-separated or repeated',
      listed,
    )
    .option('--calls <number>', 'generated inputs for each function', wholeNumber(20, 100_000), FUZZ_CALLS)
    .option('--only-reading', 'explore only functions that are described as reading')
    .option('--allow-mutating', 'also explore functions that change something, or look as if they do')
    .optionsGroup('Limits:')
    .option('--duration <seconds>', 'time limit of exploring', seconds, 30)
    .optionsGroup('Target:')
    .option('--regressions <file>', 'inputs that showed a fault, tried first', '.probity/regressions.yaml');
}
