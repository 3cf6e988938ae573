import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import type { Header } from '../../model/exchange.ts';
import { FIELD_NAME } from '../../model/field-name.ts';
import { headerText } from './http-headers.ts';

/** A parameter of a tool whose value the header `mcp-param-NAME` of a call repeats (since revision 2026-07-28). */
export interface MirroredParameter {
  readonly name: string;
  /** The names of the properties that lead to its value. */
  readonly path: readonly string[];
}

/** The member of a schema that names the header. */
export const MIRRORED_IN = 'x-mcp-header';

/** The parameters that clients look for: those that `properties` alone lead to. */
export function mirroredParameters(
  schema: Json | undefined,
  path: readonly string[] = [],
): readonly MirroredParameter[] {
  const properties = ownProperty(schema, 'properties');
  if (!isJsonObject(properties) || path.length >= MAX_DEPTH) return [];
  return Object.entries(properties).flatMap(([key, property]) => {
    const own = [...path, key];
    const name = ownProperty(property, MIRRORED_IN);
    const isNamed = typeof name === 'string' && FIELD_NAME.test(name);
    return [...(isNamed ? [{ name, path: own }] : []), ...mirroredParameters(property, own)];
  });
}

/** Deeper properties than any real tool has. */
const MAX_DEPTH = 32;

/** The headers of a call; a value that is absent, null, or no text, boolean or exact number has none. */
export function mirroredHeaders(
  parameters: readonly MirroredParameter[],
  input: JsonObject,
): readonly Header[] {
  return parameters.flatMap(({ name, path }): readonly Header[] => {
    const value = path.reduce<Json | undefined>((part, key) => ownProperty(part, key), input);
    const isExact = typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value));
    if (typeof value !== 'string' && typeof value !== 'boolean' && !isExact) return [];
    return [[`mcp-param-${name.toLowerCase()}`, headerText(String(value))]];
  });
}
