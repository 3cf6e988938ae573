import type { Command } from 'commander';
import { seconds, wholeNumber } from 'probity/command-line';
import { PACKAGE_TYPES, QUEUE_NAMES, RATE_LIMIT_NAMES } from '../settings/settings.ts';
import { queues, rateLimits, timedCalls } from './option-values.ts';
import { packageCommands } from './package-command.ts';
import { DEFAULT_DATA } from './store-flags.ts';

/** The options of the commands that send requests to targets. */
export function targetOptions(command: Command): Command {
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
export function workOptions(command: Command): Command {
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
      '--package-command <type=command>',
      `how to start packages of the type ${PACKAGE_TYPES.join(', ')}, in a sandbox of your own; repeatable (default: they are never run)`,
      packageCommands,
    )
    .option(
      '--target-keys <file>',
      'file with the keys of servers, a line such as PROBITY_TARGET_FORECAST=key for each; it is read again when it changes',
    )
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

export function example(args: string): string {
  return `\nExample:\n  probity directory ${args}`;
}

/** The options of the commands that change the directory. */
export function changingOptions(command: Command): Command {
  return storeOptions(command).option(
    '--by <name>',
    'who changes the directory, for its log (default: your user name)',
  );
}

export function storeOptions(command: Command): Command {
  return command.option(
    '--data <folder>',
    'folder of the embedded database; with DATABASE_URL set, that PostgreSQL server is used',
    DEFAULT_DATA,
  );
}
