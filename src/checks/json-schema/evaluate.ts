import type { Json } from '../../model/json.ts';
import { followReference } from './apply.ts';
import { type Outcome, undecided } from './outcome.ts';
import { MAX_STEPS, StepsSpent, startRun } from './run.ts';
import type { SchemaNode } from './schema-node.ts';

/** Applies a schema to a value, within bounds. */
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
