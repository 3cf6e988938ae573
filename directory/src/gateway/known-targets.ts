import type { Json, Listing, ListingDecision } from 'probity/model';
import type { ChangeWatch } from '../store/change-watch.ts';
import { type EntryTarget, entriesWithCapabilities } from '../store/entries.ts';
import type { Db } from '../store/open-store.ts';
import { SERVER_ID_PATTERN } from '../store/server-id.ts';
import { type CallableFunctions, callableFunctions } from './callable-functions.ts';

/** What a call needs of an entry. */
export interface CalledTarget extends EntryTarget {
  readonly decision: ListingDecision;
  /** The functions of the last valid answer of /capabilities of this endpoint; null without one. */
  readonly functions: CallableFunctions | null;
  /** When they were read. Null also when they are marked as outdated. */
  readonly functionsReadAt: Date | null;
}

/** The targets of recent calls, in memory. A change of an entry counts from the next request on. */
export interface KnownTargets {
  /** The target as it was in the store after this request arrived; null when there is none. */
  find(id: string): Promise<CalledTarget | null>;
}

/** Of the texts from which the targets were made. Names of functions can take a megabyte for each. */
const MAX_KNOWN_CHARACTERS = 32 * 1024 * 1024;

interface Known {
  readonly target: CalledTarget;
  readonly characters: number;
  /** The last change of any target that it includes. */
  readonly version: string;
}

export function createKnownTargets(db: Db, watch: ChangeWatch): KnownTargets {
  /** The least recently read first. */
  const known = new Map<string, Known>();
  let characters = 0;
  const forget = (id: string): void => {
    characters -= known.get(id)?.characters ?? 0;
    known.delete(id);
  };
  const remember = (id: string, one: Known): void => {
    forget(id);
    known.set(id, one);
    characters += one.characters;
    for (const oldest of known.keys()) {
      if (characters <= MAX_KNOWN_CHARACTERS) break;
      forget(oldest);
    }
  };
  return {
    find: async (id) => {
      // The key of the caller was found with a look, so the last one began after the request arrived.
      const { targets: version } = watch.latest() ?? (await watch.look());
      const remembered = known.get(id);
      if (remembered?.version === version) return remembered.target;
      const found = await readCalledTarget(db, id);
      if (found === null) forget(id);
      else remember(id, { ...found, version });
      return found?.target ?? null;
    },
  };
}

async function readCalledTarget(db: Db, id: string): Promise<Omit<Known, 'version'> | null> {
  if (!SERVER_ID_PATTERN.test(id)) return null;
  const row = await entriesWithCapabilities(db)
    .select(['entries.id', 'entries.endpoint', 'entries.decision', 'listing', 'body', 'read_at'])
    .where('entries.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { endpoint, decision, listing, body, read_at: functionsReadAt } = row;
  return {
    target: {
      id,
      endpoint,
      decision,
      listing: JSON.parse(listing) as Listing,
      functions: body === null ? null : callableFunctions(JSON.parse(body) as Json),
      functionsReadAt,
    },
    characters: listing.length + (body?.length ?? 0),
  };
}
