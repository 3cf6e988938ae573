import { CHECK_SETTINGS, LATENCY_OPTIONS, MUTATING_OPTIONS } from '../model/check-options.ts';
import type { Options } from '../model/option.ts';

/** Names in errors of the library, and their names on the command line. */
const ON_THE_COMMAND_LINE: ReadonlyMap<string, string> = new Map([
  ...flagsOf(CHECK_SETTINGS),
  ...flagsOf(LATENCY_OPTIONS, 'latency.'),
  ...flagsOf(MUTATING_OPTIONS, 'mutating.'),
  ['allowInsecure', '--allow-insecure'],
  ['bearerToken', '--bearer-env'],
  ['directory', '--directory BASE_URL'],
  ['listingGiven', '--listing FILE'],
  ['yesLoad', '--yes-load'],
  ['checkServer', '`probity check`'],
  ['loadSuites', '`probity explain`'],
]);

function flagsOf(table: Options, prefix = ''): readonly (readonly [name: string, flag: string])[] {
  return Object.entries(table).flatMap(([name, { flag }]) =>
    flag === undefined ? [] : [[`${prefix}${name}`, flag.replace(/ .*$/, '')] as const],
  );
}

/** The message of an error, with options and functions replaced by flags and commands. Pure. */
export function withFlags(message: string): string {
  return message.replaceAll(
    /`([a-zA-Z.]+)`/g,
    (written, name: string) => ON_THE_COMMAND_LINE.get(name) ?? written,
  );
}
