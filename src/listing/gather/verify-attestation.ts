import { createVerify, type KeyObject } from 'node:crypto';
import { type Bundle, bundleFromJSON } from '@sigstore/bundle';
import { HashAlgorithm, TrustedRoot } from '@sigstore/protobuf-specs';
import seeds from '@sigstore/tuf/seeds.json' with { type: 'json' };
import {
  PolicyError,
  type SignedEntity,
  toSignedEntity,
  toTrustMaterial,
  VerificationError,
  Verifier,
} from '@sigstore/verify';
import { isJsonObject, ownProperty } from '../../json/json.ts';
import type { Build, CheckedAttestation } from '../../model/listing.ts';
import type { TrustedRootSource } from './trusted-root-source.ts';

export interface ToVerify {
  /** The parsed JSON, not validated. */
  readonly bundle: unknown;
  /** Digests of the artifact, such as `sha256:…`; the bundle must cover one of them. */
  readonly digests: readonly string[];
  /** Verifies signatures over the streamed artifact; null if it was not fetched. */
  readonly artifact: ArtifactSignatures | null;
  /** The required signer; null for any. */
  readonly signer: Build['signer'] | null;
  readonly trustedRoot: TrustedRootSource;
}

/**
 * Verifies a Sigstore bundle offline: the certificate and its log, the signature log, the signature, the artifact and
 * the signer. Never rejects.
 */
export async function verifyAttestation({
  bundle: given,
  digests,
  artifact,
  signer: wanted,
  trustedRoot,
}: ToVerify): Promise<CheckedAttestation> {
  const root = readTrustedRoot(trustedRoot);
  if ('problem' in root)
    return {
      kind: 'unverifiable',
      problem: root.problem,
      remedy: 'Set a trusted root with --trusted-root FILE.',
    };
  let bundle: Bundle;
  try {
    bundle = bundleFromJSON(given);
  } catch (error) {
    return { kind: 'refused', problem: `it is not a Sigstore bundle (${messageOf(error)})` };
  }
  if (bundle.verificationMaterial.content.$case === 'publicKey')
    return {
      kind: 'refused',
      problem: 'it was signed with an unknown key instead of a certificate',
    };
  const about = digestSigned(bundle, digests);
  if (about === null)
    return { kind: 'refused', problem: `it does not cover the artifact, ${digests[0] ?? ''}` };
  if (!isInKnownLogs(bundle, root.trustedRoot))
    return {
      kind: 'unverifiable',
      problem: 'it is in a log that the trusted root does not contain',
      remedy:
        'Set the trusted root of the signing instance with --trusted-root FILE. A newer release of Probity contains newer logs of the public instance.',
    };
  if (bundle.content.$case === 'messageSignature' && artifact === null)
    return {
      kind: 'unverifiable',
      problem: 'it signs the artifact itself, which was not fetched',
      remedy: 'Set the address of the artifact under "build".',
    };
  try {
    const { tlogs, ctlogs } = root.trustedRoot;
    // An instance without a log requires none; the public one has both.
    const verifier = new Verifier(toTrustMaterial(root.trustedRoot), {
      tlogThreshold: Math.min(1, tlogs.length),
      ctlogThreshold: Math.min(1, ctlogs.length),
      timestampThreshold: 1,
    });
    const { identity: certificate } = verifier.verify(signedEntity(bundle, artifact));
    const identity = certificate?.subjectAlternativeName ?? null;
    const issuer = certificate?.extensions?.issuer ?? null;
    // The verifier's own policy treats an identity as a regular expression, and matches it anywhere in the name.
    if (wanted && (identity !== wanted.identity || issuer !== wanted.issuer))
      return {
        kind: 'refused',
        problem: `it was signed by ${identity ?? 'an unnamed signer'} (${issuer ?? 'no issuer'}), not by ${wanted.identity} (${wanted.issuer})`,
      };
    return { kind: 'verified', digest: about, signer: { identity, issuer } };
  } catch (error) {
    // Other errors come from a bundle with unreadable parts.
    const detail =
      error instanceof VerificationError || error instanceof PolicyError ? error.code : 'unreadable';
    return { kind: 'refused', problem: `${messageOf(error)} (${detail})` };
  }
}

