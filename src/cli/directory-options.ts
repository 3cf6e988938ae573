import { type Command, InvalidArgumentError } from 'commander';
import { SCOPES, type Scope } from '../directory/store/scopes.ts';
import { collected, day, seconds, wholeNumber } from './option-values.ts';

/** `probity directory …`: the service, its keys and its entries. */
export function directoryCommands(program: Command): void {
  const directory = program
    .command('directory')
    .description('the directory service: serve it, and look after its keys and entries');

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
      .option('--log-level <level>', 'fatal, error, warn, info, debug or silent', 'info'),
  ).action(async (options) => (await import('./directory-serve.ts')).serve(options));

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
  ).action(async (name: string, options) =>
    (await import('./directory-keys.ts')).createKeyFor(name, options),
  );
  storeOptions(
    key
      .command('list')
      .description('the keys, without their secrets')
      .option('--json', 'print JSON and nothing else'),
  ).action(async (options) => (await import('./directory-keys.ts')).printKeys(options));
  storeOptions(
    key
      .command('revoke')
      .argument('<id>', 'the key, by the id that the list shows, or by the key itself')
      .description('make a key invalid, at once and for good'),
  ).action(async (id: string, options) => (await import('./directory-keys.ts')).revoke(id, options));
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
