import { anyObject, orNull, requireArguments, required } from '../model/arguments.ts';
import {
  LISTING,
  type Listing,
  type ListingEvidence,
  type Measured,
  type ParsedListing,
} from '../model/listing.ts';
import { RESULT, type TestResult } from '../model/report.ts';
import { MEASURED_FIELDS, RECORD_FIELDS, type ServerRecord } from '../model/saved/server-record.ts';
import { parseTarget } from '../model/target.ts';
import { found, type Lack, missing, undecided } from './evidence.ts';

/**
 * The measurements of one check, as fields of a server record. After a first check, uptime covers only that check.
 * Pure.
 */
export function measuredIn(result: TestResult): Measured {
  requireArguments('measuredIn', { result }, { result: RESULT });
  return {
    uptime: result.reachable ? 100 : 0,
    responseTime: medianMs(result),
    lastUpdated: result.finishedAt,
  };
}

const BY_PREFERENCE = ['health', 'capabilities', 'execute'] as const;

/** The median of the most comparable operation; the mean if there are too few samples for a median. */
function medianMs({ responseTimes }: TestResult): number | null {
  for (const operation of BY_PREFERENCE) {
    const times = responseTimes.find((one) => one.operation === operation);
    const figure = times?.p50Ms ?? times?.meanMs;
    if (figure !== undefined) return figure;
  }
  return null;
}

/** The measured value or, without one, the claim of the listing; null without either. */
export function shownOf(
  listing: Pick<Partial<Listing>, keyof Measured>,
  measured: Measured | null,
): Measured {
  return {
    uptime: measured?.uptime ?? listing.uptime ?? null,
    responseTime: measured?.responseTime ?? listing.responseTime ?? null,
    lastUpdated: measured?.lastUpdated ?? listing.lastUpdated ?? null,
  };
}

/**
 * The record that a directory shows (specification, section 2.1); null while a field is neither measured nor claimed.
 */
export function recordOf(listing: Listing, measured: Measured | null): ServerRecord | null {
  requireArguments(
    'recordOf',
    { listing, measured },
    { listing: LISTING, measured: required(orNull(anyObject)) },
  );
  const shown = { ...listing, ...shownOf(listing, measured) };
  if (MEASURED_FIELDS.some((field) => shown[field] === null)) return null;
  const fields = Object.fromEntries(RECORD_FIELDS.map((field) => [field, shown[field]]));
  const { protocol } = listing;
  return {
    ...(fields as unknown as ServerRecord),
    ...(protocol === undefined ? {} : { protocol }),
    figures:
      typeof measured?.uptime === 'number' && typeof measured.responseTime === 'number'
        ? 'observed'
        : 'claimed',
  };
}

/** Every field of the server record is present and valid, and the endpoint is the tested address. */
export function recordEvidence(
  listing: ParsedListing,
  result: TestResult | null,
  testRemedy = 'Test the server with response times: `probity check --listing FILE`.',
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
        text:
          result === null
            ? `the field "${field}" is not claimed, and no test of this listing has measured it yet`
            : `the field "${field}" is neither measured nor claimed`,
        expected: 'a measured value',
        received: 'none',
        remedy: testRemedy,
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
