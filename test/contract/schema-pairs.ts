import fc from 'fast-check';
import { isJsonObject, type Json, type JsonObject } from '../../src/json/json.ts';

/** The schemas of a release and of the next one. */
export interface SchemaPair {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

type Schema = fc.Arbitrary<JsonObject>;

const NAMES = ['path', 'limit', 'tags', 'mode', 'unit', 'other'] as const;
const WORDS = ['a', 'b', 'celsius', 'kelvin', ''] as const;

const small = fc.integer({ min: -1, max: 4 });
const count = fc.integer({ min: 0, max: 3 });

function someOf(members: Record<string, fc.Arbitrary<Json>>): Schema {
  return fc.record(members, { requiredKeys: [] }) as Schema;
}

const text: Schema = fc.oneof(
  someOf({ minLength: count, maxLength: count }).map((more) => ({ type: 'string', ...more })),
  fc.constant<JsonObject>({ type: 'string', description: 'A text.' }),
  fc.constantFrom<JsonObject>(
    { type: 'string', pattern: '^[a-z]+$' },
    { type: 'string', pattern: '^\\d{2,4}$' },
  ),
  fc.constantFrom<JsonObject>({ type: 'string', format: 'uri' }, { type: 'string', format: 'date' }),
  fc
    .uniqueArray(fc.constantFrom(...WORDS), { minLength: 1 })
    .map((words) => ({ type: 'string', enum: words })),
  fc.constantFrom(...WORDS).map((word) => ({ const: word })),
);

const number: Schema = fc
  .tuple(
    fc.constantFrom('integer', 'number'),
    someOf({
      minimum: small,
      maximum: small,
      exclusiveMinimum: small,
      multipleOf: fc.constantFrom(1, 2, 3, 0.5),
    }),
  )
  .map(([type, more]) => ({ type, ...more }));

const scalar: Schema = fc.oneof(
  text,
  number,
  fc.constantFrom<JsonObject>({ type: 'boolean' }, { type: 'null' }, { type: ['string', 'null'] }),
  fc.constant<JsonObject>({ type: 'boolean', default: false }),
);

function listOf(item: Schema): Schema {
  return fc
    .tuple(item, someOf({ minItems: count, maxItems: count, uniqueItems: fc.boolean() }))
    .map(([items, more]) => ({ type: 'array', items, ...more }));
}

function objectOf(member: Schema): Schema {
  return fc
    .tuple(
      fc.dictionary(fc.constantFrom(...NAMES), member, { maxKeys: 4 }),
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      fc.option(fc.oneof<[fc.Arbitrary<Json>, fc.Arbitrary<Json>]>(fc.boolean(), scalar), { nil: undefined }),
    )
    .map(([properties, isRequired, additionalProperties]) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).filter((_, index) => isRequired[index] === true),
      ...(additionalProperties === undefined ? {} : { additionalProperties }),
    }));
}

function choiceOf(one: Schema): Schema {
  return fc.oneof(
    one.map((given) => ({ anyOf: [given, { type: 'null' }] })),
    fc.tuple(one, one).map(([left, right]) => ({ anyOf: [left, right] })),
    fc.tuple(objectOf(scalar), objectOf(scalar)).map(([left, right]) => ({
      oneOf: [named(left, 'a'), named(right, 'b')],
    })),
  );
}

/** A variant that a constant tells from others. */
function named(schema: JsonObject, kind: string): JsonObject {
  const properties = { ...(schema.properties as JsonObject), kind: { const: kind } };
  return { ...schema, properties, required: [...((schema.required ?? []) as readonly Json[]), 'kind'] };
}

const part: Schema = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 2, arbitrary: listOf(scalar) },
  { weight: 2, arbitrary: objectOf(scalar) },
  { weight: 2, arbitrary: choiceOf(scalar) },
  { weight: 1, arbitrary: listOf(objectOf(scalar)) },
);

/** Arguments as servers declare them. */
const argumentsSchema: Schema = objectOf(part);

