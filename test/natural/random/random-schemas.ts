import {
  type Arbitrary,
  array,
  boolean,
  constantFrom,
  integer,
  oneof,
  record,
  tuple,
  uniqueArray,
} from 'fast-check';
import type { Members } from '../natural-server.ts';
import { distinct, type Made, made, valueAt } from './made.ts';
import { scalar } from './random-scalars.ts';
import { templates } from './schema-templates.ts';
import { typed } from './typed.ts';

const NAMES = [
  'id',
  'name',
  'title',
  'count',
  'limit',
  'city',
  'unit',
  'tags',
  'options',
  'filter',
  'startDate',
  'is_active',
  'price',
  'range',
  'kind',
  'note',
  'owner',
  'items',
] as const;

const MAX_DEPTH = 3;

/** Schemas of the `$defs` by their names. */
type Definitions = ReadonlyMap<string, Made>;

function anySchema(depth: number, definitions: Definitions): Arbitrary<Made> {
  const inner = (): Arbitrary<Made> => anySchema(depth + 1, definitions);
  const references = [...definitions].map(([name, { values }]) => made({ $ref: `#/$defs/${name}` }, values));
  const simple = [
    { weight: 8, arbitrary: scalar() },
    ...(references.length === 0 ? [] : [{ weight: 3, arbitrary: constantFrom(...references) }]),
  ];
  if (depth >= MAX_DEPTH) return oneof(...simple);
  return oneof(
    ...simple,
    { weight: 3, arbitrary: list(inner()) },
    { weight: 2, arbitrary: objectSchema(inner(), 4) },
    { weight: 1, arbitrary: map(inner()) },
    { weight: 1, arbitrary: fixedList(inner()) },
    { weight: 2, arbitrary: choice(inner()) },
    { weight: 1, arbitrary: kinds(inner()) },
    { weight: 1, arbitrary: constantFrom(...templates) },
  );
}

function list(item: Arbitrary<Made>): Arbitrary<Made> {
  const shape = {
    item,
    least: constantFrom(undefined, 0, 1, 2, 3),
    more: constantFrom(undefined, 0, 1, 5, 50),
    isUnique: boolean(),
  };
  return record(shape).map(({ item: of, least, more, isUnique }) => {
    const values = isUnique ? distinct(of.values) : of.values;
    const minItems = isUnique && least !== undefined ? Math.min(least, values.length) : least;
    const maxItems = more === undefined ? undefined : (minItems ?? 0) + more;
    const lengths = [minItems ?? 0, (minItems ?? 0) + 1, (minItems ?? 0) + 2, maxItems ?? 4].filter(
      (length) => length <= (isUnique ? values.length : 10) && length <= (maxItems ?? length),
    );
    return made(
      { type: 'array', items: of.schema, minItems, maxItems, uniqueItems: isUnique || undefined },
      lengths.map((length, start) =>
        Array.from({ length }, (_, index) => valueAt(made({}, values), start + index)),
      ),
    );
  });
}

function fixedList(item: Arbitrary<Made>): Arbitrary<Made> {
  return tuple(item, item).map(([one, other]) =>
    made(
      { type: 'array', prefixItems: [one.schema, other.schema], items: false, minItems: 2 },
      [0, 1, 2].map((index) => [valueAt(one, index), valueAt(other, index)]),
    ),
  );
}

function map(item: Arbitrary<Made>): Arbitrary<Made> {
  return record({ item, names: constantFrom(undefined, '^[a-z]+$'), most: constantFrom(undefined, 3) }).map(
    ({ item: of, names, most }) =>
      made(
        {
          type: 'object',
          additionalProperties: of.schema,
          propertyNames: names === undefined ? undefined : { pattern: names },
          maxProperties: most,
        },
        [{}, { one: valueAt(of, 0) }, { one: valueAt(of, 0), other: valueAt(of, 1) }],
      ),
  );
}

