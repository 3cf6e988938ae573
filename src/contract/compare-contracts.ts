import { isJsonObject, type JsonObject, ownProperty, sameJson } from '../json/json.ts';
import { requireArguments, required } from '../model/arguments.ts';
import {
  CHANGE_KINDS,
  CONTRACT,
  type Contract,
  type ContractChange,
  type ContractFunction,
} from '../model/contract.ts';
import { eraOf } from '../wires/mcp/opening.ts';
import { compareFunction, type PlacedFunction, RENAMED_KEYS, textChange } from './compare-functions.ts';
import { compareLists } from './compare-lists.ts';
import { comparisonBudget, pointerOf } from './compare-schemas.ts';

/**
 * What changed from a contract to a newer one, for a caller of the older one; the most important first. Of a list of
 * which not all pages were read, nothing is said to be missing. Pure.
 */
export function compareContracts(before: Contract, after: Contract): readonly ContractChange[] {
  requireArguments(
    'compareContracts',
    { before, after },
    { before: required(CONTRACT), after: required(CONTRACT) },
  );
  const changes = [
    ...serverChanges(before, after),
    ...functionChanges(before, after),
    ...compareLists(before, after),
  ];
  return changes.toSorted(
    (left, right) => CHANGE_KINDS.indexOf(left.kind) - CHANGE_KINDS.indexOf(right.kind),
  );
}

function functionChanges(before: Contract, after: Contract): readonly ContractChange[] {
  const [older, newer] = [placesIn(before), placesIn(after)];
  const isRead = !after.unread.includes('functions');
  const gone = [...older.values()].filter(({ one }) => !newer.has(one.name) && isRead);
  const added = [...newer.values()].filter(({ one }) => !older.has(one.name));
  const newNames = renamed(gone, added);
  const removals = gone.map((place): ContractChange => {
    const name = newNames.get(place);
    const message =
      name === undefined ? 'it was removed' : `it was renamed to ${JSON.stringify(name.one.name)}`;
    return { ...at(place), kind: 'breaking', message };
  });
  const isAsNewName = new Set(newNames.values());
  const additions = before.unread.includes('functions')
    ? []
    : added
        .filter((place) => !isAsNewName.has(place))
        .map((place): ContractChange => ({ ...at(place), kind: 'additive', message: 'it was added' }));
  const budget = comparisonBudget();
  const both = [...newer.values()].flatMap((place) => {
    const known = older.get(place.one.name);
    if (known === undefined || sameJson({ ...known.one }, { ...place.one })) return [];
    const others = [...newer.keys()].filter((name) => name !== place.one.name);
    return compareFunction(known, place, others, budget);
  });
  return [...removals, ...both, ...additions];
}

/** Of equal names, the first is the one that clients call. */
function placesIn({ functions }: Contract): ReadonlyMap<string, PlacedFunction> {
  const places = new Map<string, PlacedFunction>();
  for (const [index, one] of functions.entries())
    if (!places.has(one.name)) places.set(one.name, { one, index });
  return places;
}

function at({ one, index }: PlacedFunction): Pick<ContractChange, 'of' | 'name' | 'pointer'> {
  return { of: 'function', name: one.name, pointer: pointerOf(['functions', index], []) };
}

/** The new place of functions that were renamed: only where one new function can be meant, and no other old one. */
function renamed(
  gone: readonly PlacedFunction[],
  added: readonly PlacedFunction[],
): ReadonlyMap<PlacedFunction, PlacedFunction> {
  const found = new Map<PlacedFunction, PlacedFunction>();
  const isMeant = new Set<PlacedFunction>();
  for (const keyOf of RENAMED_KEYS) {
    const newer = onlyOnes(added, keyOf);
    for (const [key, place] of onlyOnes(gone, keyOf)) {
      const other = newer.get(key);
      if (place === null || other === undefined || other === null) continue;
      if (found.has(place) || isMeant.has(other)) continue;
      found.set(place, other);
      isMeant.add(other);
    }
  }
  return found;
}

