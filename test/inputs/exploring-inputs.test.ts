import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { exploringInputs } from '../../src/inputs/explore/exploring-inputs.ts';
import { pairedInputs } from '../../src/inputs/explore/paired-inputs.ts';
import type { JsonObject } from '../../src/model/json.ts';

const schemas = createSchemaEvaluator();
const ajv = new Ajv2020({ strict: false, validateFormats: false });

const PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 40 },
    day: { type: 'string', format: 'date' },
    code: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{3}$' },
    unit: { enum: ['m', 'km'] },
    count: { type: 'integer', minimum: 0, maximum: 250 },
    values: { type: 'array', items: { type: 'number' }, uniqueItems: true, minItems: 1 },
    box: {
      type: 'object',
      properties: { width: { type: 'number', exclusiveMinimum: 0 } },
      required: ['width'],
      additionalProperties: false,
    },
  },
  required: ['title', 'code'],
  additionalProperties: false,
};
const PROVEN: JsonObject = { title: 'Moby Dick', code: 'AB-123' };

function explored(more: Partial<Parameters<typeof exploringInputs>[1]> = {}) {
  const { valid, invalid } = exploringInputs(
    PARAMETERS,
    { proven: PROVEN, first: [], seed: 7, valid: 300, invalid: 60, ...more },
    schemas,
  );
  return { valid: [...valid], invalid: [...invalid] };
}

describe('inputs to explore with', () => {
  it('are valid or invalid, as an independent validator decides', () => {
    const accepts = ajv.compile(PARAMETERS);
    const { valid, invalid } = explored();
    expect(valid.length).toBeGreaterThan(150);
    expect(invalid.length).toBeGreaterThan(25);
    expect(valid.filter((input) => !accepts(input))).toEqual([]);
    expect(invalid.filter((input) => accepts(input))).toEqual([]);
  });

  it('are the same for the same seed, each once', () => {
    const [one, other] = [explored(), explored()];
    expect(one).toEqual(other);
    const texts = one.valid.map((input) => JSON.stringify(input));
    expect(new Set(texts).size).toBe(texts.length);
    expect(explored({ seed: 8 }).valid).not.toEqual(one.valid);
  });

  it.each<[string, (input: JsonObject) => boolean]>([
    ['the shortest text', ({ title }) => title === 'a'],
    ['the longest text', ({ title }) => String(title).length === 40],
    ['a pair of surrogates', ({ title }) => String(title).includes('😀')],
    ['a quotation mark', ({ title }) => String(title).includes('"')],
    ['29 February', ({ day }) => day === '2024-02-29'],
    ['every listed value', ({ unit }) => unit === 'km'],
    ['the maximum', ({ count }) => count === 250],
    ['the 101st', ({ count }) => count === 101],
    ['zero', ({ count }) => count === 0],
    ['a list of 101 items', ({ values }) => Array.isArray(values) && values.length === 101],
    ['only the required parameters', (input) => Object.keys(input).length === 2],
    ['all parameters', (input) => Object.keys(input).length === 7],
  ])('have %s', (_, has) => {
    expect(explored().valid.some(has)).toBe(true);
  });

  it.each<[string, (input: JsonObject) => boolean]>([
    ['a required parameter left out', (input) => !('code' in input)],
    ['a number above the maximum', ({ count }) => count === 251],
    ['a fraction for a whole number', ({ count }) => count === 0.5],
    ['a text that is too long', ({ title }) => String(title).length === 41],
    ['a value that is not listed', ({ unit }) => unit === 'KM'],
    ['a wrong type', ({ title }) => Array.isArray(title)],
    ['equal items', ({ values }) => Array.isArray(values) && values.length === 2 && values[0] === values[1]],
    ['an unknown parameter', (input) => 'x' in input],
  ])('that are invalid have %s', (_, has) => {
    expect(explored({ proven: { ...PROVEN, values: [1] } }).invalid.some(has)).toBe(true);
  });

  it('begin with what showed a fault before', () => {
    const before = { title: 'é', code: 'ZZ-000' };
    expect(explored({ first: [before], valid: 2 }).valid).toEqual([PROVEN, before]);
    expect(explored({ first: [{ title: 1 }], invalid: 1 }).invalid).toEqual([{ title: 1 }]);
  });

  it('have the neighbours of a bound, in decimals', () => {
    const price = { type: 'number', minimum: 0.7, multipleOf: 0.1 };
    const parameters = { type: 'object', properties: { price }, required: ['price'] };
    const exploration = { proven: { price: 1 }, first: [], seed: 1, valid: 40, invalid: 10 };
    expect([...exploringInputs(parameters, exploration, schemas).valid]).toContainEqual({ price: 0.8 });
  });

  it('are none for a schema that cannot be applied', () => {
    const parameters = { type: 'object', properties: { a: { type: 'word' } } };
    const exploration = { proven: {}, first: [], seed: 1, valid: 10, invalid: 10 };
    expect(exploringInputs(parameters, exploration, schemas)).toEqual({ valid: [], invalid: [] });
  });
});

describe('pairs of inputs', () => {
  const pairs = pairedInputs(PARAMETERS, PROVEN, schemas);

  it('are valid and have other values in each trial', () => {
    const accepts = ajv.compile(PARAMETERS);
    const made = pairs.flatMap((make) => [make(1) ?? [], make(2) ?? []].flat());
    expect(made.length).toBeGreaterThan(20);
    expect(made.filter(({ first, second }) => !accepts(first) || !accepts(second))).toEqual([]);
    const [first] = pairs;
    expect(first?.(1)).not.toEqual(first?.(2));
  });

  it.each<[string, (first: JsonObject, second: JsonObject) => boolean]>([
    ['only in an optional parameter', (one, other) => 'count' in one && !('count' in other)],
    ['only in case', (one, other) => one.title !== other.title && lower(one) === lower(other)],
    [
      'only after 16 characters',
      (one, other) => String(other.title) === `${String(one.title)}a` && String(one.title).length === 16,
    ],
  ])('differ %s', (_, differ) => {
    const made = pairs.flatMap((make) => make(1) ?? []);
    expect(made.some(({ first, second }) => differ(first, second))).toBe(true);
  });
});

function lower({ title }: JsonObject): string {
  return String(title).toLowerCase();
}
