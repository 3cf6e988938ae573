import type { Fetched, ListingEvidence, ListingRow, ParsedListing } from '../model/listing.ts';
import type { SourceLocation } from '../model/suite.ts';

export type Lack = Extract<ListingEvidence, { kind: 'missing' | 'undecided' }>;
type LackParts = Pick<Lack, 'text' | 'expected' | 'received' | 'remedy'> &
  Partial<Pick<Lack, 'fault' | 'key'>>;

export function found(text: string): ListingEvidence {
  return { kind: 'found', text };
}

/** The author's to mend. */
export function missing(listing: ParsedListing, parts: LackParts): ListingEvidence {
  return { kind: 'missing', fault: 'server', ...parts, where: placeOf(listing, parts.key) };
}

/** Nobody can say, for want of what the remedy says. */
export function undecided(listing: ParsedListing, parts: LackParts): ListingEvidence {
  return { kind: 'undecided', fault: 'harness', ...parts, where: placeOf(listing, parts.key) };
}

function placeOf({ places, where }: ParsedListing, key: string | undefined): SourceLocation {
  return (key === undefined || !Object.hasOwn(places, key) ? undefined : places[key]) ?? where;
}

/** What all of it comes to, where each has to hold. */
export function outcomeOfAll(evidence: readonly ListingEvidence[]): ListingRow['outcome'] {
  if (evidence.some(({ kind }) => kind === 'missing')) return 'failed';
  return evidence.some(({ kind }) => kind === 'undecided') ? 'inconclusive' : 'passed';
}

const GONE = new Set([404, 410]);

/** An address that the listing names, and what came of fetching it. */
export interface NamedAddress {
  readonly listing: ParsedListing;
  /** Its top-level key. */
  readonly key: string;
  /** What is there, in words: "the source repository". */
  readonly what: string;
  readonly fetched: Fetched | null;
  /** What is there has to hold something. */
  readonly notEmpty?: true;
}

/** Whether something can be read at an address. Only what the server there says for certain is held against the author. */
export function addressEvidence({ listing, key, what, fetched, notEmpty }: NamedAddress): ListingEvidence {
  const expected = `${what} at the address that "${key}" names`;
  if (fetched === null)
    return undecided(listing, {
      key,
      text: `${what} was not looked at`,
      expected,
      received: 'nothing was asked',
      remedy: 'Check the server with `probity check --listing FILE`, which fetches what the listing names.',
    });
  const { url } = fetched;
  if (fetched.kind === 'unanswered') {
    const { code, message, fault } = fetched.reason;
    const parts = { key, expected, received: message, fault };
    if (code === 'address-refused')
      return missing(listing, {
        ...parts,
        text: `${what} is not on the public internet: ${url}`,
        remedy: `Give "${key}" an address that everybody can reach.`,
        fault: 'server',
      });
    return undecided(listing, {
      ...parts,
      text: `${what} could not be fetched from ${url}: ${message}`,
      remedy:
        fault === 'network'
          ? 'Check the network and the address, and try again.'
          : 'Open the address in a browser, mend what it says, and try again.',
    });
  }
  const { status, bytes } = fetched;
  if (GONE.has(status))
    return missing(listing, {
      key,
      text: `${what} is not there: ${url} answers ${status}`,
      expected,
      received: `status ${status}`,
      remedy: `Correct "${key}", or make what it names public: without an account it has to answer 200.`,
    });
  if (status < 200 || status >= 300)
    return undecided(listing, {
      key,
      text: `${what} could not be read: ${url} answers ${status}`,
      expected,
      received: `status ${status}`,
      remedy: 'Open the address without being logged in; if it opens there, try again later.',
    });
  if (notEmpty && bytes === 0)
    return missing(listing, {
      key,
      text: `${what} is empty: ${url} answers ${status} with no byte`,
      expected,
      received: 'an empty body',
      remedy: `Correct "${key}", or write what it names.`,
    });
  return found(`${what} can be read: ${url} answers ${status}, ${bytes} bytes`);
}
