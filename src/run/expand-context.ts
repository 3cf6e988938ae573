import type { Unchosen } from '../choices/define-choice.ts';
import type { Json } from '../model/json.ts';
import type { RunSettings } from '../model/report.ts';
import type { Form } from '../model/requirement.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import type { Prerequisite } from './exchange-judge.ts';
import type { InstanceRequest } from './make-request.ts';
import type { Instance } from './record.ts';
import type { Restraint } from './restraint.ts';

/** An instance with the request that it sends; null for a step that sends nothing. */
export interface PlannedInstance extends Instance {
  readonly request: InstanceRequest | null;
  /** What to do where a call is refused although its input was served before. */
  readonly whenRefused?: WhenRefused | null;
}

export interface WhenRefused {
  /** The same call with another input, or null where there is none. */
  readonly otherwise: PlannedInstance | null;
  /** A plain call with the input that was refused; null where the call itself was one. */
  readonly plainly: PlannedInstance | null;
}

export interface ExpandContext {
  readonly settings: RunSettings;
  readonly saved: ReadonlyMap<string, Json>;
  /** Names for which no value could be chosen, with why. */
  readonly unchosen: ReadonlyMap<string, Unchosen>;
  /** Form in which to write calls; null when the step calls nothing. */
  readonly form: Form | null;
  readonly schemas: SchemaEvaluator;
  /** Requirement that blocks the step when a saved list is empty. */
  readonly blockedWhenEmpty: string;
  /**
   * Whether each item was answered as expected in the step under `succeeded`; no entry where it was not asked. Null as a
   * whole when the step follows none.
   */
  readonly succeeded: ReadonlyMap<Json, Prerequisite> | null;
  readonly restraint: Restraint;
  /** Items whose answers are so large, or take so long, that a run can have few of them. */
  readonly costly: ReadonlySet<Json>;
}

/** An item of a loop, and how it is named; neither in a step without a loop. */
export interface Item {
  readonly item: Json | undefined;
  readonly itemKey: string | null;
}

export interface Place extends Item {
  readonly caseId: string | null;
}
