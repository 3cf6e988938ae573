/** A JSON value as parsed from text (RFC 8259). */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as 'boolean' | 'number' | 'string' | 'object';
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own property, never one that every object inherits: targets send names such as `toString`. */
export function ownProperty(value: unknown, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The same text for the same value, whatever the order of its keys. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}

export function sameJson(left: Json, right: Json): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

/** An RFC 6901 pointer from the steps of a path. */
export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const SHOWN_CHARACTERS = 160;

/** A value with its JSON type, short enough for a line of a report: `"ok" (string)`. */
export function showJson(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  const type = jsonTypeOf(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return `${value} (number out of range)`;
  return `${shorten(JSON.stringify(value))} (${type})`;
}

export function shorten(text: string, mostCharacters = SHOWN_CHARACTERS): string {
  const characters = [...text.slice(0, mostCharacters * 2 + 2)];
  return characters.length <= mostCharacters ? text : `${characters.slice(0, mostCharacters - 1).join('')}…`;
}
