import { type Command, Option } from 'commander';
import { FORMAT_NAMES } from '../../app/render-format.ts';
import {
  calls,
  collected,
  formats,
  formOption,
  listed,
  rate,
  rateRange,
  seconds,
  share,
  shellCommand,
  wholeNumber,
} from '../../command-line/option-values.ts';
import { MUTATING_POLICIES } from '../../model/report.ts';

export function checkOptions(command: Command): Command {
  return command
    .addOption(formOption(['auto', 'A', 'B'], undefined))
    .option('--only <ids>', 'requirements to decide: ids and globs, with commas or given again', listed)
    .option('--skip <ids>', 'requirements to leave out, likewise', listed)
    .option('--suite <file>', 'a further suite of your own; may be given again', collected)
    .option('--config <file>', 'configuration (default: probity.config.yaml, if it is there)')
    .option(
      '--listing <file>',
      'what is said of the server for a directory; its requirements are decided too',
    )
    .option(
      '--trusted-root <file>',
      'trusted_root.json of the Sigstore instance whose attestations are believed (default: the public one)',
    )
    .option(
      '--header <line>',
      '"Name: value", sent with every request and kept nowhere; may be given again',
      collected,
    )
    .option('--bearer-env <name>', 'environment variable that holds a bearer token')
    .option('--ca <file>', 'certificates of the authorities to trust in place of the usual ones, as PEM')
    .addOption(
      new Option(
        '--fail-on <level>',
        'level from which a failed requirement fails the run (default: must)',
      ).choices(['must', 'should']),
    )
    .option('--read-only', 'send nothing but GET requests')
    .addOption(
      new Option(
        '--mutating <policy>',
        'functions that change something, or look as if they do: at most 10 calls of each and none timed (once, the default), calls like any other (allow), or none (never)',
      ).choices(MUTATING_POLICIES),
    )
    .option('--public-only', 'connect to nothing but public addresses')
    .option(
      '--max-functions <number>',
      'most functions to call, chosen evenly (default: 50)',
      wholeNumber(1, 10_000),
    )
    .option('--concurrency <number>', 'most requests under way at once (default: 4)', wholeNumber(1, 64))
    .option(
      '--max-rate <number>',
      'most requests started within a second (default: 50)',
      wholeNumber(1, 10_000),
    )
    .option(
      '--samples <number>',
      'timed calls of health and capabilities, and in proportion of functions (default: 75)',
      wholeNumber(6, 10_000),
    )
    .option(
      '--budget <limit>',
      'OPERATION.PERCENTILE=LIMIT for timed calls: health.p95=300ms, execute:add.p50=20x; may be given again',
      collected,
    )
    .option('--no-latency', 'time nothing, and decide nothing by it')
    .option('--deadline <seconds>', 'for the whole run (default: 60)', seconds)
    .option('--timeout <seconds>', 'for one request (default: 10)', seconds)
    .option('--seed <number>', 'repeat the generated values of an earlier run', wholeNumber(0, 2 ** 31))
    .option('--json', 'print the test result on standard output and nothing else')
    .option('--reports <folder>', 'where to write the report', 'reports');
}

/** Of a check of a directory; `serverOptions` has --directory itself. */
export function directoryCheckOptions(command: Command): Command {
  return command
    .option('--entry <id>', 'with --directory: the listed server to read, test and call (default: chosen)')
    .option(
      '--try-rate-limit',
      'with --directory: send up to 600 searches at once, to see whether it says 429',
    );
}

export function gateOptions(command: Command): Command {
  return waitOption(command)
    .option(
      '--start <command>',
      'start the server with this command, wait until it answers, and end it after the check',
      shellCommand,
    )
    .option('--baseline <file>', 'findings that are accepted for now (see `probity baseline`)');
}

function waitOption(command: Command): Command {
  return command.option(
    '--wait <seconds>',
    'before anything else, wait so long for GET /health to be answered (with --start: 30)',
    seconds,
  );
}

export function formatOptions(command: Command): Command {
  return command
    .option(
      '--format <names>',
      `formats besides, with commas or given again: ${FORMAT_NAMES.join(', ')}`,
      formats,
    )
    .option(
      '--output <path>',
      'where they go: a file for one, a folder/ for one or several, - for standard output (default: beside the report)',
    );
}

export function benchOptions(command: Command): Command {
  return waitOption(command)
    .option(
      '--operation <call>',
      'health, capabilities or execute:NAME; given again, a mix, each with =WEIGHT if need be (default: health)',
      calls,
    )
    .option('--rate <number>', 'open loop: requests a second, whatever the answers do (default: 100)', rate)
    .addOption(
      new Option('--arrivals <how>', 'open loop: evenly, or by chance as independent callers come')
        .choices(['constant', 'poisson'])
        .default('constant'),
    )
    .option(
      '--max-connections <number>',
      'open loop: most connections; what is due while all are busy waits',
      wholeNumber(1, 10_000),
      50,
    )
    .option(
      '--connections <number>',
      'closed loop instead: so many connections, each asking again when it has its answer',
      wholeNumber(1, 10_000),
    )
    .option('--duration <seconds>', 'how long to measure (default: 10; 3 for a step, 2 for a run)', seconds)
    .option('--requests <number>', 'measure so many requests', wholeNumber(1, 1_000_000_000))
    .option(
      '--warm-up <seconds>',
      'most time before the figures settle, which ends it; 0 for none',
      (text: string) => (text === '0' ? 0 : seconds(text)),
      5,
    )
    .option('--ramp <low..high>', 'look for the highest rate at which the bounds hold', rateRange)
    .option(
      '--max-p99 <seconds>',
      'with --ramp: bound for p99 (default: 10 times that at the lowest rate)',
      seconds,
    )
    .option('--max-errors <share>', 'with --ramp: bound for errors, such as 1%', share, 0.01)
    .option('--against <url>', 'compare with another server, in short runs by turns')
    .option('--runs <number>', 'with --against: runs of each', wholeNumber(6, 1000), 6)
    .option('--baseline <file>', 'compare with a saved result')
    .addOption(
      new Option('--transport <name>', 'what carries the load').choices(['lean', 'undici']).default('lean'),
    )
    .option('--yes-load', 'the operator of a target that is not this machine has agreed to the load')
    .addOption(formOption(['auto', 'A', 'B'], undefined))
    .option('--config <file>', 'configuration (default: probity.config.yaml, if it is there)')
    .option('--header <line>', '"Name: value", sent with every request; may be given again', collected)
    .option('--bearer-env <name>', 'environment variable that holds a bearer token')
    .option('--ca <file>', 'certificates of the authorities to trust in place of the usual ones, as PEM')
    .option('--public-only', 'connect to nothing but public addresses')
    .option('--timeout <seconds>', 'for one request (default: 10)', seconds)
    .option('--seed <number>', 'repeat the order of an earlier run', wholeNumber(0, 2 ** 31))
    .option('--json', 'print the test result on standard output and nothing else')
    .option('--reports <folder>', 'where to write the result', 'reports');
}
