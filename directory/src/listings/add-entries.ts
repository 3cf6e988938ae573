import { decideListing, gatherEvidence } from 'probity';
import type { Listing, ListingJudgement, ParsedListing, Requirement } from 'probity/model';
import { harnessVersion, loadRegistry } from 'probity/service';

/** Whether what listings name is fetched, and how. */
export interface FirstLook {
  readonly publicOnly: boolean;
  readonly ca: string | null;
  readonly signal?: AbortSignal;
}

/** What the listing checks say of a server that nobody has tested yet: at best, that it has to wait for its test. */
export async function judgeUntested(listing: Listing, look: FirstLook | null): Promise<ListingJudgement> {
  const parsed = parsedFrom(listing);
  const gathered =
    look === null
      ? null
      : await gatherEvidence(parsed, {
          publicOnly: look.publicOnly,
          userAgent: `probity/${harnessVersion()} (listing check)`,
          ...(look.ca === null ? {} : { ca: look.ca }),
          ...(look.signal === undefined ? {} : { signal: look.signal }),
        });
  return decideListing({
    listing: parsed,
    result: null,
    gathered,
    nowIso: new Date().toISOString(),
    requirements: await requirements(),
  });
}

let registry: Promise<readonly Requirement[]> | null = null;

function requirements(): Promise<readonly Requirement[]> {
  registry ??= loadRegistry().then((rows) => [...rows.values()]);
  return registry;
}

/** A listing that the directory keeps, as the listing checks take it: whole, and without lines. */
export function parsedFrom(listing: Listing): ParsedListing {
  return {
    where: { file: `listing of ${listing.id}`, line: 1, column: 1 },
    said: listing,
    problems: [],
    places: {},
  };
}
