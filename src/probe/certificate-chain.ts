import { X509Certificate } from 'node:crypto';
import tls from 'node:tls';
import { certificatesIn } from './certificates.ts';

/**
 * Until when the chain of an accepted server is valid: the earliest end date among its certificates, up to the first
 * trusted authority. Certificates beyond it, such as an older authority's signature of that one, are ignored by clients
 * and may have expired.
 */
export function validToMs(chain: readonly X509Certificate[], ca: string | null, nowMs: number): number {
  const ends = chain.map(endOf);
  const earliestMs = Math.min(...ends);
  // The server's own certificate nearly always ends first; then the authorities need not be read.
  if (earliestMs === ends[0]) return earliestMs;
  const authorities = authoritiesOf(ca);
  for (const [index, certificate] of chain.entries()) {
    const issuers = authorities.filter((authority) => isIssuedBy(certificate, authority));
    if (issuers.length > 0) return Math.min(...ends.slice(0, index + 1), Math.max(...issuers.map(endOf)));
  }
  // The trusted authority may be unknown here. Expired certificates cannot be the reason why the server was accepted.
  return Math.min(...ends.filter((endMs) => endMs > nowMs));
}

function endOf({ validTo }: X509Certificate): number {
  return Date.parse(validTo);
}

function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

let defaultAuthorities: readonly X509Certificate[] | null = null;

/** Reading the default authorities is slow, so it is done once and only if needed. */
function authoritiesOf(ca: string | null): readonly X509Certificate[] {
  if (ca !== null) return certificatesIn(ca);
  const { getCACertificates } = tls as { readonly getCACertificates?: () => readonly string[] };
  defaultAuthorities ??= (getCACertificates?.() ?? tls.rootCertificates).map(
    (pem) => new X509Certificate(pem),
  );
  return defaultAuthorities;
}
