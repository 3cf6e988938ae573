import type {
  Build,
  CheckedAttestation,
  Fetched,
  Gathered,
  ListingEvidence,
  ParsedListing,
} from '../model/listing.ts';
import { addressEvidence, found, missing, undecided } from './evidence.ts';

const KEY = 'build';

/** The digest of the artifact, or an attestation of it; each that the listing has must be valid. */
export function buildEvidence(
  listing: ParsedListing,
  build: Build,
  gathered: Gathered | null,
): readonly ListingEvidence[] {
  const { artifact, digest, attestation } = build;
  const fetched = gathered?.artifact ?? null;
  const evidence = [
    ...(artifact === undefined ? [] : [artifactEvidence(listing, digest, fetched)]),
    ...(attestation === undefined ? [] : [attestationEvidence(listing, gathered?.attestation ?? null)]),
  ];
  if (attestation === undefined && (artifact === undefined || digest === undefined))
    return [
      ...evidence,
      missing(listing, {
        key: KEY,
        text: 'the build cannot be verified without the artifact with its digest, or an attestation',
        expected: 'artifact and digest, or an attestation',
        received: keysOf(build),
        remedy: 'Set "artifact" and "digest", or "attestation".',
      }),
    ];
  return evidence;
}

function keysOf(build: Build): string {
  const keys = Object.keys(build);
  return keys.length === 0 ? 'nothing' : keys.join(', ');
}

function artifactEvidence(
  listing: ParsedListing,
  digest: string | undefined,
  fetched: Fetched | null,
): ListingEvidence {
  const read = addressEvidence({ listing, key: KEY, what: 'the build artifact', fetched, notEmpty: true });
  if (read.kind !== 'found' || digest === undefined || fetched?.kind !== 'answered') return read;
  const made = `sha256:${fetched.sha256}`;
  return made === digest
    ? found(`the build artifact at ${fetched.url} has the digest in the listing, ${digest}`)
    : missing(listing, {
        key: KEY,
        text: 'the build artifact does not have the digest in the listing',
        expected: digest,
        received: made,
        remedy: 'Publish the artifact with this digest, or set the digest of the published artifact.',
      });
}

function attestationEvidence(listing: ParsedListing, checked: CheckedAttestation | null): ListingEvidence {
  const what = 'the attestation of the build';
  if (checked === null || checked.kind === 'unfetched')
    return addressEvidence({ listing, key: KEY, what, fetched: checked?.fetched ?? null, notEmpty: true });
  if (checked.kind === 'verified') {
    const { identity, issuer } = checked.signer;
    const by = `${identity ?? 'a key without a name'}${issuer === null ? '' : `, issued by ${issuer}`}`;
    return found(`${what} is verified: ${checked.digest} was signed by ${by}`);
  }
  if (checked.kind === 'unverifiable')
    return undecided(listing, {
      key: KEY,
      text: `${what} could not be verified: ${checked.problem}`,
      expected: 'an attestation that can be verified',
      received: checked.problem,
      remedy: checked.remedy,
    });
  return missing(listing, {
    key: KEY,
    text: `${what} is invalid: ${checked.problem}`,
    expected: 'a Sigstore bundle for this artifact, with a valid signature',
    received: checked.problem,
    remedy: 'Attest the artifact in the listing, and publish that bundle.',
  });
}
