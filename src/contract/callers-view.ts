import { resolveLocalReference } from '../checks/json/local-reference.ts';
import { isJsonObject, itemsOf, type Json, type JsonObject } from '../json/json.ts';

/** A schema of what a caller sends, or of what a result holds: nothing but members that the schema names. */
export interface CallersView {
  readonly schema: Json;
  /** False where members that no schema names could not be left out. */
  readonly isWhole: boolean;
}

/** Schemas in these are about the same value as the schema around them. */
const LISTS: readonly string[] = ['allOf', 'anyOf', 'oneOf'];
const SINGLE: readonly string[] = ['if', 'then', 'else', 'not'];
const IN_PLACE: ReadonlySet<string> = new Set([...LISTS, ...SINGLE, 'dependentSchemas', 'dependencies']);
/** What these accept depends on which members other keywords know. */
const UNKNOWN: readonly string[] = ['unevaluatedProperties', '$dynamicRef', '$recursiveRef'];

/**
 * A schema that says nothing of other members accepts them. No caller sends any, so that a new optional argument breaks
 * nothing, although the schema now refuses values of this name that it accepted. Arguments of which nothing is said
 * (`areArguments`) have no members; any other object of which nothing is said may have any.
 */
export function callersView(schema: Json, root: Json = schema, areArguments = false): CallersView {
  const isShared = isCombined(schema) || isCombined(root);
  let isWhole = true;
  const view = (one: Json, isTop = false): Json => {
    if (!isJsonObject(one)) return one;
    const described = namesAt(one, root);
    const members = Object.entries(one).map(([keyword, value]): [string, Json] => [
      keyword,
      viewIn(one, keyword, value, described),
    ]);
    return closed(Object.fromEntries(members), one, described, isTop);
  };
  const viewIn = (around: JsonObject, keyword: string, value: Json, described: NamesAt): Json => {
    if (described.isCombined && ['items', 'prefixItems'].includes(keyword)) return left(value);
    if (keyword === 'items' || keyword === 'additionalProperties')
      return Array.isArray(value) ? itemsOf(value).map((one) => view(one)) : view(value);
    if (keyword === 'prefixItems' || (isOnlyChoice(around) && ['anyOf', 'oneOf'].includes(keyword)))
      return itemsOf(value).map((one) => view(one));
    const isNamed = keyword === 'properties' || (!isShared && ['$defs', 'definitions'].includes(keyword));
    if (IN_PLACE.has(keyword) && hasInner(value)) isWhole = false;
    if (!isNamed || !isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        keyword === 'properties' && described.inBranches.has(name) ? left(one) : view(one),
      ]),
    );
  };
  /** What other schemas are about too cannot be closed without them. */
  const left = (one: Json): Json => {
    if (hasMembers(one)) isWhole = false;
    return one;
  };
  const closed = (one: JsonObject, given: JsonObject, described: NamesAt, isTop: boolean): JsonObject => {
    if (!isOpen(one.additionalProperties) || described.isMap || isOnlyChoice(given)) return one;
    const isFree = areArguments && isTop && one.type === 'object' && !described.isCombined;
    if (!described.isDescribed && !isFree) return one;
    // All arguments are accepted in so many words: whether any are sent is not known.
    if (!described.isDescribed && one.additionalProperties !== undefined) {
      isWhole = false;
      return one;
    }
    const isReference = one.$ref !== undefined;
    // Behind a reference, it was closed there.
    if (isReference && !isShared && one.properties === undefined) return one;
    if (isReference || described.isUnknown) {
      isWhole = false;
      return one;
    }
    if (!described.isCombined) return { ...one, additionalProperties: false };
    return {
      ...one,
      properties: { ...anyOf(described.names), ...(isJsonObject(one.properties) ? one.properties : {}) },
      patternProperties: {
        ...anyOf(described.patterns),
        ...(isJsonObject(one.patternProperties) ? one.patternProperties : {}),
      },
      additionalProperties: false,
    };
  };
  const seen = view(schema, true);
  const isEveryReferenceSeen = !isShared || !hasReference(schema);
  return { schema: seen, isWhole: isWhole && isEveryReferenceSeen };
}

function anyOf(names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries([...names].map((name) => [name, true]));
}

/** What all schemas that are about one value say of its members. */
interface NamesAt {
  readonly names: ReadonlySet<string>;
  readonly patterns: ReadonlySet<string>;
  /** Members that other schemas than the outermost describe. */
  readonly inBranches: ReadonlySet<string>;
  /** Some schema lists members. */
  readonly isDescribed: boolean;
  /** Some schema says which other members there may be. */
  readonly isMap: boolean;
  readonly isCombined: boolean;
  readonly isUnknown: boolean;
}

