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
import { Recent } from '../db/recent.ts';
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

/** Of the texts from which the targets were made. Names of functions can take a megabyte for each. */
const MAX_KNOWN_CHARACTERS = 32 * 1024 * 1024;

interface Known {
  readonly target: CalledTarget;
  readonly characters: number;
  /** The last change of any target that it includes. */
  readonly version: string;
}

/** The targets of recent calls, in memory. A change of an entry counts from the next request on. */
export class KnownTargets {
  readonly #db: Db;
  readonly #watch: ChangeWatch;
  readonly #known = new Recent<Known>(MAX_KNOWN_CHARACTERS, ({ characters }) => characters);

  constructor(db: Db, watch: ChangeWatch) {
    this.#db = db;
    this.#watch = watch;
  }

  /** The target as it was in the store after this request arrived; null when there is none. */
  async find(id: string): Promise<CalledTarget | null> {
    // The key of the caller was found with a look, so the last one began after the request arrived.
    const { targets: version } = this.#watch.latest ?? (await this.#watch.look());
    const remembered = this.#known.get(id);
    if (remembered?.version === version) return remembered.target;
    const found = await readCalledTarget(this.#db, id);
    if (found === null) this.#known.delete(id);
    else this.#known.set(id, { ...found, version });
    return found?.target ?? null;
  }
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

const FRESH_MS = 5 * 60_000;
/** The target may have added the function since; the delay prevents a request for every wrong name. */
const FRESH_FOR_UNKNOWN_MS = 10_000;

/** Reads the capabilities of targets. Concurrent callers of one target share one read. */
export class CapabilitiesReader {
  readonly #db: Db;
  readonly #targets: Targets;
  readonly #onRead: (target: CalledTarget, exchange: HttpExchange) => void;
  readonly #underWay = new Map<string, Promise<Capabilities>>();

  constructor(db: Db, targets: Targets, onRead: (target: CalledTarget, exchange: HttpExchange) => void) {
    this.#db = db;
    this.#targets = targets;
    this.#onRead = onRead;
  }

  /** The stored capabilities if they are recent enough to decide whether the function exists; else reads them again. */
  async toFind(functionName: string, target: CalledTarget): Promise<Capabilities> {
    const kept = keptOf(target);
    const ageMs = kept === null || kept.readAt === null ? Infinity : Date.now() - kept.readAt.getTime();
    if (kept === null || ageMs > FRESH_MS) return this.#readAgain(target);
    return kept.functions.names.has(functionName) || ageMs <= FRESH_FOR_UNKNOWN_MS
      ? kept
      : this.#readAgain(target);
  }

  #readAgain(target: CalledTarget): Promise<Capabilities> {
    const key = JSON.stringify([target.id, target.endpoint]);
    const shared = this.#underWay.get(key) ?? this.#refresh(target).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, shared);
    return shared;
  }

  async #refresh(target: CalledTarget): Promise<Capabilities> {
    // Another caller, of this instance or another, may have read them since this caller loaded the target.
    const newer = await capabilitiesSince(this.#db, target, target.functionsReadAt);
    if (newer !== null)
      return { kind: 'known', functions: callableFunctions(newer.record), readAt: newer.readAt };
    const read = await readCapabilities(target, this.#targets);
    this.#onRead(target, read.exchange);
    const record = validCapabilities(read.exchange);
    if (record === null) return keptOf(target) ?? { kind: 'unknown', read };
    const readAt = new Date();
    await storeCapabilities(this.#db, target, record, readAt);
    return { kind: 'known', functions: callableFunctions(record), readAt };
  }
}

function keptOf({
  functions,
  functionsReadAt,
}: CalledTarget): Extract<Capabilities, { kind: 'known' }> | null {
  return functions === null ? null : { kind: 'known', functions, readAt: functionsReadAt };
}
