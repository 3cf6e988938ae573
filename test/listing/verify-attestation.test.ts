import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TrustedRootSource } from '../../src/listing/gather/trusted-root-source.ts';
import {
  createArtifactSignatures,
  readTrustedRoot,
  verifyAttestation,
} from '../../src/listing/gather/verify-attestation.ts';
import type { CheckedAttestation } from '../../src/model/listing.ts';
import { SIGNER, type SigstoreInstance, startSigstore, type TestBundle } from './sigstore-instance.ts';

const ARTIFACT = Buffer.from('what is deployed');
const SHA256 = createHash('sha256').update(ARTIFACT).digest('hex');
const SHA512 = createHash('sha512').update(ARTIFACT).digest('hex');

let sigstore: SigstoreInstance;
let root: TrustedRootSource;
beforeAll(async () => {
  sigstore = await startSigstore();
});
beforeEach(() => {
  root = { kind: 'given', text: sigstore.trustedRoot, name: 'root.json' };
});

interface Given {
  readonly signer?: typeof SIGNER | null;
  readonly digests?: readonly string[];
  readonly trustedRoot?: TrustedRootSource;
  readonly artifact?: Buffer | null;
}

function verify(bundle: unknown, given: Given = {}): Promise<CheckedAttestation> {
  const { signer = null, digests = [`sha256:${SHA256}`], trustedRoot = root, artifact = ARTIFACT } = given;
  const signatures = createArtifactSignatures();
  if (artifact !== null) signatures.take(artifact);
  return verifyAttestation({
    bundle,
    digests,
    artifact: artifact === null ? null : signatures,
    signer,
    trustedRoot,
  });
}

describe('a bundle about the artifact', () => {
  test('is verified, with its signer', async () => {
    const verified = { kind: 'verified', digest: `sha256:${SHA256}`, signer: SIGNER };
    expect(await verify(await sigstore.attest({ sha256: SHA256 }))).toEqual(verified);
    expect(
      await verify(await sigstore.attest({ sha256: SHA256 }), { signer: SIGNER, artifact: null }),
    ).toEqual(verified);
    expect(await verify(await sigstore.signArtifact(ARTIFACT))).toEqual(verified);
  });

  test('may use another digest, like attestations of packages', async () => {
    const digests = [`sha256:${SHA256}`, `sha512:${SHA512}`];
    expect(await verify(await sigstore.attest({ sha512: SHA512 }), { digests })).toMatchObject({
      kind: 'verified',
      digest: `sha512:${SHA512}`,
    });
  });

  test.each([
    [
      'an identity that is only part of the name',
      { ...SIGNER, identity: 'https://git.example.org/forecast' },
    ],
    ['an identity that a pattern would match', { ...SIGNER, identity: '.*' }],
    ['another issuer', { ...SIGNER, issuer: 'https://other.example.org' }],
  ])('is not signed by the signer in the listing: %s', async (_, signer) => {
    expect(await verify(await sigstore.attest({ sha256: SHA256 }), { signer })).toMatchObject({
      kind: 'refused',
      problem: expect.stringContaining(`it was signed by ${SIGNER.identity}`),
    });
  });
});

