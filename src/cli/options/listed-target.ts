import { TargetError } from '../../check/check-options.ts';
import { targetUrlOf } from '../../check/run-settings.ts';
import type { ServerDetails } from '../../client/answer-shapes.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { isJsonObject, type Json, ownProperty } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import type { ConfiguredSample } from '../../model/call.ts';
import { refuseUrl } from '../../probe/address-guard.ts';
import { parseUrl } from '../../text/parse-url.ts';
import { type LookupFlags, openDirectory, reportNoAnswer } from './directory-lookup.ts';
import type { CheckFlags } from './settings.ts';

export interface ServerFlags extends CheckFlags, LookupFlags {
  /** The id of a directory entry. */
  readonly server?: string;
  /** The address of a registry, which has the server that the argument names. */
  readonly registry?: string;
}

/**
 * The endpoint of a directory's entry, with the entry's values for the check; null if the directory returned none:
 * the reason was printed. The endpoint of a server of the Model Context Protocol is in the flags.
 */
export async function listedTarget(
  server: string,
  flags: ServerFlags,
  signal: AbortSignal,
): Promise<{ url: string | undefined; flags: CheckFlags & { readonly mcp?: string } } | null> {
  const { baseUrl, client } = openDirectory(flags, process.env, { signal });
  const details = await client.server(server).catch(reportNoAnswer);
  if (details === null) return null;
  const { url, publicOnly } = endpointFor(details, baseUrl, flags.publicOnly === true);
  const { transport, responseTime, name, protocol } = details;
  const listed = {
    transport,
    ...(responseTime === null || responseTime <= 0 ? {} : { responseTime }),
    samples: samplesIn(details.author),
  };
  say(
    `directory: ${visible(baseUrl)} lists ${visible(name)} (${visible(details.id)}) at ${visible(url)}\n` +
      `used from the entry, unless the configuration sets them: ${takenWords(listed)}` +
      (publicOnly && flags.publicOnly !== true ? '\nonly public addresses are allowed' : ''),
  );
  // From here on, this is an ordinary check of that server.
  const { directory: _directory, server: _server, ...rest } = flags;
  const own = { ...rest, listed, ...(publicOnly ? { publicOnly } : {}) };
  return protocol === 'mcp' ? { url: undefined, flags: { ...own, mcp: url } } : { url, flags: own };
}

function isPublic(baseUrl: string): boolean {
  const url = new URL(baseUrl);
  // The port does not show where the machine is.
  url.port = '';
  return refuseUrl(url) === null;
}

/**
 * The address of an entry's server. A public directory must not lead this machine into its own network, so only
 * public addresses are accepted from it; a directory on a private network may name private addresses.
 * @throws UsageError for an address that cannot or must not be checked
 */
export function endpointFor(
  { id, endpoint, protocol }: Pick<ServerDetails, 'id' | 'endpoint' | 'protocol'>,
  baseUrl: string,
  askedForPublic: boolean,
): { readonly url: string; readonly publicOnly: boolean } {
  const publicOnly = askedForPublic || isPublic(baseUrl);
  if (protocol === 'mcp') return { url: mcpEndpoint(id, endpoint, publicOnly), publicOnly };
  try {
    return { url: targetUrlOf(endpoint, publicOnly), publicOnly };
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    // Remove the remedy, which is meant for an address from the user.
    const problem = error.message.replace(` ${error.remedy}`, '');
    throw new UsageError(
      `The endpoint of ${visible(id)} in the directory is not checked: ${visible(problem)} To check that address anyway, pass it instead of --server.`,
    );
  }
}

function mcpEndpoint(id: string, endpoint: string, publicOnly: boolean): string {
  const url = parseUrl(endpoint);
  const isWeb = url !== null && /^https?:$/.test(url.protocol);
  const problem = isWeb ? (publicOnly ? refuseUrl(url) : null) : 'it is not an http or https address';
  // Any other text would be a command.
  if (url !== null && isWeb && problem === null) return url.href;
  throw new UsageError(
    `The endpoint of ${visible(id)} in the directory is not checked: ${visible(problem ?? '')}. To check that server anyway, pass its address with --mcp instead of --server.`,
  );
}

type Samples = NonNullable<CheckFlags['listed']>['samples'];

/** The samples of the listing, as directories made with Probity publish them; other directories may answer anything. */
export function samplesIn(author: Json | undefined): NonNullable<Samples> {
  const samples = ownProperty(author, 'samples');
  if (!isJsonObject(samples)) return {};
  const valid = Object.entries(samples).map(
    ([name, list]) => [name, Array.isArray(list) ? list.flatMap(sampleIn) : []] as const,
  );
  return Object.fromEntries(valid.filter(([, list]) => list.length > 0));
}

function sampleIn(sample: Json): readonly ConfiguredSample[] {
  const input = ownProperty(sample, 'input');
  return isJsonObject(input) ? [{ input, fails: ownProperty(sample, 'fails') === true }] : [];
}

function takenWords({ transport, responseTime, samples = {} }: NonNullable<CheckFlags['listed']>): string {
  const time = responseTime === undefined ? 'no response time' : `response time ${responseTime} ms`;
  const functions = Object.keys(samples).length;
  const inputs = functions === 1 ? 'samples of one function' : `samples of ${functions} functions`;
  return `transport ${transport.join(' and ') || 'none'}, ${time}, ${functions === 0 ? 'no samples' : inputs}`;
}
