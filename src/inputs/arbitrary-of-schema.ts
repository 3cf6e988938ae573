import { type Arbitrary, array, boolean, constant, constantFrom, oneof, record, tuple } from 'fast-check';
import { textsOf } from '../checks/capabilities/descriptor.ts';
import { canonicalJson, type Json, type JsonObject, ownItems, ownProperty } from '../json/json.ts';
import {
  alternativesOf,
  boundOf,
  type Conjunction,
  countsOf,
  itemTogether,
  listedValues,
  memberNames,
  propertyTogether,
  typesTogether,
  valuesOf,
} from './keywords-together.ts';
import { type Making, numberArbitrary, textArbitrary, type Variety } from './scalar-arbitraries.ts';
import { matchingBudget, textMatching } from './text-for-pattern.ts';

/** Deeper values hold nothing that is optional. */
const MAX_OPTIONAL_DEPTH = 3;
const MAX_DEPTH = 24;
/** Lists of objects of lists multiply. */
const MAX_PARTS = 1000;
const MAX_VALUES = 500;
const MAX_ITEMS = 20;
const MAX_LEAST_CHARACTERS = 100_000;

/**
 * Values for a schema. Most are valid, not all: a keyword such as `not` is ignored, so that the caller validates each
 * value. Null where no value can be valid. Pure.
 */
export function arbitraryOf(schema: Json, variety: Variety): Arbitrary<Json> | null {
  return valueArbitrary(schema, {
    root: schema,
    depth: 0,
    variety,
    repeated: 1,
    left: { ...matchingBudget(), parts: MAX_PARTS, characters: MAX_LEAST_CHARACTERS },
    alternatives: { parts: 20 * MAX_PARTS },
  });
}

function valueArbitrary(schema: Json, making: Making): Arbitrary<Json> | null {
  making.left.parts -= 1;
  if (making.depth > MAX_DEPTH || making.left.parts < 0) return constant(null);
  const inner = { ...making, depth: making.depth + 1 };
  const ways = alternativesOf(schema, making.root, making.alternatives).flatMap((all) =>
    arbitrariesOf(all, inner),
  );
  return ways.length === 0 ? null : oneof(...ways);
}

function arbitrariesOf(all: Conjunction, making: Making): readonly Arbitrary<Json>[] {
  const listed = listedValues(all);
  if (listed !== null) return listed.length === 0 ? [] : [constantFrom(...listed)];
  const types = typesTogether(all) ?? ['string', 'integer', 'boolean', 'null'];
  return types.flatMap((type) => {
    const made = arbitraryOfType(type, all, making);
    return made === null ? [] : [made];
  });
}

function arbitraryOfType(type: string, all: Conjunction, making: Making): Arbitrary<Json> | null {
  switch (type) {
    case 'integer':
      return numberArbitrary(all, true, making.variety);
    case 'number':
      return numberArbitrary(all, false, making.variety);
    case 'boolean':
      return boolean();
    case 'null':
      return constant(null);
    case 'array':
      return listArbitrary(all, making);
    case 'object':
      return objectArbitrary(all, making);
    default:
      return textArbitrary(all, making);
  }
}

function listArbitrary(all: Conjunction, making: Making): Arbitrary<Json> | null {
  const contained = valuesOf(all, 'contains');
  const wanted = contained.length === 0 ? 0 : (boundOf(all, 'minContains', 'largest') ?? 1);
  const special = Math.max(wanted, prefixLength(all));
  const room = Math.floor(MAX_VALUES / making.repeated);
  const cap = Math.min(room, making.variety === 'any' ? MAX_ITEMS : Math.max(1, special));
  const { least, most } = countsOf(all, 'minItems', 'maxItems', cap);
  if (least > most || least > room) return null;
  const inner = { ...making, repeated: making.repeated * Math.max(1, most) };
  const possible: Arbitrary<Json>[] = [];
  while (possible.length < Math.min(special, most)) {
    const item = itemTogether(all, possible.length);
    const made = valueArbitrary(possible.length < wanted ? { allOf: [item, ...contained] } : item, inner);
    if (made === null) break;
    possible.push(made);
  }
  const rest = valueArbitrary(itemTogether(all, Number.MAX_SAFE_INTEGER), inner);
  const unique = valuesOf(all, 'uniqueItems').includes(true);
  const count = {
    minLength: Math.max(0, least - possible.length),
    maxLength: Math.max(0, most - possible.length),
  };
  if (rest === null && possible.length < least) return null;
  const others =
    rest === null || count.maxLength === 0
      ? constant([])
      : unique
        ? uniqueList(rest, count)
        : array(rest, count);
  return tuple(tuple(...possible), others).map(([head, tail]) => [...head, ...tail]);
}

