import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { arbitraryOf } from '../../src/inputs/arbitrary-of-schema.ts';
import { generateInput } from '../../src/inputs/call-inputs.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';

const schemas = createSchemaEvaluator();
const ajv = new Ajv2020({ strict: false, validateFormats: false });

const generated = (parameters: Json, usual: JsonObject = {}): JsonObject | null =>
  generateInput(usual, parameters, schemas);

const withProperty = (schema: Json, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { it: schema },
  required: ['it'],
  ...more,
});

describe('an input', () => {
  test('is the usual one where the schema accepts it', () => {
    expect(generated(withProperty({ type: 'string' }), { it: 'Paris' })).toEqual({ it: 'Paris' });
  });

  test('is the usual one where the schema cannot be applied', () => {
    expect(generated(withProperty({ type: 'nothing known' }), { it: 1 })).toEqual({ it: 1 });
  });

  test('keeps what is usual beside what had to be generated', () => {
    const parameters: JsonObject = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        ids: { type: 'array', items: { type: 'integer' }, minItems: 2, uniqueItems: true },
      },
      required: ['city', 'ids'],
    };
    const input = generated(parameters, { city: 'Paris', ids: [1, 1] });
    expect(input).toMatchObject({ city: 'Paris' });
    expect(ajv.validate(parameters, input)).toBe(true);
  });

  test('has different items, even if they differ only in what is optional', () => {
    const parameters = withProperty({
      type: 'array',
      items: { type: 'object', properties: { note: { type: 'string' } } },
      minItems: 2,
      uniqueItems: true,
    });
    const input = generated(parameters, { it: [{}, {}] });
    expect(ajv.validate(parameters, input)).toBe(true);
  });

  test('is the same in each run', () => {
    const parameters = withProperty({
      type: 'array',
      minItems: 3,
      uniqueItems: true,
      items: { type: 'string' },
    });
    expect(generated(parameters)).toEqual(generated(parameters));
  });

  test.each<[what: string, parameters: JsonObject]>([
    [
      'unique items',
      withProperty({ type: 'array', minItems: 5, uniqueItems: true, items: { type: 'string' } }),
    ],
    [
      'unique items of a list',
      withProperty({ type: 'array', minItems: 3, uniqueItems: true, items: { enum: [1, 2, 3] } }),
    ],
    ['a pattern with bounds', withProperty({ type: 'string', pattern: '^[A-Z]{2}-\\d+$', minLength: 12 })],
    [
      'a pattern in one of several',
      withProperty({ anyOf: [{ type: 'string', pattern: '^x\\d{3}$' }, { type: 'null' }] }),
    ],
    [
      'steps of two sizes',
      withProperty({
        allOf: [
          { type: 'integer', multipleOf: 4 },
          { multipleOf: 6, minimum: 13 },
        ],
      }),
    ],
    [
      'bounds in several places',
      withProperty({ allOf: [{ type: 'number', minimum: 3 }, { exclusiveMaximum: 3.5 }] }),
    ],
    ['what two lists have in common', withProperty({ allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] })],
    [
      'one of several objects',
      {
        type: 'object',
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
        properties: { a: { type: 'integer' }, b: { type: 'integer' } },
      },
    ],
    [
      'any of several required',
      {
        type: 'object',
        anyOf: [{ required: ['name'] }, { required: ['id'] }],
        properties: { name: { type: 'string' }, id: { type: 'string', pattern: '^id-\\d{4}$' } },
      },
    ],
    [
      'a number of properties',
      { type: 'object', minProperties: 2, additionalProperties: { type: 'integer' } },
    ],
    ['names that match', { type: 'object', minProperties: 2, propertyNames: { pattern: '^[a-c]{4}$' } }],
    [
      'a reference',
      {
        ...withProperty({ $ref: '#/$defs/code' }),
        $defs: { code: { type: 'string', pattern: '^[0-9]{5}$' } },
      },
    ],
    [
      'a reference with more beside it',
      {
        ...withProperty({ $ref: '#/$defs/code', minLength: 4 }),
        $defs: { code: { type: 'string', pattern: '^[0-9]+$' } },
      },
    ],
    [
      'a value that must be contained',
      withProperty({ type: 'array', contains: { const: 'admin' }, items: { type: 'string' }, minItems: 2 }),
    ],
    [
      'items by place',
      withProperty({
        type: 'array',
        prefixItems: [{ const: 'x' }, { type: 'integer', minimum: 10 }],
        items: false,
        minItems: 2,
      }),
    ],
    [
      'items by place, before 2020-12',
      withProperty({
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'array',
        items: [{ const: 'x' }, { type: 'integer' }],
        additionalItems: false,
        minItems: 2,
      }),
    ],
    [
      'a condition',
      {
        type: 'object',
        properties: { kind: { const: 'card' }, number: { type: 'string' } },
        required: ['kind'],
        if: { properties: { kind: { const: 'card' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { required: ['number'], properties: { number: { pattern: '^\\d{16}$' } } },
      },
    ],
    [
      'objects in lists',
      withProperty({
        type: 'array',
        minItems: 2,
        uniqueItems: true,
        items: {
          type: 'object',
          properties: { sku: { type: 'string', pattern: '^[A-Z]\\d$' } },
          required: ['sku'],
        },
      }),
    ],
    [
      'itself, nested',
      {
        type: 'object',
        properties: { name: { type: 'string', minLength: 9 }, child: { $ref: '#' } },
        required: ['name'],
      },
    ],
    ['not a value', withProperty({ type: 'integer', minimum: 1, maximum: 3, not: { const: 1 } })],
  ])('honours %s', (_, parameters) => {
    const input = generated(parameters, { it: 'no usual value' });
    expect(input).not.toBeNull();
    expect(schemas.foreign(parameters)).toMatchObject({ kind: 'usable' });
    const { $schema: _draft, ...schema } = parameters;
    if (!JSON.stringify(parameters).includes('draft-07'))
      expect(ajv.validate(schema, input), JSON.stringify(input)).toBe(true);
  });

  test.each<[what: string, schema: JsonObject]>([
    ['a digest in hexadecimal', { type: 'string', pattern: '^[a-f0-9]+$', minLength: 40, maxLength: 40 }],
    [
      'an address of fixed length',
      { type: 'string', pattern: '^0x[0-9a-fA-F]+$', minLength: 42, maxLength: 42 },
    ],
    ['a long repetition', { type: 'string', pattern: '^[0-9a-f]{256}$' }],
    ['a longer one', { type: 'string', pattern: '^[0-9a-zA-Z+/]{342}==$' }],
    ['at least fifty characters', { type: 'string', pattern: '^[^<>]*$', minLength: 50 }],
    ['a rule for passwords', { type: 'string', pattern: '^(?=.*\\d)(?=.*[A-Z]).{8,64}$' }],
    ['two patterns', { type: 'string', allOf: [{ pattern: '^[a-z0-9-]+$' }, { pattern: '^.{12,20}$' }] }],
    ['a pattern that is not linear', { type: 'string', pattern: '^[a-z]+(?!-)$' }],
    ['a small range', { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 1.5 }],
  ])('honours %s, however many characters it takes', (_, schema) => {
    // The usual value of the other property is refused, so that both are generated.
    const parameters: JsonObject = {
      type: 'object',
      properties: { it: schema, other: { const: 'z' } },
      required: ['it', 'other'],
    };
    const input = generated(parameters, { it: 'no usual value', other: 'no' });
    expect(ajv.validate(parameters, input), JSON.stringify(input)).toBe(true);
  });

  test('has what its properties depend on', () => {
    const properties = { card: { type: 'string' }, code: { type: 'string' }, owner: { type: 'string' } };
    const dependentRequired = { card: ['code'], code: ['owner'] };
    const parameters: JsonObject = { type: 'object', properties, required: ['card'], dependentRequired };
    expect(Object.keys(generated(parameters, {}) ?? {}).sort()).toEqual(['card', 'code', 'owner']);
  });

  test.each(['toString', '__proto__', 'constructor'])(
    'takes a format called %s for an unknown one',
    (format) => {
      const parameters = {
        type: 'object',
        properties: { it: { type: 'string', format }, other: { const: 'z' } },
        required: ['it', 'other'],
      };
      expect(generated(parameters, { other: 'no' })).toMatchObject({ it: expect.any(String), other: 'z' });
    },
  );

  test.each<[what: string, parameters: Json]>([
    [
      'has no number between its bounds',
      withProperty({ type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 1.0000000000000002 }),
    ],
    [
      'has no number above its bound',
      withProperty({ type: 'number', exclusiveMinimum: 1.7976931348623157e308 }),
    ],
    ['forbids everything', { not: {} }],
    ['has bounds that exclude each other', withProperty({ type: 'string', minLength: 5, maxLength: 2 })],
    ['lists nothing in common', withProperty({ allOf: [{ enum: ['a'] }, { enum: ['b'] }] })],
    [
      'wants a list of more than it has',
      withProperty({ type: 'array', items: { type: 'boolean' }, uniqueItems: true, minItems: 3 }),
    ],
    ['requires what it forbids', withProperty(false)],
    ['wants another type', { type: 'string' }],
  ])('is none where the schema %s', (_, parameters) => {
    expect(generated(parameters, { it: 'probity' })).toBeNull();
  });
});

