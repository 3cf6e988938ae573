// @peculiar/x509 requires this import first.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  type JsonGeneralNames,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** A certificate with its private key and its issuer. */
export interface Certificate {
  readonly name: string;
  readonly pem: string;
  readonly keyPem: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly issuer: Certificate | null;
}

export interface CertificateParts {
  readonly name: string;
  /** Default: self-signed. */
  readonly issuer?: Certificate;
  /** Validity in days from now. */
  readonly fromDays?: number;
  readonly toDays?: number;
  /** True if it may sign other certificates. */
  readonly authority?: true;
  readonly hosts?: JsonGeneralNames;
  /** The keys of another certificate, to issue it again. */
  readonly keys?: webcrypto.CryptoKeyPair;
}

export const LOOPBACK_HOSTS: JsonGeneralNames = [
  { type: 'ip', value: '127.0.0.1' },
  { type: 'dns', value: 'localhost' },
];

let serial = 0;

export async function certify(parts: CertificateParts): Promise<Certificate> {
  const { name, issuer, fromDays = -1, toDays = 90, authority = false, hosts = [] } = parts;
  const keys = parts.keys ?? (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']));
  serial += 1;
  const nowMs = Date.now();
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial.toString(16).padStart(4, '0'),
    subject: `CN=${name}`,
    issuer: `CN=${issuer?.name ?? name}`,
    notBefore: new Date(nowMs + fromDays * DAY_MS),
    notAfter: new Date(nowMs + toDays * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: issuer?.keys.privateKey ?? keys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(authority, undefined, true),
      ...(authority ? [new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)] : []),
      ...(hosts.length === 0 ? [] : [new SubjectAlternativeNameExtension(hosts)]),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    name,
    pem: `${certificate.toString('pem')}\n`,
    keyPem: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
    keys,
    issuer: issuer ?? null,
  };
}

/** TLS server options: its certificate, then the others that it sends. */
export function served(certificate: Certificate, ...others: readonly Certificate[]) {
  return { cert: [certificate, ...others].map(({ pem }) => pem).join(''), key: certificate.keyPem };
}
