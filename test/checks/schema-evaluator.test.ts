import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSchemaEvaluator } from '../../src/checks/schema-evaluator.ts';
import type { Json } from '../../src/model/json.ts';
import type { SchemaProblem } from '../../src/model/schema-evaluator.ts';

const evaluator = createSchemaEvaluator();

/** What is wrong with a value; the test fails when the schema of a target cannot be used. */
function problemOf(schema: Json, value: Json): SchemaProblem | 'undecided' | null {
  const looked = evaluator.foreign(schema);
  if (looked.kind !== 'usable') throw new Error(`${looked.kind}: ${JSON.stringify(looked)}`);
  return looked.problemOf(value);
}

/** Parsed, so that `__proto__` is a key of its own. */
const parsed = (text: string): Json => JSON.parse(text) as Json;

describe('schemas that targets send', () => {
  test.each<[string, Json, Json]>([
    ['true', true, 1],
    ['an empty schema', {}, null],
    ['an object', { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }, { a: 'x' }],
    ['formats, which are not judged', { type: 'string', format: 'email' }, 'no e-mail'],
    ['keywords of other makers', { type: 'string', 'x-order': 3, deprecated: true }, 'x'],
    [
      'references that are none, in values and in keywords of other makers',
      { 'x-see': { $ref: 'https://a.example/' }, default: { $ref: 'b.json' }, enum: [{ $ref: 'c.json' }] },
      { $ref: 'c.json' },
    ],
    ['a local reference', { $ref: '#/$defs/a', $defs: { a: { type: 'integer' } } }, 3],
    ['a reference with escapes', { $ref: '#/$defs/a~1b%25', $defs: { 'a/b%': { type: 'integer' } } }, 3],
    ['an anchor', { $ref: '#a', $defs: { a: { $anchor: 'a', type: 'integer' } } }, 3],
    ...[
      'https://json-schema.org/draft/2020-12/schema',
      'https://json-schema.org/draft/2019-09/schema',
      'http://json-schema.org/draft-07/schema#',
      'http://json-schema.org/draft-06/schema#',
      'http://json-schema.org/schema#',
    ].map(($schema): [string, Json, Json] => [`$schema ${$schema}`, { $schema, type: 'string' }, 'x']),
    [
      'nullable, which is no keyword of JSON Schema, without a type',
      { nullable: true, anyOf: [{ type: 'null' }] },
      null,
    ],
    ['a character outside the first plane as one', { type: 'string', maxLength: 1 }, '🚀'],
  ])('%s', (_, schema, value) => {
    expect(problemOf(schema, value)).toBeNull();
  });

  test.each<[string, Json, Json, SchemaProblem]>([
    ['false', false, {}, { pointer: '', expected: 'nothing', received: '{} (object)' }],
    [
      'a recursive schema',
      { properties: { child: { $ref: '#' } }, type: 'object' },
      { child: { child: 1 } },
      { pointer: '/child/child', expected: 'an object', received: '1 (number)' },
    ],
    [
      'a tuple as in draft 7',
      { items: [{ type: 'string' }, { type: 'number' }] },
      ['a', 'b'],
      { pointer: '/1', expected: 'a number', received: '"b" (string)' },
    ],
    [
      'a tuple as in 2020-12',
      { prefixItems: [{ type: 'string' }, { type: 'number' }] },
      ['a', 'b'],
      { pointer: '/1', expected: 'a number', received: '"b" (string)' },
    ],
    [
      'definitions and a declared draft 7',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: { a: { type: 'string' } },
        properties: { x: { $ref: '#/definitions/a' } },
      },
      { x: 1 },
      { pointer: '/x', expected: 'a string', received: '1 (number)' },
    ],
    [
      'an id and $async, which are not honoured',
      { $id: 'https://example.com/schema', $async: true, type: 'object' },
      1,
      { pointer: '', expected: 'an object', received: '1 (number)' },
    ],
    [
      'parameters called id, $id, $schema and $async',
      { properties: { id: { type: 'string' }, $id: { type: 'string' }, $schema: {}, $async: {} } },
      { id: 'a', $id: 1 },
      { pointer: '/$id', expected: 'a string', received: '1 (number)' },
    ],
    [
      'a parameter called properties',
      { properties: { properties: { properties: { id: { type: 'string' } } } } },
      { properties: { id: 1 } },
      { pointer: '/properties/id', expected: 'a string', received: '1 (number)' },
    ],
    [
      'a constant that looks like a schema',
      { const: { $id: 'x', id: 'y' } },
      { $id: 'x' },
      { pointer: '', expected: '{"$id":"x","id":"y"}', received: '{"$id":"x"} (object)' },
    ],
    [
      'names that every object inherits',
      { type: 'object', required: ['toString', 'constructor'] },
      {},
      {
        pointer: '',
        expected: 'an object with the property "toString"',
        received: 'an object without it: {} (object)',
      },
    ],
    [
      'a number too large for a double',
      { type: 'number' },
      parsed('1e999'),
      { pointer: '', expected: 'a number', received: 'a number too large for a double' },
    ],
    [
      'such a number inside something else',
      { type: 'string' },
      parsed('{"a":[-1e999,null]}'),
      {
        pointer: '',
        expected: 'a string',
        received: '{"a":[(a negative number too large for a double),null]} (object)',
      },
    ],
    [
      'such a number in the schema',
      parsed('{"const":1e999}'),
      null,
      { pointer: '', expected: '(a number too large for a double)', received: 'null' },
    ],
    [
      'a pointer with escapes',
      { properties: { 'a/b': { properties: { '~': { type: 'string' } } } } },
      { 'a/b': { '~': 1 } },
      { pointer: '/a~1b/~0', expected: 'a string', received: '1 (number)' },
    ],
  ])('%s', (_, schema, value, problem) => {
    expect(problemOf(schema, value)).toEqual(problem);
  });

  test('a property named __proto__ is asked for and changes nothing', () => {
    const schema = parsed(
      '{"type":"object","required":["__proto__"],"properties":{"__proto__":{"type":"string"}}}',
    );
    expect(problemOf(schema, {})).toMatchObject({ expected: 'an object with the property "__proto__"' });
    expect(problemOf(schema, parsed('{"__proto__":"x"}'))).toBeNull();
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });
});

