import { type Json, jsonTypeOf } from '../../model/json.ts';
import { both, type Outcome, undecided, VALID, within } from './outcome.ts';
import { MAX_DEPTH } from './run.ts';
import type { Run, SchemaNode } from './schema-node.ts';
import { addSeen, doubtAll, nothingSeen, type Seen } from './seen.ts';

const TOO_DEEP = `it goes more than ${MAX_DEPTH} schemas deep`;
const ENDLESS = 'it refers to itself without end';

/** Applies a schema to a value. What is evaluated is added to `seen` where somebody needs it. */
export function applyNode(node: SchemaNode, value: Json, run: Run, seen: Seen | null): Outcome {
  run.spend(1);
  if (run.depth >= MAX_DEPTH) {
    doubtAll(seen, TOO_DEEP);
    return undecided(TOO_DEEP);
  }
  const { scope } = run;
  if (node.resource !== scope.resource) run.scope = { resource: node.resource, outer: scope };
  run.depth += 1;
  const own = node.tracksSeen ? nothingSeen() : seen;
  let outcome = VALID;
  for (const rule of node.rules[jsonTypeOf(value)]) {
    outcome = both(outcome, rule(value, run, own));
    if (outcome.kind === 'invalid') break;
  }
  run.depth -= 1;
  run.scope = scope;
  if (own !== null && seen !== null && own !== seen) addSeen(seen, own, run.spend);
  return outcome;
}

/** Applies a schema to a part of a value. */
export function applyWithin(step: string | number, node: SchemaNode, value: Json, run: Run): Outcome {
  return within(step, applyToOther(node, value, run));
}

/** Applies a schema to another value than the one at hand, so that references to the same schema are no circle. */
export function applyToOther(node: SchemaNode, value: Json, run: Run): Outcome {
  const { followed } = run;
  run.followed = null;
  const outcome = applyNode(node, value, run, null);
  run.followed = followed;
  return outcome;
}

/**
 * Applies the schema that a reference leads to. If that is being applied to this very value already, it would lead
 * here again: neither the value nor, for any name that matters, the dynamic scope will be another then.
 */
export function followReference(target: SchemaNode, value: Json, run: Run, seen: Seen | null): Outcome {
  const { followed } = run;
  for (let earlier = followed; earlier !== null; earlier = earlier.outer) {
    run.spend(1);
    if (earlier.target !== target) continue;
    doubtAll(seen, ENDLESS);
    return undecided(ENDLESS);
  }
  run.followed = { target, outer: followed };
  const outcome = applyNode(target, value, run, seen);
  run.followed = followed;
  return outcome;
}
