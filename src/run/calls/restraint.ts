import { declaredInputs } from '../../checks/documentation/examples-given.ts';
import { natureOf } from '../../inputs/function-nature.ts';
import { removesAtLarge } from '../../inputs/unlikely-ids.ts';
import { isJsonObject, type Json, ownProperty } from '../../json/json.ts';
import type { MutatingPolicy } from '../../model/check-options.ts';
import type { RunSettings } from '../../model/report.ts';
import type { FunctionKind } from '../../model/suite.ts';
import { isNamedBy } from '../../text/glob.ts';
import { createsAnother } from '../../text/words.ts';
import type { Restrained } from '../state/record.ts';
import type { SeenFunctions } from './seen-changes.ts';

/** Maximum calls in one run of a function that changes something or looks as if it does, including refused ones. */
export const MAX_CALLS_OF_CHANGING = 10;
/** Maximum inputs of it in one step, so that calls are left for the other requirements. */
export const MAX_INPUTS_OF_CHANGING = 2;
export const MAX_INPUTS_OF_UNCLEAR = 4;

/** How often a function may be called, from the configuration, its descriptor and its observed behaviour. */
export interface Restraint {
  /** Null if its calls are not limited. */
  of(descriptor: Json | undefined): Restrained | null;
  /** The same, including functions that are only not timed; for the report. */
  notedOf(descriptor: Json | undefined): Restrained | null;
  isOfKind(descriptor: Json, kind: FunctionKind): boolean;
  /** Maximum calls of it in one run; null without a limit. */
  maxCallsOf(descriptor: Json | undefined): number | null;
  /** Whether one more call is within its maximum. `calls` are those of each function so far. */
  hasCallsLeft(descriptor: Json | undefined, calls: ReadonlyMap<string, number>): boolean;
  /** Many calls leave nothing behind: it seems to only read, or computes its answers from the input. */
  mayBeTimed(descriptor: Json | undefined): boolean;
  /** It is described as changing something, or its answers were not observed to be the same for the same input. */
  mayChange(descriptor: Json | undefined): boolean;
  /** Smaller for functions that seem to change nothing. */
  rankOf(descriptor: Json): number;
}

const RANK_OF_REMOVING = 3.5;

function nameOf(descriptor: Json | undefined): string {
  return String(ownProperty(descriptor, 'name'));
}

const STRICTEST_FIRST = ['never', 'once', 'allow'] as const satisfies readonly MutatingPolicy[];

export function createRestraint(
  { mutating, exploring }: Pick<RunSettings, 'mutating' | 'exploring'>,
  seen: SeenFunctions,
): Restraint {
  const configuredPolicy = (functionName: string): MutatingPolicy | undefined =>
    STRICTEST_FIRST.find((policy) => isNamedBy(mutating.functions[policy], functionName));
  const of = (descriptor: Json | undefined): Restrained | null => {
    const functionName = ownProperty(descriptor, 'name');
    if (!isJsonObject(descriptor) || typeof functionName !== 'string') return null;
    const configured = configuredPolicy(functionName);
    if (configured !== undefined)
      return configured === 'allow' ? null : { functionName, policy: configured, because: 'configured' };
    const nature = natureOf(descriptor);
    if (mutating.default === 'allow') return null;
    if (nature === 'reads')
      return seen.used.has(functionName) ? { functionName, policy: mutating.default, because: 'seen' } : null;
    if (nature === 'changes') return { functionName, policy: mutating.default, because: 'looks' };
    if (mutating.default === 'never') return { functionName, policy: 'never', because: 'unclear' };
    const { changing, harmless } = seen;
    if (harmless.has(functionName)) return null;
    return { functionName, policy: 'once', because: changing.has(functionName) ? 'seen' : 'unclear' };
  };
  const isUnknown = (descriptor: Json | undefined): boolean => {
    const restrained = of(descriptor);
    if (restrained !== null) return restrained.because === 'unclear';
    if (!isJsonObject(descriptor) || mutating.default === 'allow') return false;
    const isAllowed = configuredPolicy(nameOf(descriptor)) === 'allow';
    return !isAllowed && natureOf(descriptor) === 'unknown';
  };
  const mayBeTimed = (descriptor: Json | undefined): boolean =>
    of(descriptor) === null && (!isUnknown(descriptor) || seen.computing.has(nameOf(descriptor)));
  const mayStore = (descriptor: Json | undefined): boolean =>
    isUnknown(descriptor) && seen.repeating.has(nameOf(descriptor));
  const maxCallsOf = (descriptor: Json | undefined): number | null =>
    of(descriptor) === null && !mayStore(descriptor) ? null : MAX_CALLS_OF_CHANGING;
  /** Several calls create several things. Who limits a function by name expects one call after the other. */
  const mayCreateAtOnce = (descriptor: Json): boolean => {
    const restrained = of(descriptor);
    return (
      isJsonObject(descriptor) &&
      restrained?.policy === 'once' &&
      restrained.because !== 'configured' &&
      createsAnother(restrained.functionName) &&
      declaredInputs(descriptor).length > 0
    );
  };
  return {
    of,
    mayBeTimed,
    notedOf: (descriptor) => {
      const restrained = of(descriptor);
      if (restrained !== null || mayBeTimed(descriptor)) return restrained;
      return {
        functionName: nameOf(descriptor),
        policy: 'untimed',
        because: 'unclear',
      };
    },
    isOfKind: (descriptor, kind) => {
      // Where all may be called, it still matters which calls depend on each other.
      if (kind === 'unknown' && exploring?.widely === true && mutating.default === 'allow')
        return of(descriptor) === null && isJsonObject(descriptor) && natureOf(descriptor) === 'unknown';
      if (kind === 'unknown') return isUnknown(descriptor);
      if (kind === 'creating' || kind === 'mixing')
        return mayCreateAtOnce(descriptor) && (kind === 'creating' || seen.mixing.has(nameOf(descriptor)));
      if (of(descriptor) !== null) return false;
      if (kind === 'explorable' && exploring?.widely !== false) return mayBeTimed(descriptor);
      if (kind === 'reads' || kind === 'explorable') return !isUnknown(descriptor);
      return kind !== 'varying' || seen.varying.has(nameOf(descriptor));
    },
    mayChange: (descriptor) => {
      const nature = isJsonObject(descriptor) ? natureOf(descriptor) : 'reads';
      return (
        nature === 'changes' ||
        of(descriptor)?.because === 'seen' ||
        (nature === 'unknown' && !seen.steady.has(nameOf(descriptor)))
      );
    },
    maxCallsOf,
    hasCallsLeft: (descriptor, calls) => {
      const most = maxCallsOf(descriptor);
      return most === null || (calls.get(nameOf(descriptor)) ?? 0) < most;
    },
    rankOf: (descriptor) => {
      const restrained = of(descriptor);
      if (restrained === null) return isUnknown(descriptor) ? 1 : 0;
      if (isJsonObject(descriptor) && removesAtLarge({}, descriptor)) return RANK_OF_REMOVING;
      return restrained.because === 'unclear' ? 2 : 3;
    },
  };
}
