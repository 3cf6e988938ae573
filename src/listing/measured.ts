import { anyObject, orNull, requireArguments, required } from '../model/arguments.ts';
import { LISTING, type Listing, type Measured } from '../model/listing.ts';
import { RESULT, type TestResult } from '../model/report.ts';
import { MEASURED_FIELDS, type ServerRecord } from '../model/server-record.ts';

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
  const [uptime, responseTime, lastUpdated] = [
    measured?.uptime ?? listing.uptime ?? null,
    measured?.responseTime ?? listing.responseTime ?? null,
    measured?.lastUpdated ?? listing.lastUpdated ?? null,
  ];
  return { uptime, responseTime, lastUpdated };
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
  const shown = shownOf(listing, measured);
  if (MEASURED_FIELDS.some((field) => shown[field] === null)) return null;
  const { id, name, description, category, tags, transport, audited, openSource, endpoint, protocol } =
    listing;
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
    ...(protocol === undefined ? {} : { protocol }),
    figures:
      typeof measured?.uptime === 'number' && typeof measured.responseTime === 'number'
        ? 'observed'
        : 'claimed',
  };
}
