import { type Made, made } from './made.ts';

/** Schemas in which several keywords work together, as authors write them by hand. */
export const templates: readonly Made[] = [
  made({ type: 'string', minLength: 1, not: { enum: ['admin', 'root'] } }, ['ada', 'x']),
  made({ type: 'integer', allOf: [{ minimum: 3 }, { maximum: 30 }, { multipleOf: 3 }] }, [3, 30, 12]),
  made(
    {
      type: 'object',
      properties: { latitude: { type: 'number', minimum: -90, maximum: 90 }, longitude: { type: 'number' } },
      dependentRequired: { latitude: ['longitude'], longitude: ['latitude'] },
      additionalProperties: false,
    },
    [{}, { latitude: 47.37, longitude: 8.54 }],
  ),
  made(
    {
      type: 'object',
      properties: { mode: { enum: ['fixed', 'auto'] }, level: { type: 'integer' } },
      required: ['mode'],
      if: { properties: { mode: { const: 'fixed' } } },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
      then: { required: ['level'] },
      else: { properties: { level: false } },
    },
    [{ mode: 'fixed', level: 3 }, { mode: 'auto' }],
  ),
  made(
    {
      allOf: [
        { type: 'object', properties: { from: { type: 'integer' } }, required: ['from'] },
        { type: 'object', properties: { to: { type: ['integer', 'null'] } } },
      ],
    },
    [{ from: 1 }, { from: 1, to: 2 }, { from: 0, to: null }],
  ),
  made(
    {
      type: 'object',
      properties: {
        email: { type: 'string', format: 'email' },
        phone: { type: 'string', pattern: '^\\+?\\d+$' },
      },
      anyOf: [{ required: ['email'] }, { required: ['phone'] }],
    },
    [{ email: 'ada@example.com' }, { phone: '+4144' }],
  ),
  made(
    {
      type: 'object',
      patternProperties: { '^x-': { type: 'string' }, '^n-': { type: 'number' } },
      additionalProperties: false,
      minProperties: 1,
    },
    [{ 'x-a': 'b' }, { 'n-a': 1, 'x-b': '' }],
  ),
  made({ type: 'array', contains: { type: 'string', minLength: 2 }, maxItems: 4 }, [
    ['ab'],
    [1, 'abc', null],
  ]),
  made({ type: ['string', 'number', 'boolean'] }, ['a', 1.5, true]),
  made({ type: ['array', 'string'], items: { type: 'string' }, minLength: 1, minItems: 1 }, [
    'a',
    ['a', 'b'],
  ]),
  made({ type: 'array', items: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 } }, [
    [],
    [[1, 2]],
  ]),
  made({ type: 'array', items: {} }, [[], ['a', 1, null, [], {}]]),
];