/** The function of each key; null where several have it. */
function onlyOnes(places: readonly PlacedFunction[], keyOf: (one: ContractFunction) => string | null) {
  const byKey = new Map<string, PlacedFunction | null>();
  for (const place of places) {
    const key = keyOf(place.one);
    if (key !== null) byKey.set(key, byKey.has(key) ? null : place);
  }
  return byKey;
}

type ServerChange = Omit<ContractChange, 'of' | 'name'>;

function serverChanges(before: Contract, after: Contract): readonly ContractChange[] {
  const names = after.functions.map(({ name }) => name);
  const changes = [
    ...wireChange(before, after),
    ...revisionChange(before, after),
    ...(before.revision === undefined || after.revision === undefined
      ? []
      : capabilityChanges(before.capabilities ?? {}, after.capabilities ?? {})),
    ...identityChanges(before, after),
    ...textChange(
      before.instructions ?? '',
      after.instructions ?? '',
      'instructions',
      '/instructions',
      names,
    ),
  ];
  return changes.map((change) => ({ ...change, of: 'server', name: null }));
}

const WIRE_WORDS: Readonly<Record<Contract['wire'], string>> = {
  A: 'form A',
  B: 'form B',
  mcp: 'the Model Context Protocol',
};

function wireChange({ wire: before }: Contract, { wire: after }: Contract): readonly ServerChange[] {
  if (before === after) return [];
  const message = `it spoke ${WIRE_WORDS[before]} and speaks ${WIRE_WORDS[after]}`;
  return [{ kind: 'breaking', pointer: '/wire', message, before, after }];
}

/** Both sides agree on the newest revision that they know: an older one means that the newer is no longer spoken. */
function revisionChange(older: Contract, newer: Contract): readonly ServerChange[] {
  const { revision: before } = older;
  const { revision: after } = newer;
  if (before === undefined || after === undefined || before === after) return [];
  const isSameEra = eraOf(before) !== undefined && eraOf(before) === eraOf(after);
  const kind = isSameEra && before < after ? 'additive' : 'unclear';
  const message = `the revision of the protocol was ${before} and is ${after}`;
  return [{ kind, pointer: '/revision', message, before, after }];
}

/** Of a server whose opening was read. */
function capabilityChanges(
  before: JsonObject,
  after: JsonObject,
  path: readonly string[] = [],
): readonly ServerChange[] {
  return Object.keys({ ...before, ...after })
    .sort()
    .flatMap((name): readonly ServerChange[] => {
      const here = [...path, name];
      const [was, is] = [ownProperty(before, name), ownProperty(after, name)].map((value) =>
        value === false ? undefined : value,
      );
      const words = `the capability ${here.join('.')}`;
      const pointer = pointerOf(['capabilities'], here);
      if (was === undefined && is === undefined) return [];
      if (was === undefined) return [{ kind: 'additive', pointer, message: `${words} was added` }];
      if (is === undefined) {
        // Of a list that does not change, nothing has to be announced.
        const isNotCalled = here[0] === 'experimental' || name === 'listChanged';
        return [{ kind: isNotCalled ? 'unclear' : 'breaking', pointer, message: `${words} was removed` }];
      }
      if (isJsonObject(was) && isJsonObject(is)) return capabilityChanges(was, is, here);
      return sameJson(was, is)
        ? []
        : [{ kind: 'unclear', pointer, message: `${words} was changed`, before: was, after: is }];
    });
}

function identityChanges({ server: older }: Contract, { server: newer }: Contract): readonly ServerChange[] {
  return (['name', 'version'] as const).flatMap((member) => {
    const [before, after] = [older[member], newer[member]];
    if (before === undefined || after === undefined || before === after) return [];
    const message = `its ${member} was ${JSON.stringify(before)} and is ${JSON.stringify(after)}`;
    return [{ kind: 'cosmetic', pointer: `/server/${member}`, message, before, after } as const];
  });
}
