import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { edgeValues } from '../../src/inputs/explore/edge-values.ts';
import { exploringInputs } from '../../src/inputs/explore/exploring-inputs.ts';
import { pairedInputs } from '../../src/inputs/explore/paired-inputs.ts';
import type { JsonObject } from '../../src/json/json.ts';

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
    { proven: PROVEN, first: [], seed: 7, valid: 300, invalid: 60, listed: 60, ...more },
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
    ['the number beside the maximum', ({ count }) => count === 249],
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
    expect(explored({ first: [before], valid: 1, listed: 0 }).valid).toEqual([before]);
    expect(explored({ first: [{ title: 1 }], invalid: 1 }).invalid).toEqual([{ title: 1 }]);
  });

  it('have the neighbours of a bound, in decimals', () => {
    const price = { type: 'number', minimum: 0.7, multipleOf: 0.1 };
    const parameters = { type: 'object', properties: { price }, required: ['price'] };
    const exploration = { proven: { price: 1 }, first: [], seed: 1, valid: 40, invalid: 10, listed: 60 };
    expect([...exploringInputs(parameters, exploration, schemas).valid]).toContainEqual({ price: 0.8 });
  });

  const CURRENCY = { enum: ['EUR', 'USD', 'GBP'] };

  /** The few valid inputs of a check. */
  function fewFor(properties: JsonObject, proven: JsonObject): readonly JsonObject[] {
    const parameters = { type: 'object', properties, required: Object.keys(proven) };
    const exploration = { proven, first: [], seed: 1, valid: 9, invalid: 0, listed: 60 };
    return [...exploringInputs(parameters, exploration, schemas).valid];
  }

  it.each<[string, JsonObject, readonly number[]]>([
    ['any number', { type: 'number' }, [2 ** 31, 0, -1, 0.5, 1000, Number.MAX_SAFE_INTEGER]],
    ['any whole number', { type: 'integer' }, [2 ** 31, 0, -1, 1000, Number.MAX_SAFE_INTEGER]],
    ['a number from 1', { type: 'integer', minimum: 1 }, [1, 2, 2 ** 31, 1000]],
    ['a number of a range', { type: 'integer', minimum: 1, maximum: 14 }, [1, 2, 13, 14]],
    [
      'a number of a wide range',
      { type: 'number', minimum: -5, maximum: 5000 },
      [-5, -4, 0, -1, 0.5, 1000, 4999, 5000],
    ],
    [
      'a number of 32 bits',
      { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
      [-(2 ** 31), 1 - 2 ** 31, 2 ** 31 - 2, 2 ** 31 - 1],
    ],
    [
      'a number of 53 bits',
      { type: 'integer', minimum: 2 ** 31, maximum: 2 ** 53 },
      [2 ** 31, 2 ** 31 + 1, 2 ** 53 - 1, 2 ** 53],
    ],
  ])('of a check have both ends and what is beside them: %s', (_, schema, expected) => {
    const sent = fewFor({ value: schema }, { value: 7 + 2 ** 31 }).map(({ value }) => value);
    expect(expected.filter((value) => !sent.includes(value))).toEqual([]);
  });

  it('of a check have each value of an enum, and pairs of two', () => {
    const properties = { amount: { type: 'number' }, from: CURRENCY, to: CURRENCY };
    const sent = fewFor(properties, { amount: 1, from: 'EUR', to: 'EUR' });
    const values = (name: string) => new Set(sent.map((input) => input[name]));
    expect([values('from'), values('to')]).toEqual([new Set(CURRENCY.enum), new Set(CURRENCY.enum)]);
    expect(sent.filter(({ from, to }) => from !== to).length).toBeGreaterThan(2);
    expect(sent).toContainEqual({ amount: 2 ** 31, from: 'EUR', to: 'EUR' });
    const zones = { enum: Array.from({ length: 40 }, (_, number) => `Zone/${number}`) };
    const all = fewFor({ zone: zones }, { zone: 'Zone/0' }).map(({ zone }) => zone);
    expect(new Set([...all, 'Zone/0'])).toEqual(new Set(zones.enum));
  });

  it('of a check have texts that are empty, long and not ASCII', () => {
    const sent = fewFor({ title: { type: 'string' } }, { title: 'Moby Dick' }).map(({ title }) =>
      String(title),
    );
    expect([sent.includes(''), sent.some((text) => text.length > 1000)]).toEqual([true, true]);
    expect(sent.some((text) => /[^\0-\x7f]/.test(text))).toBe(true);
  });

  it('have all numbers at their ends at once', () => {
    const size = { type: 'integer', minimum: 1, maximum: 40 };
    const names = ['width', 'height', 'depth', 'weight', 'count'];
    const sent = fewFor(
      Object.fromEntries(names.map((name) => [name, size])),
      Object.fromEntries(names.map((name) => [name, 7])),
    );
    for (const end of [1, 40])
      expect(sent).toContainEqual(Object.fromEntries(names.map((name) => [name, end])));
  });

  it('use no two numbers that are alike, such as 100 and 101', () => {
    const parameters = { type: 'object', properties: { value: { type: 'integer' } }, required: ['value'] };
    const exploration = { proven: { value: 7 }, first: [], seed: 1, valid: 17, invalid: 0, listed: 60 };
    const sent = [...exploringInputs(parameters, exploration, schemas).valid].map(({ value }) =>
      Number(value),
    );
    const alike = sent.filter((value) => value > 2 && value < 2 ** 30 && sent.includes(value + 1));
    expect(alike).toEqual([]);
  });

  it('have no long wait and no large count that nothing declares', () => {
    const sent = fewFor(
      { delayMs: { type: 'integer' }, limit: { type: 'integer' } },
      { delayMs: 1, limit: 1 },
    );
    expect(Math.max(...sent.slice(0, 6).map(({ delayMs }) => Number(delayMs)))).toBeLessThanOrEqual(100);
    expect(Math.max(...sent.slice(0, 6).map(({ limit }) => Number(limit)))).toBeLessThan(1001);
  });

  it('are none for a schema that cannot be applied', () => {
    const parameters = { type: 'object', properties: { a: { type: 'word' } } };
    const exploration = { proven: {}, first: [], seed: 1, valid: 10, invalid: 10, listed: 60 };
    expect(exploringInputs(parameters, exploration, schemas)).toEqual({ valid: [], invalid: [] });
  });

  const members = (count: number, schema: JsonObject): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema]));

  it.each<[string, JsonObject]>([
    [
      'itself in alternatives of each member',
      { type: 'object', properties: members(10, { anyOf: [{ $ref: '#' }, { $ref: '#' }] }) },
    ],
    [
      'alternatives with members that are lists of the same alternatives',
      {
        type: 'object',
        properties: members(10, { $ref: '#/$defs/any' }),
        $defs: {
          any: {
            anyOf: Array.from({ length: 10 }, () => ({
              type: 'object',
              properties: members(10, { type: 'array', items: { $ref: '#/$defs/any' } }),
            })),
          },
        },
      },
    ],
  ])('are few for a schema with %s', (_, parameters) => {
    const exploration = { proven: {}, first: [], seed: 1, valid: 60, invalid: 30, listed: 60 };
    const { valid, invalid } = exploringInputs(parameters, exploration, schemas);
    expect([...valid].length).toBeGreaterThan(20);
    expect([...invalid].length).toBeGreaterThan(20);
  });

  it.each(['the input', 'an object in it'])(
    'are made one at a time where %s has many members, because each is as large as it is',
    (whole) => {
      const names = Array.from({ length: 300 }, (_, index) => `p${index}`);
      const text = { type: 'string' };
      const properties = Object.fromEntries(names.map((name) => [name, text]));
      const large = { type: 'object', properties, required: names };
      const nested = { type: 'object', properties: { large }, required: ['large'] };
      let copies = 0;
      const counted = new Proxy(Object.fromEntries(names.map((name) => [name, 'a'])), {
        ownKeys: (target) => {
          copies += 1;
          return Reflect.ownKeys(target);
        },
      });
      const isWhole = whole === 'the input';
      const exploration = { first: [], seed: 1, valid: 10, invalid: 6, listed: 10 };
      const { valid, invalid } = exploringInputs(
        isWhole ? large : nested,
        { ...exploration, proven: isWhole ? counted : { large: counted } },
        schemas,
      );
      expect([[...valid].length, [...invalid].length]).toEqual([10, 6]);
      expect(copies).toBeLessThan(200);
    },
  );

  it('are few for an object whose copies would have many members together', () => {
    const names = Array.from({ length: 2000 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const values = edgeValues({ type: 'object', properties, required: names }, 'large', {});
    const members = values.reduce<number>((sum, value) => sum + Object.keys(value ?? {}).length, 0);
    expect(values.length).toBeGreaterThan(20);
    expect(members).toBeLessThan(100_000);
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
