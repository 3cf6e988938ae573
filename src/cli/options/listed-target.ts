import { TargetError } from '../../app/check-options.ts';
import { targetUrlOf } from '../../app/run-settings.ts';
import type { ServerDetails } from '../../client/answer-shapes.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../model/visible.ts';
import { refuseUrl } from '../../probe/address-guard.ts';
import { type LookupFlags, openDirectory, sayWithoutAnswer } from './directory-lookup.ts';
import type { CheckFlags } from './settings.ts';

export interface ServerFlags extends CheckFlags, LookupFlags {
  /** The id of an entry of the directory. */
  readonly server?: string;
}

export interface ListedTarget {
  readonly url: string;
  readonly flags: CheckFlags;
}

/**
 * The endpoint that a directory's entry names, with what the entry says of it for the check; null where the directory
 * gave none, and why has been said.
 */
export async function listedTarget(
  server: string,
  flags: ServerFlags,
  signal: AbortSignal,
): Promise<ListedTarget | null> {
  const { baseUrl, client } = openDirectory(flags, process.env, { signal });
  const details = await client.server(server).catch(sayWithoutAnswer);
  if (details === null) return null;
  const { url, publicOnly } = endpointFor(details, baseUrl, flags.publicOnly === true);
  const { transport, responseTime, name } = details;
  const listed = { transport, ...(responseTime === null || responseTime <= 0 ? {} : { responseTime }) };
  say(
    `directory: ${visible(baseUrl)} lists ${visible(name)} (${visible(details.id)}) at ${visible(url)}\n` +
      `taken from it, unless the configuration says otherwise: ${takenWords(listed)}` +
      (publicOnly && flags.publicOnly !== true ? '\nonly public addresses are connected to' : ''),
  );
  // From here on it is a check of that server like any other.
  const { directory: _directory, ...rest } = flags;
  return { url, flags: { ...rest, listed, ...(publicOnly ? { publicOnly } : {}) } };
}

function isPublic(baseUrl: string): boolean {
  const url = new URL(baseUrl);
  // Of a port nothing follows for where the machine is.
  url.port = '';
  return refuseUrl(url) === null;
}

/**
 * Where an entry's server is. A directory on the internet must not lead this machine to its own neighbours, so that of
 * such a one nothing but public addresses is taken; one on the inner network may name what is there.
 *
 * @throws UsageError for what cannot or must not be checked
 */
export function endpointFor(
  { id, endpoint }: Pick<ServerDetails, 'id' | 'endpoint'>,
  baseUrl: string,
  askedForPublic: boolean,
): { readonly url: string; readonly publicOnly: boolean } {
  const publicOnly = askedForPublic || isPublic(baseUrl);
  try {
    return { url: targetUrlOf(endpoint, publicOnly), publicOnly };
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    // Its remedy is for an address that the user gave.
    const problem = error.message.replace(` ${error.remedy}`, '');
    throw new UsageError(
      `The endpoint that the directory names for ${visible(id)} is not checked: ${visible(problem)} If you know that address and mean it, give it in the place of --server.`,
    );
  }
}

function takenWords({ transport, responseTime }: NonNullable<CheckFlags['listed']>): string {
  const time = responseTime === undefined ? 'no response time' : `response time ${responseTime} ms`;
  return `transport ${transport.join(' and ') || 'none'}, ${time}`;
}
