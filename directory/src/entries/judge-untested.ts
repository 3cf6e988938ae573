import { decideListing, gatherEvidence } from 'probity';
import type { Listing, ListingJudgement, ParsedListing, Requirement } from 'probity/model';
import { harnessVersion, loadRegistry } from 'probity/service';

/** How to fetch the documents that a listing names. */
export interface FetchOptions {
  readonly publicOnly: boolean;
  readonly ca: string | null;
  readonly signal?: AbortSignal;
}

/** The decision of the listing checks on a server without a test: at best `hold`. Null options: nothing is fetched. */
export async function judgeUntested(
  listing: Listing,
  options: FetchOptions | null,
): Promise<ListingJudgement> {
  const parsed = parsedFrom(listing);
  const gathered =
    options === null
      ? null
      : await gatherEvidence(parsed, {
          publicOnly: options.publicOnly,
          userAgent: `probity/${harnessVersion()} (listing check)`,
          ...(options.ca === null ? {} : { ca: options.ca }),
          ...(options.signal === undefined ? {} : { signal: options.signal }),
        });
  return decideListing({
    listing: parsed,
    result: null,
    gathered,
    nowIso: new Date().toISOString(),
    requirements: await requirements(),
    untestedRemedy: `A running service or worker of this directory tests it; \`probity directory test ${listing.id}\` waits for the result.`,
  });
}

let registry: Promise<readonly Requirement[]> | null = null;

function requirements(): Promise<readonly Requirement[]> {
  registry ??= loadRegistry().then((rows) => [...rows.values()]);
  return registry;
}

/** Converts a stored listing to the input of the listing checks. It has no problems and no line numbers. */
export function parsedFrom(listing: Listing): ParsedListing {
  return {
    where: { file: `listing of ${listing.id}`, line: 1, column: 1 },
    said: listing,
    problems: [],
    places: {},
  };
}
