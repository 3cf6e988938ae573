import { gatherEvidence } from '../listing/gather/gather-evidence.ts';
import { TRUSTED_ROOT } from '../listing/gather/trusted-root-source.ts';
import { abortSignal, flag, milliseconds, record, requireArguments, text } from '../model/arguments.ts';
import { CHECK_SETTINGS } from '../model/check-options.ts';
import type { RecordOf } from '../model/kind.ts';
import { PARSED_LISTING, type ParsedListing } from '../model/listing.ts';
import { RESULT, type TestResult } from '../model/report.ts';
import { withListing } from '../report/with-listing.ts';
import { loadRegistry } from '../suite/load-suites.ts';
import { harnessVersion } from '../suite/product-files.ts';

const ADD_LISTING_OPTIONS = {
  publicOnly: flag,
  ca: text,
  /** What attestations are verified against; the public Sigstore instance when left out. */
  trustedRoot: TRUSTED_ROOT,
  /** Deadline of the check and this together. This gets the remaining time, and at least a few seconds. */
  deadlineMs: milliseconds,
  signal: abortSignal,
};

export type AddListingOptions = RecordOf<typeof ADD_LISTING_OPTIONS>;

const MIN_MS = 5000;

/**
 * Fetches the evidence of a listing, and adds the listing's requirements to the result of a check with
 * `listingGiven`. Keys and headers for the server are not sent to other hosts.
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
  const { publicOnly = false, deadlineMs = CHECK_SETTINGS.deadlineMs.default, ...others } = options;
  const gathered = await gatherEvidence(listing, {
    ...others,
    publicOnly,
    deadlineMs: Math.max(MIN_MS, deadlineMs - result.durationMs),
    userAgent: `probity/${harnessVersion()} (listing check)`,
  });
  return withListing(result, { listing, gathered }, [...(await loadRegistry()).values()]);
}
