import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleValue } from '../../src/inputs/sample-value.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';

const sample = (schema: Json, name = 'thing'): Json => sampleValue(schema, name, schema);

describe('values in the schema are used', () => {
  test.each<[Json, Json]>([
    [{ const: 5, default: 6, type: 'number' }, 5],
    [{ const: null }, null],
    [{ examples: ['a', 'b'], default: 'c' }, 'a'],
    [{ example: 'a', default: 'b' }, 'a'],
    [{ default: false, type: 'boolean' }, false],
    [{ enum: ['x', 'y'] }, 'x'],
    [{ enum: [null, 1] }, null],
    [{ type: 'string', default: null }, 'probity'],
  ])('%j', (schema, value) => {
    expect(sample(schema)).toEqual(value);
  });
});

describe('numbers within their bounds', () => {
  test.each<[JsonObject, number]>([
    [{ type: 'integer' }, 1],
    [{ type: 'number' }, 1],
    [{ type: 'integer', minimum: 10 }, 10],
    [{ type: 'integer', maximum: -3 }, -3],
    [{ type: 'integer', exclusiveMinimum: 1 }, 2],
    [{ type: 'integer', exclusiveMaximum: 1 }, 0],
    [{ type: 'integer', minimum: 1.5 }, 2],
    [{ type: 'integer', minimum: 3, exclusiveMinimum: 5 }, 6],
    [{ type: 'integer', multipleOf: 7 }, 7],
    [{ type: 'integer', multipleOf: 7, maximum: 3 }, 0],
    [{ type: 'integer', multipleOf: 5, minimum: -6, exclusiveMaximum: -3 }, -5],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: 'number', minimum: 0, maximum: 1 }, 1],
    [{ type: 'number', minimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: 'number', exclusiveMinimum: 1 }, 2],
    [{ type: 'number', exclusiveMaximum: 1 }, 0],
    [{ type: 'number', maximum: 0.5 }, 0.5],
    [{ type: 'number', multipleOf: 0.25, minimum: 1.1 }, 1.25],
    [{ type: 'number', multipleOf: 0.1, minimum: 18.4 }, 18.4],
  ])('%j', (schema, value) => {
    expect(sample(schema)).toBe(value);
  });
});

describe('texts', () => {
  test.each<[JsonObject, string]>([
    [{ type: 'string' }, 'probity'],
    [{ type: 'string', minLength: 10 }, 'probityxxx'],
    [{ type: 'string', maxLength: 3 }, 'pro'],
    [{ type: 'string', format: 'date-time' }, '2026-01-31T12:00:00Z'],
    [{ type: 'string', format: 'email' }, 'someone@example.com'],
    [{ type: 'string', format: 'uuid' }, '123e4567-e89b-42d3-a456-426614174000'],
    [{ type: 'string', format: 'unheard-of' }, 'probity'],
    [{ type: 'string', format: 'toString' }, 'probity'],
    [{ type: 'string', format: '__proto__' }, 'probity'],
  ])('%j', (schema, value) => {
    expect(sample(schema)).toBe(value);
  });

  test('are limited in size, whatever the schema requires', () => {
    expect((sample({ type: 'string', minLength: 1_000_000 }) as string).length).toBe(1000);
    expect(sample({ type: 'array', minItems: 1_000_000, items: { type: 'null' } })).toHaveLength(20);
  });
});

describe('names that suggest the type, without a schema', () => {
  test.each<[string, Json]>([
    ['a', 1],
    ['count', 1],
    ['pageSize', 1],
    ['dividend', 1],
    ['isActive', true],
    ['verbose', true],
    ['numbers', [1]],
    ['tags', ['probity']],
    ['options', {}],
    ['email', 'someone@example.com'],
    ['callbackUrl', 'https://example.com/'],
    ['created_at', '2026-01-31T12:00:00Z'],
    ['city', 'Paris'],
    ['timezone', 'UTC'],
    ['name', 'probity'],
    ['constructor', 'probity'],
  ])('%s', (name, value) => {
    expect(sampleValue({}, name, {})).toEqual(value);
  });
});

