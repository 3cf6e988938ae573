import { createHash } from 'node:crypto';
import { findAddresses } from 'probity/service';
import type { EntryTarget } from '../entries/entries.ts';

/** A name that is not found in this time has its own pace only. */
const FIND_ADDRESSES_MS = 2000;
/** A name with more is counted at these only, so that a stranger's name cannot occupy the addresses of many others. */
const MAX_ADDRESSES = 8;

/** What a target shares with others: its host and the addresses that its name has now. Each is written in one way. */
export interface TargetKeys {
  /** A name; or an address, when the endpoint has no name. */
  readonly host: string;
  /** The endpoint without its query. It begins with the host and a space, so that those of a host are found. */
  readonly endpoint: string;
  readonly addresses: readonly string[];
}

export async function keysOf(
  { endpoint }: Pick<EntryTarget, 'endpoint'>,
  publicOnly: boolean,
): Promise<TargetKeys> {
  const { hostname, protocol, port, pathname } = new URL(endpoint);
  // A name with and without its last dot is the same host.
  const name = hostname.replace(/\.$/, '');
  const found = await findAddresses(name.replace(/^\[|\]$/g, ''), {
    publicOnly,
    timeoutMs: FIND_ADDRESSES_MS,
  }).catch(() => []);
  const addresses = found.slice(0, MAX_ADDRESSES).map((address) => `address:${address}`);
  const host = (isAddress(name) ? addresses[0] : undefined) ?? `host:${name}`;
  // A path can be longer than an index allows.
  const digest = createHash('sha256').update(`${protocol}${port}${pathname}`).digest('base64url');
  return { host, endpoint: `${host} ${digest}`, addresses };
}

/** Whether the host of a URL is an IP address and not a name; `URL` writes addresses in one way. */
export function isAddress(host: string): boolean {
  return /^\[|^\d+(\.\d+){3}$/.test(host);
}
