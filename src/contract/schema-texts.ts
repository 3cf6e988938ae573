import { isJsonObject, itemsOf, type Json } from '../json/json.ts';
import { subject } from './beside-containment.ts';
import type { SchemaChange, SchemaUse } from './compare-schemas.ts';

// Models read every text of a schema, also those in places that are not compared one by one.

/** The texts that came or went and that no other change tells. */
export function otherTextChanges(
  before: Json,
  after: Json,
  found: readonly SchemaChange[],
  use: SchemaUse,
): readonly SchemaChange[] {
  const [was, is] = [textsIn(before), textsIn(after)];
  const told = new Set(found.flatMap(toldBy));
  const without = (some: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
    [...some].filter((text) => !others.has(text) && !told.has(text));
  const texts = [without(was, is).join('\n'), without(is, was).join('\n')] as const;
  const [removed, added] = texts;
  if (removed === '' && added === '') return [];
  const message = `texts inside ${subject(use, '')} were changed`;
  return [{ kind: 'cosmetic', path: [], message, before: removed, after: added, texts }];
}

/** What was added or removed is told with its texts. */
function toldBy({ texts, isPart, before, after }: SchemaChange): readonly string[] {
  if (texts !== undefined) return texts;
  return isPart === true ? [before, after].flatMap((one) => [...textsIn(one ?? null)]) : [];
}

/** Of these, nothing is read: values, names, and words of JSON Schema. */
const NO_TEXTS: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'required', 'pattern', 'format', 'dependentRequired'],
  ...[
    '$schema',
    '$id',
    'id',
    '$ref',
    '$anchor',
    '$dynamicRef',
    '$dynamicAnchor',
    '$recursiveRef',
    '$vocabulary',
  ],
  ...['contentEncoding', 'contentMediaType'],
]);
const NAMED: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'],
]);
const WITH_SCHEMAS: ReadonlySet<string> = new Set([
  ...['items', 'prefixItems', 'additionalItems', 'contains', 'additionalProperties', 'propertyNames'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'unevaluatedItems', 'unevaluatedProperties'],
  'contentSchema',
]);

function textsIn(schema: Json): ReadonlySet<string> {
  const texts = new Set<string>();
  const collect = (value: Json): void => {
    if (typeof value === 'string' && value !== '') texts.add(value);
    else if (Array.isArray(value)) itemsOf(value).forEach(collect);
    else if (isJsonObject(value)) Object.values(value).forEach(collect);
  };
  const visit = (one: Json): void => {
    if (Array.isArray(one)) itemsOf(one).forEach(visit);
    if (!isJsonObject(one)) return;
    for (const [keyword, value] of Object.entries(one)) {
      if (NO_TEXTS.has(keyword)) continue;
      if (WITH_SCHEMAS.has(keyword)) visit(value);
      else if (NAMED.has(keyword) && isJsonObject(value)) Object.values(value).forEach(visit);
      else collect(value);
    }
  };
  visit(schema);
  return texts;
}
