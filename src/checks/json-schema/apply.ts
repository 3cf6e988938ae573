import { type Json, jsonTypeOf, ownProperty } from '../../json/json.ts';
import { both, type Outcome, undecided, VALID, within } from './outcome.ts';
import type { Resource, Run, SchemaNode } from './schema-node.ts';
import { addSeen, doubtAll, nothingSeen, type Seen } from './seen.ts';

/** Maximum steps of one evaluation: schemas applied, values compared, references followed and texts matched. */
const MAX_STEPS = 5_000_000;
/** Maximum nesting of applied schemas, which bounds the stack. */
const MAX_DEPTH = 1200;

/** Ends an evaluation that takes too many steps, from any depth. */
class StepsSpent extends Error {}

function startRun(resource: Resource): Run {
  let stepsLeft = MAX_STEPS;
  return {
    spend: (steps) => {
      stepsLeft -= steps;
      if (stepsLeft < 0) throw new StepsSpent();
    },
    depth: 0,
    scope: { resource, outer: null },
    followed: null,
    matchedNames: new Map(),
  };
}

const TOO_DEEP = `it goes more than ${MAX_DEPTH} schemas deep`;
const ENDLESS = 'it refers to itself without end';

/** Applies a schema to a value, and adds what it evaluates to `seen`, unless that is null. */
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
    if (outcome.kind === 'invalid') {
      outcome.failure.saysNullable ||= value === null && ownProperty(node.schema, 'nullable') === true;
      break;
    }
  }
  run.depth -= 1;
  run.scope = scope;
  if (own !== null && seen !== null && own !== seen) addSeen(seen, own, run.spend);
  return outcome;
}

export function applyWithin(step: string | number, node: SchemaNode, value: Json, run: Run): Outcome {
  return within(step, applyToOther(node, value, run));
}

/** Applies a schema to another value, so that a reference to the same schema is not endless. */
export function applyToOther(node: SchemaNode, value: Json, run: Run): Outcome {
  const { followed } = run;
  run.followed = null;
  const outcome = applyNode(node, value, run, null);
  run.followed = followed;
  return outcome;
}

/**
 * Applies the target of a reference. If the target is already being applied to the same value, the reference is
 * endless: the value would be the same again, and so would the dynamic scope, for every name that matters.
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

export function evaluate(root: SchemaNode, value: Json): Outcome {
  try {
    return followReference(root, value, startRun(root.resource), null);
  } catch (error) {
    if (error instanceof StepsSpent) return undecided(`it takes more than ${MAX_STEPS} steps`);
    // How many frames the stack holds depends on the caller, and on how far the code has been compiled.
    if (error instanceof RangeError) return undecided('it goes deeper than the stack of this process');
    throw error;
  }
}
