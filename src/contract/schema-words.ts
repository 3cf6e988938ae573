import { canonicalJson, itemsOf, type Json, ownProperty, shorten } from '../json/json.ts';

const KEYWORDS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...[
    'minLength',
    'maxLength',
    'pattern',
    'minItems',
    'maxItems',
    'uniqueItems',
    'minProperties',
    'maxProperties',
  ],
];

/** What differs in two schemas of one value, in words: `the type "integer" is "string" now, maximum is 10 now`. */
export function differenceWords(before: Json, after: Json): string {
  const words = [
    ...typeWords(before, after),
    ...enumWords(before, after),
    ...KEYWORDS.flatMap((keyword) => keywordWords(keyword, before, after)),
    ...extraWords(before, after),
  ];
  return words.length === 0 ? 'its schema is another one' : words.join(', ');
}

function typeWords(before: Json, after: Json): readonly string[] {
  const [older, newer] = [typesIn(before), typesIn(after)];
  if (older === null || newer === null || older === newer) return [];
  return [`its type was ${older} and is ${newer}`];
}

/** The types of a schema, also of a choice of simple ones. */
function typesIn(schema: Json): string | null {
  const choice = [...itemsOf(ownProperty(schema, 'anyOf')), ...itemsOf(ownProperty(schema, 'oneOf'))];
  const given = choice.length === 0 ? [schema] : choice;
  const types = given.flatMap((one) => {
    const type = ownProperty(one, 'type');
    return Array.isArray(type) ? itemsOf(type) : [type ?? null];
  });
  return types.every((type) => typeof type === 'string') ? [...new Set(types)].sort().join(' or ') : null;
}

function enumWords(before: Json, after: Json): readonly string[] {
  const [older, newer] = [valuesIn(before), valuesIn(after)];
  if (older === null && newer === null) return [];
  if (newer === null) return ['it is no longer one of a list'];
  if (older === null) return [`it is one of ${listed(newer)} now`];
  const [known, kept] = [new Set(older), new Set(newer)];
  const without = older.filter((one) => !kept.has(one));
  const added = newer.filter((one) => !known.has(one));
  return [
    ...(without.length === 0 ? [] : [`without the value ${listed(without)}`]),
    ...(added.length === 0 ? [] : [`with the value ${listed(added)}`]),
  ];
}

function valuesIn(schema: Json): readonly string[] | null {
  const constant = ownProperty(schema, 'const');
  const values = constant === undefined ? ownProperty(schema, 'enum') : [constant];
  return Array.isArray(values) ? itemsOf(values).map((one) => canonicalJson(one)) : null;
}

function listed(values: readonly string[]): string {
  return shorten(values.join(', '), 100);
}

function keywordWords(keyword: string, before: Json, after: Json): readonly string[] {
  const [older, newer] = [ownProperty(before, keyword), ownProperty(after, keyword)];
  const [was, is] = [older, newer].map((one) => (one === undefined ? null : shorten(canonicalJson(one), 60)));
  if (was === is) return [];
  if (is === null) return [`without ${keyword} ${was}`];
  return [was === null ? `${keyword} is ${is} now` : `${keyword} was ${was} and is ${is}`];
}

function extraWords(before: Json, after: Json): readonly string[] {
  const isClosed = (schema: Json): boolean => ownProperty(schema, 'additionalProperties') === false;
  if (isClosed(before) === isClosed(after)) return [];
  return [
    isClosed(after) ? 'members that it does not name are not accepted now' : 'other members are accepted now',
  ];
}
