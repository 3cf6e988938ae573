import type { ExactNumber } from '../../json/exact-number.ts';
import type { Json } from '../../json/json.ts';
import type { Place } from './diagnostic.ts';

/** YAML reduced to the values of JSON, each with its place in the text. */
export type Tree =
  | {
      readonly kind: 'scalar';
      readonly value: null | boolean | number | string;
      /** The number with its digits, if a double changes it. */
      readonly exact?: ExactNumber;
      readonly place: Place;
    }
  | { readonly kind: 'list'; readonly items: readonly Tree[]; readonly place: Place }
  | { readonly kind: 'map'; readonly entries: readonly TreeEntry[]; readonly place: Place };

export interface TreeEntry {
  readonly key: string;
  readonly keyPlace: Place;
  readonly value: Tree;
}

export const MAX_FILE_BYTES = 1024 * 1024;
/** Counted with aliases expanded, so that a few lines cannot stand for millions of nodes. */
export const MAX_NODES = 100_000;
export const MAX_DEPTH = 64;

export function plainValue(tree: Tree): Json {
  if (tree.kind === 'scalar') return tree.exact ?? tree.value;
  if (tree.kind === 'list') return tree.items.map(plainValue);
  return Object.fromEntries(tree.entries.map(({ key, value }) => [key, plainValue(value)]));
}
