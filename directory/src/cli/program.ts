import { Command } from 'commander';
import { collected, day, wholeNumber } from 'probity/command-line';
import { SCOPES } from '../settings/settings.ts';
import { changingOptions, example, storeOptions, targetOptions, workOptions } from './common-options.ts';
import { entryCommands, operatorCommands, overviewCommands, transferCommands } from './entry-commands.ts';
import { interval, namespace, publicAddress, scopes, tier } from './option-values.ts';

declare const VERSION: string;

/** The command line of the directory. Each command is loaded only when it is used. */
export function createProgram(name: string): Command {
  const directory = new Command(name)
    .description('The directory service: serve it, and manage its keys and entries.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError(`(${name} --help lists the commands)`)
    .exitOverride();

  for (const add of [
    serviceCommands,
    entryCommands,
    overviewCommands,
    operatorCommands,
    transferCommands,
    registryCommands,
    auditCommands,
    keyCommands,
  ])
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
      .option(
        '--follow <url>',
        'address of a registry whose servers are listed here too; repeatable',
        collected,
      )
      .option(
        '--follow-every <time>',
        'how often such a registry is read, such as 30m (default: 1h)',
        interval,
      )
      .option(
        '--follow-max-servers <number>',
        'how many versions of servers are stored of such a registry (default: 50000)',
        wholeNumber(1, 1_000_000),
      )
      .option('--policy <file>', 'policy of the directory, stored before it is served')
      .option('--public-pages', 'make the pages public; without it, they require an API key')
      .option('--public-url <url>', 'public address of the service', publicAddress)
      .option(
        '--namespace <name>',
        'of the names of servers in the registry API, such as org.example (default: the host of --public-url, backwards)',
        namespace,
      )
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

function registryCommands(directory: Command): void {
  changingOptions(
    directory
      .command('follow')
      .argument('[url]', 'address of a registry, without /v0.1; without it, the followed ones are listed')
      .description('list the servers of a registry here too, and keep them in step')
      .option('--every <time>', 'how often it is read, such as 30m (default: 1h)', interval)
      .option(
        '--max-servers <number>',
        'how many versions of servers are stored of it (default: 50000)',
        wholeNumber(1, 1_000_000),
      )
      .option('--stop', 'follow it no longer; its servers stay as they are')
      .option('--allow-private', 'accept addresses on private networks too')
      .option('--ca <file>', 'PEM file of certificate authorities to trust')
      .addHelpText('after', example('follow https://registry.modelcontextprotocol.io')),
  ).action(async (url: string | undefined, options) => (await import('./registry.ts')).follow(url, options));
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
  changingOptions(
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
  changingOptions(
    key
      .command('revoke')
      .argument('<id>', 'id of the key, or the key itself')
      .description('revoke a key immediately and permanently'),
  ).action(async (id: string, options) => (await import('./keys.ts')).revoke(id, options));
}
