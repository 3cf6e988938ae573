import type { Json } from '../../model/json.ts';

/** The result of applying a schema to a value. Undecided stays undecided unless the rest settles it either way. */
export type Outcome =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly failure: Failure }
  | { readonly kind: 'undecided'; readonly reason: string };

/** Where and in what a value fails. It is put in words only when it is reported: most failures only close a choice. */
export interface Failure {
  /** Steps from the failing value back to the whole one; each level adds its step as the failure passes it. */
  readonly path: (string | number)[];
  readonly keyword: string;
  /** The schema that has the keyword. */
  readonly schema: Json;
  readonly value: Json;
  readonly detail: FailureDetail;
}

export type FailureDetail =
  /** The keyword and its operand say it all. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'missing'; readonly property: string; readonly because: string | null }
  | { readonly kind: 'extra'; readonly what: 'property' | 'item'; readonly at: string | number }
  | { readonly kind: 'same items'; readonly first: number; readonly second: number }
  /** No schema of a choice fits, each for a reason. */
  | { readonly kind: 'none fits'; readonly failures: readonly Failure[] }
  | { readonly kind: 'several fit'; readonly first: number; readonly second: number };

export const VALID: Outcome = { kind: 'valid' };

export function invalid(
  keyword: string,
  schema: Json,
  value: Json,
  detail: FailureDetail = { kind: 'plain' },
): Outcome {
  return { kind: 'invalid', failure: { path: [], keyword, schema, value, detail } };
}

export function undecided(reason: string): Outcome {
  return { kind: 'undecided', reason };
}

/** The outcome for a part of a value, as one for the value that holds it under this step. */
export function within(step: string | number, outcome: Outcome): Outcome {
  if (outcome.kind === 'invalid') outcome.failure.path.push(step);
  return outcome;
}

/** Of several outcomes that must all be valid: an invalid one settles it, else the first that is undecided. */
export function both(first: Outcome, second: Outcome): Outcome {
  if (first.kind === 'invalid' || second.kind === 'valid') return first;
  return first.kind === 'valid' || second.kind === 'invalid' ? second : first;
}
