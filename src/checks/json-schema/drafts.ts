import { isJsonObject, type Json, ownProperty } from '../../json/json.ts';

const DRAFTS = ['draft-06', 'draft-07', '2019-09', '2020-12'] as const;
export type Draft = (typeof DRAFTS)[number];

export function isSince(draft: Draft, first: Draft): boolean {
  return DRAFTS.indexOf(draft) >= DRAFTS.indexOf(first);
}

/** The drafts that have a keyword; all drafts by default. */
export interface DraftRange {
  readonly since?: Draft;
  readonly until?: Draft;
}

export function isIn(draft: Draft, { since, until }: DraftRange): boolean {
  if (since !== undefined && !isSince(draft, since)) return false;
  return until === undefined || draft === until || !isSince(draft, until);
}

export const METASCHEMA_URIS: Readonly<Record<Draft, string>> = {
  'draft-06': 'http://json-schema.org/draft-06/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

export type DeclaredDraft =
  | { readonly kind: 'one'; readonly draft: Draft }
  | { readonly kind: 'any' }
  | { readonly kind: 'unknown' };

export function declaredDraft(schema: Json): DeclaredDraft {
  const declared = ownProperty(schema, '$schema');
  if (typeof declared !== 'string') return { kind: 'any' };
  const uri = declared.replace(/^https?:/, '').replace(/#$/, '');
  const draft = DRAFTS.find((one) => METASCHEMA_URIS[one].replace(/^https?:/, '') === uri);
  if (draft !== undefined) return { kind: 'one', draft };
  return uri === '//json-schema.org/schema' ? { kind: 'any' } : { kind: 'unknown' };
}

/** Assertions that older drafts do not have: a schema with one of them is not of an older draft. */
const ASSERTED_SINCE: ReadonlyMap<string, Draft> = new Map([
  ...allSince('2019-09', ['$anchor', '$recursiveRef', 'dependentRequired', 'dependentSchemas']),
  ...allSince('2019-09', ['maxContains', 'minContains', 'unevaluatedItems', 'unevaluatedProperties']),
  ...allSince('2020-12', ['$dynamicRef', 'prefixItems']),
]);

function allSince(draft: Draft, keywords: readonly string[]): readonly (readonly [string, Draft])[] {
  return keywords.map((keyword) => [keyword, draft]);
}

export function oldestDraftOf(schema: Json): Draft {
  let oldest: Draft = 'draft-06';
  for (const one of schemasIn(schema))
    for (const keyword of isJsonObject(one) ? Object.keys(one) : []) {
      const since: Draft = ASSERTED_SINCE.get(keyword) ?? oldest;
      if (!isSince(oldest, since)) oldest = since;
    }
  return oldest;
}

/** Every schema in a schema by the keywords of draft 2020-12, with itself. */
function* schemasIn(schema: Json): Generator<Json> {
  const pending = [schema];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield next;
    for (const inner of subschemasOf(next, '2020-12')) pending.push(inner);
  }
}

/** Keywords that mean the same in all drafts since draft-07, and that their metaschemas describe alike. */
const UNCHANGED: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'title', 'description', 'default', 'examples', 'format', '$comment'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'items', 'minItems', 'maxItems', 'uniqueItems'],
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames'],
  ...['minProperties', 'maxProperties', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
]);

/** Whether all drafts since draft-07 give the same verdicts by a schema, so that one of them is enough. */
export function isSameSinceDraft07(schema: Json): boolean {
  for (const one of schemasIn(schema)) {
    const isUnchanged = isJsonObject(one)
      ? Object.keys(one).every((keyword) => UNCHANGED.has(keyword)) && !Array.isArray(one.items)
      : typeof one === 'boolean';
    if (!isUnchanged) return false;
  }
  return true;
}

interface Applicator extends DraftRange {
  readonly holds: 'schema' | 'list' | 'map' | 'schema or list';
}

/** `definitions` and `dependencies` are in the metaschemas of every draft. */
const APPLICATORS: ReadonlyMap<string, Applicator> = new Map<string, Applicator>([
  ['additionalItems', { holds: 'schema', until: '2019-09' }],
  ['additionalProperties', { holds: 'schema' }],
  ['allOf', { holds: 'list' }],
  ['anyOf', { holds: 'list' }],
  ['contains', { holds: 'schema' }],
  ['contentSchema', { holds: 'schema', since: '2019-09' }],
  ['$defs', { holds: 'map', since: '2019-09' }],
  ['definitions', { holds: 'map' }],
  ['dependencies', { holds: 'map' }],
  ['dependentSchemas', { holds: 'map', since: '2019-09' }],
  ['else', { holds: 'schema', since: 'draft-07' }],
  ['if', { holds: 'schema', since: 'draft-07' }],
  ['items', { holds: 'schema or list' }],
  ['not', { holds: 'schema' }],
  ['oneOf', { holds: 'list' }],
  ['patternProperties', { holds: 'map' }],
  ['prefixItems', { holds: 'list', since: '2020-12' }],
  ['properties', { holds: 'map' }],
  ['propertyNames', { holds: 'schema' }],
  ['then', { holds: 'schema', since: 'draft-07' }],
  ['unevaluatedItems', { holds: 'schema', since: '2019-09' }],
  ['unevaluatedProperties', { holds: 'schema', since: '2019-09' }],
]);

/** The schemas under the keywords of a draft. Values of other keywords are data, even if they look like schemas. */
export function subschemasOf(schema: Json, draft: Draft): readonly Json[] {
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, operand]): readonly Json[] => {
    const applicator = APPLICATORS.get(keyword);
    if (applicator === undefined || !isIn(draft, applicator)) return [];
    const { holds } = applicator;
    if (holds === 'map') return isJsonObject(operand) ? Object.values(operand) : [];
    if (Array.isArray(operand)) return holds === 'schema' ? [] : (operand as readonly Json[]);
    return holds === 'list' ? [] : [operand];
  });
}
