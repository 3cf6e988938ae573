import type { Resource, Run } from './schema-node.ts';

/** Most steps of one evaluation: schemas applied, values compared, references followed and texts matched. */
export const MAX_STEPS = 5_000_000;
/** Most schemas that are applied inside each other, which bounds the stack. */
export const MAX_DEPTH = 1200;

/** Ends an evaluation from whatever depth, because nothing that it could still find is worth the time. */
export class StepsSpent extends Error {}

export function startRun(resource: Resource): Run {
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

/** Takes steps from those that an evaluation may make; throws when none are left. */
export type Spend = (steps: number) => void;
