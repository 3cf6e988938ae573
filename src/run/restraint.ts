import { isNamedBy } from '../model/glob.ts';
import { isJsonObject, type Json, ownProperty } from '../model/json.ts';
import type { MutatingPolicy, RunSettings } from '../model/report.ts';
import type { FunctionKind } from '../model/suite.ts';
import { natureOf } from './function-nature.ts';

/** Calls in one run of a function that changes something or looks as if it did, refused ones included. */
export const MAX_CALLS_OF_CHANGING = 10;
/** Of these in one step that is not about follow-up calls: enough for every row to get some. */
export const MAX_INPUTS_OF_CHANGING = 2;

/** Why a function is not called like any other. */
export type RestraintReason = 'configured' | 'looks' | 'seen';

export interface Restrained {
  readonly functionName: string;
  readonly policy: Exclude<MutatingPolicy, 'allow'>;
  readonly because: RestraintReason;
}

/** How often a function may be called, from the configuration, its descriptor, and what was seen of it. */
export interface Restraint {
  /** Null where it may be called like any other. */
  of(descriptor: Json | undefined): Restrained | null;
  isOfKind(descriptor: Json, kind: FunctionKind): boolean;
  /** Smaller for functions that seem to change nothing. */
  rankOf(descriptor: Json): number;
}

const STRICTEST_FIRST = ['never', 'once', 'allow'] as const satisfies readonly MutatingPolicy[];

export function createRestraint(
  { mutating }: Pick<RunSettings, 'mutating'>,
  seenToChange: () => ReadonlySet<string>,
): Restraint {
  const of = (descriptor: Json | undefined): Restrained | null => {
    const functionName = ownProperty(descriptor, 'name');
    if (!isJsonObject(descriptor) || typeof functionName !== 'string') return null;
    const configured = STRICTEST_FIRST.find((policy) => isNamedBy(mutating.functions[policy], functionName));
    if (configured !== undefined)
      return configured === 'allow' ? null : { functionName, policy: configured, because: 'configured' };
    if (mutating.default === 'allow') return null;
    const nature = natureOf(descriptor);
    const because =
      nature === 'changes'
        ? 'looks'
        : nature === 'unknown' && seenToChange().has(functionName)
          ? 'seen'
          : null;
    return because === null ? null : { functionName, policy: mutating.default, because };
  };
  const seemsToRead = (descriptor: Json): boolean =>
    isJsonObject(descriptor) && natureOf(descriptor) === 'reads';
  return {
    of,
    isOfKind: (descriptor, kind) =>
      of(descriptor) === null && (kind === 'harmless' || seemsToRead(descriptor) === (kind === 'reads')),
    rankOf: (descriptor) => (of(descriptor) !== null ? 2 : seemsToRead(descriptor) ? 0 : 1),
  };
}
