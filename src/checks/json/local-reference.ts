import { isJsonObject, type Json, ownProperty, pointerSteps } from '../../json/json.ts';
import { decodedPart } from '../../text/parse-url.ts';

/** The target of a local reference such as `#/$defs/address`. */
export function resolveLocalReference(root: Json, reference: string): Json | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  return valueAt(root, decodedPart(reference.slice(1)) ?? reference.slice(1));
}

/** What the local `$ref` of a schema refers to; undefined without one, or if it has no target. */
export function targetOf(schema: Json, root: Json): Json | undefined {
  const reference = ownProperty(schema, '$ref');
  return typeof reference === 'string' ? resolveLocalReference(root, reference) : undefined;
}

/** The value at an RFC 6901 pointer. */
export function valueAt(root: Json, pointer: string): Json | undefined {
  let current: Json | undefined = root;
  for (const name of pointerSteps(pointer)) {
    if (Array.isArray(current)) current = current[Number(name)];
    else current = isJsonObject(current) && Object.hasOwn(current, name) ? current[name] : undefined;
  }
  return current;
}