describe('patterns of targets', () => {
  test('one that would take other engines for ever is applied at once', () => {
    const text = `${'a'.repeat(50)}!`;
    expect(problemOf({ type: 'string', pattern: '^(a+)+$' }, text)).toEqual({
      pointer: '',
      expected: 'a string, matching ^(a+)+$',
      received: `"${text}" (string)`,
    });
    expect(problemOf({ patternProperties: { '^(a|a)*$': { type: 'string' } } }, { [text]: 1 })).toBeNull();
    expect(
      problemOf({ propertyNames: { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } }, { [text]: 1 }),
    ).not.toBeNull();
  });

  test.each(['^(?=a)b', '(a)\\1', '(?<!a)b'])(
    '%s cannot be had in linear time, so what it is asked of is undecided',
    (pattern) => {
      const schema = { type: 'string', pattern } as const;
      const foreign = evaluator.foreign(schema);
      expect(foreign.kind).toBe('usable');
      if (foreign.kind !== 'usable') return;
      expect(foreign.problemOf('ab')).toBe('undecided');
      expect(foreign.problemOf(1)).toMatchObject({ received: '1 (number)' });
    },
  );

  test('nor is a pattern tried on a text without bounds', () => {
    expect(problemOf({ pattern: '^(?:a?){900}b$' }, 'a'.repeat(200_000))).toBe('undecided');
  });

  test('items are not compared with each other without bounds', () => {
    const items = Array.from({ length: 20_000 }, (_, index) => [index]);
    expect(problemOf({ uniqueItems: true }, items)).toBe('undecided');
    expect(problemOf({ uniqueItems: true }, [[1], [1]])).not.toBeNull();
  });

  test.each(['(', '[', 'a**', '\\'])('%s is no regular expression', (pattern) => {
    expect(evaluator.foreign({ pattern })).toEqual({
      kind: 'invalid',
      problem: {
        pointer: '',
        expected: 'every pattern to be a regular expression',
        received: JSON.stringify(pattern),
      },
    });
  });
});

