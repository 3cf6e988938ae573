import type { Resource, Run } from './schema-node.ts';

/** Maximum steps of one evaluation: schemas applied, values compared, references followed and texts matched. */
export const MAX_STEPS = 5_000_000;
/** Maximum nesting of applied schemas, which bounds the stack. */
export const MAX_DEPTH = 1200;

/** Ends an evaluation that takes too many steps, from any depth. */
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
