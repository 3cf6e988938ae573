import type { Json } from '../../json/json.ts';

/**
 * The result of applying a schema to a value. An undecided part leaves it undecided, unless the other parts decide it.
 */
export type Outcome =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly failure: Failure }
  | { readonly kind: 'undecided'; readonly reason: string };

/** Where and why a value fails. Only a reported failure is put in words: most only rule out an alternative. */
export interface Failure {
  /** Steps from the failing value up to the root; each level appends its own. */
  readonly path: (string | number)[];
  readonly keyword: string;
  readonly schema: Json;
  readonly value: Json;
  readonly detail: FailureDetail;
  /** The value is null, and a schema that it fails has `nullable: true`, which JSON Schema ignores. */
  saysNullable: boolean;
}

export type FailureDetail =
  /** The keyword and its operand explain the failure. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'missing'; readonly property: string; readonly because: string | null }
  | { readonly kind: 'extra'; readonly what: 'property' | 'item'; readonly at: string | number }
  | { readonly kind: 'same items'; readonly first: number; readonly second: number }
  /** No alternative fits, each for a reason. */
  | { readonly kind: 'none fits'; readonly failures: readonly Failure[] }
  | { readonly kind: 'several fit'; readonly first: number; readonly second: number };

export const VALID: Outcome = { kind: 'valid' };

export function invalid(
  keyword: string,
  schema: Json,
  value: Json,
  detail: FailureDetail = { kind: 'plain' },
): Outcome {
  return { kind: 'invalid', failure: { path: [], keyword, schema, value, detail, saysNullable: false } };
}

export function undecided(reason: string): Outcome {
  return { kind: 'undecided', reason };
}

/** Turns the outcome for a part of a value into one for the value that contains it at this step. */
export function within(step: string | number, outcome: Outcome): Outcome {
  if (outcome.kind === 'invalid') outcome.failure.path.push(step);
  return outcome;
}

/** Combines outcomes that must both be valid: an invalid one wins, then the first undecided one. */
export function both(first: Outcome, second: Outcome): Outcome {
  if (first.kind === 'invalid' || second.kind === 'valid') return first;
  return first.kind === 'valid' || second.kind === 'invalid' ? second : first;
}

/** Judges parts that must all be valid, until one is invalid. */
export function allValid<Part>(parts: Iterable<Part>, judge: (part: Part) => Outcome): Outcome {
  let outcome = VALID;
  for (const part of parts) {
    outcome = both(outcome, judge(part));
    if (outcome.kind === 'invalid') return outcome;
  }
  return outcome;
}

/** Takes steps from those that an evaluation may make; throws when none are left. */
export type Spend = (steps: number) => void;
