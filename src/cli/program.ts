import { Command, InvalidArgumentError, Option } from 'commander';
import { isOnCalendar } from '../model/day.ts';
import { FORMAT_NAMES, type FormatName } from '../report/formats/formats.ts';
import { collected, formOption, listed, seconds, wholeNumber } from './option-values.ts';

const EXIT_CODES = `
Exit codes: 0 pass, 1 fail, 2 usage, suite or configuration, 3 target unreachable,
4 incomplete, 70 a fault of probity itself.`;

/** The command line. Each command is loaded when it is used, and no sooner. */
export function createProgram(): Command {
  const program = new Command('probity')
    .description('Tells whether an MCP server keeps its contract, and how fast it answers.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXIT_CODES)
    .showHelpAfterError('(probity --help lists the commands)')
    .exitOverride();

  startOptions(
    formatOptions(
      checkOptions(
        program
          .command('check')
          .argument('<url>', 'base address of the server')
          .description('check a server, print the report, and write it to reports/')
          .option('--baseline <file>', 'findings that are accepted for now (see `probity baseline`)'),
      ),
    ),
  ).action(async (url: string, options) => (await import('./check.ts')).check(url, options));

  startOptions(
    formatOptions(
      checkOptions(
        program
          .command('watch')
          .argument('<url>', 'base address of the server')
          .description('check a server, and again whenever a key is pressed or a watched file changes')
          .option('--watch <path>', 'a file or folder to watch besides; may be given again', collected),
      ),
    ),
  ).action(async (url: string, options) => (await import('./watch.ts')).watch(url, options));

  program
    .command('init')
    .argument('[url]', 'base address of the server; without it, the files hold no samples')
    .description('write a configuration with a sample for every function, and a listing to fill in')
    .addOption(formOption(['auto', 'A', 'B'], undefined))
    .option('--header <line>', '"Name: value", sent with both requests; may be given again', collected)
    .option('--bearer-env <name>', 'environment variable that holds a bearer token')
    .option('--ca <file>', 'certificates of the authorities to trust in place of the usual ones, as PEM')
    .option('--public-only', 'connect to nothing but public addresses')
    .option('--timeout <seconds>', 'for one request (default: 10)', seconds)
    .option('--force', 'write over files that are there')
    .action(async (url: string | undefined, options) => (await import('./init.ts')).init(url, options));

  benchOptions(
    program
      .command('bench')
      .argument('<url>', 'base address of the server')
      .description('measure latency under a chosen load, and write the result to reports/'),
  ).action(async (url: string, options) => (await import('./bench.ts')).bench(url, options));

  program
    .command('demo')
    .description('start a reference server, check it, and write a report')
    .addOption(formOption(['A', 'B'], 'B'))
    .option('--no-latency', 'time nothing, and decide nothing by it')
    .option('--reports <folder>', 'where to write the report', 'reports')
    .action(async (options) => (await import('./demo.ts')).demo(options));

  program
    .command('reference')
    .description('start a reference server to look at or to build upon')
    .addOption(formOption(['A', 'B'], 'B'))
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 3000)
    .option('--base-path <path>', 'path below which the three endpoints are served', '')
    .action(async (options) => (await import('./reference.ts')).reference(options));

  checkOptions(
    program
      .command('plan')
      .argument('<url>', 'base address of the server')
      .description('print every request that a check would send, and send only the reads it needs'),
  ).action(async (url: string, options) => (await import('./plan.ts')).plan(url, options));

  program
    .command('explain')
    .argument('[id]', 'requirement, or a glob such as "health/*"; all are listed when left out')
    .description('a requirement: its words, its section, why it matters, how to mend it')
    .option('--checks', 'list the checks that suites can use')
    .action(async (id: string | undefined, options) => (await import('./explain.ts')).explain(id, options));

  program
    .command('lint')
    .argument(
      '[files...]',
      'suites, configurations, baselines and registries; the product’s own suites when left out',
    )
    .description('check suites, configurations and baselines')
    .action(async (files: string[]) => (await import('./lint.ts')).lint(files));

  program
    .command('judge')
    .argument('<report>', 'a saved report')
    .description('judge a saved report’s exchanges again, offline')
    .option('--json', 'print the test result and nothing else')
    .option('--suite <file>', 'a further suite that the report was made with; may be given again', collected)
    .action(async (file: string, options) => (await import('./judge.ts')).judge(file, options));

  formatOptions(
    program
      .command('render')
      .argument('<report>', 'a saved report')
      .description('show a saved report, or write it in other formats'),
  ).action(async (file: string, options) => (await import('./render.ts')).render(file, options));

  program
    .command('baseline')
    .argument('<report>', 'a saved report')
    .description('accept what a saved report found, for now: write it as a baseline for `check --baseline`')
    .option('--output <file>', 'where it goes, - for standard output', 'probity.baseline.yaml')
    .option('--reason <text>', 'why new entries are accepted')
    .option('--until <date>', 'last day on which new entries are accepted (default: 90 days from today)', day)
    .option('--all', 'accept as well what does not fail the run')
    .action(async (file: string, options) => (await import('./baseline.ts')).baseline(file, options));

  program
    .command('diff')
    .argument('<old>', 'a saved report')
    .argument('<new>', 'a later one')
    .description('what got better or worse from one saved report to another, and what else changed')
    .option('--json', 'print the differences as JSON and nothing else')
    .option('--fail-on-slower', 'count response times that rose beyond noise as worse')
    .addHelpText('after', DIFF_EXIT_CODES)
    .action(async (before: string, after: string, options) =>
      (await import('./diff.ts')).diff(before, after, options),
    );

  return program;
}

