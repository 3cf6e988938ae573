import { JSON_SCHEMA_TYPES, textsOf } from '../checks/capabilities/descriptor.ts';
import { targetOf } from '../checks/json/local-reference.ts';
import { doubleOf } from '../json/exact-number.ts';
import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  ownItems,
  ownProperty,
} from '../json/json.ts';
import { matchesPattern } from './text-for-pattern.ts';

type TypeName = (typeof JSON_SCHEMA_TYPES)[number];

export function valuesOf(all: Conjunction, keyword: string): readonly Json[] {
  return all.flatMap((schema) => {
    const value = ownProperty(schema, keyword);
    return value === undefined ? [] : [value];
  });
}

/** The largest of the lower bounds, or the smallest of the upper ones; undefined without any. */
export function boundOf(
  all: Conjunction,
  keyword: string,
  strictest: 'largest' | 'smallest',
): number | undefined {
  const numbers = valuesOf(all, keyword).flatMap((value) => doubleOf(value) ?? []);
  if (numbers.length === 0) return undefined;
  return strictest === 'largest' ? Math.max(...numbers) : Math.min(...numbers);
}

/** The bounds of a length or a number of items; `cap` bounds the upper one where the schema leaves room. */
export function countsOf(
  all: Conjunction,
  least: string,
  most: string,
  cap: number,
): { least: number; most: number } {
  const low = Math.max(0, Math.ceil(boundOf(all, least, 'largest') ?? 0));
  const high = Math.floor(boundOf(all, most, 'smallest') ?? Infinity);
  return { least: low, most: Math.min(high, Math.max(low, cap)) };
}

/** The values that `const` and `enum` leave; null where neither is given. */
export function listedValues(all: Conjunction): readonly Json[] | null {
  const lists = all.flatMap((schema) => {
    const constant = ownProperty(schema, 'const');
    const list = ownProperty(schema, 'enum');
    return [
      ...(constant === undefined ? [] : [[constant]]),
      ...(Array.isArray(list) ? [list as readonly Json[]] : []),
    ];
  });
  const [first, ...others] = lists;
  if (first === undefined) return null;
  const common = others.map((list) => new Set(list.map(canonicalJson)));
  return first.filter((value) => common.every((texts) => texts.has(canonicalJson(value))));
}

const KEYWORDS_BY_TYPE: readonly (readonly [TypeName, readonly string[]])[] = [
  [
    'object',
    ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'propertyNames'],
  ],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
];

/** The types that a value may have; null where no keyword tells. */
export function typesTogether(all: Conjunction): readonly TypeName[] | null {
  const lists = valuesOf(all, 'type').map((type) => (typeof type === 'string' ? [type] : textsOf(type)));
  if (lists.length > 0)
    return JSON_SCHEMA_TYPES.filter((type) =>
      lists.every((list) => list.includes(type) || (type === 'integer' && list.includes('number'))),
    ).filter((type, _, kept) => type !== 'integer' || !kept.includes('number'));
  const shown = KEYWORDS_BY_TYPE.filter(([, keywords]) =>
    keywords.some((keyword) => valuesOf(all, keyword).length > 0),
  ).map(([type]) => type);
  return shown.length === 0 ? null : shown;
}

export function memberNames(all: Conjunction, given: JsonObject = {}): readonly string[] {
  const declared = valuesOf(all, 'properties').flatMap((properties) => Object.keys(Object(properties)));
  return [...new Set([...Object.keys(given), ...declared])];
}

const MAX_PATTERNS = 20;

/** The property of that name, by all schemas; false where one forbids it. */
export function propertyTogether(all: Conjunction, name: string): Json {
  const parts = all.flatMap((schema): readonly Json[] => {
    const own = ownProperty(ownProperty(schema, 'properties'), name);
    const patterns = Object.entries((ownProperty(schema, 'patternProperties') ?? {}) as JsonObject)
      .slice(0, MAX_PATTERNS)
      .filter(([pattern]) => matchesPattern(name, pattern))
      .map(([, part]) => part);
    const rest = ownProperty(schema, 'additionalProperties');
    const named = [...(own === undefined ? [] : [own]), ...patterns];
    return named.length > 0 || rest === undefined ? named : [rest];
  });
  return allOf(parts);
}

/** The item at that index, by all schemas. Before draft 2020-12 a list of `items` is what `prefixItems` is now. */
export function itemTogether(all: Conjunction, index: number): Json {
  const parts = all.flatMap((schema): readonly Json[] => {
    const items = ownProperty(schema, 'items');
    const prefix = Array.isArray(items) ? ownItems(schema, 'items') : ownItems(schema, 'prefixItems');
    const rest = Array.isArray(items) ? ownProperty(schema, 'additionalItems') : items;
    const part = index < prefix.length ? prefix[index] : rest;
    return part === undefined ? [] : [part];
  });
  return allOf(parts);
}

function allOf(parts: readonly Json[]): Json {
  const [only = true] = parts;
  return parts.length > 1 ? { allOf: parts } : only;
}

/**
 * Schemas that must all accept a value. A schema with `anyOf`, `oneOf` or `if` has several such lists, one for each way
 * to satisfy it; `$ref` and `allOf` add to each.
 */
export type Conjunction = readonly JsonObject[];

/** Combinations multiply. */
const MAX_ALTERNATIVES = 16;
/** A schema may refer to itself in each of its alternatives. */
const MAX_PARTS = 500;

/**
 * The ways to satisfy a schema; none where nothing can. What `not` and the `unevaluated` keywords forbid is ignored. What
 * is looked at is taken from `shared`, for all calls that have it.
 */
export function alternativesOf(
  schema: Json,
  root: Json,
  shared = { parts: MAX_PARTS },
): readonly Conjunction[] {
  const most = Math.min(MAX_PARTS, shared.parts);
  const left = { parts: most };
  const found = waysOf(schema, root, left);
  shared.parts -= most - left.parts;
  return found;
}

function waysOf(schema: Json, root: Json, left: { parts: number }): readonly Conjunction[] {
  left.parts -= 1;
  if (schema === false) return [];
  if (!isJsonObject(schema) || left.parts < 0) return [[]];
  const inner = (part: Json): readonly Conjunction[] => waysOf(part, root, left);
  let found: readonly Conjunction[] = [[schema]];
  const target = targetOf(schema, root);
  if (target !== undefined) found = combined(found, inner(target));
  for (const part of ownItems(schema, 'allOf')) found = combined(found, inner(part));
  for (const keyword of ['anyOf', 'oneOf']) {
    const parts = ownItems(schema, keyword);
    if (parts.length > 0) found = combined(found, parts.flatMap(inner));
  }
  const [condition, then, otherwise] = ['if', 'then', 'else'].map((keyword) => ownProperty(schema, keyword));
  if (condition !== undefined && (then !== undefined || otherwise !== undefined))
    found = combined(found, [
      ...combined(inner(condition), inner(then ?? true)),
      ...inner(otherwise ?? true),
    ]);
  return found;
}

function combined(left: readonly Conjunction[], right: readonly Conjunction[]): readonly Conjunction[] {
  const found: Conjunction[] = [];
  for (const one of left)
    for (const other of right) {
      if (found.length === MAX_ALTERNATIVES) return found;
      found.push([...new Set([...one, ...other])]);
    }
  return found;
}
