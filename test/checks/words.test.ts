import { describe, expect, test } from 'vitest';
import { judgeNodes } from '../../src/checks/json/nodes.ts';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { describeSchema } from '../../src/checks/json/schema-words.ts';
import type { Json } from '../../src/json/json.ts';
import { select } from '../../src/json/selector.ts';
import type { NodeExpectation } from '../../src/model/suite.ts';

const schemas = createSchemaEvaluator();

describe('the description of a schema', () => {
  test.each<[Json, string | undefined]>([
    [{ type: 'string' }, 'a string'],
    [{ type: ['string', 'null'] }, 'a string or null'],
    [{ type: 'boolean' }, 'true or false'],
    [{ type: 'integer', minimum: 0 }, 'an integer, 0 or more'],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 'a number, more than 0, less than 1'],
    [{ maximum: 5 }, '5 or less'],
    [{ type: 'string', minLength: 1 }, 'a string, not empty'],
    [{ type: 'string', minLength: 2, maxLength: 3 }, 'a string, at least 2 characters, at most 3 characters'],
    [{ pattern: '^a' }, 'matching ^a'],
    [{ type: 'array', minItems: 1, maxItems: 4 }, 'an array, at least 1 item, at most 4 items'],
    [{ enum: ['ok', 1, null] }, '"ok" or 1 or null'],
    [{ const: { a: [] } }, '{"a":[]}'],
    [{ const: null }, 'null'],
    [{ enum: [Number.POSITIVE_INFINITY, null] }, '(a number too large for a double) or null'],
    [{ maximum: Number.NEGATIVE_INFINITY }, '(a negative number too large for a double) or less'],
    [{}, undefined],
    [true, undefined],
    [{ required: ['a'] }, undefined],
  ])('%j', (schema, words) => {
    expect(describeSchema(schema)).toBe(words);
  });
});

