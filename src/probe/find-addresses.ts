import dns, { type LookupAddress } from 'node:dns';
import ipaddr from 'ipaddr.js';
import { createPublicLookup } from './public-lookup.ts';

/**
 * The addresses of a host name, found like those of a connection, each written in one way: `192.0.2.1` for
 * `::ffff:c000:201`. An address has itself.
 *
 * @param publicOnly looks the name up like a connection that only reaches public addresses
 * @throws when the name has no address, is not found in time, or may not be connected to
 */
export function findAddresses(
  host: string,
  { publicOnly, timeoutMs }: { readonly publicOnly: boolean; readonly timeoutMs: number },
): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const found = (error: Error | null, addresses: string | LookupAddress[]): void => {
      if (error === null && typeof addresses !== 'string') resolve(inOneWay(addresses));
      else reject(error ?? new Error(`${host} has one address only`));
    };
    if (publicOnly) createPublicLookup({ timeoutMs })(host, { all: true }, found);
    else dns.lookup(host, { all: true }, found);
  });
}

function inOneWay(addresses: readonly LookupAddress[]): readonly string[] {
  return [...new Set(addresses.map(({ address }) => ipaddr.process(address).toString()))].sort();
}
