import type { ParsedListing } from '../../src/model/listing.ts';
import type { TestResult } from '../../src/model/report.ts';
import { withListing } from '../../src/report/with-listing.ts';
import { gatheredOf, listingOf, requirements, testedAs } from '../listing/listings.ts';

/** A result of a conforming server, with the requirements of a listing without an audit. */
export function resultWithListing(
  listing: ParsedListing = listingOf(),
  result: TestResult = testedAs(),
): TestResult {
  return withListing(result, { listing, gathered: gatheredOf() }, requirements);
}
