import { followReference } from './apply.ts';
import type { MakeRule, Run, SchemaNode, Scope } from './schema-node.ts';

export const refRule: MakeRule = (operand, { refer }) => {
  if (typeof operand !== 'string') return null;
  const { node } = refer(operand);
  return (value, run, seen) => followReference(node, value, run, seen);
};

/** Draft 2020-12. A reference to a `$dynamicAnchor` means the outermost resource that has the same anchor. */
export const dynamicRefRule: MakeRule = (operand, { refer }) => {
  if (typeof operand !== 'string') return null;
  const { node, anchor } = refer(operand);
  if (anchor === null || node.resource.dynamicAnchors.get(anchor) !== node.schema)
    return (value, run, seen) => followReference(node, value, run, seen);
  return (value, run, seen) => {
    const target = outermost(run, node, ({ dynamicAnchors, nodes }) => {
      const schema = dynamicAnchors.get(anchor);
      return schema === undefined ? undefined : nodes.get(schema);
    });
    return followReference(target, value, run, seen);
  };
};

/** Draft 2019-09. A reference to a resource with `$recursiveAnchor` means the outermost resource that has it. */
export const recursiveRefRule: MakeRule = (operand, { refer }) => {
  if (typeof operand !== 'string') return null;
  const { node } = refer(operand);
  if (!node.resource.isRecursive || node.schema !== node.resource.root)
    return (value, run, seen) => followReference(node, value, run, seen);
  return (value, run, seen) => {
    const target = outermost(run, node, ({ isRecursive, nodes, root }) =>
      isRecursive ? nodes.get(root) : undefined,
    );
    return followReference(target, value, run, seen);
  };
};

function outermost(
  { scope, spend }: Run,
  inner: SchemaNode,
  nodeIn: (resource: Scope['resource']) => SchemaNode | undefined,
): SchemaNode {
  let found = inner;
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    spend(1);
    found = nodeIn(at.resource) ?? found;
  }
  return found;
}