const DIFF_EXIT_CODES = `
Exit codes: 0 nothing got worse, 1 something got worse (a requirement fails that did not,
or at one more place, or nobody answers any more), 2 a file that cannot be read.`;

declare const VERSION: string;

function checkOptions(command: Command): Command {
  return command
    .addOption(formOption(['auto', 'A', 'B'], undefined))
    .option('--only <ids>', 'requirements to decide: ids and globs, with commas or given again', listed)
    .option('--skip <ids>', 'requirements to leave out, likewise', listed)
    .option('--suite <file>', 'a further suite of your own; may be given again', collected)
    .option('--config <file>', 'configuration (default: probity.config.yaml, if it is there)')
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

function startOptions(command: Command): Command {
  return waitOption(command).option(
    '--start <command>',
    'start the server with this command, wait until it answers, and end it after the check',
  );
}

function waitOption(command: Command): Command {
  return command.option(
    '--wait <seconds>',
    'before anything else, wait so long for GET /health to be answered (with --start: 30)',
    seconds,
  );
}

function formatOptions(command: Command): Command {
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

function formats(text: string, earlier: readonly FormatName[] = []): readonly FormatName[] {
  const names = text.split(',').filter((name) => name !== '');
  return [
    ...earlier,
    ...names.map((name) => {
      const found = FORMAT_NAMES.find((known) => known === name);
      if (found !== undefined) return found;
      throw new InvalidArgumentError(`There is no format "${name}". Formats are ${FORMAT_NAMES.join(', ')}.`);
    }),
  ];
}

function benchOptions(command: Command): Command {
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

interface Call {
  readonly operation: 'health' | 'capabilities' | 'execute';
  readonly functionName: string | null;
  readonly weight: number;
}

function calls(text: string, earlier: readonly Call[] = []): readonly Call[] {
  const [, name = '', weight] = /^(.+?)(?:=(\d+(?:\.\d+)?))?$/.exec(text) ?? [];
  const share = weight === undefined ? 1 : Number(weight);
  if (share > 0) {
    if (name === 'health' || name === 'capabilities')
      return [...earlier, { operation: name, functionName: null, weight: share }];
    if (/^execute:./.test(name))
      return [
        ...earlier,
        { operation: 'execute', functionName: name.slice('execute:'.length), weight: share },
      ];
  }
  throw new InvalidArgumentError(
    'Give health, capabilities or execute:NAME, with =WEIGHT above 0 for a mix.',
  );
}

const MOST_PER_SECOND = 1_000_000;

function rate(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= MOST_PER_SECOND) return value;
  throw new InvalidArgumentError('Give a number of requests a second, such as 100.');
}

function rateRange(text: string): { readonly lowPerSecond: number; readonly highPerSecond: number } {
  const [low, high, ...more] = text.split('..').map(Number);
  if (
    low !== undefined &&
    high !== undefined &&
    more.length === 0 &&
    low > 0 &&
    low <= high &&
    high <= MOST_PER_SECOND
  )
    return { lowPerSecond: low, highPerSecond: high };
  throw new InvalidArgumentError('Give the lowest and the highest rate, such as 100..2000.');
}

function share(text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(%)?$/.exec(text) ?? [];
  const value = Number(number) / (percent === undefined ? 1 : 100);
  if (value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('Give a share from 0 to 1, or per cent such as 1%.');
}

function day(text: string): string {
  if (isOnCalendar(text)) return text;
  throw new InvalidArgumentError('Give a date such as 2026-12-31.');
}
