import { X509Certificate } from 'node:crypto';

const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates in PEM text; throws if one of them is invalid. Loads no TLS, because every command loads this. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  return [...pem.matchAll(PEM)].map(([block]) => new X509Certificate(block));
}
