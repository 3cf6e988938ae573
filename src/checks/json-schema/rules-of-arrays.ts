import { itemsOf, type Json } from '../../json/json.ts';
import { applyWithin } from './apply.ts';
import { invalid, type Outcome, undecided, VALID } from './outcome.ts';
import type { MakeRule, Run, SchemaNode } from './schema-node.ts';
import { hasItem } from './seen.ts';

/** Draft 2020-12: one schema for each of the first items. */
export const prefixItemsRule: MakeRule = (operand, { child }) => tuple(itemsOf(operand).map(child));

/**
 * A schema for every item; in 2020-12, for those after `prefixItems`. Earlier drafts also allow a list, as
 * `prefixItems`.
 */
export const itemsRule: MakeRule = (operand, { schema, child, own, since }) => {
  if (Array.isArray(operand)) return since('2020-12') ? null : tuple(itemsOf(operand).map(child));
  const first = since('2020-12') ? itemsOf(own('prefixItems')).length : 0;
  return rest('items', first, schema, operand, child);
};

/** Drafts until 2019-09: for the items after those that `items` lists. */
export const additionalItemsRule: MakeRule = (operand, { schema, child, own }) => {
  const items = own('items');
  return Array.isArray(items) ? rest('additionalItems', items.length, schema, operand, child) : null;
};

function tuple(nodes: readonly SchemaNode[]): ReturnType<MakeRule> {
  return (value, run, seen) => {
    const items = value as readonly Json[];
    if (seen !== null) seen.certain.itemsBefore = Math.max(seen.certain.itemsBefore, nodes.length);
    return applyToItems(items, 0, Math.min(items.length, nodes.length), (index) => nodes[index], run);
  };
}

function rest(
  keyword: string,
  first: number,
  schema: Json,
  operand: Json,
  child: (schema: Json) => SchemaNode,
): ReturnType<MakeRule> {
  const node = child(operand);
  return (value, run, seen) => {
    const items = value as readonly Json[];
    if (seen !== null) seen.certain.itemsBefore = Number.POSITIVE_INFINITY;
    if (operand === false && items.length > first)
      return invalid(keyword, schema, value, { kind: 'extra', what: 'item', at: first });
    return applyToItems(items, first, items.length, () => node, run);
  };
}

function applyToItems(
  items: readonly Json[],
  first: number,
  end: number,
  nodeFor: (index: number) => SchemaNode | undefined,
  run: Run,
): Outcome {
  let doubt = VALID;
  for (let index = first; index < end; index += 1) {
    const node = nodeFor(index);
    if (node === undefined) continue;
    const outcome = applyWithin(index, node, items[index] as Json, run);
    if (outcome.kind === 'invalid') return outcome;
    if (outcome.kind === 'undecided' && doubt.kind === 'valid') doubt = outcome;
  }
  return doubt;
}

export const unevaluatedItemsRule: MakeRule = (operand, { schema, child }) => {
  const node = child(operand);
  return (value, run, seen) => {
    if (seen === null) return VALID;
    let outcome = VALID;
    for (const [index, item] of (value as readonly Json[]).entries()) {
      run.spend(1);
      if (hasItem(seen.certain, index)) continue;
      const one = applyWithin(index, node, item, run);
      if (one.kind === 'valid') continue;
      if (one.kind === 'undecided') outcome = one;
      else if (hasItem(seen.doubtful, index)) outcome = undecided(seen.doubt);
      else if (operand !== false) return one;
      else return invalid('unevaluatedItems', schema, value, { kind: 'extra', what: 'item', at: index });
    }
    seen.certain.itemsBefore = Number.POSITIVE_INFINITY;
    return outcome;
  };
};
