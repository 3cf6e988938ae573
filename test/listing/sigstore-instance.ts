// @peculiar/x509 needs it to be imported first.
import 'reflect-metadata';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  webcrypto,
} from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const CODE_SIGNING = '1.3.6.1.5.5.7.3.3';
const FULCIO_ISSUER = '1.3.6.1.4.1.57264.1.1';
const SCT_LIST = '1.3.6.1.4.1.11129.2.4.2';
const HOUR_MS = 3_600_000;

export const SIGNER = {
  identity: 'https://git.example.org/forecast/.ci/release.yml@refs/tags/v1',
  issuer: 'https://token.example.org',
};

/** A small Sigstore: an authority that certifies signers, and a log with promises of inclusion. */
export interface SigstoreInstance {
  /** The text of its trusted_root.json. */
  readonly trustedRoot: string;
  /** A bundle with an in-toto statement about these digests, `{ sha256: … }`. */
  readonly attest: (digest: Readonly<Record<string, string>>) => Promise<TestBundle>;
  /** A bundle with a signature over the artifact itself. */
  readonly signArtifact: (artifact: Buffer) => Promise<TestBundle>;
}

/** In the published form; tests change parts of it. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into it to break it.
export type TestBundle = any;

/** `logsCertificates`: certificates contain the promise of a log, which the trusted root always requires. */
export async function startSigstore(logsCertificates = true): Promise<SigstoreInstance> {
  const authority = await keyPair();
  const notBefore = new Date(Date.now() - HOUR_MS);
  const notAfter = new Date(Date.now() + HOUR_MS);
  const root = await X509CertificateGenerator.create({
    serialNumber: '01',
    subject: 'O=test, CN=authority',
    issuer: 'O=test, CN=authority',
    notBefore,
    notAfter,
    publicKey: authority.publicKey,
    signingKey: authority.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ],
  });
  const log = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const logKey = createPublicKey(log.privateKey).export({ type: 'spki', format: 'der' });
  const logId = createHash('sha256').update(logKey).digest();

  const certificates = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificatesKey = createPublicKey(certificates.privateKey).export({ type: 'spki', format: 'der' });
  const certificatesId = createHash('sha256').update(certificatesKey).digest();
  const authorityKey = Buffer.from(await webcrypto.subtle.exportKey('spki', authority.publicKey));

  /** The promise of the certificate log (RFC 6962, section 3.2), as an extension of the certificate. */
  const promise = (toBeSigned: Buffer): Extension => {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(Date.now()));
    const signed = Buffer.concat([
      Buffer.from([0, 0]),
      time,
      Buffer.from([0, 1]),
      createHash('sha256').update(authorityKey).digest(),
      sized(3, toBeSigned),
      Buffer.from([0, 0]),
    ]);
    const signature = sign('sha256', signed, certificates.privateKey);
    const sct = Buffer.concat([
      Buffer.from([0]),
      certificatesId,
      time,
      Buffer.from([0, 0, 4, 3]),
      sized(2, signature),
    ]);
    const list = sized(2, sized(2, sct));
    return new Extension(
      SCT_LIST,
      false,
      Buffer.concat([Buffer.from([0x04, ...derLength(list.length)]), list]),
    );
  };

  const certify = async (): Promise<{ readonly der: string; readonly key: KeyObject }> => {
    const keys = await keyPair();
    const generate = (more: readonly Extension[]): Promise<X509Certificate> =>
      X509CertificateGenerator.create({
        serialNumber: '02',
        subject: '',
        issuer: 'O=test, CN=authority',
        notBefore,
        notAfter,
        publicKey: keys.publicKey,
        signingKey: authority.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new ExtendedKeyUsageExtension([CODE_SIGNING]),
          new SubjectAlternativeNameExtension([{ type: 'url', value: SIGNER.identity }], true),
          new Extension(FULCIO_ISSUER, false, Buffer.from(SIGNER.issuer)),
          ...more,
        ],
      });
    const unpromised = await generate([]);
    const certificate = logsCertificates
      ? await generate([promise(toBeSignedOf(Buffer.from(unpromised.rawData)))])
      : unpromised;
    const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    return {
      der: Buffer.from(certificate.rawData).toString('base64'),
      key: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }),
    };
  };

  /** A log entry with its promise. */
  const logged = (kind: string, spec: object): object => {
    const body = Buffer.from(JSON.stringify({ apiVersion: '0.0.1', kind, spec })).toString('base64');
    const integratedTime = Math.floor(Date.now() / 1000);
    const promised = JSON.stringify({ body, integratedTime, logID: logId.toString('hex'), logIndex: 1 });
    return {
      logIndex: '1',
      logId: { keyId: logId.toString('base64') },
      kindVersion: { kind, version: '0.0.1' },
      integratedTime: String(integratedTime),
      inclusionPromise: {
        signedEntryTimestamp: sign('sha256', Buffer.from(promised), log.privateKey).toString('base64'),
      },
      canonicalizedBody: body,
    };
  };

  const bundle = (der: string, entry: object, content: object): TestBundle => ({
    mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes: der }] },
      tlogEntries: [entry],
      timestampVerificationData: { rfc3161Timestamps: [] },
    },
    ...content,
  });

  return {
    trustedRoot: JSON.stringify({
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [
        {
          baseUrl: 'https://log.example.org',
          hashAlgorithm: 'SHA2_256',
          publicKey: {
            rawBytes: logKey.toString('base64'),
            keyDetails: 'PKIX_ECDSA_P256_SHA_256',
            validFor: { start: notBefore.toISOString() },
          },
          logId: { keyId: logId.toString('base64') },
        },
      ],
      certificateAuthorities: [
        {
          subject: { organization: 'test', commonName: 'authority' },
          uri: 'https://authority.example.org',
          certChain: { certificates: [{ rawBytes: Buffer.from(root.rawData).toString('base64') }] },
          validFor: { start: notBefore.toISOString() },
        },
      ],
      ctlogs: [
        {
          baseUrl: 'https://certificates.example.org',
          hashAlgorithm: 'SHA2_256',
          publicKey: {
            rawBytes: certificatesKey.toString('base64'),
            keyDetails: 'PKIX_ECDSA_P256_SHA_256',
            validFor: { start: notBefore.toISOString() },
          },
          logId: { keyId: certificatesId.toString('base64') },
        },
      ],
      timestampAuthorities: [],
    }),
    attest: async (digest) => {
      const { der, key } = await certify();
      const payloadType = 'application/vnd.in-toto+json';
      const payload = Buffer.from(
        JSON.stringify({
          _type: 'https://in-toto.io/Statement/v1',
          subject: [{ name: 'forecast.tgz', digest }],
        }),
      );
      const encoded = `DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `;
      const signature = sign('sha256', Buffer.concat([Buffer.from(encoded), payload]), key).toString(
        'base64',
      );
      const entry = logged('dsse', {
        payloadHash: { algorithm: 'sha256', value: createHash('sha256').update(payload).digest('hex') },
        signatures: [{ signature, verifier: der }],
      });
      return bundle(der, entry, {
        dsseEnvelope: {
          payload: payload.toString('base64'),
          payloadType,
          signatures: [{ sig: signature, keyid: '' }],
        },
      });
    },
    signArtifact: async (artifact) => {
      const { der, key } = await certify();
      const signature = sign('sha256', artifact, key).toString('base64');
      const digest = createHash('sha256').update(artifact).digest();
      const entry = logged('hashedrekord', {
        data: { hash: { algorithm: 'sha256', value: digest.toString('hex') } },
        signature: { content: signature, publicKey: { content: der } },
      });
      return bundle(der, entry, {
        messageSignature: {
          messageDigest: { algorithm: 'SHA2_256', digest: digest.toString('base64') },
          signature,
        },
      });
    },
  };
}

/** A value preceded by its length in this many bytes. */
function sized(lengthBytes: number, content: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(content.length, 0, lengthBytes);
  return Buffer.concat([length, content]);
}

/** In the shortest form, as DER requires. */
function derLength(length: number): readonly number[] {
  return length < 0x80 ? [length] : [0x81, length];
}

/** The first element of the certificate's sequence; both are longer than 255 bytes. */
function toBeSignedOf(der: Buffer): Buffer {
  const header = 4;
  return der.subarray(header, header + header + der.readUInt16BE(header + 2));
}

function keyPair(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
