import type { HttpExchange } from 'probity/model';
import {
  readCapabilities,
  type TargetRead,
  type Targets,
  validCapabilities,
} from '../probing/target-client.ts';
import { capabilitiesSince, storeCapabilities } from '../store/capabilities.ts';
import type { Db } from '../store/open-store.ts';
import { type CallableFunctions, callableFunctions } from './callable-functions.ts';
import type { CalledTarget } from './known-targets.ts';

/** The functions of a target, if known. */
export type Capabilities =
  | { readonly kind: 'known'; readonly functions: CallableFunctions; readonly readAt: Date | null }
  /** They were never read before, and cannot be read now. */
  | { readonly kind: 'unknown'; readonly read: TargetRead };

export interface CapabilitiesReader {
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
