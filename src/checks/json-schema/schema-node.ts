import type { Json, JsonType } from '../../model/json.ts';
import type { Draft } from './drafts.ts';
import type { Outcome } from './outcome.ts';
import type { Pattern, PatternMatch } from './patterns.ts';
import type { Spend } from './run.ts';
import type { Seen } from './seen.ts';

/** A schema with all that stands in it. */
export interface SchemaDocument {
  readonly resources: ReadonlyMap<string, Resource>;
  /** URIs that more than one schema claims: a reference to one leads to neither. */
  readonly ambiguousUris: ReadonlySet<string>;
  /** The resources by the schemas that they begin with. */
  readonly resourceOf: ReadonlyMap<Json, Resource>;
  /** Everything that is a schema by the place where it stands. */
  readonly schemas: ReadonlySet<Json>;
}

/** A document, or a part of one that has an `$id`: what URIs lead to, and what anchors belong to. */
export interface Resource {
  readonly document: SchemaDocument;
  readonly uri: string;
  readonly root: Json;
  readonly draft: Draft;
  /** False where its own `$schema` names a language that is not known. */
  readonly isKnownDraft: boolean;
  readonly anchors: ReadonlyMap<string, Anchor>;
  /** Schemas by the names that a `$dynamicRef` finds in the dynamic scope. */
  readonly dynamicAnchors: ReadonlyMap<string, Json>;
  /** Its root says `$recursiveAnchor: true`. */
  readonly isRecursive: boolean;
  /** Its schemas that were prepared, so that each is prepared once. */
  readonly nodes: Map<Json, SchemaNode>;
}

/** More than one schema has the name: a reference to it leads to neither. */
export type Anchor = { readonly kind: 'one'; readonly schema: Json } | { readonly kind: 'ambiguous' };

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

/** One keyword of a schema, ready to be applied. It is called only with values of types that it has a say on. */
export type Rule = (value: Json, run: Run, seen: Seen | null) => Outcome;

/** A schema ready to be applied. */
export interface SchemaNode {
  readonly schema: Json;
  readonly resource: Resource;
  /** Filled once, after the node is made, because schemas may refer to each other in a circle. */
  rules: Readonly<Record<JsonType, readonly Rule[]>>;
  /** It has an `unevaluated…` keyword, which sees what the keywords beside it have evaluated and nothing else. */
  tracksSeen: boolean;
}
