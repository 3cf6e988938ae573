import { createHash } from 'node:crypto';
import { parseListing, SuiteError, wholeListing } from 'probity';
import { isJsonObject, type JsonObject, type Listing, ownProperty, parseUrl, shorten } from 'probity/model';
import { refuseUrl } from 'probity/service';
import { RESERVED_IDS } from '../entries/entry-record.ts';

const CATEGORY = 'MCP registry';
const MAX_ID = 64;
const HASH_LENGTH = 12;
const MAX_PROBLEM = 300;

/** Whether clients are told to connect to the server; without it, it is a package that they run. Pure. */
export function hasRemotes(document: JsonObject): boolean {
  return remotesOf(document).length > 0;
}

function remotesOf(document: JsonObject): readonly JsonObject[] {
  const remotes = ownProperty(document, 'remotes');
  return Array.isArray(remotes) ? remotes.filter(isJsonObject) : [];
}

/**
 * The ids that the entry of a server may have, the best one first. The others differ for each name, because names that
 * are alike, or long, would have the same first one. Pure.
 */
export function idsFor(name: string): readonly [string, string] {
  const plain = name.replaceAll('/', '.').replace(/^[^A-Za-z0-9]+/, '') || 'server';
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  const long = `${plain.slice(0, MAX_ID - HASH_LENGTH - 1)}-${hash}`;
  return plain.length > MAX_ID || RESERVED_IDS.has(plain) ? [long, long] : [plain, long];
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

/** The first address that can be tested as it is. */
function endpointIn(document: JsonObject, publicOnly: boolean): string | { readonly problem: string } {
  let problem = 'it has no remote of the type streamable-http';
  for (const remote of remotesOf(document)) {
    const address = ownProperty(remote, 'url');
    if (ownProperty(remote, 'type') !== 'streamable-http' || typeof address !== 'string') continue;
    const url = parseUrl(address);
    if (/[{}]/.test(address)) problem = 'its address has variables, for which each caller has other values';
    else if (url === null || url.username !== '' || url.password !== '')
      problem = 'its address is not one of the web without a user and a password';
    else {
      const refusal = publicOnly ? refuseUrl(url) : null;
      if (refusal === null) return address;
      problem = refusal;
    }
  }
  return { problem };
}
