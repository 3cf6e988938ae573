import { type Command, Option } from 'commander';
import { DIFF_FORMAT_NAMES } from '../../check/render-diff.ts';
import { FORMAT_NAMES } from '../../check/render-format.ts';
import {
  calls,
  collected,
  formats,
  formOption,
  listed,
  minCoverage,
  rate,
  rateRange,
  seconds,
  share,
  shellCommand,
  wholeNumber,
} from '../../command-line/option-values.ts';
import { MUTATING_POLICIES } from '../../model/report.ts';
import { FUZZ_CALLS } from '../../run/experiments/exploring-settings.ts';
import { DEFAULT_CONFIG } from './default-names.ts';

export function checkOptions(command: Command): Command {
  return watchOptions(jsonOption(command));
}

/** The options of `check` that apply to many checks in a row. */
export function watchOptions(command: Command): Command {
  return storeOptions(targetOptions(command))
    .option('--only <ids>', 'requirements to decide: ids and globs, comma-separated or repeated', listed)
    .option('--skip <ids>', 'requirements to leave out, in the same form', listed)
    .option('--suite <file>', 'a suite of your own, in addition; repeatable', collected)
    .option('--listing <file>', 'listing of the server for a directory; its requirements are decided too')
    .option(
      '--trusted-root <file>',
      'trusted_root.json of the Sigstore instance to trust (default: the public one)',
    )
    .option(
      '--min-coverage <share>',
      'how many functions must be exercised for a pass: a number, N%, or all (default: 50%)',
      minCoverage,
    )
    .option('--read-only', 'send only GET requests; to an MCP server, no calls of tools')
    .addOption(
      new Option(
        '--mutating <policy>',
        'functions that change something, or look as if they do: up to 10 calls of each, none timed (once, the default), calls like any other (allow), or none (never)',
      ).choices(MUTATING_POLICIES),
    )
    .option(
      '--samples <number>',
      'timed calls of health and capabilities each (of ping and tools/list for an MCP server), and of functions in proportion (default: 75)',
      wholeNumber(6, 10_000),
    )
    .option(
      '--budget <limit>',
      'OPERATION.PERCENTILE=LIMIT for timed calls: health.p95=300ms, execute:add.p50=20x; repeatable',
      collected,
    )
    .option('--no-latency', 'do not measure response times')
    .option('--deadline <seconds>', 'time limit of the whole run (default: 60)', seconds);
}

/** How to reach a server, and how much to ask of it. */
function targetOptions(command: Command): Command {
  return command
    .addOption(formOption(['auto', 'A', 'B'], undefined))
    .option('--config <file>', `configuration (default: ${DEFAULT_CONFIG}, if it exists)`)
    .option(
      '--header <line>',
      '"Name: value", sent with every request and never stored; repeatable',
      collected,
    )
    .option('--bearer-env <name>', 'environment variable with a bearer token')
    .option('--ca <file>', 'PEM file of certificate authorities to trust instead of the default ones')
    .addOption(
      new Option(
        '--fail-on <level>',
        'level from which a failed requirement fails the run (default: must)',
      ).choices(['must', 'should']),
    )
    .option('--public-only', 'connect only to public addresses')
    .option(
      '--max-functions <number>',
      'maximum number of functions to call, spread evenly (default: 50)',
      wholeNumber(1, 10_000),
    )
    .option('--concurrency <number>', 'maximum number of requests in flight (default: 4)', wholeNumber(1, 64))
    .option(
      '--max-rate <number>',
      'maximum number of requests started within a second (default: 50)',
      wholeNumber(1, 10_000),
    )
    .option('--timeout <seconds>', 'time limit of one request (default: 10)', seconds)
    .option('--seed <number>', 'repeat the generated values of an earlier run', wholeNumber(0, 2 ** 31));
}

/** Where the report is written. */
export function storeOptions(command: Command): Command {
  return command
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
  return command.option('--json', 'print the test result on standard output and nothing else');
}

/** The target may be a server of the Model Context Protocol. */
export function mcpOptions(command: Command): Command {
  return command
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
    .option(
      '--start-timeout <seconds>',
      'time limit for the first answer of a server of the Model Context Protocol (default: 60)',
      seconds,
    );
}

/** Options of a directory check; --directory itself is in `serverOptions`. */
export function directoryCheckOptions(command: Command): Command {
  return command
    .option('--entry <id>', 'with --directory: the listed server to read, test and call (default: chosen)')
    .option('--try-rate-limit', 'with --directory: send up to 600 searches at once, to test for a 429');
}

export function gateOptions(command: Command): Command {
  return waitOption(detailOptions(command))
    .option('--last-failed', 'decide only what failed or was undecided in the newest report of the target')
    .option(
      '--start <command>',
      'start the server with this command, wait until it answers, and stop it after the check',
      shellCommand,
    )
    .option('--baseline <file>', 'file of accepted findings (see `probity baseline`)');
}