describe('an invalid bundle', () => {
  const attested = (): Promise<TestBundle> => sigstore.attest({ sha256: SHA256 });

  test.each<[string, () => Promise<unknown>]>([
    ['is about another artifact', () => sigstore.attest({ sha256: '0'.repeat(64) })],
    ['is about nothing', () => sigstore.attest({})],
    ['signs another artifact', () => sigstore.signArtifact(Buffer.from('something else'))],
    [
      'has a statement that was not signed',
      async () => {
        const bundle = await sigstore.attest({ sha256: '0'.repeat(64) });
        const { payload } = (await attested()).dsseEnvelope;
        return { ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, payload } };
      },
    ],
    [
      'has the signature of another key',
      async () => {
        const [bundle, other] = [await attested(), await attested()];
        return {
          ...bundle,
          dsseEnvelope: { ...bundle.dsseEnvelope, signatures: other.dsseEnvelope.signatures },
        };
      },
    ],
    [
      'has the certificate of another signer',
      async () => {
        const [bundle, other] = [await attested(), await attested()];
        const { x509CertificateChain } = other.verificationMaterial;
        return { ...bundle, verificationMaterial: { ...bundle.verificationMaterial, x509CertificateChain } };
      },
    ],
    [
      'is not in the log',
      async () => {
        const bundle = await attested();
        return { ...bundle, verificationMaterial: { ...bundle.verificationMaterial, tlogEntries: [] } };
      },
    ],
    [
      'has the promise of another log',
      async () => {
        const [bundle, other] = [await attested(), await (await startSigstore()).attest({ sha256: SHA256 })];
        const [entry] = bundle.verificationMaterial.tlogEntries;
        const { inclusionPromise } = other.verificationMaterial.tlogEntries[0];
        const tlogEntries = [{ ...entry, inclusionPromise }];
        return { ...bundle, verificationMaterial: { ...bundle.verificationMaterial, tlogEntries } };
      },
    ],
    [
      'has a certificate that no log promised to include',
      async () => {
        const silent = await startSigstore(false);
        const bundle = await silent.attest({ sha256: SHA256 });
        // Everything else about it is valid.
        const trusted = { kind: 'given', name: 'root.json' } as const;
        const lenient = { ...(JSON.parse(silent.trustedRoot) as object), ctlogs: [] };
        const checked = await verify(bundle, { trustedRoot: { ...trusted, text: JSON.stringify(lenient) } });
        expect(checked.kind).toBe('verified');
        root = { ...trusted, text: silent.trustedRoot };
        return bundle;
      },
    ],
    [
      'has the certificate of another authority, in an entry of a log that is known',
      async () => {
        const [bundle, other] = [await attested(), await (await startSigstore()).attest({ sha256: SHA256 })];
        const { tlogEntries } = bundle.verificationMaterial;
        return { ...other, verificationMaterial: { ...other.verificationMaterial, tlogEntries } };
      },
    ],
    [
      'is signed with a bare key',
      async () => {
        const { x509CertificateChain: _, ...material } = (await attested()).verificationMaterial;
        return { ...(await attested()), verificationMaterial: { ...material, publicKey: { hint: 'me' } } };
      },
    ],
    ['is no bundle', async () => ({ hello: 'world' })],
    ['is nothing', async () => undefined],
    ['is text', async () => 'text'],
  ])('is refused: it %s', async (_, make) => {
    const checked = await verify(await make());
    expect(checked.kind, JSON.stringify(checked)).toBe('refused');
  });
});

describe('a bundle that cannot be verified', () => {
  test('a signature over an artifact that was not fetched', async () => {
    expect(await verify(await sigstore.signArtifact(ARTIFACT), { artifact: null })).toMatchObject({
      kind: 'unverifiable',
    });
  });

  test('a bundle in a log that is not in the trusted root', async () => {
    const bundle = await (await startSigstore()).attest({ sha256: SHA256 });
    for (const trustedRoot of [root, { kind: 'public' } as const])
      expect(await verify(bundle, { trustedRoot })).toMatchObject({
        kind: 'unverifiable',
        remedy: expect.stringContaining('--trusted-root'),
      });
  });

  test.each(['', '{', '{}', '[]', '{"certificateAuthorities":[]}'])(
    'by the trusted root %j',
    async (text) => {
      const trustedRoot = { kind: 'given', text, name: 'root.json' } as const;
      const checked = await verify(await sigstore.attest({ sha256: SHA256 }), { trustedRoot });
      expect(checked).toMatchObject({ kind: 'unverifiable', problem: expect.stringContaining('root.json') });
    },
  );
});

test('the public instance has authorities and both kinds of logs', () => {
  const read = readTrustedRoot({ kind: 'public' });
  if ('problem' in read) throw new Error(read.problem);
  const { certificateAuthorities, tlogs, ctlogs } = read.trustedRoot;
  expect(Math.min(certificateAuthorities.length, tlogs.length, ctlogs.length)).toBeGreaterThan(0);
});
