import { resolveLocalReference } from '../checks/json/local-reference.ts';
import {
  canonicalJson,
  isJsonObject,
  itemsOf,
  type Json,
  type JsonObject,
  ownProperty,
} from '../json/json.ts';

// What the comparison of two schemas reads of them.

/** A schema, or a part of one, with the document to which its references lead. */
export interface Side {
  readonly schema: Json;
  readonly root: Json;
}

export interface Place {
  readonly path: readonly string[];
  /** Such as `options.unit`; empty for the whole. */
  readonly name: string;
  readonly depth: number;
}

/** Parts that are deeper are compared as a whole. */
export const MAX_DEPTH = 32;
/** A part behind a reference is so much deeper: recursive schemas have no end. */
const DEPTH_OF_REFERENCE = 4;
const MAX_FOLLOWED = 8;

/** A part without references needs no document, which may be large. */
export function alone({ schema, root }: Side): Side {
  return refers(schema) ? { schema, root } : { schema, root: schema };
}

/** Keywords that say nothing of which values are accepted. */
export const TEXTS: readonly string[] = [
  'title',
  'description',
  'examples',
  '$comment',
  'default',
  'deprecated',
];

/** Members of a document, not of the schema at its root. */
export const OF_ROOT: readonly string[] = ['$schema', '$id', '$defs', 'definitions'];

export function followed({ schema, root }: Side): Side {
  let current = schema;
  for (let followedCount = 0; followedCount < MAX_FOLLOWED; followedCount += 1) {
    const reference = ownProperty(current, '$ref');
    const [only, ...others] = itemsOf(ownProperty(current, 'allOf'));
    const keys = isJsonObject(current) ? Object.keys(withoutMembers(current, TEXTS)) : [];
    if (keys.length !== 1) break;
    if (typeof reference === 'string') current = resolveLocalReference(root, reference) ?? current;
    else if (only !== undefined && others.length === 0) current = only;
    else break;
  }
  return { schema: current, root };
}

export function refers(schema: Json): boolean {
  return canonicalJson(schema).includes('"$ref"');
}

/** Nothing beside its members is said of it that would have to be compared as a whole. */
export function isPlainObject(schema: Json): schema is JsonObject {
  const isCombined = ['$ref', 'anyOf', 'oneOf', 'allOf', 'if', 'not'].some(
    (keyword) => ownProperty(schema, keyword) !== undefined,
  );
  return ownProperty(schema, 'type') === 'object' && !isCombined;
}

export function isPlainList(schema: Json): schema is JsonObject {
  return ownProperty(schema, 'type') === 'array' && isJsonObject(ownProperty(schema, 'items'));
}

/** Also those of which only their name is said. */
export function propertiesOf(schema: Json): JsonObject {
  const properties = ownProperty(schema, 'properties');
  const required = requiredIn(schema).filter((name) => typeof name === 'string');
  return Object.fromEntries([
    ...required.map((name): [string, Json] => [name, {}]),
    ...Object.entries(isJsonObject(properties) ? properties : {}),
  ]);
}

export function requiredIn(schema: Json): readonly Json[] {
  return itemsOf(ownProperty(schema, 'required'));
}

export function withoutMembers(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

export function inside({ path, name, depth }: Place, steps: readonly string[], step: string): Place {
  const joined = name === '' || step === '[]' ? `${name}${step}` : `${name}.${step}`;
  return { path: [...path, ...steps], name: joined, depth: depth + 1 };
}

/** The same place, for what stands there or is behind a reference. */
export function behind(place: Place, given: Side, target: Side): Place {
  return given.schema === target.schema ? place : { ...place, depth: place.depth + DEPTH_OF_REFERENCE };
}
