import { isJsonObject, type Json, type JsonObject, ownItems, ownProperty } from '../../json/json.ts';
import { requiredNames } from '../capabilities/descriptor.ts';
import { resolveLocalReference } from '../json/local-reference.ts';

/** What an object schema declares about the keys of a value. */
export interface DeclaredKeys {
  /** Declared for every value: in the schema itself, or through its $ref and allOf. */
  readonly always: ReadonlySet<string>;
  /** Declared anywhere that is applied to the value itself, conditions and alternatives included. */
  readonly anywhere: ReadonlySet<string>;
  /** The schema allows keys that it does not name, or has a reference that does not resolve. */
  readonly isOpen: boolean;
}

/** No real result schema has more subschemas; a larger one counts as open. */
const MAX_SUBSCHEMAS = 2000;

const ALTERNATIVES = ['anyOf', 'oneOf'] as const;
const CONDITIONALS = ['if', 'then', 'else'] as const;
/** draft-07 has `dependencies` for both of the later keywords. */
const DEPENDENCIES = ['dependentSchemas', 'dependencies'] as const;
/** Keywords that allow more keys, or declare keys by other means. */
const OPENING = ['patternProperties', 'propertyNames', '$dynamicRef', '$recursiveRef'] as const;
/** `false` is the opposite: it closes the schema. */
const OPENING_UNLESS_FALSE = ['additionalProperties', 'unevaluatedProperties'] as const;

export function declaredKeys(root: Json): DeclaredKeys {
  const always = new Set<string>();
  const anywhere = new Set<string>();
  const seen = { always: new Set<JsonObject>(), sometimes: new Set<JsonObject>() };
  const pending: { readonly schema: Json; readonly isAlways: boolean }[] = [{ schema: root, isAlways: true }];
  let isOpen = false;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { schema, isAlways } = next;
    const visited = isAlways ? seen.always : seen.sometimes;
    if (!isJsonObject(schema) || visited.has(schema)) continue;
    visited.add(schema);
    if (visited.size > MAX_SUBSCHEMAS) return { always, anywhere, isOpen: true };
    isOpen ||= allowsMore(schema);
    for (const [name, property] of Object.entries(membersOf(schema, 'properties'))) {
      anywhere.add(name);
      if (isAlways && property !== false) always.add(name);
    }
    for (const name of requiredNames(schema)) anywhere.add(name);
    const reference = ownProperty(schema, '$ref');
    if (typeof reference === 'string') {
      const target = resolveLocalReference(root, reference);
      if (target === undefined) isOpen = true;
      else pending.push({ schema: target, isAlways });
    }
    for (const part of ownItems(schema, 'allOf')) pending.push({ schema: part, isAlways });
    for (const part of alternativesOf(schema)) pending.push({ schema: part, isAlways: false });
  }
  return { always, anywhere, isOpen };
}

function allowsMore(schema: JsonObject): boolean {
  return (
    OPENING.some((keyword) => ownProperty(schema, keyword) !== undefined) ||
    OPENING_UNLESS_FALSE.some((keyword) => (ownProperty(schema, keyword) ?? false) !== false)
  );
}

function alternativesOf(schema: JsonObject): readonly Json[] {
  return [
    ...ALTERNATIVES.flatMap((keyword) => ownItems(schema, keyword)),
    ...CONDITIONALS.flatMap((keyword) => ownProperty(schema, keyword) ?? []),
    ...DEPENDENCIES.flatMap((keyword) => Object.values(membersOf(schema, keyword))),
  ];
}

function membersOf(schema: JsonObject, keyword: string): JsonObject {
  const members = ownProperty(schema, keyword);
  return isJsonObject(members) ? members : {};
}

/** Names in quotes, the first few of many. */
export function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => JSON.stringify(name));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
