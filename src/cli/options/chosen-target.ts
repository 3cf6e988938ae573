import type { CheckOptions } from '../../check/check-options.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import type { ParsedListing } from '../../model/listing.ts';

export interface TargetFlags {
  readonly directory?: string;
  readonly entry?: string;
  readonly tryRateLimit?: boolean;
}

/** Flags that apply only to servers. */
const OF_SERVERS = {
  form: '--form',
  samples: '--samples',
  budget: '--budget',
  wait: '--wait',
  start: '--start',
  listing: '--listing',
} as const;

/**
 * The one target of a command: the server that is its argument, or the directory of --directory. The options are those of
 * a directory check; empty for a server.
 */
export function chosenTarget(
  url: string | undefined,
  flags: TargetFlags & { readonly [Flag in keyof Omit<typeof OF_SERVERS, 'listing'>]?: unknown } & {
    readonly listing?: ParsedListing | undefined;
  },
): { readonly url: string; readonly options: Pick<CheckOptions, 'directory'> } {
  const { directory, entry, tryRateLimit, listing } = flags;
  if (directory === undefined) {
    const idle = entry !== undefined ? '--entry' : tryRateLimit === true ? '--try-rate-limit' : null;
    if (idle !== null)
      throw new UsageError(`${idle} applies only to directories. Select one with --directory BASE_URL.`);
    if (url !== undefined) return { url, options: {} };
    throw new UsageError(
      listing === undefined
        ? 'No target. Pass the base address of a server, a listing with --listing FILE, an entry of a directory with --server ID, a directory with --directory, or a server of the Model Context Protocol with --mcp. Only `probity check` without an address checks the `targets` of a configuration.'
        : `The listing ${listing.where.file} has no valid endpoint. Run \`probity lint ${listing.where.file}\` to see why, or pass the address of the server.`,
    );
  }
  if (url !== undefined)
    throw new UsageError(
      'Only one target can be checked at a time. Remove the address of the server, or --directory.',
    );
  for (const [flag, written] of Object.entries(OF_SERVERS) as [keyof typeof OF_SERVERS, string][])
    if (flags[flag] !== undefined)
      throw new UsageError(`${written} applies only to servers. Remove it, or --directory.`);
  return { url: directory, options: { directory: { entry, tryRateLimit } } };
}
