import { readListings, SuiteError, wholeListing } from 'probity';
import { UsageError } from 'probity/command-line';
import { type Listing, targetVariable } from 'probity/model';
import { refuseUrl } from 'probity/service';
import { RESERVED_IDS } from '../entries/entry-record.ts';

/** What the listings of a directory may contain. */
export interface ListingFlags {
  readonly allowPrivate?: boolean;
  /** Each is listed at once, so it must claim its figures. */
  readonly listed?: boolean;
}

/** @throws UsageError when a listing is invalid */
export async function readEntryListings(
  files: readonly string[],
  flags: ListingFlags,
): Promise<readonly Listing[]> {
  const listings: Listing[] = [];
  const errors: SuiteError[] = [];
  for await (const listing of validListings(files, flags, errors)) listings.push(listing);
  if (errors.length > 0) throw new UsageError(`${joined(errors)}\n\nNothing was changed.`);
  return listings;
}

/**
 * Validates and counts the listings of a file. They are not kept in memory, because the file may be large.
 *
 * @throws UsageError when a listing is invalid, or the file has none
 */
export async function checkEntryListings(file: string, flags: ListingFlags): Promise<number> {
  let count = 0;
  const errors: SuiteError[] = [];
  for await (const _listing of validListings([file], flags, errors, MAX_ERRORS)) count += 1;
  if (errors.length > 0) throw new UsageError(`${joined(errors)}\n\nNothing was imported.`);
  if (count === 0) throw new UsageError(`${file} contains no listings.`);
  return count;
}

/** Yields the valid listings of files, and notes the errors in the others. */
async function* validListings(
  files: readonly string[],
  flags: ListingFlags,
  errors: SuiteError[],
  maxErrors = Number.POSITIVE_INFINITY,
): AsyncGenerator<Listing> {
  const known = new Set<string>();
  for (const file of files)
    for await (const read of readListings(file)) {
      try {
        if (read.kind === 'refused') throw read.error;
        const listing = wholeListing(read.listing);
        refuseListing(listing, flags);
        if (flags.listed === true && (listing.uptime === undefined || listing.responseTime === undefined))
          throw new UsageError(
            `${file}:${read.line}: ${listing.id} cannot be listed at once: its listing claims no uptime or no responseTime. Leave out --listed, or add both.`,
          );
        const key = targetVariable(listing.id);
        if (known.has(key))
          throw new UsageError(
            `Duplicate id ${listing.id}. Ids must differ in more than case and punctuation.`,
          );
        known.add(key);
        yield listing;
      } catch (error) {
        if (!(error instanceof SuiteError)) throw error;
        errors.push(error);
        if (errors.length >= maxErrors) return;
      }
    }
}

const MAX_ERRORS = 20;
/** The details of a server contain its listing. */
const MAX_LISTING_BYTES = 256 * 1024;

/** Yields the listings of a file that was checked before. */
export async function* wholeListings(file: string): AsyncGenerator<Listing> {
  for await (const read of readListings(file)) {
    if (read.kind === 'refused') throw read.error;
    yield wholeListing(read.listing);
  }
}

function refuseListing(listing: Listing, { allowPrivate }: ListingFlags): void {
  const { id, endpoint } = listing;
  if (RESERVED_IDS.has(id))
    throw new UsageError(
      `The id "${id}" is reserved: /v1/servers/${id} is a path of the API. Choose another.`,
    );
  const bytes = Buffer.byteLength(JSON.stringify(listing));
  if (bytes > MAX_LISTING_BYTES)
    throw new UsageError(
      `The listing of ${id} has ${bytes} bytes as JSON; the maximum is ${MAX_LISTING_BYTES}. Use fewer or smaller samples, or the address of the attestation instead of the attestation.`,
    );
  const refusal = allowPrivate === true ? null : refuseUrl(new URL(endpoint));
  if (refusal !== null)
    throw new UsageError(
      `The endpoint of ${id}: ${refusal}. To list servers of a private network, pass --allow-private here and to \`directory serve\`.`,
    );
}

function joined(errors: readonly SuiteError[]): string {
  return errors.map(({ message }) => message).join('\n\n');
}
