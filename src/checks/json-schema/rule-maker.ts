import type { Json, JsonObject } from '../../model/json.ts';
import type { Draft } from './drafts.ts';
import type { Pattern } from './patterns.ts';
import type { Rule, SchemaNode } from './schema-node.ts';

/** What the rule of a keyword is made from, beside its operand. */
export interface RuleMaker {
  readonly schema: JsonObject;
  /** Another keyword of the same schema. */
  readonly own: (keyword: string) => Json | undefined;
  readonly since: (draft: Draft) => boolean;
  readonly child: (schema: Json) => SchemaNode;
  readonly pattern: (source: string) => Pattern;
  /** The target of a reference, with the anchor that it names. prepareSchema reports references that do not resolve. */
  readonly refer: (reference: string) => { readonly node: SchemaNode; readonly anchor: string | null };
}

/** Makes the rule of a keyword, or null if its operand requires nothing. */
export type MakeRule = (operand: Json, maker: RuleMaker) => Rule | null;

export function eachSchema(operand: Json | undefined): readonly Json[] {
  return Array.isArray(operand) ? (operand as readonly Json[]) : [];
}
