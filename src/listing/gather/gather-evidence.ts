import { jsonOrNull } from '../../json/json.ts';
import {
  abortSignal,
  flag,
  milliseconds,
  record,
  requireArguments,
  required,
  text,
} from '../../model/arguments.ts';
import { type Header, isSuccess } from '../../model/exchange.ts';
import type { TypeOf } from '../../model/kind.ts';
import {
  type Build,
  type CheckedAttestation,
  type Fetched,
  type Gathered,
  PARSED_LISTING,
  type ParsedListing,
} from '../../model/listing.ts';
import { createConnectionPool } from '../../probe/connection-pool.ts';
import { type FetchOptions, fetchAddress, fetchBody } from '../../probe/fetch-address.ts';
import { TRUSTED_ROOT, type TrustedRootSource } from './trusted-root-source.ts';
import {
  type ArtifactSignatures,
  createArtifactSignatures,
  verifyAttestation,
} from './verify-attestation.ts';

const PAGE_TIMEOUT_MS = 20_000;
const ARTIFACT_TIMES = 6;
/** Pages are read completely, to detect empty ones; their content is not stored. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;
const MAX_ARTIFACT_BYTES = 256 * 1024 * 1024;
const MAX_BUNDLE_BYTES = 4 * 1024 * 1024;

const GATHER_OPTIONS = record({
  /** Connects only to public addresses, before and after redirects. */
  publicOnly: required(flag),
  /** Certificate authorities to trust instead of the default ones, as PEM. */
  ca: text,
  /** The trusted root for bundles; default: the public Sigstore instance. */
  trustedRoot: TRUSTED_ROOT,
  userAgent: required(text),
  signal: abortSignal,
  /** Time limit of a page, in milliseconds; the artifact has several times as much. */
  timeoutMs: milliseconds,
  /** Time limit of any request. */
  deadlineMs: milliseconds,
});
export type GatherOptions = TypeOf<typeof GATHER_OPTIONS>;

/**
 * Fetches all evidence of a listing concurrently, and verifies signatures and digests. A failed fetch is not an
 * error, but part of the result.
 *
 * @throws OptionError when an option is unknown or is of the wrong kind
 */
export async function gatherEvidence(listing: ParsedListing, options: GatherOptions): Promise<Gathered> {
  requireArguments(
    'gatherEvidence',
    { listing, options },
    { listing: PARSED_LISTING, options: required(GATHER_OPTIONS) },
  );
  const { said } = listing;
  const {
    signal = new AbortController().signal,
    timeoutMs = PAGE_TIMEOUT_MS,
    deadlineMs = Number.POSITIVE_INFINITY,
    userAgent,
    publicOnly,
    ca,
  } = options;
  const headers: readonly Header[] = [
    ['accept', '*/*'],
    ['accept-encoding', 'identity'],
    ['user-agent', userAgent],
  ];
  const pageMs = Math.min(timeoutMs, deadlineMs);
  const pool = createConnectionPool({ publicOnly, ca: ca ?? null, connectTimeoutMs: pageMs, viaProxy: true });
  const common = { publicOnly, pool, headers, signal };
  const page = { ...common, timeoutMs: pageMs, maxBytes: MAX_PAGE_BYTES, exact: false };
  const artifact = {
    ...common,
    timeoutMs: Math.min(timeoutMs * ARTIFACT_TIMES, deadlineMs),
    maxBytes: MAX_ARTIFACT_BYTES,
    exact: true,
  };
  const bundle = { ...common, timeoutMs: pageMs, maxBytes: MAX_BUNDLE_BYTES, exact: true };
  const fetched = (url: string | undefined, how: FetchOptions): Promise<Fetched> | null =>
    url === undefined ? null : fetchAddress(url, how);
  try {
    const [repository, documentation, auditReport, instructions, build] = await Promise.all([
      fetched(said.repository, page),
      fetched(said.documentation, page),
      fetched(said.auditReport?.url, page),
      fetched(said.deployment?.instructions, page),
      gatherBuild(said.build, artifact, bundle, options.trustedRoot),
    ]);
    return { repository, documentation, auditReport, instructions, ...build };
  } finally {
    await pool.close();
  }
}

async function gatherBuild(
  build: Build | undefined,
  forArtifact: FetchOptions,
  forBundle: FetchOptions,
  trustedRoot: TrustedRootSource | undefined,
): Promise<Pick<Gathered, 'artifact' | 'attestation'>> {
  const attestation = build?.attestation;
  let signatures: ArtifactSignatures | null = null;
  const listen = (): ArtifactSignatures['take'] => {
    signatures = createArtifactSignatures();
    return signatures.take;
  };
  const [artifact, read] = await Promise.all([
    build?.artifact === undefined ? null : fetchAddress(build.artifact, { ...forArtifact, listen }),
    typeof attestation === 'string' ? fetchBody(attestation, forBundle) : null,
  ]);
  if (build === undefined || attestation === undefined) return { artifact, attestation: null };
  if (read !== null && (read.fetched.kind === 'unanswered' || !isSuccess(read.fetched.status)))
    return { artifact, attestation: { kind: 'unfetched', fetched: read.fetched } };
  const bundle = read === null ? attestation : jsonOrNull(read.body.toString('utf8'));
  const digests = digestsOf(build, artifact);
  if (digests.length === 0) return { artifact, attestation: coversNothing(artifact) };
  return {
    artifact,
    attestation: await verifyAttestation({
      bundle,
      digests,
      artifact: artifact?.kind === 'answered' && isSuccess(artifact.status) ? signatures : null,
      signer: build.signer ?? null,
      trustedRoot: trustedRoot ?? { kind: 'public' },
    }),
  };
}

/** The computed digest of the artifact or, without an artifact, the digest in the listing. */
function digestsOf({ digest }: Build, artifact: Fetched | null): readonly string[] {
  if (artifact?.kind === 'answered' && isSuccess(artifact.status))
    return [`sha256:${artifact.sha256}`, `sha512:${artifact.sha512}`];
  return digest === undefined ? [] : [digest];
}

function coversNothing(artifact: Fetched | null): CheckedAttestation {
  return artifact === null
    ? {
        kind: 'refused',
        problem: 'the listing has neither the artifact nor its digest, so the attestation covers nothing',
      }
    : {
        kind: 'unverifiable',
        problem: 'the artifact could not be fetched, and the listing has no digest of it',
        remedy: 'Set the digest of the artifact under "build".',
      };
}
