import { createVerify, type KeyObject } from 'node:crypto';

/** Verifies signatures over an artifact that was streamed and not stored. */
export interface ArtifactSignatures {
  readonly take: (part: Buffer) => void;
  /** Once for each hash: `sha256`, `sha384` or `sha512`. */
  readonly isSignedBy: (hash: string, key: KeyObject, signature: Buffer) => boolean;
}

export function createArtifactSignatures(): ArtifactSignatures {
  const verifiers = new Map(['sha256', 'sha384', 'sha512'].map((hash) => [hash, createVerify(hash)]));
  return {
    take: (part) => {
      for (const verifier of verifiers.values()) verifier.update(part);
    },
    isSignedBy: (hash, key, signature) => verifiers.get(hash)?.verify(key, signature) ?? false,
  };
}
