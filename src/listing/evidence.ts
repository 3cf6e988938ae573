import type { Fetched, ListingEvidence, ListingRow, ParsedListing } from '../model/listing.ts';
import type { SourceLocation } from '../model/suite.ts';

export type Lack = Extract<ListingEvidence, { kind: 'missing' | 'undecided' }>;
type LackParts = Pick<Lack, 'text' | 'expected' | 'received' | 'remedy'> &
  Partial<Pick<Lack, 'fault' | 'key'>>;

export function found(text: string): ListingEvidence {
  return { kind: 'found', text };
}

/** Evidence that the author must fix. */
export function missing(listing: ParsedListing, parts: LackParts): ListingEvidence {
  return { kind: 'missing', fault: 'server', ...parts, where: placeOf(listing, parts.key) };
}

/** Undecided evidence; the remedy says what is needed. */
export function undecided(listing: ParsedListing, parts: LackParts): ListingEvidence {
  return { kind: 'undecided', fault: 'harness', ...parts, where: placeOf(listing, parts.key) };
}

function placeOf({ places, where }: ParsedListing, key: string | undefined): SourceLocation {
  return (key === undefined || !Object.hasOwn(places, key) ? undefined : places[key]) ?? where;
}

/** The outcome when all evidence is required. */
export function outcomeOfAll(evidence: readonly ListingEvidence[]): ListingRow['outcome'] {
  if (evidence.some(({ kind }) => kind === 'missing')) return 'failed';
  return evidence.some(({ kind }) => kind === 'undecided') ? 'undecided' : 'passed';
}

const GONE = new Set([404, 410]);

/** An address in the listing, and the result of fetching it. */
export interface NamedAddress {
  readonly listing: ParsedListing;
  readonly key: string;
  /** Description of the page: "the source repository". */
  readonly what: string;
  readonly fetched: Fetched | null;
  /** What fetches it, if not the command that tests the server. */
  readonly testRemedy?: string | undefined;
  /** An empty page is a failure. */
  readonly notEmpty?: true;
}

/** Whether an address is readable. Only a definite answer of its server is blamed on the author. */
export function addressEvidence({
  listing,
  key,
  what,
  fetched,
  notEmpty,
  testRemedy = 'Check the server with `probity check --listing FILE`, which fetches the evidence.',
}: NamedAddress): ListingEvidence {
  const expected = `${what} at the address in "${key}"`;
  if (fetched === null)
    return undecided(listing, {
      key,
      text: `${what} was not fetched`,
      expected,
      received: 'no request was sent',
      remedy: testRemedy,
    });
  const { url } = fetched;
  if (fetched.kind === 'unanswered') {
    const { code, message, fault } = fetched.reason;
    const parts = { key, expected, received: message, fault };
    if (code === 'address-refused')
      return missing(listing, {
        ...parts,
        text: `${what} is not on the public internet: ${url}`,
        remedy: `Set "${key}" to a public address.`,
        fault: 'server',
      });
    return undecided(listing, {
      ...parts,
      text: `${what} could not be fetched from ${url}: ${message}`,
      remedy:
        fault === 'network'
          ? 'Check the network and the address, and try again.'
          : 'Open the address in a browser, fix the error that it shows, and try again.',
    });
  }
  const { status, bytes } = fetched;
  if (GONE.has(status))
    return missing(listing, {
      key,
      text: `${what} is missing: ${url} answers ${status}`,
      expected,
      received: `status ${status}`,
      remedy: `Correct "${key}", or make the page public: it must answer 200 without an account.`,
    });
  if (status < 200 || status >= 300)
    return undecided(listing, {
      key,
      text: `${what} could not be read: ${url} answers ${status}`,
      expected,
      received: `status ${status}`,
      remedy: 'Open the address without logging in; if it opens, try again later.',
    });
  if (notEmpty && bytes === 0)
    return missing(listing, {
      key,
      text: `${what} is empty: ${url} answers ${status} with an empty body`,
      expected,
      received: 'an empty body',
      remedy: `Correct "${key}", or publish the page.`,
    });
  return found(`${what} can be read: ${url} answers ${status}, ${bytes} bytes`);
}
