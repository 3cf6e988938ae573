import {
  type Arbitrary,
  array,
  boolean,
  constant,
  constantFrom,
  type DoubleConstraints,
  date,
  double,
  integer,
  ipV4,
  ipV6,
  nat,
  oneof,
  record,
  type StringConstraints,
  string,
  tuple,
  uuid,
} from 'fast-check';
import { textsOf } from '../checks/capabilities/descriptor.ts';
import { canonicalJson, type Json, type JsonObject, ownProperty } from '../model/json.ts';
import { alternativesOf, type Conjunction } from './alternatives.ts';
import {
  boundOf,
  itemTogether,
  listedValues,
  propertyTogether,
  typesTogether,
  valuesOf,
} from './keywords-together.ts';
import { type Random, textMatching, textsMatching } from './text-for-pattern.ts';

/** Deeper values hold nothing that is optional. */
const MAX_OPTIONAL_DEPTH = 3;
const MAX_DEPTH = 24;
/** Lists of objects of lists multiply. */
const MAX_PARTS = 1000;
const MAX_VALUES = 500;
const MAX_ITEMS = 20;
const MAX_TEXT_CHARACTERS = 1000;
const MAX_LEAST_CHARACTERS = 100_000;

/**
 * `plain`: short and ordinary values, without anything optional. `any`: whatever the schema allows, within bounds.
 */
export type Variety = 'plain' | 'any';

interface Making {
  readonly root: Json;
  readonly depth: number;
  readonly variety: Variety;
  /** How often the part may be repeated: the lists around it take their share. */
  readonly repeated: number;
  /** Parts of the schema, and characters that texts must have, that may still be spent. */
  readonly left: { parts: number; characters: number };
}

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
    left: { parts: MAX_PARTS, characters: MAX_LEAST_CHARACTERS },
  });
}

