import type {
  Build,
  CheckedAttestation,
  Fetched,
  Gathered,
  ListingEvidence,
  ListingRow,
  ParsedListing,
} from '../model/listing.ts';
import { addressEvidence, found, missing, outcomeOfAll, undecided } from './evidence.ts';

/** One way is enough; the evidence of every way in the listing is reported. */
export function openOrVerifiable(
  listing: ParsedListing,
  gathered: Gathered | null,
  testRemedy?: string,
): Pick<ListingRow, 'outcome' | 'evidence'> {
  const { repository, build, deployment, openSource } = listing.said;
  const ways: ListingEvidence[][] = [];
  if (repository !== undefined) {
    const [what, fetched] = ['the source repository', gathered?.repository ?? null] as const;
    ways.push([addressEvidence({ listing, key: 'repository', what, fetched, testRemedy })]);
  }
  if (build !== undefined) ways.push(buildEvidence(listing, { build, gathered, testRemedy }));
  if (deployment !== undefined) {
    const [what, fetched] = ['the instructions of the deployment', gathered?.instructions ?? null] as const;
    ways.push([
      found(`the deployment must produce ${deployment.digest}`),
      addressEvidence({ listing, key: 'deployment', what, fetched, testRemedy, notEmpty: true }),
    ]);
  }
  const general: ListingEvidence[] = [];
  if (openSource === true && repository === undefined)
    general.push(
      missing(listing, {
        key: 'openSource',
        text: 'the listing claims open source, but names no repository',
        expected: 'repository, an address',
        received: 'nothing',
        remedy: 'Set "repository" to the address of the source, or set `openSource: false`.',
      }),
    );
  else if (ways.length === 0)
    general.push(
      missing(listing, {
        text: 'the listing names no source repository, no verifiable build and no reproducible deployment',
        expected: 'repository, build or deployment',
        received: 'none of them',
        remedy:
          'Add a public repository, a build with its digest or attestation, or a deployment with its instructions and digest.',
      }),
    );
  const evidence = [...general, ...ways.flat()];
  const outcomes = ways.map(outcomeOfAll);
  if (outcomes.includes('passed')) return { outcome: 'passed', evidence };
  return { outcome: outcomes.includes('undecided') ? 'undecided' : 'failed', evidence };
}

const KEY = 'build';

/** The digest of the artifact, or an attestation of it; each that the listing has must be valid. */
function buildEvidence(
  listing: ParsedListing,
  {
    build,
    gathered,
    testRemedy,
  }: Readonly<{ build: Build; gathered: Gathered | null; testRemedy: string | undefined }>,
): ListingEvidence[] {
  const { artifact, digest, attestation } = build;
  const fetched = gathered?.artifact ?? null;
  const evidence = [
    ...(artifact === undefined ? [] : [artifactEvidence(listing, digest, { fetched, testRemedy })]),
    ...(attestation === undefined
      ? []
      : [attestationEvidence(listing, gathered?.attestation ?? null, testRemedy)]),
  ];
  if (attestation === undefined && (artifact === undefined || digest === undefined))
    return [
      ...evidence,
      missing(listing, {
        key: KEY,
        text: 'the build cannot be verified without the artifact with its digest, or an attestation',
        expected: 'artifact and digest, or an attestation',
        received: Object.keys(build).join(', ') || 'nothing',
        remedy: 'Set "artifact" and "digest", or "attestation".',
      }),
    ];
  return evidence;
}

function artifactEvidence(
  listing: ParsedListing,
  digest: string | undefined,
  { fetched, testRemedy }: Readonly<{ fetched: Fetched | null; testRemedy: string | undefined }>,
): ListingEvidence {
  const read = addressEvidence({
    listing,
    key: KEY,
    what: 'the build artifact',
    fetched,
    testRemedy,
    notEmpty: true,
  });
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

function attestationEvidence(
  listing: ParsedListing,
  checked: CheckedAttestation | null,
  testRemedy: string | undefined,
): ListingEvidence {
  const what = 'the attestation of the build';
  if (checked === null || checked.kind === 'unfetched')
    return addressEvidence({
      listing,
      key: KEY,
      what,
      fetched: checked?.fetched ?? null,
      testRemedy,
      notEmpty: true,
    });
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
