import type { Json } from './json.ts';

/** The first thing in which a value differs from a schema. */
export interface SchemaProblem {
  /** RFC 6901 pointer into the value. */
  readonly pointer: string;
  readonly expected: string;
  readonly received: string;
}

/** A schema that a target sent, once it was looked at. */
export type ForeignSchema =
  /** Undecided where applying the schema to the value would take too long, or never end. */
  | { readonly kind: 'usable'; readonly problemOf: (value: Json) => SchemaProblem | 'undecided' | null }
  /** It is not a valid JSON Schema. */
  | { readonly kind: 'invalid'; readonly problem: SchemaProblem }
  /** It may be valid, but the harness cannot or will not apply it. */
  | { readonly kind: 'unusable'; readonly reason: string };

/** Applies JSON Schemas: those of the suites, which are trusted, and those that targets send, which are not. */
export interface SchemaEvaluator {
  problemOf(schema: Json, value: Json): SchemaProblem | null;
  foreign(schema: Json): ForeignSchema;
}
