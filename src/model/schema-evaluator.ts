import type { Json } from '../json/json.ts';

/** The first difference between a value and a schema. */
export interface SchemaProblem {
  /** RFC 6901 pointer into the value. */
  readonly pointer: string;
  readonly expected: string;
  readonly received: string;
  /** How to fix it, where the difference shows a usual mistake. */
  readonly advice?: string;
}

export type SchemaVerdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly problem: SchemaProblem }
  /** The harness cannot decide. The reason names the part of the schema ("it") or of the value that prevents it. */
  | { readonly kind: 'undecided'; readonly reason: string };

/** A schema from a target, after a first validation. */
export type ForeignSchema =
  | { readonly kind: 'usable'; readonly apply: (value: Json) => SchemaVerdict }
  /** It is not a valid JSON Schema. */
  | { readonly kind: 'invalid'; readonly problem: SchemaProblem }
  /** It may be valid, but the harness cannot or will not apply it. */
  | { readonly kind: 'unusable'; readonly reason: string };

/** Applies JSON Schemas: those of the suites, which are trusted, and those that targets send, which are not. */
export interface SchemaEvaluator {
  apply(schema: Json, value: Json): SchemaVerdict;
  foreign(schema: Json): ForeignSchema;
}

/** Whether the schema certainly does not accept the value: one that cannot be used says nothing. */
export function refuses(schema: ForeignSchema, value: Json): boolean {
  return schema.kind === 'usable' && schema.apply(value).kind === 'invalid';
}
