import type { CheckOptions } from '../../app/check-options.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import type { ParsedListing } from '../../model/listing.ts';

/** What the command line says of the target. */
export interface TargetFlags {
  readonly directory?: string;
  readonly entry?: string;
  readonly tryRateLimit?: boolean;
}

export interface ChosenTarget {
  readonly url: string;
  /** What a check of a directory is told besides; nothing for a server. */
  readonly options: Pick<CheckOptions, 'directory'>;
}

/** What only a server has. */
const OF_SERVERS = {
  form: '--form',
  samples: '--samples',
  budget: '--budget',
  wait: '--wait',
  start: '--start',
  listing: '--listing',
} as const;

/** The one target of a command: the server that is its argument, or the directory of --directory. */
export function chosenTarget(
  url: string | undefined,
  flags: TargetFlags & { readonly [Flag in keyof Omit<typeof OF_SERVERS, 'listing'>]?: unknown } & {
    readonly listing?: ParsedListing | undefined;
  },
): ChosenTarget {
  const { directory, listing } = flags;
  if (directory === undefined) {
    const idle =
      flags.entry !== undefined ? '--entry' : flags.tryRateLimit === true ? '--try-rate-limit' : null;
    if (idle !== null)
      throw new UsageError(`${idle} is for the check of a directory. Name it with --directory BASE_URL.`);
    if (url !== undefined) return { url, options: {} };
    throw new UsageError(
      listing === undefined
        ? 'There is nothing to check. Give the base address of a server, a listing that has one with --listing FILE, an entry of a directory with --server ID, or a directory itself with --directory.'
        : `The listing ${listing.where.file} gives no endpoint that could be checked. \`probity lint ${listing.where.file}\` says why; or give the address besides.`,
    );
  }
  if (url !== undefined)
    throw new UsageError(
      'A server and a directory are checked one at a time. Leave out the address of the server, or --directory.',
    );
  for (const [flag, written] of Object.entries(OF_SERVERS) as [keyof typeof OF_SERVERS, string][])
    if (flags[flag] !== undefined)
      throw new UsageError(`${written} is for the check of a server. Leave it out with --directory.`);
  return { url: directory, options: { directory: directorySettings(flags) } };
}

function directorySettings({ entry, tryRateLimit }: TargetFlags): NonNullable<CheckOptions['directory']> {
  return {
    ...(entry === undefined ? {} : { entry }),
    ...(tryRateLimit === undefined ? {} : { tryRateLimit }),
  };
}
