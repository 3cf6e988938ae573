import { type Json, jsonTypeOf, ownProperty } from '../../json/json.ts';
import { both, type Outcome, type Spend, undecided, VALID, within } from './outcome.ts';
import type { Resource, Result, Run, SchemaNode, Scope } from './schema-node.ts';
import { addSeen, doubtAll, nothingSeen, type Seen } from './seen.ts';

// Schemas of targets are applied here instead of with ajv, because strangers write them: the time of ajv doubles with each
// level of references (measured: 20 levels in 1.3 kB, 2.0 s), and its patterns backtrack (28 characters, 4.0 s). Here each
// step is counted, and patterns are linear.

/** Maximum steps of one use: schemas applied, values compared, references followed and texts matched. */
const MAX_STEPS = 5_000_000;

/** The steps that one use of a schema may still take, for all of its values. */
export interface StepsLeft {
  steps: number;
}

export function allSteps(): StepsLeft {
  return { steps: MAX_STEPS };
}
/** Maximum nesting of applied schemas, which bounds the stack. */
const MAX_DEPTH = 1200;

/** Ends an evaluation that takes too many steps, from any depth. */
class StepsSpent extends Error {}

function startRun(resource: Resource, left: StepsLeft): Run {
  return {
    spend: (steps) => {
      left.steps -= steps;
      if (left.steps < 0) throw new StepsSpent();
    },
    depth: 0,
    scope: scopeOf(resource, null),
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
  if (node.resource !== scope.resource) run.scope = scopeWithin(scope, node.resource, run.spend);
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

/** To enter a resource without dynamic names, or to enter it again, changes nothing: only the outermost one counts. */
function scopeWithin(outer: Scope, resource: Resource, spend: Spend): Scope {
  if (resource.dynamicAnchors.size === 0 && !resource.isRecursive) return outer;
  for (let at: Scope | null = outer; at !== null; at = at.outer) {
    spend(1);
    if (at.resource === resource) return outer;
  }
  // The same object each time, because it keeps the results that were found in it.
  const entered = outer.inner.get(resource) ?? scopeOf(resource, outer);
  outer.inner.set(resource, entered);
  return entered;
}

function scopeOf(resource: Resource, outer: Scope | null): Scope {
  return { resource, outer, inner: new Map(), results: new Map() };
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
 * Applies the target of a reference, once to a value in the same scope: targets that refer to others several times would
 * be applied exponentially often. If the target is already being applied to the same value, the reference is endless: the
 * value would be the same again, and so would the dynamic scope, for every name that matters.
 */
export function followReference(target: SchemaNode, value: Json, run: Run, seen: Seen | null): Outcome {
  const { followed, scope } = run;
  const results = scope.results.get(target) ?? new Map<Json, Result>();
  scope.results.set(target, results);
  const known = results.get(value);
  if (known !== undefined && (seen === null || known.seen !== null)) {
    run.spend(1);
    if (seen !== null && known.seen !== null) addSeen(seen, known.seen, run.spend);
    return copyOf(known.outcome);
  }
  for (let earlier = followed; earlier !== null; earlier = earlier.outer) {
    run.spend(1);
    if (earlier.target !== target) continue;
    doubtAll(seen, ENDLESS);
    return undecided(ENDLESS);
  }
  run.followed = { target, outer: followed };
  const own = seen === null ? null : nothingSeen();
  const outcome = applyNode(target, value, run, own);
  run.followed = followed;
  results.set(value, { outcome: copyOf(outcome), seen: own });
  if (seen !== null && own !== null) addSeen(seen, own, run.spend);
  return outcome;
}

/** The schemas around a failure add to its path. */
function copyOf(outcome: Outcome): Outcome {
  if (outcome.kind !== 'invalid') return outcome;
  return { kind: 'invalid', failure: { ...outcome.failure, path: [...outcome.failure.path] } };
}

export function evaluate(root: SchemaNode, value: Json, left: StepsLeft): Outcome {
  try {
    return followReference(root, value, startRun(root.resource, left), null);
  } catch (error) {
    if (error instanceof StepsSpent) return undecided(`it takes more than ${MAX_STEPS} steps`);
    // How many frames the stack holds depends on the caller, and on how far the code has been compiled.
    if (error instanceof RangeError) return undecided('it goes deeper than the stack of this process');
    throw error;
  }
}
