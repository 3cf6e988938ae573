import type { Bundle } from '@sigstore/bundle';
import { HashAlgorithm } from '@sigstore/protobuf-specs';
import { isJsonObject, ownProperty } from '../../model/json.ts';

const IN_TOTO = 'application/vnd.in-toto+json';

/** Names of hashes as digests carry them. */
const HASH_NAMES: Readonly<Partial<Record<HashAlgorithm, string>>> = {
  [HashAlgorithm.SHA2_256]: 'sha256',
  [HashAlgorithm.SHA2_384]: 'sha384',
  [HashAlgorithm.SHA2_512]: 'sha512',
};

export function hashName(algorithm: HashAlgorithm): string | null {
  return HASH_NAMES[algorithm] ?? null;
}

/**
 * Which of the digests a bundle covers: that of a signed message, or of a subject of an in-toto statement. Null for
 * none. Nothing is verified here.
 */
export function digestSigned({ content }: Bundle, digests: readonly string[]): string | null {
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
