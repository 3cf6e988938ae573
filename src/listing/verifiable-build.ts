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

/** A digest that was made again from the artifact, or an attestation of it that was verified: each that is given has to hold. */
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
        text: 'nobody can verify the build: that takes the artifact with its digest, or an attestation of it',
        expected: 'artifact and digest, or an attestation',
        received: keysOf(build),
        remedy: 'Give "artifact" and "digest", or "attestation".',
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
    ? found(`the build artifact at ${fetched.url} has the digest that the listing gives, ${digest}`)
    : missing(listing, {
        key: KEY,
        text: 'the build artifact has another digest than the listing gives',
        expected: digest,
        received: made,
        remedy: 'Publish the artifact that the digest was made of, or give the digest of what is published.',
      });
}

function attestationEvidence(listing: ParsedListing, checked: CheckedAttestation | null): ListingEvidence {
  const what = 'the attestation of the build';
  if (checked === null || checked.kind === 'unfetched')
    return addressEvidence({ listing, key: KEY, what, fetched: checked?.fetched ?? null, notEmpty: true });
  if (checked.kind === 'verified') {
    const { identity, issuer } = checked.signer;
    const by = `${identity ?? 'a key without a name'}${issuer === null ? '' : `, for whom ${issuer} vouches`}`;
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
    text: `${what} does not hold: ${checked.problem}`,
    expected: 'a Sigstore bundle about this artifact, with a signature that holds',
    received: checked.problem,
    remedy: 'Attest the artifact that the listing names, and publish that bundle.',
  });
}
