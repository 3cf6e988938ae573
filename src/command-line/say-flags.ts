import type { BenchOptions } from '../check/bench.ts';
import type { CheckOptions } from '../check/check-options.ts';
import type { DirectoryClientOptions } from '../client/client-settings.ts';

type Named = keyof CheckOptions | keyof BenchOptions | keyof DirectoryClientOptions;

/** Names in errors of the library, and their names on the command line. */
const ON_THE_COMMAND_LINE = {
  allowInsecure: '--allow-insecure',
  bearerToken: '--bearer-env',
  directory: '--directory BASE_URL',
  form: '--form',
  headers: '--header',
  listingGiven: '--listing FILE',
  only: '--only',
  publicOnly: '--public-only',
  readOnly: '--read-only',
  skip: '--skip',
  yesLoad: '--yes-load',
  'latency.off': '--no-latency',
  checkServer: '`probity check`',
  loadSuites: '`probity explain`',
} as const satisfies Readonly<Partial<Record<Named | 'latency.off' | 'checkServer' | 'loadSuites', string>>>;

/** The message of an error, with options and functions replaced by flags and commands. Pure. */
export function withFlags(message: string): string {
  return message.replaceAll(/`([a-zA-Z.]+)`/g, (written, name: string) =>
    Object.hasOwn(ON_THE_COMMAND_LINE, name)
      ? ON_THE_COMMAND_LINE[name as keyof typeof ON_THE_COMMAND_LINE]
      : written,
  );
}
