import { validateSchema202012 } from '../generated/schema-2020-12.js';
import type { Json } from '../model/json.ts';

/** What is wrong with a JSON Schema of a suite, or null. The meta-schema is compiled when the product is built. */
export function schemaProblem(schema: Json): string | null {
  if (validateSchema202012(schema)) return badPattern(schema);
  const [error] = validateSchema202012.errors ?? [];
  if (error === undefined) return 'it is not one';
  return `${error.instancePath === '' ? 'it' : error.instancePath} ${error.message ?? 'is not as it must be'}`;
}

/** The meta-schema leaves patterns to whoever applies them, which would be too late. */
function badPattern(schema: Json): string | null {
  if (typeof schema !== 'object' || schema === null) return null;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'pattern' && typeof value === 'string') {
      try {
        new RegExp(value, 'u');
      } catch (error) {
        return `the pattern ${value}: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
    const inner = badPattern(value as Json);
    if (inner !== null) return inner;
  }
  return null;
}
