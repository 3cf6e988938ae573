import { type Command, InvalidArgumentError, Option } from 'commander';
import { collected, listedOf, wholeNumber } from '../../../command-line/option-values.ts';
import { SERVER_STATUSES } from '../../../model/saved/server-status.ts';
import { PROTOCOLS, SORTS, VERDICTS } from '../../../platform-api/search-choices.ts';
import { DIRECTORY_VARIABLE, KEY_VARIABLE } from '../../options/default-names.ts';

export function searchCommand(program: Command): void {
  lookupOptions(
    program
      .command('search')
      .argument('[words...]', 'beginnings of words in the name, the description or a tag')
      .description('search a directory of MCP servers'),
  )
    .optionsGroup('Selection:')
    .option('--category <name>', 'only servers of this category')
    .option('--tag <name>', 'only servers with this tag; repeat it to require several', collected)
    .addOption(
      new Option('--transport <name>', 'only servers with this transport').choices(['http', 'websocket']),
    )
    .addOption(
      new Option(
        '--protocol <name>',
        'only servers of MCP over HTTP, or of the endpoints of the platform',
      ).choices(PROTOCOLS),
    )
    .option(
      '--status <names>',
      `only servers in one of these states, separated by commas: ${SERVER_STATUSES.join(', ')}`,
      listedOf(SERVER_STATUSES),
    )
    .addOption(
      new Option('--verdict <name>', 'only servers whose last test had this verdict').choices(VERDICTS),
    )
    .option('--min-uptime <percentage>', 'minimum uptime, from 0 to 100', percentage)
    .option('--max-response-time <time>', 'maximum response time: 300ms, 2s', milliseconds)
    .option('--audited', 'audited servers only')
    .option('--open-source', 'open-source servers only')
    .addOption(
      new Option('--sort <order>', 'order: by name, the best figures first, or the newest first').choices(
        SORTS,
      ),
    )
    .option('--limit <number>', 'servers per page, up to 100', wholeNumber(1, 100))
    .option('--offset <number>', 'number of servers to skip', wholeNumber(0, 2 ** 31 - 1))
    .option('--all', 'all pages')
    .optionsGroup('Output:')
    .option('--json', 'print the answer as JSON and nothing else')
    .addHelpText('after', SEARCH_EXIT_CODES)
    .action(async (words: string[], options) => (await import('./search.ts')).search(words, options));
}

const SEARCH_EXIT_CODES = `
Exit codes: 0 the directory answered, even if nothing matches, 2 a mistake in the arguments,
or a request or key that the directory refuses, 3 no usable answer from the directory.`;

/** `check --server`: the server of an entry. */
export function serverOptions(command: Command): Command {
  return lookupOptions(
    command
      .optionsGroup('Target:')
      .option('--server <id>', 'check the server of this directory entry')
      .option(
        '--registry <url>',
        'address of a registry of MCP servers; the argument is the name of a server there, such as com.example/weather@1.2.0',
      ),
  );
}

function lookupOptions(command: Command): Command {
  return command
    .optionsGroup('Target:')
    .option(
      '--directory <url>',
      `base address of a directory, such as https://directory.example/v1 (default: the environment variable ${DIRECTORY_VARIABLE})`,
    )
    .optionsGroup('Access:')
    .option(
      '--directory-key-env <name>',
      `environment variable with the directory’s API key (default: ${KEY_VARIABLE})`,
    )
    .option('--allow-insecure', 'send the directory’s key over http to another machine');
}

function percentage(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= 100) return value;
  throw new InvalidArgumentError('Give a number from 0 to 100, such as 99.5.');
}

/** Requires a unit, because the API counts in milliseconds and this command line in seconds. */
function milliseconds(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('Give a time with its unit, such as 300ms or 2s.');
  return Number(number) * (unit === 's' ? 1000 : 1);
}