describe('values of any kind for a schema', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      text: { type: 'string', maxLength: 20 },
      count: { type: 'integer', minimum: 0, maximum: 1000 },
      tags: { type: 'array', items: { type: 'string', maxLength: 5 }, maxItems: 4, uniqueItems: true },
      code: { type: 'string', pattern: '^[a-f]{2,6}$' },
      maybe: { anyOf: [{ type: 'null' }, { type: 'number', multipleOf: 0.5 }] },
    },
    required: ['text', 'count'],
  };
  const values = fc.sample(arbitraryOf(schema, 'any') as fc.Arbitrary<Json>, { numRuns: 500, seed: 3 });

  test('are valid by another validator', () => {
    expect(values.filter((value) => !ajv.validate(schema, value))).toEqual([]);
  });

  test('have boundaries, texts beyond ASCII, nothing, and what may be missing or not', () => {
    const texts = values.map((value) => (value as { text: string }).text);
    const counts = values.map((value) => (value as { count: number }).count);
    expect(texts).toContain('');
    expect(texts.some((text) => /[^\0-\u007f]/.test(text))).toBe(true);
    expect(texts.some((text) => /[\u{10000}-\u{10ffff}]/u.test(text))).toBe(true);
    expect(Math.max(...counts)).toBeGreaterThan(990);
    expect(Math.min(...counts)).toBe(0);
    expect(new Set(values.map((value) => 'code' in (value as object)))).toEqual(new Set([true, false]));
  });

  test('shrink to small ones that still fail', () => {
    const arbitrary = arbitraryOf(schema, 'any') as fc.Arbitrary<Json>;
    const found = fc.check(
      fc.property(arbitrary, (value) => ((value as { count: number }).count ?? 0) < 300),
      { seed: 3, numRuns: 1000 },
    );
    expect(found.counterexample).toEqual([{ text: '', count: 300 }]);
  });
});