describe('the description of a failure', () => {
  test.each<[string, Json, Json, string, string]>([
    ['a type', { type: 'string', minLength: 1 }, 1, 'a string, not empty', '1 (number)'],
    ['a bound', { type: 'integer', minimum: 0 }, -1, 'an integer, 0 or more', '-1 (number)'],
    ['an empty text', { type: 'string', minLength: 1 }, '', 'a string, not empty', '"" (string)'],
    [
      'a missing property',
      { required: ['a'] },
      { b: 1 },
      'an object with the property "a"',
      'an object without it: {"b":1} (object)',
    ],
    [
      'a further property',
      { properties: { a: {} }, additionalProperties: false },
      { b: 1 },
      'no further properties',
      'the property "b"',
    ],
    [
      'an unevaluated property',
      { unevaluatedProperties: false },
      { b: 1 },
      'no further properties',
      'the property "b"',
    ],
    ['an item twice', { uniqueItems: true }, ['a', 'b', 'a'], 'no item twice', 'items 0 and 2 are the same'],
    ['no matching item', { contains: { type: 'string' } }, [1], 'an item of the right kind', '[1] (array)'],
    [
      'several types',
      { anyOf: [{ type: 'string' }, { type: 'number', minimum: 1 }] },
      true,
      'a string, or a number, 1 or more',
      'true (boolean)',
    ],
    ['one of two', { oneOf: [{ const: 1 }, { const: 2 }] }, 3, '1, or 2', '3 (number)'],
    [
      'both of two',
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      1,
      'a value valid against exactly one schema in oneOf',
      '1 (number), valid against schemas 0 and 1',
    ],
    [
      'alternatives without a description',
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      'a value valid against a schema in anyOf',
      '{} (object)',
    ],
    ['a forbidden value', { type: 'string', not: { const: 'x' } }, 'x', 'anything but "x"', '"x" (string)'],
    ['a step', { type: 'integer', multipleOf: 5 }, 7, 'an integer, a multiple of 5', '7 (number)'],
    [
      'too few properties',
      { type: 'object', minProperties: 2 },
      { a: 1 },
      'an object, at least 2 properties',
      '{"a":1} (object)',
    ],
    [
      'a condition',
      JSON.parse('{"if":{"type":"number"},"then":{"minimum":3}}'),
      1,
      '3 or more',
      '1 (number)',
    ],
    [
      'the only alternative for the type',
      { anyOf: [{ type: 'object', required: ['a'] }, { type: 'null' }] },
      {},
      'an object with the property "a"',
      'an object without it: {} (object)',
    ],
    ['a bound beside listed values', { enum: [1, 2], minimum: 2 }, 1, '2 or more', '1 (number)'],
    [
      'too many matching items',
      { contains: { type: 'string' }, maxContains: 1 },
      ['a', 'b'],
      'at most 1 item of the right kind',
      '["a","b"] (array)',
    ],
    [
      'a property that another property requires',
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      'an object with the property "b", because it has "a"',
      'an object without it: {"a":1} (object)',
    ],
    ['an item too many', { prefixItems: [{}], items: false }, [1, 2], 'no further items', 'item 1'],
    ['the name of a property', { propertyNames: { pattern: '^a' } }, { b: 1 }, 'matching ^a', '"b" (string)'],
  ])('%s', (_, schema, value, expected, received) => {
    expect(schemas.apply(schema, value)).toEqual({
      kind: 'invalid',
      problem: { pointer: '', expected, received },
    });
  });

  test('a long value is cut short', () => {
    const verdict = schemas.apply({ type: 'number' }, 'x'.repeat(5000));
    if (verdict.kind !== 'invalid') throw new Error(verdict.kind);
    expect(verdict.problem.received).toMatch(/^"x{150,}… \(string\)$/);
    expect(verdict.problem.received.length).toBeLessThan(180);
  });
});

describe('nodes', () => {
  const body: Json = {
    functions: [{ name: 'add' }, { name: '' }, { name: 3 }],
    status: 'ok',
    server: { name: 1 },
  };
  const judge = (at: string, expectation: NodeExpectation) => {
    const selection = select(at, body);
    if (selection.kind === 'undecided') throw new Error(selection.reason);
    return [judgeNodes(selection.nodes, at, expectation, schemas)].flat();
  };
  const failure = (message: string, expected: string, received: string, pointer?: string) => ({
    outcome: 'failed',
    fault: 'server',
    message,
    expected,
    received,
    ...(pointer === undefined ? {} : { pointer }),
  });
  const passed = [{ outcome: 'passed' }];

  test('is', () => {
    expect(judge('$.status', { kind: 'is', schema: { const: 'ok' } })).toEqual(passed);
    expect(judge('$.status', { kind: 'is', schema: { enum: ['up', 'fine'] } })).toEqual([
      failure('status is invalid', '"up" or "fine"', '"ok" (string)', '/status'),
    ]);
    expect(judge('$.server', { kind: 'is', schema: { properties: { name: { type: 'string' } } } })).toEqual([
      failure('server.name is invalid', 'a string', '1 (number)', '/server/name'),
    ]);
    expect(judge('$', { kind: 'is', schema: { required: ['uptime'] } })).toMatchObject([
      { message: 'the body is invalid', pointer: '' },
    ]);
  });

  test('is, with no node or several nodes', () => {
    expect(judge('$.version', { kind: 'is', schema: { type: 'string' } })).toEqual([
      failure('version is missing', 'a string', 'nothing'),
    ]);
    expect(judge('$.functions[*].name', { kind: 'is', schema: { type: 'string' } })).toEqual([
      failure('$.functions[*].name finds 3 values where one is expected', 'a string', '3 values'),
    ]);
  });

  test('each', () => {
    expect(judge('$.functions[*].name', { kind: 'each', schema: { type: 'string', minLength: 1 } })).toEqual([
      failure('functions.1.name is invalid', 'a string, not empty', '"" (string)', '/functions/1/name'),
      failure('functions.2.name is invalid', 'a string, not empty', '3 (number)', '/functions/2/name'),
    ]);
    expect(judge('$.none[*]', { kind: 'each', schema: {} })).toEqual([
      failure('$.none[*] is missing', 'a value valid against {}', 'nothing'),
    ]);
  });

  test('any', () => {
    expect(judge('$.functions[*].name', { kind: 'any', schema: { const: 'add' } })).toEqual(passed);
    expect(judge('$.functions[*].name', { kind: 'any', schema: { const: 'sub' } })).toEqual([
      failure(
        'nothing at $.functions[*].name is as expected',
        '"sub"',
        '"add" (string), "" (string), 3 (number)',
      ),
    ]);
    expect(judge('$.none[*]', { kind: 'any', schema: {} })).toMatchObject([{ outcome: 'failed' }]);
  });

  test('none', () => {
    expect(judge('$.functions[*].name', { kind: 'none', schema: { const: 'sub' } })).toEqual(passed);
    expect(judge('$.functions[*].name', { kind: 'none', schema: { type: 'number' } })).toEqual([
      failure('$.functions[*].name has a forbidden value', 'no a number', '3 (number)', '/functions/2/name'),
    ]);
    expect(judge('$.none[*]', { kind: 'none', schema: {} })).toMatchObject([{ outcome: 'failed' }]);
  });

  test('an undecided node is undecided, unless another node settles it', () => {
    const pattern = '(?<=a)d';
    const unsettled = [
      { outcome: 'undecided', fault: 'harness', received: expect.stringContaining('look-behind') },
    ];
    expect(judge('$.status', { kind: 'is', schema: { pattern } })).toMatchObject(unsettled);
    expect(judge('$.functions[0].name', { kind: 'each', schema: { pattern } })).toMatchObject(unsettled);
    expect(judge('$.functions[*].name', { kind: 'none', schema: { pattern, maxLength: 3 } })).toMatchObject([
      { outcome: 'failed', received: '3 (number)' },
    ]);
    const text = { type: 'string', pattern };
    expect(judge('$.functions[*].name', { kind: 'none', schema: text })).toMatchObject(unsettled);
    expect(judge('$.functions[*].name', { kind: 'any', schema: text })).toMatchObject(unsettled);
    expect(judge('$.functions[*].name', { kind: 'any', schema: { pattern } })).toEqual(passed);
  });

  test('count', () => {
    expect(judge('$.functions[*]', { kind: 'count', schema: { const: 3 } })).toEqual(passed);
    expect(judge('$.none[*]', { kind: 'count', schema: { const: 0 } })).toEqual(passed);
    expect(judge('$.functions[*]', { kind: 'count', schema: { minimum: 4 } })).toEqual([
      failure('$.functions[*] finds 3 values', '4 or more of them', '3'),
    ]);
  });

  test('absent', () => {
    expect(judge('$.password', { kind: 'absent' })).toEqual(passed);
    expect(judge('$.server.name', { kind: 'absent' })).toEqual([
      failure('$.server.name exists', 'nothing', '1 (number)', '/server/name'),
    ]);
  });
});
