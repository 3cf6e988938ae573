import { resolveLocalReference } from '../../checks/json/local-reference.ts';
import { validateSchema202012 } from '../../generated/schema-2020-12.js';
import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import { words } from '../../text/words.ts';

const SCHEMA_KEYWORDS = words(
  'not if then else items contains additionalProperties propertyNames unevaluatedItems',
  'unevaluatedProperties',
);
const SCHEMA_LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SCHEMA_MAP_KEYWORDS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const VALUE_KEYWORDS = words(
  'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength',
  'pattern maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required',
  'dependentRequired $ref title description $comment default examples',
);

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

function subschemas(schema: JsonObject): readonly Json[] {
  return Object.entries(schema).flatMap(([keyword, value]): readonly Json[] => {
    if (SCHEMA_KEYWORDS.has(keyword)) return [value];
    if (SCHEMA_LIST_KEYWORDS.includes(keyword) && Array.isArray(value)) return value;
    if (SCHEMA_MAP_KEYWORDS.includes(keyword) && isJsonObject(value)) return Object.values(value);
    return [];
  });
}

/** What is wrong with a JSON Schema of a suite, or null. The meta-schema is compiled when the product is built. */
export function schemaProblem(schema: Json): string | null {
  if (validateSchema202012(schema)) return unusablePart(schema, schema);
  const [error] = validateSchema202012.errors ?? [];
  if (error === undefined) return 'it is invalid';
  return `${error.instancePath === '' ? 'it' : error.instancePath} ${error.message ?? 'is invalid'}`;
}

/** Mistakes that the meta-schema does not find, and that would appear only when the schema is applied. */
function unusablePart(schema: Json, root: Json): string | null {
  if (!isJsonObject(schema)) return null;
  const pattern = ownProperty(schema, 'pattern');
  const patterns = [pattern, ...Object.keys(ownProperty(schema, 'patternProperties') ?? {})];
  for (const text of patterns) {
    const problem = typeof text === 'string' ? patternProblem(text) : null;
    if (problem !== null) return problem;
  }
  const values = ownProperty(schema, 'enum');
  if (Array.isArray(values) && values.length === 0) return 'an enum without values matches nothing';
  const reference = ownProperty(schema, '$ref');
  if (typeof reference === 'string' && resolveLocalReference(root, reference) === undefined)
    return `the $ref ${reference} has no target in the same schema`;
  for (const inner of subschemas(schema)) {
    const problem = unusablePart(inner, root);
    if (problem !== null) return problem;
  }
  return null;
}

function patternProblem(pattern: string): string | null {
  try {
    new RegExp(pattern, 'u');
    return null;
  } catch (error) {
    return `the pattern ${pattern}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
