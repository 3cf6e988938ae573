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
import { firstRow } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { capabilitiesSince, storeCapabilities } from '../entries/capabilities.ts';
import { ENTRIES_WITH_CAPABILITIES, type EntryTarget } from '../entries/entries.ts';
import { SERVER_ID_PATTERN } from '../entries/entry-record.ts';
import { readCapabilities, type Targets, validCapabilities } from '../targets/target-client.ts';
import { capabilitiesProblem } from './target-problem.ts';

/** What a call needs of an entry. */
export interface CalledTarget extends EntryTarget {
  readonly decision: ListingDecision;
  readonly isPaused: boolean;
  /** Null: until somebody resumes it. */
  readonly pausedUntil: Date | null;
  readonly pauseReason: string | null;
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
  const row = await firstRow<CalledRow>(db)`
    select id, endpoint, decision, is_paused as "isPaused", paused_until as "pausedUntil", pause_reason as "pauseReason",
      listing, capabilities, capabilities_at as "readAt"
    from ${ENTRIES_WITH_CAPABILITIES} where id = ${id}`;
  if (row === null) return null;
  const { listing, capabilities, readAt, ...entry } = row;
  const functions =
    capabilities === null ? null : callableFunctions(JSON.parse(capabilities) as Json, readAt);
  return {
    target: { ...entry, listing: JSON.parse(listing) as Listing, functions },
    characters: listing.length + (capabilities?.length ?? 0),
  };
}

interface CalledRow extends Omit<CalledTarget, 'listing' | 'functions'> {
  readonly listing: string;
  readonly capabilities: string | null;
  readonly readAt: Date | null;
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

/**
 * Reads the capabilities of targets, and calls `onRead` with each answer. Concurrent callers of one target share one read.
 *
 * @returns the stored functions if they are recent enough to decide whether the named one exists; else reads them again,
 *   and throws a Problem when they were never read before, and cannot be read now
 */
export function capabilitiesReader(
  db: Db,
  targets: Targets,
  onRead: (target: CalledTarget, exchange: HttpExchange) => void,
) {
  const underWay = new Map<string, Promise<CallableFunctions>>();
  const refresh = async (target: CalledTarget): Promise<CallableFunctions> => {
    // Another caller, of this instance or another, may have read them since this caller loaded the target.
    const newer = await capabilitiesSince(db, target, target.functions?.readAt ?? null);
    if (newer !== null) return callableFunctions(newer.record, newer.readAt);
    const exchange = await readCapabilities(target, targets);
    onRead(target, exchange);
    const record = validCapabilities(exchange);
    if (record === null && target.functions !== null) return target.functions;
    if (record === null) throw capabilitiesProblem(exchange);
    const readAt = new Date();
    await storeCapabilities(db, target, record, readAt);
    return callableFunctions(record, readAt);
  };
  return async (functionName: string, target: CalledTarget): Promise<CallableFunctions> => {
    const { id, endpoint, functions } = target;
    if (functions !== null && functions.readAt !== null) {
      const freshMs = functions.names.has(functionName) ? FRESH_MS : FRESH_FOR_UNKNOWN_MS;
      if (Date.now() - functions.readAt.getTime() <= freshMs) return functions;
    }
    const key = JSON.stringify([id, endpoint]);
    const shared = underWay.get(key) ?? refresh(target).finally(() => underWay.delete(key));
    underWay.set(key, shared);
    return shared;
  };
}
