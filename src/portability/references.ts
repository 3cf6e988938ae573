import { type Json, ownText } from '../json/json.ts';
import { groupedBy } from '../text/grouped-by.ts';
import { decodedPart } from '../text/parse-url.ts';
import { isDefinition, pointerOf, type SchemaNode, type SchemaNodes } from './schema-nodes.ts';

export function referenceIn(schema: Json): string | null {
  return ownText(schema, '$ref');
}

export function isExternal(reference: string): boolean {
  return !reference.startsWith('#');
}

/** The references with which a schema contains itself. Pure. */
export function recursiveReferences({ all }: SchemaNodes): readonly SchemaNode[] {
  const refers = all.filter(({ schema }) => referenceIn(schema) !== null);
  if (refers.length === 0) return [];
  const places = new Map(all.map((node) => [pointerOf(node), node]));
  const childrenOf = groupedBy(all, ({ parent }) => parent);
  const targetOf = (node: SchemaNode): SchemaNode | undefined => {
    const reference = referenceIn(node.schema);
    if (reference === null || isExternal(reference)) return undefined;
    return places.get(decodedPart(reference.slice(1)) ?? reference.slice(1));
  };
  // Depth first, without recursion: a reference to a schema that is still open contains itself.
  const closing: SchemaNode[] = [];
  const state = new Map<SchemaNode, 'open' | 'done'>();
  for (const start of all) {
    if (state.has(start)) continue;
    const stack: { readonly node: SchemaNode; readonly next: SchemaNode[] }[] = [];
    const enter = (node: SchemaNode) => {
      state.set(node, 'open');
      const target = targetOf(node);
      // A definition is entered through a reference to it, or by itself later.
      const inside = (childrenOf.get(node) ?? []).filter((child) => !isDefinition(child));
      stack.push({ node, next: target === undefined ? inside : [...inside, target] });
    };
    enter(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.next.pop();
      if (next === undefined) {
        state.set(top.node, 'done');
        stack.pop();
      } else if (state.get(next) === 'open') closing.push(top.node);
      else if (!state.has(next)) enter(next);
    }
  }
  return [...new Set(closing)];
}
