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
import { Recent } from '../db/recent.ts';
import type { Db } from '../db/tables.ts';
import { capabilitiesSince, storeCapabilities } from '../entries/capabilities.ts';
import { type EntryTarget, entriesWithCapabilities } from '../entries/entries.ts';
import { SERVER_ID_PATTERN } from '../entries/entry-record.ts';
import { readCapabilities, type Targets, validCapabilities } from '../targets/target-client.ts';
import { capabilitiesProblem } from './target-problem.ts';

/** What a call needs of an entry. */
export interface CalledTarget extends EntryTarget {
  readonly decision: ListingDecision;
  /** The functions of the last valid answer of /capabilities of this endpoint; null without one. */
  readonly functions: CallableFunctions | null;
}

/** Of the texts from which the targets were made. Names of functions can take a megabyte for each. */
const MAX_KNOWN_CHARACTERS = 32 * 1024 * 1024;

interface Known {
  readonly target: CalledTarget;
  readonly characters: number;
  /** The last change of any target that it includes. */
  readonly version: string;
}

/**
 * Finds a target as it was in the store after the request arrived; null when there is none. Keeps those of recent calls in
 * memory; a change of an entry counts from the next request on.
 */
export function knownTargets(db: Db, watch: ChangeWatch) {
  const known = new Recent<Known>(MAX_KNOWN_CHARACTERS, ({ characters }) => characters);
  return async (id: string): Promise<CalledTarget | null> => {
    // The key of the caller was found with a look, so the last one began after the request arrived.
    const { targets: version } = watch.latest ?? (await watch.look());
    const remembered = known.get(id);
    if (remembered?.version === version) return remembered.target;
    const found = await readCalledTarget(db, id);
    if (found === null) known.delete(id);
    else known.set(id, { ...found, version });
    return found?.target ?? null;
  };
}

async function readCalledTarget(db: Db, id: string): Promise<Omit<Known, 'version'> | null> {
  if (!SERVER_ID_PATTERN.test(id)) return null;
  const row = await entriesWithCapabilities(db)
    .select(['entries.id', 'entries.endpoint', 'entries.decision', 'listing', 'body', 'read_at'])
    .where('entries.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { endpoint, decision, listing, body, read_at: readAt } = row;
  return {
    target: {
      id,
      endpoint,
      decision,
      listing: JSON.parse(listing) as Listing,
      functions: body === null ? null : callableFunctions(JSON.parse(body) as Json, readAt),
    },
    characters: listing.length + (body?.length ?? 0),
  };
}

/** What a call needs of capabilities. */
export interface CallableFunctions {
  readonly names: ReadonlySet<string>;
  /** The form to call the target in. */
  readonly form: Form;
  /** Null: they are marked as outdated. */
  readonly readAt: Date | null;
}

/** Form A, the default of the platform, unless the capabilities show form B. Pure. */
function callableFunctions(capabilities: Json, readAt: Date | null): CallableFunctions {
  const names = descriptorsIn(capabilities).map(({ descriptor }) => ownProperty(descriptor, 'name'));
  return {
    names: new Set(names.filter((name) => typeof name === 'string')),
    form: capabilitiesForm(capabilities, 'auto').form ?? 'A',
    readAt,
  };
}

const FRESH_MS = 5 * 60_000;
/** The target may have added the function since; the delay prevents a request for every wrong name. */
const FRESH_FOR_UNKNOWN_MS = 10_000;

/** Reads the capabilities of targets. Concurrent callers of one target share one read. */
export class CapabilitiesReader {
  readonly #db: Db;
  readonly #targets: Targets;
  readonly #onRead: (target: CalledTarget, exchange: HttpExchange) => void;
  readonly #underWay = new Map<string, Promise<CallableFunctions>>();

  constructor(db: Db, targets: Targets, onRead: (target: CalledTarget, exchange: HttpExchange) => void) {
    this.#db = db;
    this.#targets = targets;
    this.#onRead = onRead;
  }

  /**
   * The stored functions if they are recent enough to decide whether this one exists; else reads them again.
   *
   * @throws Problem when they were never read before, and cannot be read now
   */
  async toFind(functionName: string, target: CalledTarget): Promise<CallableFunctions> {
    const { functions } = target;
    if (functions === null || functions.readAt === null) return this.#readAgain(target);
    const ageMs = Date.now() - functions.readAt.getTime();
    const freshMs = functions.names.has(functionName) ? FRESH_MS : FRESH_FOR_UNKNOWN_MS;
    return ageMs <= freshMs ? functions : this.#readAgain(target);
  }

  #readAgain(target: CalledTarget): Promise<CallableFunctions> {
    const key = JSON.stringify([target.id, target.endpoint]);
    const shared = this.#underWay.get(key) ?? this.#refresh(target).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, shared);
    return shared;
  }

  async #refresh(target: CalledTarget): Promise<CallableFunctions> {
    // Another caller, of this instance or another, may have read them since this caller loaded the target.
    const newer = await capabilitiesSince(this.#db, target, target.functions?.readAt ?? null);
    if (newer !== null) return callableFunctions(newer.record, newer.readAt);
    const read = await readCapabilities(target, this.#targets);
    this.#onRead(target, read.exchange);
    const record = validCapabilities(read.exchange);
    if (record === null && target.functions !== null) return target.functions;
    if (record === null) throw capabilitiesProblem(read);
    const readAt = new Date();
    await storeCapabilities(this.#db, target, record, readAt);
    return callableFunctions(record, readAt);
  }
}
