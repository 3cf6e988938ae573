import dns, { type LookupAddress } from 'node:dns';
import { createPublicLookup } from './public-lookup.ts';

/**
 * The first address of a host name, found like that of a connection.
 *
 * @param publicOnly looks the name up like a connection that only reaches public addresses
 * @throws when the name has no address, is not found in time, or may not be connected to
 */
export function findAddress(
  host: string,
  { publicOnly, timeoutMs }: { readonly publicOnly: boolean; readonly timeoutMs: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const found = (error: Error | null, address: string | LookupAddress[]): void => {
      if (error === null && typeof address === 'string') resolve(address);
      else reject(error ?? new Error(`${host} has several addresses`));
    };
    if (publicOnly) createPublicLookup({ timeoutMs })(host, {}, found);
    else dns.lookup(host, found);
  });
}