describe('structure', () => {
  test('objects have the required members', () => {
    expect(
      sample({
        type: 'object',
        properties: { a: { type: 'integer' }, b: { type: 'string' } },
        required: ['a', 'undeclared', '__proto__'],
      }),
    ).toEqual(JSON.parse('{"a":1,"undeclared":"probity","__proto__":"probity"}'));
  });

  test('lists have one item, or the minimum', () => {
    expect(sample({ type: 'array', items: { type: 'integer' } })).toEqual([1]);
    expect(sample({ type: 'array', items: { type: 'integer' }, minItems: 3 })).toEqual([1, 1, 1]);
    expect(sample({ type: 'array', items: { type: 'integer' }, maxItems: 0 })).toEqual([]);
  });

  test('references and choices are followed', () => {
    expect(sample({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { const: 4 } } })).toBe(4);
    expect(sample({ oneOf: [{ const: 'first' }, { const: 'second' }] })).toBe('first');
    expect(sample({ anyOf: [{ type: 'integer', minimum: 4 }] })).toBe(4);
    expect(sample({ allOf: [{ type: 'boolean' }] })).toBe(true);
    expect(sample({ type: ['null', 'string'] })).toBeNull();
  });

  test('a recursive schema ends', () => {
    const endless = { type: 'object', required: ['next'], properties: { next: { $ref: '#' } } };
    expect(JSON.stringify(sample(endless))).toMatch(/^(\{"next":){1,20}null\}+$/);
    expect(sample({ $ref: '#' })).toBeNull();
  });

  test('the same schema gives the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue() as fc.Arbitrary<Json>, fc.string(), (schema, name) => {
        expect(sampleValue(schema, name, schema)).toEqual(sampleValue(schema, name, schema));
      }),
    );
  });
});

/** Schemas of the supported kinds, for which a valid value can always be generated. */
const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ type: fc.constantFrom('boolean', 'null') }),
  fc.record({ enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer()), { minLength: 1, maxLength: 3 }) }),
  fc.record({ const: fc.oneof(fc.constant(null), fc.string(), fc.integer(), fc.boolean()) }),
  fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 40 })).map(([least, more]) => ({
    type: 'string',
    minLength: least,
    maxLength: least + more,
  })),
  fc.record({ type: fc.constant('string') }),
);
const bound = fc.integer({ min: -1000, max: 1000 });
const numeric: fc.Arbitrary<JsonObject> = fc
  .record({
    type: fc.constantFrom('integer', 'number'),
    low: fc.option(bound),
    span: fc.option(fc.integer({ min: 21, max: 400 })),
    openLow: fc.boolean(),
    openHigh: fc.boolean(),
    multipleOf: fc.option(fc.integer({ min: 1, max: 20 })),
  })
  .map(({ type, low, span, openLow, openHigh, multipleOf }) => ({
    type,
    ...(low === null ? {} : { [openLow ? 'exclusiveMinimum' : 'minimum']: low }),
    ...(span === null ? {} : { [openHigh ? 'exclusiveMaximum' : 'maximum']: (low ?? 0) + span }),
    ...(multipleOf === null ? {} : { multipleOf }),
  }));
const fraction: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.double({ min: -5, max: 5, noNaN: true }), fc.double({ min: 0.001, max: 3, noNaN: true }))
  .map(([low, span]) => ({ type: 'number', exclusiveMinimum: low, exclusiveMaximum: low + span }));

const { schema: supported } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    leaf,
    numeric,
    fraction,
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat({ max: 4 }) }),
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat({ max: 4 }) }),
    fc
      .dictionary(fc.string({ maxLength: 6 }), tie('schema'), { maxKeys: 4 })
      .map((properties) => ({ type: 'object', properties, required: Object.keys(properties) })),
    fc.tuple(tie('schema')).map(([first]) => ({ oneOf: [first, { type: 'string', pattern: '^never$' }] })),
    tie('schema').map((only) => ({ allOf: [only] })),
  ),
}));

test('a generated value is valid', () => {
  const ajv = new Ajv2020({ strict: false });
  fc.assert(
    fc.property(
      supported,
      fc.constantFrom('a', 'count', 'isIt', 'tags', 'options', 'name'),
      (schema, name) => {
        const value = sampleValue(schema, name, schema);
        expect(ajv.validate(schema, value), JSON.stringify(value)).toBe(true);
      },
    ),
    { numRuns: 600 },
  );
});
