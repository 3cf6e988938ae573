import { targetOf } from '../checks/json/local-reference.ts';
import { isJsonObject, type Json, type JsonObject, ownItems, ownProperty } from '../json/json.ts';

/**
 * Schemas that must all accept a value. A schema with `anyOf`, `oneOf` or `if` has several such lists, one for each way
 * to satisfy it; `$ref` and `allOf` add to each.
 */
export type Conjunction = readonly JsonObject[];

/** Combinations multiply. */
const MAX_ALTERNATIVES = 16;
/** A schema may refer to itself in each of its alternatives. */
const MAX_PARTS = 500;

/**
 * The ways to satisfy a schema; none where nothing can. What `not` and the `unevaluated` keywords forbid is ignored. What
 * is looked at is taken from `shared`, for all calls that have it.
 */
export function alternativesOf(
  schema: Json,
  root: Json,
  shared = { parts: MAX_PARTS },
): readonly Conjunction[] {
  const most = Math.min(MAX_PARTS, shared.parts);
  const left = { parts: most };
  const found = waysOf(schema, root, left);
  shared.parts -= most - left.parts;
  return found;
}

function waysOf(schema: Json, root: Json, left: { parts: number }): readonly Conjunction[] {
  left.parts -= 1;
  if (schema === false) return [];
  if (!isJsonObject(schema) || left.parts < 0) return [[]];
  const inner = (part: Json): readonly Conjunction[] => waysOf(part, root, left);
  let found: readonly Conjunction[] = [[schema]];
  const target = targetOf(schema, root);
  if (target !== undefined) found = combined(found, inner(target));
  for (const part of ownItems(schema, 'allOf')) found = combined(found, inner(part));
  for (const keyword of ['anyOf', 'oneOf']) {
    const parts = ownItems(schema, keyword);
    if (parts.length > 0) found = combined(found, parts.flatMap(inner));
  }
  const [condition, then, otherwise] = ['if', 'then', 'else'].map((keyword) => ownProperty(schema, keyword));
  if (condition !== undefined && (then !== undefined || otherwise !== undefined))
    found = combined(found, [
      ...combined(inner(condition), inner(then ?? true)),
      ...inner(otherwise ?? true),
    ]);
  return found;
}

function combined(left: readonly Conjunction[], right: readonly Conjunction[]): readonly Conjunction[] {
  const found: Conjunction[] = [];
  for (const one of left)
    for (const other of right) {
      if (found.length === MAX_ALTERNATIVES) return found;
      found.push([...new Set([...one, ...other])]);
    }
  return found;
}
