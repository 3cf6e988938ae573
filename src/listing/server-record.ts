import type { ListingEvidence, ParsedListing } from '../model/listing.ts';
import type { TestResult } from '../model/report.ts';
import { MEASURED_FIELDS } from '../model/server-record.ts';
import { parseTarget } from '../model/target.ts';
import { found, type Lack, missing, undecided } from './evidence.ts';
import { measuredIn, shownOf } from './measured.ts';

/** Every field of the server record is present and valid, and the endpoint is the tested address. */
export function recordEvidence(
  listing: ParsedListing,
  result: TestResult | null,
): readonly ListingEvidence[] {
  const { said, problems } = listing;
  const wrong = problems.map(
    ({ field, where, message, expected, received, remedy }): Lack => ({
      kind: 'missing',
      fault: 'server',
      text: message.includes(field) ? message : `${field}: ${message}`,
      expected,
      received,
      remedy,
      key: field,
      where,
    }),
  );
  const shown = shownOf(said, result === null ? null : measuredIn(result));
  const reported = new Set(problems.map(({ field }) => field));
  const unknown = MEASURED_FIELDS.filter((field) => shown[field] === null && !reported.has(field)).map(
    (field) =>
      undecided(listing, {
        key: field,
        text: `the field "${field}" is neither measured nor claimed yet`,
        expected: 'a measured value',
        received: 'none',
        remedy: 'Test the server with response times: `probity check --listing FILE`.',
      }),
  );
  const evidence = [...wrong, ...unknown, ...endpointEvidence(listing, result)];
  return evidence.length > 0
    ? evidence
    : [
        found(
          `every field of the server record is present: response time ${shown.responseTime} ms, uptime ${shown.uptime} %, last updated ${shown.lastUpdated}`,
        ),
      ];
}

function endpointEvidence(listing: ParsedListing, result: TestResult | null): readonly ListingEvidence[] {
  const { endpoint } = listing.said;
  if (endpoint === undefined || result === null) return [];
  const tested = result.target.url;
  if (normalised(endpoint) === normalised(tested)) return [];
  return [
    missing(listing, {
      key: 'endpoint',
      text: 'the endpoint of the listing is not the server that was tested',
      expected: `the tested address, ${tested}`,
      received: endpoint,
      remedy:
        'Test the endpoint: without an address, `probity check --listing FILE` uses that of the listing.',
    }),
  ];
}

function normalised(url: string): string {
  const parsed = parseTarget(url);
  return 'problem' in parsed ? url : parsed.target.url;
}
