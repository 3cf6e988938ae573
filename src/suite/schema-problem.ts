import { resolveLocalReference } from '../checks/json/local-reference.ts';
import { validateSchema202012 } from '../generated/schema-2020-12.js';
import { isJsonObject, type Json, ownProperty } from '../model/json.ts';
import { subschemas } from './schema-keywords.ts';

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
