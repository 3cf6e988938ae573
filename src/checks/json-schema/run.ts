import type { Pattern, PatternMatch } from './patterns.ts';
import type { Resource, SchemaNode } from './schema-node.ts';

/** Most steps of one evaluation: schemas applied, values compared, references followed and texts matched. */
export const MAX_STEPS = 5_000_000;
/** Most schemas that are applied inside each other, which bounds the stack. */
export const MAX_DEPTH = 2000;

export type Spend = (steps: number) => void;

/** The resources entered on the way to a schema, innermost first: the dynamic scope. */
export interface Scope {
  readonly resource: Resource;
  readonly outer: Scope | null;
}

/** References followed since the evaluation last went deeper into the value, latest first. */
export interface FollowedReference {
  readonly target: SchemaNode;
  readonly outer: FollowedReference | null;
}

/** One evaluation of a value: the steps that are left, and where it is. */
export interface Run {
  readonly spend: Spend;
  depth: number;
  scope: Scope;
  followed: FollowedReference | null;
  readonly matchedNames: Map<Pattern, Map<string, PatternMatch>>;
}

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
