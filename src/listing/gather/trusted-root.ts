import { TrustedRoot } from '@sigstore/protobuf-specs';
import seeds from '@sigstore/tuf/seeds.json' with { type: 'json' };
import type { TrustedRootSource } from './trusted-root-source.ts';

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
