import { isJsonObject, itemsOf, type Json, type JsonObject } from '../json/json.ts';

/** A schema of what a caller sends, or of what a result holds: nothing but members that the schema names. */
export interface CallersView {
  readonly schema: Json;
  /** False where members that no schema names could not be left out. */
  readonly isWhole: boolean;
}

/** Beside these, a list of members is not all that is said of an object. */
const COMBINING: readonly string[] = [
  ...['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'not', 'patternProperties', 'dependentSchemas'],
  ...['unevaluatedProperties', '$dynamicRef', '$recursiveRef'],
];

/** Schemas in these are about the same value as the schema around them, or are read the other way round. */
const SAME_VALUE: readonly string[] = ['allOf', 'if', 'then', 'else', 'not', 'dependentSchemas'];

/**
 * A schema that says nothing of other members accepts them. No caller sends any, so that a new optional argument breaks
 * nothing, although the schema now refuses values of this name that it accepted.
 */
export function callersView(schema: Json): CallersView {
  const isShared = usesAny(schema, SAME_VALUE);
  let isWhole = true;
  const view = (one: Json): Json => {
    if (!isJsonObject(one)) return one;
    const members = Object.entries(one).map(([keyword, value]): [string, Json] => [
      keyword,
      viewIn(keyword, value),
    ]);
    return closed(Object.fromEntries(members));
  };
  const viewIn = (keyword: string, value: Json): Json => {
    if (keyword === 'items' || keyword === 'additionalProperties')
      return Array.isArray(value) ? itemsOf(value).map(view) : view(value);
    if (['prefixItems', 'anyOf', 'oneOf'].includes(keyword)) return itemsOf(value).map(view);
    const isNamed = keyword === 'properties' || (!isShared && ['$defs', 'definitions'].includes(keyword));
    if (!isNamed || !isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, view(one)]));
  };
  const closed = (one: JsonObject): JsonObject => {
    if (!isJsonObject(one.properties) || !isOpen(one.additionalProperties)) return one;
    if (!COMBINING.some((keyword) => Object.hasOwn(one, keyword)))
      return { ...one, additionalProperties: false };
    isWhole = false;
    return one;
  };
  const seen = view(schema);
  return { schema: seen, isWhole: isWhole && !isShared };
}

function isOpen(additional: Json | undefined): boolean {
  return additional === undefined || additional === true || (isJsonObject(additional) && isEmpty(additional));
}

function isEmpty(schema: JsonObject): boolean {
  return Object.keys(schema).length === 0;
}

function usesAny(schema: Json, keywords: readonly string[]): boolean {
  if (Array.isArray(schema)) return itemsOf(schema).some((one) => usesAny(one, keywords));
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).some(
    ([keyword, value]) => keywords.includes(keyword) || usesAny(value, keywords),
  );
}
