import type { Command } from 'commander';
import { seconds, wholeNumber } from 'probity/command-line';
import { SERVER_STATUSES } from 'probity/model';
import { changingOptions, example, storeOptions } from './common-options.ts';
import { states } from './option-values.ts';

export function entryCommands(directory: Command): void {
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
  changingOptions(
    directory
      .command('remove')
      .argument('<ids...>', 'ids of the servers')
      .description('remove servers and their observations'),
  ).action(async (ids: string[], options) => (await import('./entries.ts')).remove(ids, options));
  changingOptions(
    directory
      .command('import')
      .argument(
        '<file>',
        'listings, one line of JSON for each (.ndjson), the export of a directory, or server.json of the MCP registry',
      )
      .description('add many servers or replace their listings, or fill an empty directory with an export')
      .option('--listed', 'list them immediately, with your approval, until each is tested')
      .option('--allow-private', 'accept endpoints on private addresses too'),
  ).action(async (file: string, options) => (await import('./transfer.ts')).importAny(file, options));
}

export function overviewCommands(directory: Command): void {
  storeOptions(
    directory
      .command('list')
      .description('list the servers, with the reasons why one is not shown')
      .option('--held', 'only servers on hold')
      .option('--rejected', 'only rejected servers')
      .option('--down', 'only servers that are down')
      .option('--stale', 'only servers that were not tested in the last two days')
      .option(
        '--status <state>',
        `only servers in this state: ${SERVER_STATUSES.join(', ')}; repeatable`,
        states,
      )
      .option('--undecided', 'only servers about which the checks are not decided, with what is missing')
      .option('--duplicates', 'only servers that share their endpoint with another')
      .option('--look-alikes', 'only servers whose name looks like that of a listed one')
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
}

export function operatorCommands(directory: Command): void {
  for (const [decision, description] of [
    ['approve', 'list a server, whatever the checks decide, until it is released'],
    ['hold', 'do not show a server, whatever the checks decide, until it is released'],
    ['reject', 'neither show nor call a server, whatever the checks decide, until it is released'],
    ['release', 'let the checks decide about a server again'],
    ['pause', 'neither probe nor test a server, such as during its maintenance, until it is resumed'],
    ['resume', 'probe and test a server again that was paused'],
  ] as const) {
    const command = changingOptions(directory.command(decision))
      .argument('<id>', 'id of the server')
      .description(description)
      .requiredOption('--reason <text>', 'why, for operators; it is kept with who and when')
      .option('--public-reason <text>', 'why, for everybody: the page of the server shows it')
      .addHelpText('after', example(`${decision} weather --reason "the author asked"`))
      .action(async (id: string, options) => (await import('./decide.ts')).decide(decision, id, options));
    if (decision === 'pause')
      command.option(
        '--until <time>',
        'a time such as 2027-12-01T08:00:00Z, or a duration such as 2h; at most a year ahead',
      );
  }
  changingOptions(
    directory
      .command('policy')
      .argument('[file]', 'a policy to store; without it, the stored one is printed')
      .description('print or change what the operator decides once for all servers')
      .addHelpText('after', example('policy policy.yaml')),
  ).action(async (file: string | undefined, options) => (await import('./policy.ts')).policy(file, options));
  storeOptions(
    directory
      .command('log')
      .argument('[id]', 'id of a server; without it, all that operators did')
      .description('print what operators did, the newest first')
      .option('--max <number>', 'how many actions', wholeNumber(1, 1_000_000), 100)
      .option('--json', 'print one line of JSON for each and nothing else')
      .addHelpText('after', example('log weather')),
  ).action(async (id: string | undefined, options) => (await import('./log.ts')).log(id, options));
}

function entryOptions(command: Command): Command {
  return changingOptions(command)
    .option('--allow-private', 'accept endpoints on private addresses too')
    .option('--ca <file>', 'PEM file of certificate authorities to trust when listings are checked')
    .option('--no-fetch', 'do not fetch the addresses in the listings; the first test does')
    .option('--json', 'print the decisions as JSON and nothing else');
}

export function transferCommands(directory: Command): void {
  storeOptions(
    directory
      .command('doctor')
      .description('examine the directory and this machine, with a remedy for each problem')
      .option('--no-network', 'send nothing; without it, a few listed servers are asked for their health')
      .option('--allow-private', 'ask servers on private addresses too')
      .option('--ca <file>', 'PEM file of certificate authorities to trust when servers are asked')
      .option('--json', 'print one line of JSON for each finding and nothing else')
      .addHelpText('after', example('doctor')),
  ).action(async (options) => (await import('./doctor.ts')).doctor(options));
  storeOptions(
    directory
      .command('export')
      .description('print the whole directory as lines of JSON, as import reads it')
      .option('--listings', 'only the listings, one line of JSON for each')
      .addHelpText('after', example('export > directory.ndjson')),
  ).action(async (options) => (await import('./transfer.ts')).exportAll(options));
  storeOptions(
    directory
      .command('backup')
      .argument('<file>', 'a new file')
      .description('save the whole directory in a file while it is served')
      .addHelpText('after', example('backup directory.ndjson.gz')),
  ).action(async (file: string, options) => (await import('./transfer.ts')).backup(file, options));
  changingOptions(
    directory
      .command('restore')
      .argument('<file>', 'a backup, or an export')
      .description('make a directory of a backup, in a new folder or an empty database')
      .addHelpText('after', example('restore directory.ndjson.gz --data restored')),
  ).action(async (file: string, options) => (await import('./transfer.ts')).restore(file, options));
}
