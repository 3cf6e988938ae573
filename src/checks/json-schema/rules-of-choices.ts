import { itemsOf, type Json } from '../../json/json.ts';
import { applyNode, applyToOther, followReference } from './apply.ts';
import { allValid, type Failure, invalid, type Outcome, undecided, VALID } from './outcome.ts';
import type { MakeRule, Run, SchemaNode, Scope } from './schema-node.ts';
import { addDoubtful, addSeen, nothingSeen, type Seen } from './seen.ts';

/** Applies a schema that may fail: what it has seen counts only if the value is valid. */
function tryNode(node: SchemaNode, value: Json, run: Run, seen: Seen | null): [Outcome, () => void] {
  const own = seen === null ? null : nothingSeen();
  const outcome = applyNode(node, value, run, own);
  return [
    outcome,
    () => {
      if (own === null || seen === null) return;
      if (outcome.kind === 'valid') addSeen(seen, own, run.spend);
      if (outcome.kind === 'undecided') addDoubtful(seen, own, outcome.reason, run.spend);
    },
  ];
}

export const allOfRule: MakeRule = (operand, { child }) => {
  const nodes = itemsOf(operand).map(child);
  return (value, run, seen) => allValid(nodes, (node) => applyNode(node, value, run, seen));
};

export const anyOfRule: MakeRule = (operand, { schema, child }) => {
  const nodes = itemsOf(operand).map(child);
  if (nodes.length === 0) return null;
  return (value, run, seen) => {
    const failures: Failure[] = [];
    let isValid = false;
    let doubt: Outcome | null = null;
    for (const node of nodes) {
      const [outcome, keepSeen] = tryNode(node, value, run, seen);
      keepSeen();
      if (outcome.kind === 'valid' && seen === null) return VALID;
      isValid ||= outcome.kind === 'valid';
      if (outcome.kind === 'undecided') doubt ??= outcome;
      if (outcome.kind === 'invalid') failures.push(outcome.failure);
    }
    if (isValid) return VALID;
    return doubt ?? invalid('anyOf', schema, value, { kind: 'none fits', failures });
  };
};

export const oneOfRule: MakeRule = (operand, { schema, child }) => {
  const nodes = itemsOf(operand).map(child);
  if (nodes.length === 0) return null;
  return (value, run, seen) => {
    const failures: Failure[] = [];
    let fitting: number | null = null;
    let doubt: Outcome | null = null;
    for (const [index, node] of nodes.entries()) {
      const [outcome, keepSeen] = tryNode(node, value, run, seen);
      keepSeen();
      if (outcome.kind === 'undecided') doubt ??= outcome;
      if (outcome.kind === 'invalid') failures.push(outcome.failure);
      if (outcome.kind !== 'valid') continue;
      if (fitting !== null)
        return invalid('oneOf', schema, value, { kind: 'several fit', first: fitting, second: index });
      fitting = index;
    }
    if (doubt !== null) return doubt;
    return fitting === null ? invalid('oneOf', schema, value, { kind: 'none fits', failures }) : VALID;
  };
};

export const notRule: MakeRule = (operand, { schema, child }) => {
  const node = child(operand);
  return (value, run) => {
    const outcome = applyNode(node, value, run, null);
    if (outcome.kind === 'undecided') return outcome;
    return outcome.kind === 'valid' ? invalid('not', schema, value) : VALID;
  };
};

export const ifRule: MakeRule = (operand, { schema, child, own }) => {
  const condition = child(operand);
  const [whenValid, whenInvalid] = ['then', 'else'].map((keyword) => {
    const branch = own(keyword);
    return branch === undefined ? null : child(branch);
  });
  const branchOutcome = (node: SchemaNode | null | undefined, value: Json, run: Run, seen: Seen | null) =>
    node == null ? VALID : applyNode(node, value, run, seen);
  return (value, run, seen) => {
    const [outcome, keepSeen] = tryNode(condition, value, run, seen);
    keepSeen();
    if (outcome.kind === 'valid') return branchOutcome(whenValid, value, run, seen);
    if (outcome.kind === 'invalid') return branchOutcome(whenInvalid, value, run, seen);
    const outcomes = [whenValid, whenInvalid].map((node) => {
      const branchSeen = seen === null ? null : nothingSeen();
      const branch = branchOutcome(node, value, run, branchSeen);
      if (seen !== null && branchSeen !== null) addDoubtful(seen, branchSeen, outcome.reason, run.spend);
      return branch;
    });
    if (outcomes.every(({ kind }) => kind === 'valid')) return VALID;
    if (outcomes.every(({ kind }) => kind === 'invalid')) return outcomes[0] ?? invalid('if', schema, value);
    return outcome;
  };
};

export const containsRule: MakeRule = (operand, { schema, child, own, since }) => {
  const node = child(operand);
  const limit = (keyword: string): Json | undefined => (since('2019-09') ? own(keyword) : undefined);
  const [minContains, maxContains] = [limit('minContains'), limit('maxContains')];
  const min = typeof minContains === 'number' ? minContains : 1;
  const max = typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY;
  const isSeen = since('2020-12');
  return (value, run, seen) => {
    const marks = isSeen ? seen : null;
    let certain = 0;
    let possible = 0;
    let reason = '';
    for (const [index, item] of (value as readonly Json[]).entries()) {
      if (marks === null && max === Number.POSITIVE_INFINITY && certain >= min) return VALID;
      const outcome = applyToOther(node, item, run);
      if (outcome.kind === 'invalid') continue;
      possible += 1;
      if (outcome.kind === 'valid') {
        certain += 1;
        marks?.certain.items.add(index);
        continue;
      }
      reason = outcome.reason;
      marks?.doubtful.items.add(index);
      if (marks !== null) marks.doubt = reason;
    }
    if (certain > max) return invalid('maxContains', schema, value);
    if (possible < min) return invalid('contains', schema, value);
    return certain >= min && possible <= max ? VALID : undecided(reason);
  };
};

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
