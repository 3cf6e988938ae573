import { isJsonObject, type Json, type JsonObject, jsonText, jsonTypeOf } from '../../json/json.ts';
import type {
  ForeignSchema,
  SchemaEvaluator,
  SchemaProblem,
  SchemaVerdict,
} from '../../model/schema-evaluator.ts';
import { allSteps, evaluate, type StepsLeft } from '../json-schema/apply.ts';
import {
  type DeclaredDraft,
  type Draft,
  declaredDraft,
  isSameSinceDraft07,
  isSince,
  METASCHEMA_URIS,
  oldestDraftOf,
} from '../json-schema/drafts.ts';
import { indexDocument } from '../json-schema/locate.ts';
import { METASCHEMAS } from '../json-schema/metaschemas.ts';
import { type PrepareContext, prepareSchema, type Rejection } from '../json-schema/prepare.ts';
import type { Resource, SchemaNode } from '../json-schema/schema-node.ts';
import { explainFailure } from './schema-words.ts';

/** Bounds on schemas from targets; a schema beyond them is not applied. */
const MAX_SCHEMA_CHARACTERS = 256 * 1024;
const MAX_SCHEMA_VALUES = 20_000;
/** The same bound as for the answers that contain the schemas. */
const MAX_SCHEMA_DEPTH = 256;
/** Maximum number of different schemas of one target: preparing one takes a millisecond or more. */
const MAX_FOREIGN_SCHEMAS = 2000;

/** The drafts tried for a schema that names none, newest first. */
const CURRENT_DRAFTS: readonly Draft[] = ['2020-12', '2019-09', 'draft-07'];

/** `dialect` is that of a schema that names none; without it, such a schema may be of any current draft. */
export function createSchemaEvaluator(dialect: Draft | null = null): SchemaEvaluator {
  const foreign = new Map<string, ReadSchema>();
  /** The same by object, because the text of a large schema takes time. Answers never change. */
  const byObject = new WeakMap<JsonObject, ReadSchema>();
  sharedContext ??= metaschemaContext();
  const context = sharedContext;
  const foreignOf = (schema: JsonObject | boolean): ReadSchema => {
    const size = sizeOf(schema);
    if (size.depth > MAX_SCHEMA_DEPTH)
      return unusable(`it is nested more than ${MAX_SCHEMA_DEPTH} levels deep`);
    const text = jsonText(schema);
    const known = foreign.get(text);
    if (known !== undefined) return known;
    if (text.length > MAX_SCHEMA_CHARACTERS)
      return unusable(`it is longer than ${MAX_SCHEMA_CHARACTERS} characters`);
    if (size.values > MAX_SCHEMA_VALUES) return unusable(`it holds more than ${MAX_SCHEMA_VALUES} values`);
    if (foreign.size >= MAX_FOREIGN_SCHEMAS)
      return unusable(`the target sends more than ${MAX_FOREIGN_SCHEMAS} different schemas`);
    const made = foreignSchema(schema, context, dialect);
    foreign.set(text, made);
    return made;
  };
  return {
    apply: (schema, value) => verdictOf(trustedNode(schema, context), value),
    foreign: (schema) => {
      if (typeof schema === 'boolean') return forOneUse(foreignOf(schema));
      if (!isJsonObject(schema)) {
        const received = jsonTypeOf(schema);
        return { kind: 'invalid', problem: { pointer: '', expected: 'a schema: an object', received } };
      }
      const known = byObject.get(schema) ?? foreignOf(schema);
      byObject.set(schema, known);
      return forOneUse(known);
    },
  };
}

/** A use such as finding valid inputs applies a schema thousands of times; all together may take as many steps as one. */
function forOneUse(read: ReadSchema): ForeignSchema {
  if (read.kind !== 'usable') return read;
  const drafts = read.roots.map((root) => ({ root, left: allSteps() }));
  return { kind: 'usable', apply: (value) => agreed(drafts, value) };
}

function verdictOf(root: SchemaNode, value: Json, left = allSteps()): SchemaVerdict {
  const outcome = evaluate(root, value, left);
  return outcome.kind === 'invalid' ? { kind: 'invalid', problem: explainFailure(outcome.failure) } : outcome;
}

/** Many checks of one process use the same suites. */
const trusted = new WeakMap<object, SchemaNode>();

/** The schemas of a suite were checked when it was read. */
function trustedNode(schema: Json, context: PrepareContext): SchemaNode {
  const key = isJsonObject(schema) ? schema : null;
  const known = key === null ? undefined : trusted.get(key);
  if (known !== undefined) return known;
  const declared = declaredDraft(schema);
  const start = indexDocument(schema, declared.kind === 'one' ? declared.draft : '2020-12');
  const { root } = prepareSchema(start, context);
  if (key !== null) trusted.set(key, root);
  return root;
}

/** Once in a process. */
let sharedContext: PrepareContext | null = null;

/** The metaschemas and their verdicts. Each metaschema is prepared on first use. */
function metaschemaContext(): PrepareContext {
  const metaschemas = new Map<string, Resource>();
  const roots = new Map<Draft, SchemaNode>();
  for (const { draft, schema } of METASCHEMAS) {
    const resource = indexDocument(schema, draft);
    metaschemas.set(resource.uri, resource);
  }
  const metaschemaOf = (draft: Draft): SchemaNode => {
    const known = roots.get(draft);
    if (known !== undefined) return known;
    const resource = metaschemas.get(METASCHEMA_URIS[draft]);
    if (resource === undefined) throw new Error(`no metaschema for ${draft}`);
    const { root } = prepareSchema(resource, context);
    roots.set(draft, root);
    return root;
  };
  const context: PrepareContext = {
    metaschemas,
    verdictOnSchema: (schema, draft) => verdictOf(metaschemaOf(draft), schema),
  };
  return context;
}

