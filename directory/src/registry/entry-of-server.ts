import { createHash } from 'node:crypto';
import { parseListing, SuiteError, wholeListing } from 'probity';
import { isJsonObject, type JsonObject, type Listing, ownProperty, parseUrl, shorten } from 'probity/model';
import { refuseUrl } from 'probity/service';

const CATEGORY = 'MCP registry';
const MAX_ID = 64;
const HASH_LENGTH = 12;
const MAX_PROBLEM = 300;

/** What the directory may publish of the document of a server. */
export interface Publishable {
  readonly document: JsonObject;
  /** Its only remote, which is the one that is tested. Null: it has none that can be tested, or none at all. */
  readonly endpoint: string | null;
  /** Clients run it, and are told no address to connect to. */
  readonly isPackage: boolean;
}

/** Leaves out the remotes that nobody tests: the test of one of them says nothing about the others. Pure. */
export function publishable(document: JsonObject, publicOnly: boolean): Publishable {
  const remotes = membersIn(document, 'remotes');
  const tested = remotes.find((remote) => problemOf(remote, publicOnly) === null);
  if (tested === undefined) {
    const isPackage = remotes.length === 0 && membersIn(document, 'packages').length > 0;
    return { document, endpoint: null, isPackage };
  }
  return {
    document: { ...document, remotes: [tested] },
    endpoint: String(ownProperty(tested, 'url')),
    isPackage: false,
  };
}

function membersIn(document: JsonObject, list: 'remotes' | 'packages'): readonly JsonObject[] {
  const members = ownProperty(document, list);
  return Array.isArray(members) ? members.filter(isJsonObject) : [];
}

/**
 * The ids that the entry of a server may have, the best one first. The others differ for each name, because names that
 * are alike, or long, would have the same first one. Pure.
 */
export function idsFor(name: string): readonly [string, string] {
  const plain = name.replaceAll('/', '.');
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  const long = `${plain.slice(0, MAX_ID - HASH_LENGTH - 1)}-${hash}`;
  return plain.length > MAX_ID ? [long, long] : [plain, long];
}

/**
 * The listing of a server that a registry describes; or why it can be none, so that it cannot be tested. Pure.
 */
export function listingFor(
  id: string,
  document: JsonObject,
  publicOnly: boolean,
): Listing | { readonly problem: string } {
  const text = (name: string): string | undefined => {
    const value = ownProperty(document, name);
    return typeof value === 'string' ? value : undefined;
  };
  const endpoint = endpointIn(document, publicOnly);
  if (typeof endpoint !== 'string') return endpoint;
  const repository = ownProperty(ownProperty(document, 'repository'), 'url');
  const said = {
    listing: 'v1',
    id,
    name: text('title') ?? text('name'),
    description: text('description'),
    category: CATEGORY,
    tags: [],
    transport: ['http'],
    audited: false,
    openSource: repository !== undefined,
    endpoint,
    protocol: 'mcp',
    version: text('version')?.slice(0, 200),
    repository,
    documentation: text('websiteUrl'),
  };
  try {
    return wholeListing(parseListing(JSON.stringify(said), `the listing of ${id}`));
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    return { problem: shorten(error.message.split('\n')[0] ?? '', MAX_PROBLEM) };
  }
}

/** The address of the first remote that can be tested as it is; or why the last one cannot be. */
function endpointIn(document: JsonObject, publicOnly: boolean): string | { readonly problem: string } {
  const { endpoint } = publishable(document, publicOnly);
  const problem = membersIn(document, 'remotes').reduce<string | null>(
    (last, remote) => problemOf(remote, publicOnly) ?? last,
    null,
  );
  return endpoint ?? { problem: problem ?? 'it has neither an address nor a package' };
}

/** Why a remote cannot be tested; null: it can. */
function problemOf(remote: JsonObject, publicOnly: boolean): string | null {
  const address = ownProperty(remote, 'url');
  if (ownProperty(remote, 'type') !== 'streamable-http' || typeof address !== 'string')
    return 'it has no remote of the type streamable-http';
  if (/[{}]/.test(address)) return 'its address has variables, for which each caller has other values';
  const url = parseUrl(address);
  if (url === null || url.username !== '' || url.password !== '')
    return 'its address is not one of the web without a user and a password';
  return publicOnly ? refuseUrl(url) : null;
}