describe('schemas that are none', () => {
  test.each<[string, Json, SchemaProblem]>([
    ['text', 'object', { pointer: '', expected: 'a schema: an object', received: 'string' }],
    ['null', null, { pointer: '', expected: 'a schema: an object', received: 'object' }],
    [
      'a length that is text',
      { properties: { a: { minLength: '1' } } },
      { pointer: '/properties/a/minLength', expected: 'an integer, 0 or more', received: '"1" (string)' },
    ],
    [
      'a reference that leads nowhere',
      { $ref: '#/$defs/a' },
      {
        pointer: '',
        expected: 'every $ref to lead somewhere',
        received: '$ref #/$defs/a, which leads nowhere',
      },
    ],
  ])('%s', (_, schema, problem) => {
    expect(evaluator.foreign(schema)).toEqual({ kind: 'invalid', problem });
  });

  test('a type that there is not', () => {
    expect(evaluator.foreign({ type: 'float' })).toMatchObject({
      kind: 'invalid',
      problem: {
        pointer: '/type',
        received: '"float" (string)',
        expected: expect.stringContaining('"number"'),
      },
    });
  });
});

describe('schemas that the harness does not apply', () => {
  const nested = (depth: number): Json => {
    let schema: Json = {};
    for (let level = 0; level < depth; level += 1) schema = { not: schema };
    return schema;
  };

  test.each<[string, Json, string]>([
    ['one from elsewhere', { $ref: 'https://example.com/a' }, 'it refers to https://example.com/a'],
    ['one beside it', { properties: { a: { $ref: 'other.json#/a' } } }, 'it refers to other.json#/a'],
    [
      'a draft of old',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      'a draft that the harness does not know',
    ],
    ['another language', { $schema: 'https://example.com/mine' }, 'a draft that the harness does not know'],
    ['too many characters', { description: 'x'.repeat(300_000) }, 'it is longer than 262144 characters'],
    [
      'too many values',
      { enum: Array.from({ length: 100_000 }, () => 0) },
      'it holds more than 20000 values',
    ],
    ['a pattern too long', { pattern: 'a'.repeat(1001) }, 'a pattern is longer than 1000 characters'],
    [
      'too many references',
      { $defs: { a: {} }, allOf: Array.from({ length: 201 }, () => ({ $ref: '#/$defs/a' })) },
      'it holds more than 200 references',
    ],
  ])('%s', (_, schema, reason) => {
    expect(evaluator.foreign(schema)).toEqual({ kind: 'unusable', reason: expect.stringContaining(reason) });
  });

  test('one as deep as an answer may be', () => {
    expect(evaluator.foreign(nested(250)).kind).toBe('usable');
  });

  /** Each definition refers to the next one twice: applied 2^60 times in all. */
  const doubling = (keyword: 'allOf' | 'anyOf'): Json => {
    const levels = Array.from({ length: 60 }, (_, level): [string, Json] => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { [keyword]: [next, next] }];
    });
    return { $ref: '#/$defs/d0', $defs: Object.fromEntries([...levels, ['d60', { type: 'string' }]]) };
  };

  test.each<[string, Json, Json]>([
    ['refers to itself', { $ref: '#' }, {}],
    ['refers to itself at one remove', { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#' } } }, 1],
    ['doubles with every reference', doubling('allOf'), 'x'],
    ['doubles with every reference that fails', doubling('anyOf'), 1],
    [
      'doubles with every level of the value',
      { type: 'object', properties: { a: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } } },
      parsed(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`),
    ],
  ])('one that %s is given up', (_, schema, value) => {
    expect(problemOf(schema, value)).toBe('undecided');
  });

  test('a value that was given up does not count against the next', () => {
    const looked = evaluator.foreign({
      properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } },
      type: 'object',
    });
    if (looked.kind !== 'usable') throw new Error(looked.kind);
    const deep = parsed(`${'{"a":'.repeat(60)}{}${'}'.repeat(60)}`);
    expect(looked.problemOf(deep)).toBe('undecided');
    expect(looked.problemOf({ a: {} })).toBeNull();
    expect(looked.problemOf({ a: 1 })).toMatchObject({ pointer: '/a' });
  });

  test('a long list of references is no reason to give up', () => {
    const schema = {
      items: { $ref: '#/$defs/a' },
      $defs: { a: { properties: { b: { $ref: '#/$defs/a' } } } },
    };
    expect(
      problemOf(
        schema,
        Array.from({ length: 20_000 }, () => ({ b: {} })),
      ),
    ).toBeNull();
  });
});

describe('schemas of suites', () => {
  test('are compiled once and judged in words', () => {
    const schema = { type: 'array', minItems: 2 };
    expect(evaluator.problemOf(schema, [1, 2])).toBeNull();
    expect(evaluator.problemOf(schema, [1])).toEqual({
      pointer: '',
      expected: 'an array, at least 2 items',
      received: '[1] (array)',
    });
  });

  test('may refer to their own parts, each to its own', () => {
    const tree = { type: 'object', properties: { left: { $ref: '#' } } };
    const list = { type: 'array', items: { $ref: '#' } };
    expect(evaluator.problemOf(tree, { left: { left: [] } })).toMatchObject({ pointer: '/left/left' });
    expect(evaluator.problemOf(list, [[], [{}]])).toMatchObject({ pointer: '/1/0', expected: 'an array' });
    expect(evaluator.problemOf(tree, { left: {} })).toBeNull();
  });
});

describe('objects with keys that JavaScript has a use for', () => {
  const twice = (key: string) => JSON.parse(`[{"${key}":{}},{"${key}":{}}]`) as Json[];

  test.each(['valueOf', 'toString', 'constructor', '__proto__', 'hasOwnProperty'])('%s', (key) => {
    const [one = null, other = null] = twice(key);
    for (const schema of [{ const: one }, { enum: [1, one] }, { type: 'array', uniqueItems: true }]) {
      const looked = evaluator.foreign(schema);
      // Undecided is right, and so is the truth; a problem where there is none would accuse a server.
      const value = 'type' in schema ? [one, 1] : other;
      if (looked.kind === 'usable') expect([null, 'undecided']).toContain(looked.problemOf(value));
      else expect(looked.kind).toBe('unusable');
    }
    expect(() => evaluator.foreign({ enum: twice(key) })).not.toThrow();
  });
});

test('any JSON as a schema is looked at without an error, and so is any value by it', () => {
  const keywords = fc.constantFrom(
    ...[
      'type',
      'properties',
      'items',
      'required',
      'enum',
      'const',
      '$ref',
      '$id',
      'pattern',
      'allOf',
      'not',
      'if',
      'then',
    ],
    ...[
      '$defs',
      'minimum',
      'multipleOf',
      'maxLength',
      'uniqueItems',
      'dependencies',
      '$anchor',
      '$dynamicRef',
      '$schema',
    ],
  );
  const operands = fc.constantFrom<Json>(
    'string',
    'object',
    '#',
    '#/$defs/a',
    '#a',
    '(',
    0,
    -1,
    true,
    false,
    null,
    [],
    {},
  );
  const schemas = fc.letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      operands,
      fc.dictionary(keywords, tie('schema'), { maxKeys: 4 }).map((schema): Json => schema),
      fc.array(tie('schema'), { maxLength: 3 }),
    ),
  })).schema;
  fc.assert(
    fc.property(schemas, fc.jsonValue() as fc.Arbitrary<Json>, (schema, value) => {
      const looked = evaluator.foreign(schema);
      if (looked.kind === 'usable') looked.problemOf(value);
      else expect(looked.kind === 'invalid' ? looked.problem.expected : looked.reason).not.toBe('');
    }),
    { numRuns: 400 },
  );
});