function choice(part: Arbitrary<Made>): Arbitrary<Made> {
  const parts = array(part, { minLength: 2, maxLength: 3 });
  return tuple(parts, constantFrom('anyOf', 'oneOf')).map(([ways, keyword]) =>
    made(
      { [keyword]: ways.map(({ schema }) => schema) },
      ways.flatMap((way) => [valueAt(way, 0), valueAt(way, 1)]),
    ),
  );
}

/** Objects that a constant tells apart. */
function kinds(part: Arbitrary<Made>): Arbitrary<Made> {
  return tuple(part, part).map((parts) => {
    const way = (of: Made, kind: string): Members => ({
      type: 'object',
      properties: { kind: { const: kind }, value: of.schema },
      required: ['kind', 'value'],
      additionalProperties: false,
    });
    const named = parts.map((of, index) => ({ of, kind: `kind${index + 1}` }));
    return made(
      { oneOf: named.map(({ of, kind }) => way(of, kind)) },
      named.flatMap(({ of, kind }) => [0, 1].map((index) => ({ kind, value: valueAt(of, index) }))),
    );
  });
}

/** An object with some of the usual names, each required or not, open or closed. */
export function objectSchema(member: Arbitrary<Made>, most: number, least = 0): Arbitrary<Made> {
  const names = uniqueArray(constantFrom(...NAMES), { minLength: least, maxLength: most });
  const rest = constantFrom<unknown>(undefined, undefined, true, false, false, { type: 'string' });
  const offered = constantFrom('examples', 'default', 'none', 'none', 'none');
  return tuple(names, rest).chain(([chosen, additionalProperties]) =>
    array(tuple(member, boolean(), offered), { minLength: chosen.length, maxLength: chosen.length }).map(
      (members) => {
        const entries = members.map(([of, isRequired, offers], index) => ({
          name: chosen[index] as string,
          of,
          isRequired,
          offers,
        }));
        const required = entries.filter(({ isRequired }) => isRequired).map(({ name }) => name);
        const properties = entries.map(({ name, of, offers }) => [name, describedMember(name, of, offers)]);
        return made(
          {
            type: 'object',
            properties: Object.fromEntries(properties),
            required: required.length === 0 ? undefined : required,
            additionalProperties,
          },
          [0, 1, 2, 3, 4].map((index) =>
            Object.fromEntries(
              entries.flatMap(({ name, of, isRequired }, at) =>
                isRequired || (index + at) % 2 === 0 ? [[name, valueAt(of, index)]] : [],
              ),
            ),
          ),
        );
      },
    ),
  );
}

function describedMember(name: string, of: Made, offers: string): Members {
  const offered =
    offers === 'examples'
      ? { examples: [valueAt(of, 0)] }
      : offers === 'default'
        ? { default: valueAt(of, 0) }
        : {};
  return { ...typed(of.schema), ...offered, description: `The ${name} of the thing.` };
}

const TREE = made(
  {
    type: 'object',
    properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
    required: ['label'],
    additionalProperties: false,
  },
  [{ label: 'root' }, { label: 'root', children: [{ label: 'leaf', children: [] }] }],
);

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** A whole document: an object, with its definitions and perhaps its draft. */
export function documentSchema(least: number): Arbitrary<Made> {
  const definition = anySchema(1, new Map());
  return tuple(definition, definition, integer({ min: 0, max: 3 }), boolean())
    .chain(([one, other, count, isDeclared]) => {
      const definitions = new Map(
        [['Thing', one] as const, ['Part', other] as const, ['Tree', TREE] as const].slice(0, count),
      );
      return objectSchema(anySchema(1, definitions), 6, least).map((document) => ({
        document,
        definitions,
        isDeclared,
      }));
    })
    .map(({ document, definitions, isDeclared }) =>
      made(
        {
          ...(isDeclared ? { $schema: DRAFT } : {}),
          ...document.schema,
          $defs:
            definitions.size === 0
              ? undefined
              : Object.fromEntries([...definitions].map(([name, { schema }]) => [name, typed(schema)])),
        },
        document.values,
      ),
    );
}