/** A log that is newer than the root is not the signer’s fault. */
function isInKnownLogs({ verificationMaterial }: Bundle, { tlogs }: TrustedRoot): boolean {
  const known = new Set(
    tlogs.map(({ checkpointKeyId, logId }) => (checkpointKeyId ?? logId)?.keyId.toString('hex')),
  );
  return verificationMaterial.tlogEntries.every(({ logId }) => known.has(logId?.keyId.toString('hex')));
}

/** For a signed message, the verifier requires the whole artifact in memory. */
function signedEntity(bundle: Bundle, artifact: ArtifactSignatures | null): SignedEntity {
  const entity = toSignedEntity(bundle, Buffer.alloc(0));
  const { content } = bundle;
  if (content.$case !== 'messageSignature') return entity;
  const { signature, messageDigest } = content.messageSignature;
  const own = entity.signature;
  return {
    ...entity,
    signature: {
      signature,
      compareSignature: (other) => own.compareSignature(other),
      compareDigest: (digest) => own.compareDigest(digest),
      verifySignature: (key) =>
        artifact?.isSignedBy(hashName(messageDigest.algorithm) ?? '', key, signature) ?? false,
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
}

const IN_TOTO = 'application/vnd.in-toto+json';

/** Names of hashes as digests carry them. */
const HASH_NAMES: Readonly<Partial<Record<HashAlgorithm, string>>> = {
  [HashAlgorithm.SHA2_256]: 'sha256',
  [HashAlgorithm.SHA2_384]: 'sha384',
  [HashAlgorithm.SHA2_512]: 'sha512',
};

function hashName(algorithm: HashAlgorithm): string | null {
  return HASH_NAMES[algorithm] ?? null;
}

/**
 * Which of the digests a bundle covers: that of a signed message, or of a subject of an in-toto statement. Null for
 * none. Nothing is verified here.
 */
function digestSigned({ content }: Bundle, digests: readonly string[]): string | null {
  const signed = new Set(
    content.$case === 'messageSignature' ? messageDigest(content) : subjectDigests(content.dsseEnvelope),
  );
  return digests.find((digest) => signed.has(digest)) ?? null;
}

type Message = Extract<Bundle['content'], { $case: 'messageSignature' }>;
type Envelope = Extract<Bundle['content'], { $case: 'dsseEnvelope' }>['dsseEnvelope'];

function messageDigest({ messageSignature: { messageDigest: message } }: Message): readonly string[] {
  const name = hashName(message.algorithm);
  return name === null ? [] : [`${name}:${message.digest.toString('hex')}`];
}

function subjectDigests({ payloadType, payload }: Envelope): readonly string[] {
  if (payloadType !== IN_TOTO) return [];
  let statement: unknown;
  try {
    statement = JSON.parse(payload.toString('utf8'));
  } catch {
    return [];
  }
  const subjects = ownProperty(statement, 'subject');
  return (Array.isArray(subjects) ? subjects : []).flatMap((subject) => {
    const digest = ownProperty(subject, 'digest');
    return isJsonObject(digest)
      ? Object.entries(digest).map(([name, value]) => `${name}:${String(value).toLowerCase()}`)
      : [];
  });
}

/** Never throws: without a trusted root, a signature is undecided, not wrong. */
export function readTrustedRoot(
  source: TrustedRootSource,
): { readonly trustedRoot: TrustedRoot } | { readonly problem: string } {
  const name = source.kind === 'public' ? 'the trusted root of the public instance' : source.name;
  try {
    const trustedRoot = TrustedRoot.fromJSON(
      JSON.parse(source.kind === 'public' ? publicRoot() : source.text),
    );
    return trustedRoot.certificateAuthorities.length === 0
      ? { problem: `${name} names no certificate authority` }
      : { trustedRoot };
  } catch (error) {
    return { problem: `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function publicRoot(): string {
  const [mirror] = Object.values(seeds);
  return Buffer.from(mirror?.targets['trusted_root.json'] ?? '', 'base64').toString('utf8');
}

export type ArtifactSignatures = ReturnType<typeof createArtifactSignatures>;

/** Verifies signatures over an artifact that was streamed and not stored. */
export function createArtifactSignatures() {
  const verifiers = new Map(['sha256', 'sha384', 'sha512'].map((hash) => [hash, createVerify(hash)]));
  return {
    take: (part: Buffer): void => {
      for (const verifier of verifiers.values()) verifier.update(part);
    },
    /** Once for each hash. */
    isSignedBy: (hash: string, key: KeyObject, signature: Buffer): boolean =>
      verifiers.get(hash)?.verify(key, signature) ?? false,
  };
}
