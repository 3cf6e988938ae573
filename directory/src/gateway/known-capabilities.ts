import { capabilitiesForm, descriptorsIn, type Form, type Json, ownProperty } from 'probity/model';
import {
  goodCapabilities,
  readCapabilities,
  type TargetRead,
  type Targets,
} from '../probing/target-client.ts';
import { capabilitiesSince, storeCapabilities } from '../store/capabilities.ts';
import type { Entry } from '../store/entries.ts';
import type { Db } from '../store/open-store.ts';

/** What is known of a target's functions. */
export type Capabilities =
  | { readonly kind: 'known'; readonly record: Json; readonly readAt: Date | null }
  /** They were never read, and cannot be read now. */
  | { readonly kind: 'unknown'; readonly read: TargetRead };

export type AskedCapabilities = Pick<
  Entry,
  'id' | 'endpoint' | 'listing' | 'capabilities' | 'capabilities_at'
>;

export interface CapabilitiesReader {
  /** Those that are kept, if they are fresh enough to tell whether there is this function; else read anew. */
  toFind(functionName: string, entry: AskedCapabilities): Promise<Capabilities>;
}

const FRESH_MS = 5 * 60_000;
/** A function may have been added since: but not every wrong name costs the target a request. */
const FRESH_FOR_UNKNOWN_MS = 10_000;

/** Reads capabilities at most once at a time for each target, however many callers wait for them. */
export function createCapabilitiesReader(db: Db, targets: Targets): CapabilitiesReader {
  const underWay = new Map<string, Promise<Capabilities>>();
  const readAnew = (entry: AskedCapabilities): Promise<Capabilities> => {
    const key = JSON.stringify([entry.id, entry.endpoint]);
    const shared = underWay.get(key) ?? refresh(db, targets, entry).finally(() => underWay.delete(key));
    underWay.set(key, shared);
    return shared;
  };
  return {
    toFind: async (functionName, entry) => {
      const kept = keptOf(entry);
      const ageMs = kept === null || kept.readAt === null ? Infinity : Date.now() - kept.readAt.getTime();
      if (kept === null || ageMs > FRESH_MS) return readAnew(entry);
      return hasFunction(kept.record, functionName) || ageMs <= FRESH_FOR_UNKNOWN_MS ? kept : readAnew(entry);
    },
  };
}

async function refresh(db: Db, targets: Targets, entry: AskedCapabilities): Promise<Capabilities> {
  // Others, of this instance or another, may have read them since this caller looked at the entry.
  const newer = await capabilitiesSince(db, entry, entry.capabilities_at);
  if (newer !== null) return { kind: 'known', ...newer };
  const read = await readCapabilities(entry, targets);
  const record = goodCapabilities(read.exchange);
  if (record === null) return keptOf(entry) ?? { kind: 'unknown', read };
  const readAt = new Date();
  await storeCapabilities(db, entry, record, readAt);
  return { kind: 'known', record, readAt };
}

function keptOf({
  capabilities,
  capabilities_at,
}: AskedCapabilities): Extract<Capabilities, { kind: 'known' }> | null {
  return capabilities === null
    ? null
    : { kind: 'known', record: capabilities as Json, readAt: capabilities_at };
}

export function hasFunction(record: Json, functionName: string): boolean {
  return descriptorsIn(record).some(({ descriptor }) => ownProperty(descriptor, 'name') === functionName);
}

/** The form to call a target in; form A, the platform's own, where its capabilities do not tell. */
export function formToCallIn(record: Json): Form {
  return capabilitiesForm(record, 'auto').form ?? 'A';
}