/** The places of all schemas within a schema. */
function placesIn(
  schema: Json,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (!isJsonObject(schema)) return [];
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([name, one]) => [one, ['properties', name]] as const),
    ...(isJsonObject(schema.items) ? [[schema.items, ['items']] as const] : []),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
      Array.isArray(schema[keyword])
        ? (schema[keyword] as readonly Json[]).map((one, index) => [one, [keyword, index]] as const)
        : [],
    ),
  ];
  return [path, ...inner.flatMap(([one, steps]) => placesIn(one, [...path, ...steps]))];
}

function changedAt(
  value: Json,
  [step, ...rest]: readonly (string | number)[],
  change: (one: JsonObject) => JsonObject,
): Json {
  if (step === undefined) return isJsonObject(value) ? change(value) : value;
  if (Array.isArray(value)) return value.with(Number(step), changedAt(value[Number(step)], rest, change));
  const object = value as JsonObject;
  return { ...object, [step]: changedAt(object[step] as Json, rest, change) };
}

type Edit = (schema: JsonObject, other: JsonObject, number: number) => JsonObject;

const namesOf = (schema: JsonObject): readonly string[] => Object.keys(schema.properties ?? {});
const requiredOf = (schema: JsonObject): readonly string[] => (schema.required ?? []) as readonly string[];
const isKind = (schema: JsonObject, type: string): boolean => schema.type === type;

const EDITS: Readonly<Record<string, Edit>> = {
  'adds an optional member': (schema, other) =>
    isKind(schema, 'object')
      ? { ...schema, properties: { ...(schema.properties as JsonObject), added: other } }
      : schema,
  'adds a required member': (schema, other) =>
    isKind(schema, 'object')
      ? {
          ...schema,
          properties: { ...(schema.properties as JsonObject), added: other },
          required: [...requiredOf(schema), 'added'],
        }
      : schema,
  'removes a member': (schema, _, number) => {
    const gone = namesOf(schema)[number % Math.max(1, namesOf(schema).length)];
    if (gone === undefined) return schema;
    const { [gone]: removed, ...properties } = schema.properties as JsonObject;
    return { ...schema, properties, required: requiredOf(schema).filter((name) => name !== gone) };
  },
  'requires a member, or not': (schema, _, number) => {
    const name = namesOf(schema)[number % Math.max(1, namesOf(schema).length)];
    if (name === undefined) return schema;
    const required = requiredOf(schema);
    return {
      ...schema,
      required: required.includes(name) ? required.filter((one) => one !== name) : [...required, name],
    };
  },
  'closes or opens': (schema) =>
    isKind(schema, 'object')
      ? { ...schema, additionalProperties: schema.additionalProperties === false }
      : schema,
  'another type': (_, other) => other,
  'or null': (schema) => ({ anyOf: [schema, { type: 'null' }] }),
  'no choice': (schema) => (Array.isArray(schema.anyOf) ? (schema.anyOf[0] as JsonObject) : schema),
  'another value': (schema, _, number) =>
    Array.isArray(schema.enum)
      ? { ...schema, enum: [...new Set([...schema.enum, WORDS[number % 5] as string])] }
      : schema,
  'a value less': (schema) =>
    Array.isArray(schema.enum) && schema.enum.length > 1 ? { ...schema, enum: schema.enum.slice(1) } : schema,
  'another bound': (schema, _, number) => {
    const keyword = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'].find(
      (one) => schema[one] !== undefined,
    );
    return keyword === undefined
      ? schema
      : { ...schema, [keyword]: Math.max(0, (schema[keyword] as number) + (number % 2 === 0 ? 1 : -1)) };
  },
  'no bound': (schema) => {
    const { minimum, maxLength, maxItems, multipleOf, pattern, uniqueItems, ...rest } = schema;
    return rest;
  },
  'other words': (schema) => ({ ...schema, description: 'Says the same in other words.', title: 'Other' }),
  'a list around it': (schema) => ({ allOf: [schema], description: 'Wrapped.' }),
};

