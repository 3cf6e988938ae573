import { capabilitiesForm, descriptorsIn, type Form, type Json, ownProperty } from 'probity/model';
import {
  readCapabilities,
  type TargetRead,
  type Targets,
  validCapabilities,
} from '../probing/target-client.ts';
import { capabilitiesSince, storeCapabilities } from '../store/capabilities.ts';
import type { Entry } from '../store/entries.ts';
import type { Db } from '../store/open-store.ts';

/** The capabilities of a target, if known. */
export type Capabilities =
  | { readonly kind: 'known'; readonly record: Json; readonly readAt: Date | null }
  /** They were never read before, and cannot be read now. */
  | { readonly kind: 'unknown'; readonly read: TargetRead };

export type EntryCapabilities = Pick<
  Entry,
  'id' | 'endpoint' | 'listing' | 'capabilities' | 'capabilities_at'
>;

export interface CapabilitiesReader {
  /** The stored capabilities if they are recent enough to decide whether the function exists; else reads them again. */
  toFind(functionName: string, entry: EntryCapabilities): Promise<Capabilities>;
}

const FRESH_MS = 5 * 60_000;
/** The target may have added the function since; the delay prevents a request for every wrong name. */
const FRESH_FOR_UNKNOWN_MS = 10_000;

/** Concurrent callers of one target share one read of its capabilities. */
export function createCapabilitiesReader(db: Db, targets: Targets): CapabilitiesReader {
  const underWay = new Map<string, Promise<Capabilities>>();
  const readAgain = (entry: EntryCapabilities): Promise<Capabilities> => {
    const key = JSON.stringify([entry.id, entry.endpoint]);
    const shared = underWay.get(key) ?? refresh(db, targets, entry).finally(() => underWay.delete(key));
    underWay.set(key, shared);
    return shared;
  };
  return {
    toFind: async (functionName, entry) => {
      const kept = keptOf(entry);
      const ageMs = kept === null || kept.readAt === null ? Infinity : Date.now() - kept.readAt.getTime();
      if (kept === null || ageMs > FRESH_MS) return readAgain(entry);
      return hasFunction(kept.record, functionName) || ageMs <= FRESH_FOR_UNKNOWN_MS
        ? kept
        : readAgain(entry);
    },
  };
}

async function refresh(db: Db, targets: Targets, entry: EntryCapabilities): Promise<Capabilities> {
  // Another caller, of this instance or another, may have read them since this caller loaded the entry.
  const newer = await capabilitiesSince(db, entry, entry.capabilities_at);
  if (newer !== null) return { kind: 'known', ...newer };
  const read = await readCapabilities(entry, targets);
  const record = validCapabilities(read.exchange);
  if (record === null) return keptOf(entry) ?? { kind: 'unknown', read };
  const readAt = new Date();
  await storeCapabilities(db, entry, record, readAt);
  return { kind: 'known', record, readAt };
}

function keptOf({
  capabilities,
  capabilities_at,
}: EntryCapabilities): Extract<Capabilities, { kind: 'known' }> | null {
  return capabilities === null
    ? null
    : { kind: 'known', record: capabilities as Json, readAt: capabilities_at };
}

export function hasFunction(record: Json, functionName: string): boolean {
  return descriptorsIn(record).some(({ descriptor }) => ownProperty(descriptor, 'name') === functionName);
}

/** The form to call a target in: form A, the default of the platform, unless its capabilities show form B. */
export function formToCallIn(record: Json): Form {
  return capabilitiesForm(record, 'auto').form ?? 'A';
}
