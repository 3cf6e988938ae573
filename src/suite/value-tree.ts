import type { Diagnostic, Place } from './diagnostic.ts';
import { MAX_DEPTH, MAX_NODES, type Tree } from './yaml-tree.ts';

/**
 * A value from JSON.parse, as the tree that shapes read, with one place for all of it. Returns a problem if it is
 * larger or deeper than a document may be.
 */
export function treeOfValue(
  value: unknown,
  place: Place,
):
  | { readonly tree: Tree; readonly keys: number }
  | { readonly problem: Pick<Diagnostic, 'code' | 'message' | 'suggestion'> } {
  let nodes = 0;
  let deepest = 0;
  let keys = 0;
  const convert = (part: unknown, depth: number): Tree => {
    nodes += 1;
    deepest = Math.max(deepest, depth);
    if (nodes > MAX_NODES || depth > MAX_DEPTH) return { kind: 'scalar', value: null, place };
    if (Array.isArray(part))
      return { kind: 'list', items: part.map((item) => convert(item, depth + 1)), place };
    if (typeof part === 'object' && part !== null) {
      const entries = Object.entries(part);
      keys += entries.length;
      return {
        kind: 'map',
        entries: entries.map(([key, inner]) => ({
          key,
          keyPlace: place,
          value: convert(inner, depth + 1),
        })),
        place,
      };
    }
    return { kind: 'scalar', value: part as null | boolean | number | string, place };
  };
  const tree = convert(value, 0);
  if (nodes > MAX_NODES)
    return {
      problem: { code: 'too-many-nodes', message: `more than ${MAX_NODES} values`, suggestion: 'Use fewer.' },
    };
  if (deepest > MAX_DEPTH)
    return {
      problem: {
        code: 'too-deep',
        message: `nested deeper than ${MAX_DEPTH} levels`,
        suggestion: 'Reduce the nesting.',
      },
    };
  return { tree, keys };
}
