import { Command, InvalidArgumentError } from 'commander';
import { collected, day, seconds, wholeNumber } from 'probity/command-line';
import {
  DEFAULT_LIMITS,
  RATE_LIMIT_NAMES,
  type RateLimitName,
  type RateLimits,
} from '../settings/service-settings.ts';
import { SCOPES, type Scope } from '../store/scopes.ts';

declare const VERSION: string;

/** The command line of the directory. Each command is loaded when it is used, and no sooner. */
export function createProgram(name: string): Command {
  const directory = new Command(name)
    .description('The directory service: serve it, and look after its keys and entries.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError(`(${name} --help lists the commands)`)
    .exitOverride();

  storeOptions(
    directory
      .command('serve')
      .description('serve the platform API and its pages')
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option('--port <number>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 8080)
      .option('--public-pages', 'let everybody read the pages; without it, they ask for a key')
      .option('--public-url <url>', 'where the service is reached from outside')
      .option(
        '--trust-proxy <address>',
        'proxy whose X-Forwarded-For is believed; may be given again',
        collected,
      )
      .option('--allow-private', 'probe, test and call targets on private addresses too')
      .option('--ca <file>', 'certificates of the authorities to trust when targets are called, as PEM')
      .option(
        '--probe-every <seconds>',
        'how often the health of each target is read (default: 300)',
        seconds,
      )
      .option('--test-every <seconds>', 'how often each target is tested unasked (default: 86400)', seconds)
      .option('--no-background', 'only answer; another instance probes and tests')
      .option('--test-deadline <seconds>', 'for one test (default: 30)', seconds)
      .option(
        '--timed-calls <number>',
        'calls of /health to time in a test; 0 for none (default: 75)',
        timedCalls,
      )
      .option(
        '--limit <name=calls/seconds>',
        `how many calls are allowed in so many seconds, of ${RATE_LIMIT_NAMES.join(', ')}; may be given again`,
        rateLimits,
      )
      .option('--log-level <level>', 'fatal, error, warn, info, debug or silent', 'info'),
  ).action(async (options) => (await import('./serve.ts')).serve(options));

  entryOptions(
    directory
      .command('add')
      .argument('<files...>', 'listings: YAML, JSON, or a line of JSON for each (.ndjson)')
      .description('add servers: all that the files hold, or none'),
  ).action(async (files: string[], options) => (await import('./entries.ts')).add(files, options));
  entryOptions(
    directory
      .command('update')
      .argument('<files...>', 'listings: YAML, JSON, or a line of JSON for each (.ndjson)')
      .description('put new listings in the place of those that are there'),
  ).action(async (files: string[], options) => (await import('./entries.ts')).update(files, options));
  storeOptions(
    directory
      .command('remove')
      .argument('<ids...>', 'servers, by their ids')
      .description('remove servers with everything that was observed of them'),
  ).action(async (ids: string[], options) => (await import('./entries.ts')).remove(ids, options));
  storeOptions(
    directory
      .command('import')
      .argument('<file>', 'listings, a line of JSON for each (.ndjson)')
      .description('take in many servers, new ones and new listings of known ones; fetches nothing')
      .option('--listed', 'list them at once, on your word, until each is tested')
      .option('--allow-private', 'take endpoints on private addresses too'),
  ).action(async (file: string, options) => (await import('./entries.ts')).importFile(file, options));

  const key = directory.command('key').description('API keys of the callers');
  storeOptions(
    key
      .command('create')
      .argument('<name>', 'whose key it is, for the list')
      .description('make a key and print it, once')
      .option(
        '--scope <scope>',
        `what it allows: ${SCOPES.join(', ')}; may be given again (default: all)`,
        scopes,
      )
      .option('--expires <date>', 'last day on which it is valid, such as 2027-12-31', day)
      .option('--json', 'print JSON and nothing else'),
  ).action(async (name: string, options) => (await import('./keys.ts')).createKeyFor(name, options));
  storeOptions(
    key
      .command('list')
      .description('the keys, without their secrets')
      .option('--json', 'print JSON and nothing else'),
  ).action(async (options) => (await import('./keys.ts')).printKeys(options));
  storeOptions(
    key
      .command('revoke')
      .argument('<id>', 'the key, by the id that the list shows, or by the key itself')
      .description('make a key invalid, at once and for good'),
  ).action(async (id: string, options) => (await import('./keys.ts')).revoke(id, options));
  return directory;
}

function entryOptions(command: Command): Command {
  return storeOptions(command)
    .option('--allow-private', 'take endpoints on private addresses too')
    .option('--ca <file>', 'certificates of the authorities to trust when listings are looked at, as PEM')
    .option('--no-fetch', 'leave what the listings name to the first test')
    .option('--json', 'print the decisions as JSON and nothing else');
}

export function storeOptions(command: Command): Command {
  return command.option(
    '--data <folder>',
    'folder of the embedded database; with DATABASE_URL set, that PostgreSQL server is used',
    'probity-data',
  );
}

function scopes(value: string, before: readonly Scope[] = []): readonly Scope[] {
  const given = value.split(',').map((text) => {
    const scope = SCOPES.find((known) => known === text.trim());
    if (scope === undefined) throw new InvalidArgumentError(`It must be one of ${SCOPES.join(', ')}.`);
    return scope;
  });
  return [...new Set([...before, ...given])];
}

function rateLimits(value: string, before: Partial<RateLimits> = {}): Partial<RateLimits> {
  const [, name, calls, windowSeconds] = /^([a-zA-Z]+)=([1-9]\d{0,8})\/([1-9]\d{0,4})$/.exec(value) ?? [];
  const known: RateLimitName | undefined = RATE_LIMIT_NAMES.find((one) => one === name);
  if (known === undefined)
    throw new InvalidArgumentError(
      `It must be ${RATE_LIMIT_NAMES.join(', ')}, with calls and seconds, such as read=600/60.`,
    );
  const limit = { ...DEFAULT_LIMITS[known], calls: Number(calls), windowSeconds: Number(windowSeconds) };
  return { ...before, [known]: limit };
}

/** Fewer than six say nothing of a median. */
function timedCalls(text: string): number {
  return text === '0' ? 0 : wholeNumber(6, 10_000)(text);
}
