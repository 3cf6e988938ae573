import { stringifyExactly } from '../../json/exact-json.ts';
import { isJsonObject, type Json, ownProperty } from '../../json/json.ts';
import { type Reference, referencesIn, soleReference } from '../../suite/language/references.ts';

export type Scope = ReadonlyMap<string, Json>;

export class MissingValue extends Error {
  /** The name without a value, if that is the cause. */
  readonly root: string | null;

  constructor(message: string, root: string | null = null) {
    super(message);
    this.root = root;
  }
}

function lookUp({ root, path, source }: Reference, scope: Scope): Json {
  let current = scope.get(root);
  for (const name of path) current = ownProperty(current, name);
  if (current === undefined) throw new MissingValue(`there is no value for ${source}`, root);
  return current;
}

/** A text that is a single reference becomes the value itself; inside other text, values become text. */
export function expandText(text: string, scope: Scope): Json {
  const sole = soleReference(text);
  return sole === undefined ? expandToText(text, scope) : lookUp(sole, scope);
}

export function expandToText(
  text: string,
  scope: Scope,
  encode: (value: string) => string = (value) => value,
): string {
  const parts: string[] = [];
  let end = 0;
  for (const reference of referencesIn(text)) {
    const start = text.indexOf(reference.source, end);
    const value = lookUp(reference, scope);
    parts.push(text.slice(end, start), encode(typeof value === 'string' ? value : stringifyExactly(value)));
    end = start + reference.source.length;
  }
  // References inside a value are not expanded, because values may come from the target.
  return parts.join('') + text.slice(end);
}

export function expandJson(value: Json, scope: Scope): Json {
  if (typeof value === 'string') return expandText(value, scope);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => expandJson(item, scope));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expandJson(inner, scope)]));
}