function namesAt(schema: JsonObject, root: Json): NamesAt {
  const [names, patterns, inBranches] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const visited = new Set<Json>();
  const found = { isDescribed: false, isMap: false, isUnknown: false };
  const visit = (one: Json | undefined): void => {
    if (!isJsonObject(one) || visited.has(one)) return;
    visited.add(one);
    const named = Object.keys(isJsonObject(one.properties) ? one.properties : {});
    for (const name of [...named, ...askedNames(one)]) names.add(name);
    if (one !== schema) for (const name of named) inBranches.add(name);
    for (const pattern of Object.keys(one.patternProperties ?? {})) patterns.add(pattern);
    found.isDescribed ||= isJsonObject(one.properties);
    found.isMap ||= !isOpen(one.additionalProperties) && one.additionalProperties !== false;
    found.isUnknown ||= UNKNOWN.some((keyword) => Object.hasOwn(one, keyword));
    for (const keyword of LISTS) for (const part of itemsOf(one[keyword])) visit(part);
    for (const keyword of SINGLE) visit(one[keyword]);
    for (const keyword of ['dependentSchemas', 'dependencies'])
      if (isJsonObject(one[keyword])) for (const part of Object.values(one[keyword])) visit(part);
    if (typeof one.$ref === 'string') visit(resolveLocalReference(root, one.$ref));
  };
  visit(schema);
  const isCombined = visited.size > 1 || patterns.size > 0;
  return { names, patterns, inBranches, isCombined, ...found };
}

/** Members that a schema asks for without describing them. */
function askedNames(schema: JsonObject): readonly string[] {
  const dependent = [schema.dependentRequired, schema.dependencies].filter(isJsonObject);
  const lists = [schema.required, ...dependent.flatMap((one) => Object.values(one))];
  const asked = lists.flatMap((list) => itemsOf(list).filter((name) => typeof name === 'string'));
  return [...asked, ...dependent.flatMap((one) => Object.keys(one))];
}

/** Its variants describe the value, each alone. */
function isOnlyChoice(schema: JsonObject): boolean {
  const used = [...LISTS, ...SINGLE, '$ref', 'dependentSchemas', 'dependencies'].filter((keyword) =>
    Object.hasOwn(schema, keyword),
  );
  const isChoice = used.length === 1 && (used[0] === 'anyOf' || used[0] === 'oneOf');
  const own = [
    ...UNKNOWN,
    'properties',
    'patternProperties',
    'required',
    'additionalProperties',
    'items',
    'prefixItems',
  ];
  return isChoice && !own.some((keyword) => Object.hasOwn(schema, keyword));
}

/** Whether definitions may be used beside other schemas of the same value: they cannot be closed each alone. */
function isCombined(schema: Json): boolean {
  if (Array.isArray(schema)) return itemsOf(schema).some(isCombined);
  if (!isJsonObject(schema)) return false;
  const isBeside =
    ['allOf', ...SINGLE, 'dependentSchemas', 'dependencies'].some((keyword) =>
      Object.hasOwn(schema, keyword),
    ) ||
    (['anyOf', 'oneOf'].some((keyword) => Array.isArray(schema[keyword])) && !isOnlyChoice(schema)) ||
    (typeof schema.$ref === 'string' && isJsonObject(schema.properties));
  return isBeside || Object.values(schema).some(isCombined);
}

/** Whether members or items of a value have members of their own. */
function hasInner(schema: Json): boolean {
  if (Array.isArray(schema)) return itemsOf(schema).some(hasInner);
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).some(([keyword, value]) =>
    keyword === 'properties' && isJsonObject(value)
      ? Object.values(value).some(hasMembers)
      : ['items', 'prefixItems'].includes(keyword)
        ? hasMembers(value)
        : hasInner(value),
  );
}

function hasMembers(schema: Json): boolean {
  if (Array.isArray(schema)) return itemsOf(schema).some(hasMembers);
  if (!isJsonObject(schema)) return false;
  return (
    isJsonObject(schema.properties) || Object.hasOwn(schema, '$ref') || Object.values(schema).some(hasMembers)
  );
}

function hasReference(schema: Json): boolean {
  if (Array.isArray(schema)) return itemsOf(schema).some(hasReference);
  return (
    isJsonObject(schema) && (typeof schema.$ref === 'string' || Object.values(schema).some(hasReference))
  );
}

function isOpen(additional: Json | undefined): boolean {
  return additional === undefined || additional === true || (isJsonObject(additional) && isEmpty(additional));
}

function isEmpty(schema: JsonObject): boolean {
  return Object.keys(schema).length === 0;
}

/** Names that a document gives to members, wherever: a value with others shows nothing of a caller. */
export function memberNames(schema: Json): ReadonlySet<string> {
  const names = new Set<string>();
  const visitValue = (value: Json): void => {
    if (Array.isArray(value)) itemsOf(value).forEach(visitValue);
    else if (isJsonObject(value))
      for (const [name, one] of Object.entries(value)) {
        names.add(name);
        visitValue(one);
      }
  };
  const visit = (one: Json): void => {
    if (Array.isArray(one)) itemsOf(one).forEach(visit);
    if (!isJsonObject(one)) return;
    for (const name of [
      ...Object.keys(isJsonObject(one.properties) ? one.properties : {}),
      ...askedNames(one),
    ])
      names.add(name);
    for (const [keyword, value] of Object.entries(one))
      if (keyword === 'const' || keyword === 'enum') visitValue(value);
      else visit(value);
  };
  visit(schema);
  return names;
}

export function hasOnly(value: Json, names: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return itemsOf(value).every((one) => hasOnly(one, names));
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([name, one]) => names.has(name) && hasOnly(one, names));
}