describe('a schema made to be expensive ends, with', () => {
  const many = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `p${index}`);
  test.each<[what: string, schema: JsonObject]>([
    [
      'references to itself in each alternative',
      { anyOf: Array.from({ length: 20 }, () => ({ $ref: '#' })) },
    ],
    ['a list of itself', { type: 'array', items: { $ref: '#' }, minItems: 20 }],
    [
      'many properties that are itself',
      { type: 'object', additionalProperties: { $ref: '#' }, required: many(2000) },
    ],
    ['repetitions of repetitions', { type: 'string', pattern: '^(((a{200}){200}){200}){200}$' }],
    ['a pattern that is always too long', { type: 'string', pattern: '^(\\w{50}){100}$', maxLength: 4999 }],
    [
      'many long texts',
      { type: 'object', required: many(900), additionalProperties: { type: 'string', minLength: 100_000 } },
    ],
    [
      'many patterns of names',
      {
        type: 'object',
        required: many(700),
        patternProperties: Object.fromEntries(many(700).map((name) => [`^${name}`, {}])),
      },
    ],
    [
      'long lists of values',
      {
        allOf: [
          { enum: Array.from({ length: 9000 }, (_, index) => index) },
          { enum: Array.from({ length: 9000 }, (_, index) => -index - 1) },
        ],
      },
    ],
    [
      'texts that take long to match',
      {
        type: 'object',
        required: many(400),
        additionalProperties: { type: 'string', minLength: 900, pattern: '^(?:[a-z]?[0-9]?){100}$' },
      },
    ],
    ['a large number of items', { type: 'array', minItems: 1e9 }],
    ['a large number of properties', { type: 'object', minProperties: 1e9 }],
    ['a long text', { type: 'string', minLength: 2 ** 40 }],
  ])('%s', (_, schema) => {
    for (const variety of ['plain', 'any'] as const) {
      const arbitrary = arbitraryOf(schema, variety);
      const values = arbitrary === null ? [] : fc.sample(arbitrary, { numRuns: 5, seed: 1 });
      expect(JSON.stringify(values).length).toBeLessThan(5_000_000);
    }
  });
});