/** More are drawn than are needed: some may be equal. To draw until enough differ might never end. */
function uniqueList(
  item: Arbitrary<Json>,
  { minLength, maxLength }: { readonly minLength: number; readonly maxLength: number },
): Arbitrary<readonly Json[]> {
  const drawn = { minLength: 3 * minLength, maxLength: Math.max(3 * minLength, maxLength) };
  return array(item, drawn).map((items) => {
    const different = new Map(items.map((value) => [canonicalJson(value), value]));
    return [...different.values()].slice(0, maxLength);
  });
}

function prefixLength(all: Conjunction): number {
  return Math.max(
    0,
    ...all.flatMap((schema) => ['items', 'prefixItems'].map((keyword) => ownItems(schema, keyword).length)),
  );
}

function objectArbitrary(all: Conjunction, making: Making): Arbitrary<Json> | null {
  const { least, most } = countsOf(all, 'minProperties', 'maxProperties', MAX_PARTS);
  if (least > most || least > MAX_PARTS) return null;
  const required = withDependents(new Set(valuesOf(all, 'required').flatMap((names) => textsOf(names))), all);
  if (required.size > making.left.parts) return null;
  const mayHaveOptional = making.variety === 'any' && making.depth <= MAX_OPTIONAL_DEPTH;
  const optional = memberNames(all).filter((name) => !required.has(name));
  const names = [
    ...required,
    ...optional.slice(0, mayHaveOptional ? undefined : Math.max(0, least - required.size)),
  ];
  const members: Record<string, Arbitrary<Json>> = Object.create(null);
  for (const name of names) {
    const member = valueArbitrary(propertyTogether(all, name), making);
    if (member !== null) members[name] = member;
    else if (required.has(name)) return null;
  }
  const missing = least - Object.keys(members).length;
  for (const name of namesOfExtra(all, Math.min(missing, MAX_ITEMS))) {
    const member = valueArbitrary(propertyTogether(all, name), making);
    if (member !== null) members[name] = member;
  }
  const kept = mayHaveOptional && missing <= 0 ? [...required] : Object.keys(members);
  // A plain object, in which `__proto__` is a name like any other.
  return record(members, { requiredKeys: kept }).map((made) => Object.fromEntries(Object.entries(made)));
}

/** A name that is present may require others. Before draft 2019-09, `dependencies` had these lists. */
function withDependents(required: Set<string>, all: Conjunction): ReadonlySet<string> {
  const lists = ['dependentRequired', 'dependencies'].flatMap((keyword) => valuesOf(all, keyword));
  // The loop also visits names that are added while it runs.
  for (const name of required)
    for (const list of lists) for (const other of textsOf(ownProperty(list, name))) required.add(other);
  return required;
}

/** Names that a pattern asks for, where one does. */
function namesOfExtra(all: Conjunction, count: number): readonly string[] {
  const patterns = [
    ...valuesOf(all, 'propertyNames').map((names) => ownProperty(names, 'pattern')),
    ...valuesOf(all, 'patternProperties').flatMap((properties) => Object.keys(properties as JsonObject)),
  ].filter((pattern) => typeof pattern === 'string');
  const [pattern] = patterns;
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const counting = (below: number): number => (index + below - 1) % below;
    const name = pattern === undefined ? null : textMatching(pattern, counting, { least: 1, most: 40 });
    return name ?? `extra${index + 1}`;
  });
}
