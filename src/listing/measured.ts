import { anyObject, orNull, requireArguments, required } from '../model/arguments.ts';
import { LISTING, type Listing, type Measured } from '../model/listing.ts';
import { RESULT, type TestResult } from '../model/report.ts';
import { MEASURED_FIELDS, type ServerRecord } from '../model/server-record.ts';

/** What one check measured, in the words of a server record: of a first check, uptime is what was seen in it. Pure. */
export function measuredIn(result: TestResult): Measured {
  requireArguments('measuredIn', { result }, { result: RESULT });
  return {
    uptime: result.reachable ? 100 : 0,
    responseTime: medianMs(result),
    lastUpdated: result.finishedAt,
  };
}

const BY_PREFERENCE = ['health', 'capabilities', 'execute'] as const;

/** Of the operation that every server answers alike; without enough samples for a median, the mean of what there is. */
function medianMs({ responseTimes }: TestResult): number | null {
  for (const operation of BY_PREFERENCE) {
    const times = responseTimes.find((one) => one.operation === operation);
    const figure = times?.p50Ms ?? times?.meanMs;
    if (figure !== undefined) return figure;
  }
  return null;
}

/** What is measured counts, and what the listing claims only where it is not; null while neither says it. */
export function shownOf(
  listing: Pick<Partial<Listing>, keyof Measured>,
  measured: Measured | null,
): Measured {
  const [uptime, responseTime, lastUpdated] = [
    measured?.uptime ?? listing.uptime ?? null,
    measured?.responseTime ?? listing.responseTime ?? null,
    measured?.lastUpdated ?? listing.lastUpdated ?? null,
  ];
  return { uptime, responseTime, lastUpdated };
}

/** The record that a directory shows (specification, section 2.1); null while a field of it is neither measured nor claimed. */
export function recordOf(listing: Listing, measured: Measured | null): ServerRecord | null {
  requireArguments(
    'recordOf',
    { listing, measured },
    { listing: LISTING, measured: required(orNull(anyObject)) },
  );
  const shown = shownOf(listing, measured);
  if (MEASURED_FIELDS.some((field) => shown[field] === null)) return null;
  const { id, name, description, category, tags, transport, audited, openSource, endpoint } = listing;
  const { uptime, responseTime, lastUpdated } = shown as {
    [Field in keyof Measured]: NonNullable<Measured[Field]>;
  };
  return {
    id,
    name,
    description,
    category,
    tags,
    transport,
    uptime,
    responseTime,
    lastUpdated,
    audited,
    openSource,
    endpoint,
  };
}
