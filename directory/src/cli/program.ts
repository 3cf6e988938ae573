import { Command } from 'commander';
import { collected, day, seconds, wholeNumber } from 'probity/command-line';
import { QUEUE_NAMES, RATE_LIMIT_NAMES, SCOPES } from '../settings/settings.ts';
import { publicAddress, queues, rateLimits, scopes, tier, timedCalls } from './option-values.ts';

declare const VERSION: string;

/** The command line of the directory. Each command is loaded only when it is used. */
export function createProgram(name: string): Command {
  const directory = new Command(name)
    .description('The directory service: serve it, and manage its keys and entries.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError(`(${name} --help lists the commands)`)
    .exitOverride();

  for (const add of [serviceCommands, entryCommands, overviewCommands, auditCommands, keyCommands])
    add(directory);
  return directory;
}

function serviceCommands(directory: Command): void {
  workOptions(
    directory
      .command('serve')
      .description('serve the platform API and its pages, and probe and test the servers')
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option('--port <number>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 8080)
      .option('--public-pages', 'make the pages public; without it, they require an API key')
      .option('--public-url <url>', 'public address of the service', publicAddress)
      .option(
        '--trust-proxy <address>',
        'address of a proxy whose X-Forwarded-For is trusted; repeatable',
        collected,
      )
      .option('--no-worker', 'only answer requests; other processes probe and test'),
  ).action(async (options) => (await import('./serve.ts')).serve(options));
  workOptions(
    directory
      .command('worker')
      .description('probe and test the servers of a directory on PostgreSQL, beside other processes'),
  ).action(async (options) => (await import('./serve.ts')).work(options));
}

function entryCommands(directory: Command): void {
  entryOptions(
    directory
      .command('add')
      .argument('<files...>', 'listings: YAML, JSON, or one line of JSON for each (.ndjson)')
      .description('add all servers in the files, or none'),
  ).action(async (files: string[], options) => (await import('./entries.ts')).add(files, options));
  entryOptions(
    directory
      .command('update')
      .argument('<files...>', 'listings: YAML, JSON, or one line of JSON for each (.ndjson)')
      .description('replace the listings of existing servers'),
  ).action(async (files: string[], options) => (await import('./entries.ts')).update(files, options));
  storeOptions(
    directory
      .command('remove')
      .argument('<ids...>', 'ids of the servers')
      .description('remove servers and their observations'),
  ).action(async (ids: string[], options) => (await import('./entries.ts')).remove(ids, options));
  storeOptions(
    directory
      .command('import')
      .argument('<file>', 'listings, one line of JSON for each (.ndjson)')
      .description('add many servers or replace their listings; fetches nothing')
      .option('--listed', 'list them immediately, with your approval, until each is tested')
      .option('--allow-private', 'accept endpoints on private addresses too'),
  ).action(async (file: string, options) => (await import('./entries.ts')).importFile(file, options));
}

function overviewCommands(directory: Command): void {
  storeOptions(
    directory
      .command('export')
      .description('print all listings, one line of JSON for each, as import reads them')
      .addHelpText('after', example('export > listings.ndjson')),
  ).action(async (options) => (await import('./list.ts')).exportListings(options));
  storeOptions(
    directory
      .command('list')
      .description('list the servers, with the reasons why one is not shown')
      .option('--held', 'only servers on hold')
      .option('--rejected', 'only rejected servers')
      .option('--down', 'only servers that are down')
      .option('--stale', 'only servers that were not tested in the last two days')
      .option('--json', 'print one line of JSON for each and nothing else')
      .option('--csv', 'print CSV and nothing else')
      .addHelpText('after', example('list --held --csv')),
  ).action(async (options) => (await import('./list.ts')).list(options));
  storeOptions(
    directory
      .command('show')
      .argument('<id>', 'id of the server')
      .description('print what the directory knows about a server, and what the operator decided')
      .option('--json', 'print JSON and nothing else')
      .addHelpText('after', example('show weather')),
  ).action(async (id: string, options) => (await import('./entry.ts')).show(id, options));
  storeOptions(
    directory
      .command('test')
      .argument('<id>', 'id of the server')
      .description('let a running service test a server now, and print the result')
      .option('--wait <seconds>', 'how long to wait for the result', seconds, 120)
      .addHelpText('after', example('test weather')),
  ).action(async (id: string, options) => (await import('./entry.ts')).test(id, options));
  for (const [decision, description] of [
    ['approve', 'list a server, whatever the checks decide, until it is released'],
    ['hold', 'do not show a server, whatever the checks decide, until it is released'],
    ['reject', 'neither show nor call a server, whatever the checks decide, until it is released'],
    ['release', 'let the checks decide about a server again'],
    ['pause', 'neither probe nor test a server, such as during its maintenance, until it is resumed'],
    ['resume', 'probe and test a server again that was paused'],
  ] as const)
    storeOptions(
      directory
        .command(decision)
        .argument('<id>', 'id of the server')
        .description(description)
        .requiredOption('--reason <text>', 'why; it is kept with who and when')
        .option('--by <name>', 'who decides (default: your user name)')
        .addHelpText('after', example(`${decision} weather --reason "the author asked"`)),
    ).action(async (id: string, options) => (await import('./entry.ts')).decide(decision, id, options));
}

function auditCommands(directory: Command): void {
  targetOptions(storeOptions(directory.command('audit')))
    .description('look at many servers, and count what they are')
    .option(
      '--tier <tier>',
      'health (/health and /capabilities; the default), contract (all suites without timing) or full (with timing)',
      tier,
    )
    .option('--all', 'all servers (the default)')
    .option(
      '--stale [days]',
      'servers that were not tested in the last days (default: 2)',
      wholeNumber(1, 3650),
    )
    .option('--query <text>', 'servers that a search for these words finds')
    .option('--changed', 'servers whose capabilities an audit found changed, and which were not tested since')
    .option('--continue <id>', 'continue an audit that was interrupted or frozen')
    .option('--concurrency <number>', 'servers to ask at once (default: 32)', wholeNumber(1, 1000))
    .option('--log-level <level>', 'fatal, error, warn, info, debug or silent', 'silent')
    .addHelpText('after', example('audit --tier contract --stale 7'))
    .action(async (options) => (await import('./audit.ts')).audit(options));
  storeOptions(
    directory
      .command('audits')
      .argument('[id]', 'id of an audit; without it, the audits are listed')
      .description('list the audits, or print the books of one and what changed since the audits before')
      .option('--json', 'print lines of JSON, the last one with the SHA-256 of the others')
      .option('--csv', 'print the changes as CSV')
      .addHelpText('after', example('audits')),
  ).action(async (id: string | undefined, options) => (await import('./audits.ts')).audits(id, options));
}

function keyCommands(directory: Command): void {
  const key = directory.command('key').description('API keys of the callers');
  storeOptions(
    key
      .command('create')
      .argument('<name>', 'who uses the key; the list shows it')
      .description('create a key and print it once')
      .option(
        '--scope <scope>',
        `what it allows: ${SCOPES.join(', ')}; repeatable (default: all but admin)`,
        scopes,
      )
      .option('--expires <date>', 'last day on which it is valid, such as 2027-12-31', day)
      .option('--json', 'print JSON and nothing else'),
  ).action(async (name: string, options) => (await import('./keys.ts')).createKeyFor(name, options));
  storeOptions(
    key
      .command('list')
      .description('list the keys, without their secrets')
      .option('--json', 'print JSON and nothing else'),
  ).action(async (options) => (await import('./keys.ts')).printKeys(options));
  storeOptions(
    key
      .command('revoke')
      .argument('<id>', 'id of the key, or the key itself')
      .description('revoke a key immediately and permanently'),
  ).action(async (id: string, options) => (await import('./keys.ts')).revoke(id, options));
}

/** The options of the commands that send requests to targets. */
function targetOptions(command: Command): Command {
  return command
    .option('--allow-private', 'probe, test and call targets on private addresses too')
    .option('--ca <file>', 'PEM file of certificate authorities to trust in calls to targets')
    .option(
      '--target-rate <number>',
      'requests per second to one host or address, of all processes together (default: 20)',
      wholeNumber(1, 10_000),
    )
    .option(
      '--target-in-flight <number>',
      'requests to one host or address at once, of all processes together (default: 8)',
      wholeNumber(1, 1000),
    )
    .option('--test-deadline <seconds>', 'time limit of one test (default: 30)', seconds)
    .option(
      '--timed-calls <number>',
      'calls of /health to time in a test; 0 for none (default: 75)',
      timedCalls,
    );
}

/** The options of the commands that work on jobs. */
function workOptions(command: Command): Command {
  return targetOptions(storeOptions(command))
    .option('--queues <names>', `queues to work on: ${QUEUE_NAMES.join(', ')} (default: all)`, queues)
    .option(
      '--concurrency <number>',
      'jobs of a queue that run at once (default: 64 probes, 2 tests, 32 servers of an audit)',
      wholeNumber(1, 1000),
    )
    .option('--probe-every <seconds>', 'how often the health of each target is read (default: 300)', seconds)
    .option('--test-every <seconds>', 'how often each target is tested (default: 86400)', seconds)
    .option(
      '--limit <name=calls/seconds>',
      `calls allowed in a number of seconds, for ${RATE_LIMIT_NAMES.join(', ')}; repeatable`,
      rateLimits,
    )
    .option('--metrics-host <address>', 'address to serve /metrics on', '127.0.0.1')
    .option(
      '--metrics-port <number>',
      'port to serve /metrics on; 0 takes a free one (default: metrics are not served)',
      wholeNumber(0, 65_535),
    )
    .option('--log-level <level>', 'fatal, error, warn, info, debug or silent', 'info');
}

function example(args: string): string {
  return `\nExample:\n  probity directory ${args}`;
}

function entryOptions(command: Command): Command {
  return storeOptions(command)
    .option('--allow-private', 'accept endpoints on private addresses too')
    .option('--ca <file>', 'PEM file of certificate authorities to trust when listings are checked')
    .option('--no-fetch', 'do not fetch the addresses in the listings; the first test does')
    .option('--json', 'print the decisions as JSON and nothing else');
}

export function storeOptions(command: Command): Command {
  return command.option(
    '--data <folder>',
    'folder of the embedded database; with DATABASE_URL set, that PostgreSQL server is used',
    'probity-data',
  );
}