function valueArbitrary(schema: Json, making: Making): Arbitrary<Json> | null {
  making.left.parts -= 1;
  if (making.depth > MAX_DEPTH || making.left.parts < 0) return constant(null);
  const inner = { ...making, depth: making.depth + 1 };
  const ways = alternativesOf(schema, making.root).flatMap((all) => arbitrariesOf(all, inner));
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

const MAX_INTEGER = 2 ** 31 - 1;
const MAX_PLAIN_INTEGER = 99;

function numberArbitrary(all: Conjunction, whole: boolean, variety: Variety): Arbitrary<Json> | null {
  const above = boundOf(all, 'exclusiveMinimum', 'largest') ?? -Infinity;
  const below = boundOf(all, 'exclusiveMaximum', 'smallest') ?? Infinity;
  const low = Math.max(boundOf(all, 'minimum', 'largest') ?? -Infinity, above);
  const high = Math.min(boundOf(all, 'maximum', 'smallest') ?? Infinity, below);
  const steps = valuesOf(all, 'multipleOf').filter(
    (step) => typeof step === 'number' && step > 0,
  ) as number[];
  if (low > high) return null;
  if (whole || steps.length > 0) {
    const step = commonMultiple(whole ? [1, ...steps] : steps);
    const first = low === above ? Math.floor(low / step) + 1 : Math.ceil(low / step);
    const last = high === below ? Math.ceil(high / step) - 1 : Math.floor(high / step);
    const [min, max] = windowOf(first, last, variety === 'plain' ? MAX_PLAIN_INTEGER : MAX_INTEGER);
    if (min > max) return null;
    // 3 * 0.1 is not what a schema in steps of 0.1 means.
    return integer({ min, max }).map((count) => Number((count * step).toPrecision(15)));
  }
  const [first, last] = [Math.floor(low) + 1, Math.ceil(high) - 1];
  if (variety === 'plain' && first <= last) {
    const [min, max] = windowOf(first, last, MAX_PLAIN_INTEGER);
    if (min <= max) return integer({ min, max });
  }
  return doublesWithin({
    ...(low > -Infinity ? { min: low, minExcluded: low === above } : {}),
    ...(high < Infinity ? { max: high, maxExcluded: high === below } : {}),
  });
}

function doublesWithin(range: DoubleConstraints): Arbitrary<Json> | null {
  try {
    // JSON has no negative zero.
    return double({ ...range, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  } catch {
    // No double is between the bounds.
    return null;
  }
}

/** The part of a range that integers can be drawn from, nearest to zero. */
function windowOf(first: number, last: number, reach: number): readonly [number, number] {
  const min = Math.max(first, Math.min(-reach, last - reach));
  const max = Math.min(last, Math.max(reach, first + reach));
  return [Math.max(min, Number.MIN_SAFE_INTEGER), Math.min(max, Number.MAX_SAFE_INTEGER)];
}

const MAX_FACTOR = 10_000;

function commonMultiple(steps: readonly number[]): number {
  return steps.reduce((left, right) => {
    for (let factor = 1; factor <= MAX_FACTOR; factor += 1) {
      const multiple = Number((left * factor).toPrecision(15));
      if (Number.isInteger(Number((multiple / right).toPrecision(12)))) return multiple;
    }
    return left;
  });
}

function countsOf(
  all: Conjunction,
  least: string,
  most: string,
  cap: number,
): { least: number; most: number } {
  const low = Math.max(0, Math.ceil(boundOf(all, least, 'largest') ?? 0));
  const high = Math.floor(boundOf(all, most, 'smallest') ?? Infinity);
  return { least: low, most: Math.min(high, Math.max(low, cap)) };
}

function textArbitrary(all: Conjunction, making: Making): Arbitrary<Json> | null {
  const { variety, repeated } = making;
  const spread = Math.ceil(MAX_TEXT_CHARACTERS / repeated);
  const { least, most } = countsOf(all, 'minLength', 'maxLength', spread);
  if (least > most) return null;
  making.left.characters -= least * repeated;
  if (making.left.characters < 0) return null;
  const patterns = valuesOf(all, 'pattern').filter((value) => typeof value === 'string');
  if (patterns.length > 0)
    return oneof(
      ...patterns.map((pattern) => {
        const text = textsMatching(pattern, { least, most });
        return choices().map((random) => text(random) ?? '');
      }),
    );
  const [format] = valuesOf(all, 'format').filter((value) => typeof value === 'string');
  const formatted = format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format]?.() : undefined;
  if (formatted !== undefined) return formatted;
  if (variety === 'plain')
    return nat({ max: 99 }).map((number) => `probity-${number}`.padEnd(least, 'x').slice(0, most));
  const bounds: StringConstraints = {
    minLength: least,
    maxLength: Math.min(most, least + spread),
  };
  return oneof(
    { weight: 3, arbitrary: string(bounds) },
    { weight: 1, arbitrary: string({ ...bounds, unit: constantFrom(...WORLD) }) },
    { weight: 1, arbitrary: string({ ...bounds, unit: anyCharacter() }) },
  );
}

/** Letters that change in case and in number of bytes, a pair of surrogates, marks, blanks and what markup reads. */
const WORLD = [
  ...'éßİ東عक😀',
  '\u0301',
  '\u200b',
  '\u00a0',
  '\n',
  '\0',
  '"',
  '\\',
  '<',
  '&',
  '%',
  "'",
  ';',
] as const;

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;

function anyCharacter(): Arbitrary<string> {
  return nat({ max: 0x10ffff - SURROGATES }).map((number) =>
    String.fromCodePoint(number < SURROGATES_FROM ? number : number + SURROGATES),
  );
}

const MAX_CHOICES = 60;
const MAX_CHOICE = 9999;

/** A list of choices that shrinks to shorter and smaller ones, and so does what is made by them. */
function choices(): Arbitrary<Random> {
  return array(nat({ max: MAX_CHOICE }), { maxLength: MAX_CHOICES, size: 'max' }).map((numbers) => {
    let next = 0;
    return (below) => {
      const number = numbers[next % Math.max(1, numbers.length)] ?? 0;
      next += 1;
      return number % below;
    };
  });
}

const instants = (): Arbitrary<string> =>
  date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }).map((at) =>
    at.toISOString(),
  );

