import { isJsonObject, type Json, type JsonType, ownProperty, shorten } from '../../json/json.ts';
import type { SchemaProblem, SchemaVerdict } from '../../model/schema-evaluator.ts';
import { type Draft, isSince } from './drafts.ts';
import { keywordsOf } from './keywords.ts';
import { locate } from './locate.ts';
import { invalid, undecided } from './outcome.ts';
import { compilePattern, MAX_PATTERN_CHARACTERS, type Pattern } from './patterns.ts';
import type { Resource, Rule, RuleMaker, SchemaDocument, SchemaNode } from './schema-node.ts';

const MAX_REFERENCES = 200;

export type Rejection =
  | { readonly kind: 'invalid'; readonly problem: SchemaProblem }
  /** A reference does not resolve; it may resolve by another draft. */
  | { readonly kind: 'dangling'; readonly problem: SchemaProblem }
  | { readonly kind: 'unusable'; readonly reason: string };

export interface PreparedSchema {
  readonly root: SchemaNode;
  readonly rejection: Rejection | null;
}

export interface PrepareContext {
  readonly metaschemas: SchemaDocument['resources'];
  readonly verdictOnSchema: (schema: Json, draft: Draft) => SchemaVerdict;
}

const NO_RULES: SchemaNode['rules'] = forAllTypes([]);

/** Makes rules of every schema that the root reaches. Unreachable schemas may be invalid. */
export function prepareSchema(start: Resource, context: PrepareContext): PreparedSchema {
  const { document } = start;
  const pending: SchemaNode[] = [];
  const patterns = new Map<string, Pattern>();
  let references = 0;
  let rejection: Rejection | null = null;
  let isCertain = true;

  const nodeOf = (schema: Json, outer: Resource): SchemaNode => {
    const resource = outer.document.resourceOf.get(schema) ?? outer;
    const known = resource.nodes.get(schema);
    if (known !== undefined) return known;
    const node: SchemaNode = { schema, resource, rules: NO_RULES, tracksSeen: false };
    resource.nodes.set(schema, node);
    pending.push(node);
    return node;
  };
  /** A rejected schema is undecided if it is applied. */
  const rejected = (found: Rejection, resource: Resource): SchemaNode => {
    if (isCertain) rejection ??= found;
    const reason = found.kind === 'unusable' ? found.reason : found.problem.received;
    return { schema: true, resource, rules: forAllTypes([() => undecided(reason)]), tracksSeen: false };
  };

  const refer = (reference: string, from: Resource): ReturnType<RuleMaker['refer']> => {
    if (from.document === document) references += 1;
    if (references > MAX_REFERENCES) {
      const tooMany = unusable(`it holds more than ${MAX_REFERENCES} references`);
      return { node: rejected(tooMany, from), anchor: null };
    }
    const found = locate(reference, from, context.metaschemas);
    if (found.kind !== 'found') return { node: rejected(rejectionOf(found, reference), from), anchor: null };
    const node = nodeOf(found.schema, found.resource);
    const isPlaced = typeof found.schema === 'boolean' || found.resource.document.schemas.has(found.schema);
    // A target outside the known keywords was not checked against the metaschema with the rest.
    if (isPlaced || context.verdictOnSchema(found.schema, found.resource.draft).kind === 'valid')
      return { node, anchor: found.anchor };
    return { node: rejected(dangling(reference, 'which is not a schema'), from), anchor: null };
  };

  const pattern = (source: string): Pattern => {
    const known = patterns.get(source);
    if (known !== undefined) return known;
    const isTooLong = source.length > MAX_PATTERN_CHARACTERS;
    const made = isTooLong ? null : compilePattern(source);
    if (made === null && isCertain)
      rejection ??= isTooLong
        ? unusable(`a pattern is longer than ${MAX_PATTERN_CHARACTERS} characters`)
        : brokenPattern(source);
    const usable: Pattern = made ?? { match: () => undecidedPattern };
    patterns.set(source, usable);
    return usable;
  };

  const prepareAll = (): void => {
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      const { schema, resource } = node;
      if (!resource.isKnownDraft) {
        const reason = 'the $schema of a schema in it is a draft that the harness does not know';
        node.rules = rejected(unusable(reason), resource).rules;
        continue;
      }
      if (schema === false) node.rules = forAllTypes([(value) => invalid('false schema', schema, value)]);
      if (!isJsonObject(schema)) continue;
      const maker: RuleMaker = {
        schema,
        own: (keyword) => ownProperty(schema, keyword),
        since: (draft) => isSince(resource.draft, draft),
        child: (inner) => nodeOf(inner, resource),
        pattern,
        refer: (reference) => refer(reference, resource),
      };
      node.rules = rulesOf(maker, resource.draft);
      node.tracksSeen =
        isSince(resource.draft, '2019-09') &&
        (Object.hasOwn(schema, 'unevaluatedItems') || Object.hasOwn(schema, 'unevaluatedProperties'));
    }
  };

  const root = nodeOf(start.root, start);
  prepareAll();
  // Only the evaluation knows the dynamic scope, so it is uncertain whether these are reached.
  isCertain = false;
  for (const resource of document.resourceOf.values()) {
    if (resource.isRecursive) nodeOf(resource.root, resource);
    for (const schema of resource.dynamicAnchors.values()) nodeOf(schema, resource);
  }
  prepareAll();
  return { root, rejection };
}

function rulesOf(maker: RuleMaker, draft: Draft): SchemaNode['rules'] {
  const isReference = !isSince(draft, '2019-09') && typeof maker.own('$ref') === 'string';
  const made: { readonly type: JsonType | undefined; readonly rule: Rule }[] = [];
  for (const { name, make, type } of keywordsOf(draft)) {
    // Most schemas have only a few of the keywords.
    if (!Object.hasOwn(maker.schema, name) || (isReference && name !== '$ref')) continue;
    const operand = maker.own(name);
    if (operand === undefined) continue;
    const rule = make(operand, maker);
    if (rule !== null) made.push({ type, rule });
  }
  // Servers send thousands of schemas, so the types without rules of their own share a list.
  const rulesFor = (only?: JsonType): readonly Rule[] =>
    made.filter(({ type }) => type === undefined || type === only).map(({ rule }) => rule);
  const rules = forAllTypes(rulesFor());
  for (const { type } of made) if (type !== undefined) rules[type] = rulesFor(type);
  return rules;
}

function forAllTypes(rules: readonly Rule[]): Record<JsonType, readonly Rule[]> {
  return { null: rules, boolean: rules, number: rules, string: rules, array: rules, object: rules };
}

const undecidedPattern = { kind: 'undecided', reason: 'its pattern cannot be applied' } as const;

function unusable(reason: string): Rejection {
  return { kind: 'unusable', reason };
}

function brokenPattern(source: string): Rejection {
  const received = JSON.stringify(shorten(source));
  const expected = 'every pattern to be a regular expression';
  return { kind: 'invalid', problem: { pointer: '', expected, received } };
}

function rejectionOf(
  { kind }: Exclude<ReturnType<typeof locate>, { kind: 'found' }>,
  reference: string,
): Rejection {
  if (kind === 'nowhere') return dangling(reference, 'which does not exist');
  return kind === 'ambiguous'
    ? unusable(`its reference ${reference} resolves to more than one schema`)
    : unusable(`it refers to ${reference}, and the harness does not fetch schemas`);
}

function dangling(reference: string, words: string): Rejection {
  const received = `$ref ${reference}, ${words}`;
  return { kind: 'dangling', problem: { pointer: '', expected: 'every $ref to resolve', received } };
}
