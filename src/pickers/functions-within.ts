import { isJsonObject, type Json, type JsonObject, ownProperty } from '../model/json.ts';

const MAX_LEVELS = 3;

/** Function descriptors at any place in a record. */
export function functionsWithin(value: Json, levels = MAX_LEVELS): readonly JsonObject[] {
  if (!isJsonObject(value) || levels === 0) return [];
  const listed = ownProperty(value, 'functions');
  const own = (Array.isArray(listed) ? (listed as readonly Json[]) : []).filter(
    (one): one is JsonObject => typeof ownProperty(one, 'name') === 'string',
  );
  if (own.length > 0) return own;
  return Object.values(value).flatMap((inner) => functionsWithin(inner, levels - 1));
}