export function targetsOptions(command: Command): Command {
  return command
    .option(
      '--from <file>',
      'check every server of a client’s configuration (mcp.json and its relatives) or of a server.json',
    )
    .option(
      '--target <names>',
      'targets of the configuration or of --from to check: names and globs, comma-separated or repeated (default: all)',
      listed,
    )
    .option('--jobs <number>', 'maximum number of targets to check at once (default: 4)', wholeNumber(1, 64));
}

export function webhookOption(command: Command): Command {
  return command.option(
    '--webhook-env <name>',
    'environment variable with the address of a Slack-compatible webhook, which gets the verdict',
  );
}

function waitOption(command: Command): Command {
  return command.option(
    '--wait <seconds>',
    'first wait up to this long until GET /health is answered (with --start: 30)',
    seconds,
  );
}

/** How much of the report is printed. */
export function detailOptions(command: Command): Command {
  return command
    .option('-v, --verbose', 'print every finding, area, response time and fact')
    .option('-q, --quiet', 'print only the verdict');
}

export function formatOptions(command: Command): Command {
  return command
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

export function diffOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <name>', 'format (default: text)').choices(['text', 'json', ...DIFF_FORMAT_NAMES]),
    )
    .option('--json', 'the same as --format json')
    .option('--output <file>', 'file to write, - for standard output', '-')
    .option('--fail-on-slower', 'count response times that rose beyond noise as worse');
}

export function trendOptions(command: Command): Command {
  return command
    .option(
      '--target <url>',
      'only the reports of this server: its address, or its name in the configuration',
    )
    .addOption(new Option('--format <name>', 'format (default: text)').choices(['text', 'json', 'html']))
    .option('--json', 'the same as --format json')
    .option('--output <file>', 'file to write, - for standard output', '-');
}

export function fuzzOptions(command: Command): Command {
  return storeOptions(targetOptions(jsonOption(detailOptions(command))))
    .option(
      '--function <names>',
      'functions to explore: names and globs, comma-separated or repeated',
      listed,
    )
    .option('--calls <number>', 'generated inputs for each function', wholeNumber(20, 100_000), FUZZ_CALLS)
    .option('--duration <seconds>', 'time limit of exploring', seconds, 30)
    .option('--only-reading', 'explore only functions that are described as reading')
    .option('--allow-mutating', 'also explore functions that change something, or look as if they do')
    .option('--regressions <file>', 'inputs that showed a fault, tried first', '.probity/regressions.yaml');
}

export function benchOptions(command: Command): Command {
  return storeOptions(waitOption(command))
    .option(
      '--operation <call>',
      'health, capabilities or execute:NAME; repeat it for a mix, with optional =WEIGHT (default: health)',
      calls,
    )
    .option(
      '--rate <number>',
      'open loop: requests a second, independent of the answers (default: 100)',
      rate,
    )
    .addOption(
      new Option('--arrivals <how>', 'open loop: evenly spaced, or random like independent callers')
        .choices(['constant', 'poisson'])
        .default('constant'),
    )
    .option(
      '--max-connections <number>',
      'open loop: maximum number of connections; requests wait while all are busy',
      wholeNumber(1, 10_000),
      50,
    )
    .option(
      '--connections <number>',
      'closed loop instead: number of connections, each sending its next request after its answer',
      wholeNumber(1, 10_000),
    )
    .option(
      '--duration <seconds>',
      'how long to measure (default: 10; 2 for a run; for a step of a ramp 3, or until it has a p99)',
      seconds,
    )
    .option('--requests <number>', 'number of requests to measure', wholeNumber(1, 1_000_000_000))
    .option(
      '--warm-up <seconds>',
      'maximum warm-up time; it ends when the figures are stable; 0 for none',
      (text: string) => (text === '0' ? 0 : seconds(text)),
      5,
    )
    .option('--ramp <low..high>', 'search for the highest rate within the limits', rateRange)
    .option(
      '--max-p99 <seconds>',
      'with --ramp: limit for p99 (default: 10 times that at the lowest rate)',
      seconds,
    )
    .option('--max-errors <share>', 'with --ramp: limit for errors, such as 1%', share, 0.01)
    .option('--against <url>', 'compare with another server, in short alternate runs')
    .option('--runs <number>', 'with --against: runs of each', wholeNumber(6, 1000), 6)
    .option('--baseline <file>', 'compare with a saved result')
    .addOption(
      new Option('--transport <name>', 'HTTP client for the load')
        .choices(['lean', 'undici'])
        .default('lean'),
    )
    .option('--yes-load', 'confirm that the operator of a target on another machine agreed to the load')
    .addOption(formOption(['auto', 'A', 'B'], undefined))
    .option('--config <file>', `configuration (default: ${DEFAULT_CONFIG}, if it exists)`)
    .option('--header <line>', '"Name: value", sent with every request; repeatable', collected)
    .option('--bearer-env <name>', 'environment variable with a bearer token')
    .option('--ca <file>', 'PEM file of certificate authorities to trust instead of the default ones')
    .option('--public-only', 'connect only to public addresses')
    .option('--timeout <seconds>', 'time limit of one request (default: 10)', seconds)
    .option('--seed <number>', 'repeat the order of an earlier run', wholeNumber(0, 2 ** 31))
    .option('--json', 'print the test result on standard output and nothing else');
}
