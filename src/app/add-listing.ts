import { gatherEvidence } from '../listing/gather/gather-evidence.ts';
import { TRUSTED_ROOT, type TrustedRootSource } from '../listing/gather/trusted-root-source.ts';
import {
  abortSignal,
  flag,
  type Kinds,
  milliseconds,
  record,
  requireArguments,
  text,
} from '../model/arguments.ts';
import { PARSED_LISTING, type ParsedListing } from '../model/listing.ts';
import { RESULT, type TestResult } from '../model/report.ts';
import { withListing } from '../report/with-listing.ts';
import { loadRegistry } from '../suite/load-suites.ts';
import { harnessVersion } from '../suite/product-files.ts';
import { DEFAULT_SETTINGS } from './run-settings.ts';

export interface AddListingOptions {
  readonly publicOnly?: boolean;
  readonly ca?: string;
  /** What attestations are verified against; the public Sigstore instance when left out. */
  readonly trustedRoot?: TrustedRootSource;
  /** For the check and this together; what is left of it is for this, and a few seconds in any case. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

const ADD_LISTING_OPTIONS = {
  publicOnly: flag,
  ca: text,
  trustedRoot: TRUSTED_ROOT,
  deadlineMs: milliseconds,
  signal: abortSignal,
} satisfies Kinds<AddListingOptions>;

const MIN_MS = 5000;

/**
 * Fetches what a listing names, and adds the requirements of the listing to the result of a check that was made with
 * `listingGiven`. Nothing that was given for the server, such as a key, is sent to anybody else.
 *
 * @throws OptionError when an option is unknown or is of the wrong kind
 */
export async function addListing(
  result: TestResult,
  listing: ParsedListing,
  options: AddListingOptions = {},
): Promise<TestResult> {
  requireArguments(
    'addListing',
    { result, listing, options },
    { result: RESULT, listing: PARSED_LISTING, options: record(ADD_LISTING_OPTIONS) },
  );
  const { publicOnly = false, ca, trustedRoot, deadlineMs = DEFAULT_SETTINGS.deadlineMs, signal } = options;
  const gathered = await gatherEvidence(listing, {
    publicOnly,
    deadlineMs: Math.max(MIN_MS, deadlineMs - result.durationMs),
    userAgent: `probity/${harnessVersion()} (listing check)`,
    ...(ca === undefined ? {} : { ca }),
    ...(trustedRoot === undefined ? {} : { trustedRoot }),
    ...(signal === undefined ? {} : { signal }),
  });
  return withListing(result, { listing, gathered }, [...(await loadRegistry()).values()]);
}
