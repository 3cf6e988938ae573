import { X509Certificate } from 'node:crypto';
import tls from 'node:tls';

/**
 * Until when the chain of a server that was accepted is good: until the certificate in it that ends first. It ends with
 * the first authority that is trusted. What a server sends beyond, such as an older authority's word for that one, is not
 * looked at by clients, and may have ended long ago.
 */
export function validToMs(chain: readonly X509Certificate[], ca: string | null, nowMs: number): number {
  const ends = chain.map(endOf);
  const earliestMs = Math.min(...ends);
  // The server's own certificate nearly always ends first, and then there is nothing to look for.
  if (earliestMs === ends[0]) return earliestMs;
  const authorities = authoritiesOf(ca);
  for (const [index, certificate] of chain.entries()) {
    const vouching = authorities.filter((authority) => vouchesFor(authority, certificate));
    if (vouching.length > 0) return Math.min(...ends.slice(0, index + 1), Math.max(...vouching.map(endOf)));
  }
  // Not all authorities are known by name; but nothing that has ended is why the server was accepted.
  return Math.min(...ends.filter((endMs) => endMs > nowMs));
}

function endOf({ validTo }: X509Certificate): number {
  return Date.parse(validTo);
}

function vouchesFor(authority: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

let usual: readonly X509Certificate[] | null = null;

/** To read the usual ones takes long: it is done once, and only where it matters. */
function authoritiesOf(ca: string | null): readonly X509Certificate[] {
  if (ca !== null) return certificatesIn(ca);
  const { getCACertificates } = tls as { readonly getCACertificates?: () => readonly string[] };
  usual ??= (getCACertificates?.() ?? tls.rootCertificates).map((pem) => new X509Certificate(pem));
  return usual;
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates in a text of PEM; throws when one of them is none. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  return [...pem.matchAll(PEM)].map(([block]) => new X509Certificate(block));
}
