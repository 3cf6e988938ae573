/** A reference inside text: `${name}` or `${name.path.to.value}`. */
export interface Reference {
  readonly root: string;
  readonly path: readonly string[];
  readonly source: string;
}

const REFERENCE = /\$\{([A-Za-z][A-Za-z0-9]*)((?:\.[A-Za-z0-9_-]+)*)\}/g;
const OPENING = /\$\{/g;

export function referencesIn(text: string): readonly Reference[] {
  return [...text.matchAll(REFERENCE)].map(([source, root = '', path = '']) => ({
    root,
    path: path.split('.').slice(1),
    source,
  }));
}

/** True when the text holds a `${` that is not a well-formed reference. */
export function hasBrokenReference(text: string): boolean {
  return [...text.matchAll(OPENING)].length !== referencesIn(text).length;
}

/** The reference if the text consists only of it: such a reference keeps the value's type. */
export function soleReference(text: string): Reference | undefined {
  const references = referencesIn(text);
  return references.length === 1 && references[0]?.source === text ? references[0] : undefined;
}
