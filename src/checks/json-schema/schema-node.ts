import type { Json, JsonObject, JsonType } from '../../json/json.ts';
import type { Draft } from './drafts.ts';
import type { Outcome, Spend } from './outcome.ts';
import type { Pattern, PatternMatch } from './patterns.ts';
import type { Seen } from './seen.ts';

export interface SchemaDocument {
  readonly resources: ReadonlyMap<string, Resource>;
  /** URIs that more than one schema has: a reference to one of them is ambiguous. */
  readonly ambiguousUris: ReadonlySet<string>;
  /** The resources by the schemas that they begin with. */
  readonly resourceOf: ReadonlyMap<Json, Resource>;
  /** Every value that is a schema by its position. */
  readonly schemas: ReadonlySet<Json>;
}

/** A document, or a part of one that has an `$id`: the target of a URI, and the scope of anchors. */
export interface Resource {
  readonly document: SchemaDocument;
  readonly uri: string;
  readonly root: Json;
  readonly draft: Draft;
  /** False if its `$schema` names an unknown language. */
  readonly isKnownDraft: boolean;
  readonly anchors: ReadonlyMap<string, Anchor>;
  /** Schemas by the names that a `$dynamicRef` finds in the dynamic scope. */
  readonly dynamicAnchors: ReadonlyMap<string, Json>;
  readonly isRecursive: boolean;
  /** Its schemas that were prepared, so that each is prepared once. */
  readonly nodes: Map<Json, SchemaNode>;
}

/** `ambiguous`: more than one schema has the name. */
export type Anchor = { readonly kind: 'one'; readonly schema: Json } | { readonly kind: 'ambiguous' };

/** The resources with dynamic names entered on the way to a schema, innermost first: the dynamic scope. */
export interface Scope {
  readonly resource: Resource;
  readonly outer: Scope | null;
  /** The scopes that were entered from it. */
  readonly inner: Map<Resource, Scope>;
  /** By the target of a reference and the value. */
  readonly results: Map<SchemaNode, Map<Json, Result>>;
}

export interface Result {
  readonly outcome: Outcome;
  /** What the target evaluates of the value; null if nobody asked. */
  readonly seen: Seen | null;
}

/** References followed since the evaluation last went deeper into the value, latest first. */
interface FollowedReference {
  readonly target: SchemaNode;
  readonly outer: FollowedReference | null;
}

/** The state of one evaluation: the remaining steps and the position. */
export interface Run {
  readonly spend: Spend;
  depth: number;
  scope: Scope;
  followed: FollowedReference | null;
  readonly matchedNames: Map<Pattern, Map<string, PatternMatch>>;
}

/** One keyword of a schema, ready to be applied. It is called only with values of the types that it applies to. */
export type Rule = (value: Json, run: Run, seen: Seen | null) => Outcome;

export interface SchemaNode {
  readonly schema: Json;
  readonly resource: Resource;
  /** Set once, after the node is made, because schemas may refer to each other in a cycle. */
  rules: Readonly<Record<JsonType, readonly Rule[]>>;
  /** It has an `unevaluated…` keyword, which sees what the keywords beside it have evaluated and nothing else. */
  tracksSeen: boolean;
}

/** What the rule of a keyword is made from, beside its operand. */
export interface RuleMaker {
  readonly schema: JsonObject;
  readonly own: (keyword: string) => Json | undefined;
  readonly since: (draft: Draft) => boolean;
  readonly child: (schema: Json) => SchemaNode;
  readonly pattern: (source: string) => Pattern;
  /** The target of a reference, with the anchor that it names. prepareSchema reports references that do not resolve. */
  readonly refer: (reference: string) => { readonly node: SchemaNode; readonly anchor: string | null };
}

/** Makes the rule of a keyword, or null if its operand requires nothing. */
export type MakeRule = (operand: Json, maker: RuleMaker) => Rule | null;
