import {
  capabilitiesForm,
  descriptorsIn,
  type Form,
  type HttpExchange,
  type Json,
  type Listing,
  type ListingDecision,
  ownProperty,
} from 'probity/model';
import type { ChangeWatch } from '../db/change-watch.ts';
import type { Db } from '../db/open-store.ts';
import { capabilitiesSince, storeCapabilities } from '../entries/capabilities.ts';
import { type EntryTarget, entriesWithCapabilities } from '../entries/entries.ts';
import { SERVER_ID_PATTERN } from '../entries/entry-record.ts';
import {
  readCapabilities,
  type TargetRead,
  type Targets,
  validCapabilities,
} from '../targets/target-client.ts';

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

/** What a call needs of capabilities. */
export interface CallableFunctions {
  readonly names: ReadonlySet<string>;
  /** The form to call the target in. */
  readonly form: Form;
}

/** Form A, the default of the platform, unless the capabilities show form B. Pure. */
export function callableFunctions(capabilities: Json): CallableFunctions {
  const names = descriptorsIn(capabilities).map(({ descriptor }) => ownProperty(descriptor, 'name'));
  return {
    names: new Set(names.filter((name) => typeof name === 'string')),
    form: capabilitiesForm(capabilities, 'auto').form ?? 'A',
  };
}

/** The functions of a target, if known. */
type Capabilities =
  | { readonly kind: 'known'; readonly functions: CallableFunctions; readonly readAt: Date | null }
  /** They were never read before, and cannot be read now. */
  | { readonly kind: 'unknown'; readonly read: TargetRead };

interface CapabilitiesReader {
  /** The stored capabilities if they are recent enough to decide whether the function exists; else reads them again. */
  toFind(functionName: string, target: CalledTarget): Promise<Capabilities>;
}

const FRESH_MS = 5 * 60_000;
/** The target may have added the function since; the delay prevents a request for every wrong name. */
const FRESH_FOR_UNKNOWN_MS = 10_000;

/** Concurrent callers of one target share one read of its capabilities. */
export function createCapabilitiesReader(
  db: Db,
  targets: Targets,
  onRead: (target: CalledTarget, exchange: HttpExchange) => void,
): CapabilitiesReader {
  const underWay = new Map<string, Promise<Capabilities>>();
  const refresh = async (target: CalledTarget): Promise<Capabilities> => {
    // Another caller, of this instance or another, may have read them since this caller loaded the target.
    const newer = await capabilitiesSince(db, target, target.functionsReadAt);
    if (newer !== null)
      return { kind: 'known', functions: callableFunctions(newer.record), readAt: newer.readAt };
    const read = await readCapabilities(target, targets);
    onRead(target, read.exchange);
    const record = validCapabilities(read.exchange);
    if (record === null) return keptOf(target) ?? { kind: 'unknown', read };
    const readAt = new Date();
    await storeCapabilities(db, target, record, readAt);
    return { kind: 'known', functions: callableFunctions(record), readAt };
  };
  const readAgain = (target: CalledTarget): Promise<Capabilities> => {
    const key = JSON.stringify([target.id, target.endpoint]);
    const shared = underWay.get(key) ?? refresh(target).finally(() => underWay.delete(key));
    underWay.set(key, shared);
    return shared;
  };
  return {
    toFind: async (functionName, target) => {
      const kept = keptOf(target);
      const ageMs = kept === null || kept.readAt === null ? Infinity : Date.now() - kept.readAt.getTime();
      if (kept === null || ageMs > FRESH_MS) return readAgain(target);
      return kept.functions.names.has(functionName) || ageMs <= FRESH_FOR_UNKNOWN_MS
        ? kept
        : readAgain(target);
    },
  };
}

function keptOf({
  functions,
  functionsReadAt,
}: CalledTarget): Extract<Capabilities, { kind: 'known' }> | null {
  return functions === null ? null : { kind: 'known', functions, readAt: functionsReadAt };
}
