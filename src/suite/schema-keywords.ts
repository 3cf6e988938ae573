import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';

const SCHEMA_KEYWORDS = [
  'not',
  'if',
  'then',
  'else',
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const SCHEMA_LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SCHEMA_MAP_KEYWORDS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const VALUE_KEYWORDS = [
  'type',
  'enum',
  'const',
  'multipleOf',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxContains',
  'minContains',
  'maxProperties',
  'minProperties',
  'required',
  'dependentRequired',
  '$ref',
  'title',
  'description',
  '$comment',
  'default',
  'examples',
];

/** The keywords of JSON Schema 2020-12 that a suite may use; any other is a typing error. */
export const SUITE_SCHEMA_KEYWORDS: readonly string[] = [
  ...VALUE_KEYWORDS,
  ...SCHEMA_KEYWORDS,
  ...SCHEMA_LIST_KEYWORDS,
  ...SCHEMA_MAP_KEYWORDS,
];

/** Every keyword in a schema that a suite may not use. */
export function unknownKeywords(schema: Json): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const own = Object.keys(schema).filter((keyword) => !SUITE_SCHEMA_KEYWORDS.includes(keyword));
  return [...own, ...subschemas(schema).flatMap(unknownKeywords)];
}

/** The direct subschemas of a schema. */
export function subschemas(schema: JsonObject): readonly Json[] {
  return Object.entries(schema).flatMap(([keyword, value]): readonly Json[] => {
    if (SCHEMA_KEYWORDS.includes(keyword)) return [value];
    if (SCHEMA_LIST_KEYWORDS.includes(keyword) && Array.isArray(value)) return value;
    if (SCHEMA_MAP_KEYWORDS.includes(keyword) && isJsonObject(value)) return Object.values(value);
    return [];
  });
}