/** A schema from a target that was validated and, if it can be used, prepared for each draft that it may be written in. */
type ReadSchema =
  | { readonly kind: 'usable'; readonly roots: readonly SchemaNode[] }
  | Exclude<ForeignSchema, { kind: 'usable' }>;

function unusable(reason: string): ReadSchema {
  return { kind: 'unusable', reason };
}

/** Does not recurse: it finds schemas that are too deep for the recursive code. */
function sizeOf(schema: Json): { readonly values: number; readonly depth: number } {
  let values = 0;
  let deepest = 0;
  const pending: [Json, number][] = [[schema, 0]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [value, depth] = next;
    values += 1;
    deepest = Math.max(deepest, depth);
    if (typeof value !== 'object' || value === null) continue;
    for (const part of Object.values(value) as Json[]) pending.push([part, depth + 1]);
  }
  return { values, depth: deepest };
}

/** A schema by the rules of one draft. */
type Reading =
  | { readonly kind: 'usable'; readonly root: SchemaNode }
  | Rejection
  /** It is not a schema of this draft. */
  | { readonly kind: 'other draft'; readonly problem: SchemaProblem };

function foreignSchema(schema: Json, context: PrepareContext, dialect: Draft | null): ReadSchema {
  const named = declaredDraft(schema);
  const declared: DeclaredDraft =
    named.kind === 'any' && dialect !== null ? { kind: 'one', draft: dialect } : named;
  if (declared.kind === 'unknown') return unusable('its $schema is a draft that the harness does not know');
  const readings = draftsOf(schema, declared).map((draft) => readBy(draft, schema, context));
  const refused = readings.find((reading) => reading.kind === 'unusable');
  if (refused !== undefined) return refused;
  const roots = readings.flatMap((reading) => (reading.kind === 'usable' ? [reading.root] : []));
  if (roots.length > 0) return { kind: 'usable', roots };
  const faults = readings.filter((reading) => reading.kind !== 'usable');
  // An error by a draft that accepts the schema says more than its rejection by another draft.
  const fault = faults.find(({ kind }) => kind !== 'other draft') ?? faults[0];
  if (fault === undefined || fault.kind === 'unusable') return unusable('no draft applies to it');
  const advice = named.kind === 'any' && dialect !== null ? dialectAdvice(schema, dialect, context) : null;
  return { kind: 'invalid', problem: advice === null ? fault.problem : { ...fault.problem, advice } };
}

/** Of a schema that names no dialect, and is only valid in another one than the default. */
function dialectAdvice(schema: Json, dialect: Draft, context: PrepareContext): string | null {
  // The oldest, because that is what most tools write.
  const other = CURRENT_DRAFTS.findLast(
    (draft) => draft !== dialect && readBy(draft, schema, context).kind === 'usable',
  );
  if (other === undefined) return null;
  return `It is a schema of ${other}, but one without "$schema" is read as ${dialect}, and clients drop what is not valid there. Write it for ${dialect}, or name "$schema": "${METASCHEMA_URIS[other]}${other === 'draft-07' ? '#' : ''}" if your clients know that draft.`;
}

/** The drafts that a schema may be written in, except those that cannot differ on it. */
function draftsOf(schema: Json, declared: DeclaredDraft): readonly Draft[] {
  if (declared.kind === 'one') return [declared.draft];
  if (isSameSinceDraft07(schema)) return CURRENT_DRAFTS.slice(0, 1);
  const oldest = oldestDraftOf(schema);
  return CURRENT_DRAFTS.filter((draft) => isSince(draft, oldest));
}

function readBy(draft: Draft, schema: Json, context: PrepareContext): Reading {
  const start = indexDocument(schema, draft);
  const verdict = context.verdictOnSchema(schema, draft);
  if (verdict.kind === 'undecided')
    return { kind: 'unusable', reason: `it cannot be checked against its metaschema: ${verdict.reason}` };
  if (verdict.kind === 'invalid') {
    if ([...start.document.resourceOf.values()].some((resource) => resource.draft !== draft))
      return { kind: 'unusable', reason: 'it holds a schema of another draft' };
    return { kind: 'other draft', problem: verdict.problem };
  }
  const { root, rejection } = prepareSchema(start, context);
  return rejection ?? { kind: 'usable', root };
}

/** The verdict of all drafts that the schema may be written in, if they agree. */
function agreed(
  drafts: readonly { readonly root: SchemaNode; readonly left: StepsLeft }[],
  value: Json,
): SchemaVerdict {
  let agreedOn: SchemaVerdict | null = null;
  for (const { root, left } of drafts) {
    const verdict = verdictOf(root, value, left);
    if (verdict.kind === 'undecided') return verdict;
    if (agreedOn !== null && agreedOn.kind !== verdict.kind)
      return { kind: 'undecided', reason: 'it declares no $schema, and the drafts differ on the value' };
    agreedOn ??= verdict;
  }
  return agreedOn ?? { kind: 'undecided', reason: 'no draft applies to it' };
}
