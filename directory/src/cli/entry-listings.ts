import { readListings, SuiteError, wholeListing } from 'probity';
import { UsageError } from 'probity/command-line';
import { type Listing, targetVariable } from 'probity/model';
import { refuseUrl } from 'probity/service';
import { RESERVED_IDS } from '../store/server-id.ts';

/** What may stand in listings that are to be entries of a directory. */
export interface ListingFlags {
  readonly allowPrivate?: boolean;
}

/** @throws UsageError when something is wrong with one of them */
export async function readEntryListings(
  files: readonly string[],
  flags: ListingFlags,
): Promise<readonly Listing[]> {
  const errors: SuiteError[] = [];
  const listings = new Map<string, Listing>();
  for (const file of files)
    for await (const read of readListings(file)) {
      try {
        if (read.kind === 'refused') throw read.error;
        const listing = wholeListing(read.listing);
        refuseListing(listing, flags);
        if (listings.has(targetVariable(listing.id))) throw twice(listing.id);
        listings.set(targetVariable(listing.id), listing);
      } catch (error) {
        if (!(error instanceof SuiteError)) throw error;
        errors.push(error);
      }
    }
  if (errors.length > 0) throw new UsageError(`${together(errors)}\n\nNothing was changed.`);
  return [...listings.values()];
}

/**
 * Counts the listings of a file. None of them is kept, because they may be too many.
 *
 * @throws UsageError when something is wrong with one of them, or there is none
 */
export async function checkEntryListings(
  file: string,
  flags: ListingFlags & { readonly listed?: boolean },
): Promise<number> {
  const errors: SuiteError[] = [];
  const seen = new Set<string>();
  let count = 0;
  for await (const read of readListings(file)) {
    try {
      if (read.kind === 'refused') throw read.error;
      const listing = wholeListing(read.listing);
      refuseListing(listing, flags);
      if (flags.listed === true && (listing.uptime === undefined || listing.responseTime === undefined))
        throw new UsageError(
          `${file}:${read.line}: ${listing.id} cannot be listed at once: its listing claims no uptime or no responseTime. Leave out --listed, or add both.`,
        );
      if (seen.has(targetVariable(listing.id))) throw twice(listing.id);
      seen.add(targetVariable(listing.id));
      count += 1;
    } catch (error) {
      if (!(error instanceof SuiteError)) throw error;
      errors.push(error);
      if (errors.length >= MAX_ERRORS) break;
    }
  }
  if (errors.length > 0) throw new UsageError(`${together(errors)}\n\nNothing was imported.`);
  if (count === 0) throw new UsageError(`There is no listing in ${file}.`);
  return count;
}

const MAX_ERRORS = 20;

/** One after the other, of a file that was checked. */
export async function* wholeListings(file: string): AsyncGenerator<Listing> {
  for await (const read of readListings(file)) {
    if (read.kind === 'refused') throw read.error;
    yield wholeListing(read.listing);
  }
}

function refuseListing(listing: Listing, { allowPrivate }: ListingFlags): void {
  const { id, endpoint } = listing;
  if (RESERVED_IDS.has(id))
    throw new UsageError(`The id "${id}" is taken by the path /v1/servers/${id} itself. Choose another.`);
  const refusal = allowPrivate === true ? null : refuseUrl(new URL(endpoint));
  if (refusal !== null)
    throw new UsageError(
      `The endpoint of ${id}: ${refusal}. A directory for everybody lists public servers; for one of your own network, give --allow-private here and to \`directory serve\`.`,
    );
}

function twice(id: string): UsageError {
  return new UsageError(
    `${id} stands there twice. Each server has an id of its own, not only in case and punctuation.`,
  );
}

function together(errors: readonly SuiteError[]): string {
  return errors.map(({ message }) => message).join('\n\n');
}