/** A schema, and the same after one edit, as from one release to the next. */
export const editedPairs: fc.Arbitrary<SchemaPair & { readonly edit: string }> = fc
  .tuple(argumentsSchema, scalar, fc.constantFrom(...Object.keys(EDITS)), fc.nat(), fc.nat(), fc.boolean())
  .map(([schema, other, edit, place, number, isBehindReference]) => {
    const change = EDITS[edit] as Edit;
    // An edit that applies nowhere would leave most pairs equal.
    const places = placesIn(schema).filter((path) => {
      const changed = changedAt(schema, path, (one) => change(one, other, number));
      return JSON.stringify(changed) !== JSON.stringify(schema);
    });
    const path = places[place % Math.max(1, places.length)] ?? [];
    const after = changedAt(schema, path, (one) => change(one, other, number)) as JsonObject;
    return { edit, before: schema, after: isBehindReference ? behindReference(after) : after };
  });

/** The members move into definitions, which changes nothing. */
function behindReference(schema: JsonObject): JsonObject {
  if (!isJsonObject(schema.properties)) return schema;
  const entries = Object.entries(schema.properties);
  return {
    ...schema,
    properties: Object.fromEntries(entries.map(([name]) => [name, { $ref: `#/$defs/${name}` }])),
    $defs: schema.properties,
  };
}

/** Schemas that use every keyword, on few values, so that both answers are likely. */
const anySchema: Schema = fc.letrec<{ one: JsonObject }>((tie) => {
  const inner = fc.oneof({ maxDepth: 2 }, scalar, tie('one'));
  const parts = {
    type: fc.constantFrom<Json>('object', 'array', 'string', 'integer', 'number', ['object', 'null']),
    properties: fc.dictionary(fc.constantFrom('a', 'b', 'path'), inner, { maxKeys: 2 }),
    required: fc.uniqueArray(fc.constantFrom('a', 'b', 'path'), { maxLength: 2 }),
    additionalProperties: fc.oneof<[fc.Arbitrary<Json>, fc.Arbitrary<Json>]>(fc.boolean(), inner),
    patternProperties: fc.dictionary(fc.constantFrom('^a', '^[a-m]', 'h$'), inner, { maxKeys: 2 }),
    propertyNames: fc.constantFrom<Json>({ maxLength: 2 }, { pattern: '^[a-z]+$' }),
    minProperties: count,
    maxProperties: count,
    items: inner,
    prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
    contains: scalar,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    minimum: small,
    exclusiveMaximum: small,
    minLength: count,
    enum: fc.uniqueArray(fc.constantFrom<Json>('a', 1, null, true, {}, []), {
      minLength: 1,
      selector: (one) => JSON.stringify(one),
    }),
    anyOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
    oneOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
    allOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
    not: inner,
    if: inner,
    else: inner,
    dependentRequired: fc.constant<Json>({ a: ['b'] }),
    dependentSchemas: fc.record({ a: inner }),
    // Not `unevaluatedItems`: Ajv does not count the items that match `contains` as evaluated.
    unevaluatedProperties: fc.boolean(),
    $ref: fc.constantFrom('#', '#/$defs/one', '#/$defs/two'),
  } satisfies Record<string, fc.Arbitrary<Json>>;
  const keywords = Object.keys(parts) as (keyof typeof parts)[];
  return {
    one: fc
      .uniqueArray(fc.constantFrom(...keywords), { minLength: 1, maxLength: 3 })
      .chain((chosen) =>
        fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, parts[keyword]]))),
      ) as Schema,
  };
}).one;

const rootSchema: Schema = fc
  .tuple(anySchema, anySchema, anySchema)
  .map(([root, one, two]) => ({ ...root, $defs: { one, two } }));

/** Two schemas of which the second may be any other one, or be made of the first. */
export const anyPairs: fc.Arbitrary<SchemaPair> = fc.oneof(
  fc.tuple(rootSchema, rootSchema).map(([before, after]) => ({ before, after })),
  fc.tuple(rootSchema, anySchema).map(([before, more]) => ({ before, after: { ...before, ...more } })),
  fc.tuple(rootSchema, anySchema).map(([before, more]) => ({
    before: { allOf: [before, more], $defs: before.$defs as Json },
    after: before,
  })),
  fc.tuple(rootSchema, anySchema).map(([before, more]) => ({
    before,
    after: { anyOf: [before, more], $defs: before.$defs as Json },
  })),
);