const numbered = (text: (number: number) => string): Arbitrary<string> => nat({ max: 9999 }).map(text);

const pages = (): Arbitrary<string> => numbered((number) => `https://example.com/${number}`);

const FORMATS: Readonly<Record<string, () => Arbitrary<string>>> = {
  'date-time': instants,
  date: () => instants().map((text) => text.slice(0, 10)),
  time: () => instants().map((text) => text.slice(11)),
  duration: () => numbered((minutes) => `PT${minutes}M`),
  email: () => numbered((number) => `someone-${number}@example.com`),
  'idn-email': () => numbered((number) => `someone-${number}@example.com`),
  hostname: () => numbered((number) => `host-${number}.example.com`),
  ipv4: () => ipV4(),
  ipv6: () => ipV6(),
  uri: pages,
  url: pages,
  'uri-reference': pages,
  iri: pages,
  'iri-reference': pages,
  uuid: () => uuid(),
  regex: () => constantFrom('^a+$', '.*', '[0-9]{2}'),
  'json-pointer': () => constantFrom('', '/a', '/a/0', '/a~1b'),
};

function listArbitrary(all: Conjunction, making: Making): Arbitrary<Json> | null {
  const contained = valuesOf(all, 'contains');
  const wanted = contained.length === 0 ? 0 : (boundOf(all, 'minContains', 'largest') ?? 1);
  const special = Math.max(wanted, prefixLength(all));
  const room = Math.floor(MAX_VALUES / making.repeated);
  const cap = Math.min(room, making.variety === 'any' ? MAX_ITEMS : Math.max(1, special));
  const { least, most } = countsOf(all, 'minItems', 'maxItems', cap);
  if (least > most || least > room) return null;
  const inner = { ...making, repeated: making.repeated * Math.max(1, most) };
  const fixed = Array.from({ length: Math.min(special, most) }, (_, index) =>
    valueArbitrary(
      index < wanted ? { allOf: [itemTogether(all, index), ...contained] } : itemTogether(all, index),
      inner,
    ),
  );
  const possible = fixed.slice(0, indexOrLength(fixed, null)).filter((one) => one !== null);
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
    ...all.flatMap((schema) =>
      ['items', 'prefixItems'].map((keyword) => {
        const value = ownProperty(schema, keyword);
        return Array.isArray(value) ? value.length : 0;
      }),
    ),
  );
}

function indexOrLength<T>(list: readonly T[], item: T): number {
  const index = list.indexOf(item);
  return index === -1 ? list.length : index;
}

function objectArbitrary(all: Conjunction, making: Making): Arbitrary<Json> | null {
  const { least, most } = countsOf(all, 'minProperties', 'maxProperties', MAX_PARTS);
  if (least > most || least > MAX_PARTS) return null;
  const required = withDependents(new Set(valuesOf(all, 'required').flatMap((names) => textsOf(names))), all);
  if (required.size > making.left.parts) return null;
  const declared = valuesOf(all, 'properties').flatMap((properties) => Object.keys(properties as JsonObject));
  const mayHaveOptional = making.variety === 'any' && making.depth <= MAX_OPTIONAL_DEPTH;
  const optional = [...new Set(declared)].filter((name) => !required.has(name));
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
  return record(members, { requiredKeys: kept }).map((made) => Object.fromEntries(Object.entries(made)));
}

/** A name that is present may require others. Before draft 2019-09, `dependencies` had these lists. */
function withDependents(required: Set<string>, all: Conjunction): ReadonlySet<string> {
  const lists = ['dependentRequired', 'dependencies'].flatMap((keyword) => valuesOf(all, keyword));
  // A Set goes on to what is added to it.
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
