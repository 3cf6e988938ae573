import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { parseExactly } from '../../src/json/exact-json.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import type { SchemaProblem, SchemaVerdict } from '../../src/model/schema-evaluator.ts';

const evaluator = createSchemaEvaluator();

/** The verdict on a value; throws if the schema cannot be used. */
function verdictOn(schema: Json, value: Json): SchemaVerdict {
  const read = evaluator.foreign(schema);
  if (read.kind !== 'usable') throw new Error(`${read.kind}: ${JSON.stringify(read)}`);
  return read.apply(value);
}

const VALID: SchemaVerdict = { kind: 'valid' };
const invalid = (problem: SchemaProblem): SchemaVerdict => ({ kind: 'invalid', problem });
const undecided = (reason: string) => ({ kind: 'undecided', reason: expect.stringContaining(reason) });

/** Parsed, so that `__proto__` is an own key. */
const parsed = (text: string): Json => JSON.parse(text) as Json;

describe('schemas of targets', () => {
  test.each<[string, Json, Json]>([
    ['true', true, 1],
    ['an empty schema', {}, null],
    ['an object', { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }, { a: 'x' }],
    ['formats, which are not judged', { type: 'string', format: 'email' }, 'no e-mail'],
    ['unknown keywords', { type: 'string', 'x-order': 3, deprecated: true }, 'x'],
    [
      'plain data like references, in values and in unknown keywords',
      { 'x-see': { $ref: 'https://a.example/' }, default: { $ref: 'b.json' }, enum: [{ $ref: 'c.json' }] },
      { $ref: 'c.json' },
    ],
    ['a local reference', { $ref: '#/$defs/a', $defs: { a: { type: 'integer' } } }, 3],
    ['a reference with escapes', { $ref: '#/$defs/a~1b%25', $defs: { 'a/b%': { type: 'integer' } } }, 3],
    ['values listed twice', { $schema: 'http://json-schema.org/draft-07/schema#', enum: ['a', 'a'] }, 'a'],
    ['an anchor', { $ref: '#a', $defs: { a: { $anchor: 'a', type: 'integer' } } }, 3],
    ...[
      'https://json-schema.org/draft/2020-12/schema',
      'https://json-schema.org/draft/2019-09/schema',
      'http://json-schema.org/draft-07/schema#',
      'http://json-schema.org/draft-06/schema#',
      'http://json-schema.org/schema#',
    ].map(($schema): [string, Json, Json] => [`$schema ${$schema}`, { $schema, type: 'string' }, 'x']),
    [
      'nullable, which is not a keyword of JSON Schema, without a type',
      { nullable: true, anyOf: [{ type: 'null' }] },
      null,
    ],
    ['a surrogate pair as one character', { type: 'string', maxLength: 1 }, '🚀'],
  ])('%s', (_, schema, value) => {
    expect(verdictOn(schema, value)).toEqual(VALID);
  });

  test.each<[string, Json]>([
    ['its type', { type: 'integer', nullable: true }],
    ['a reference', { $ref: '#/$defs/count', nullable: true }],
    ['allOf', { allOf: [{ $ref: '#/$defs/count' }], nullable: true }],
    ['anyOf', { anyOf: [{ $ref: '#/$defs/count' }, { type: 'boolean' }], nullable: true }],
    ['anyOf, inside it', { anyOf: [{ type: 'integer', nullable: true }, { type: 'boolean' }] }],
    ['an enum', { enum: [1, 2], nullable: true }],
  ])('the advice for null names nullable beside %s', (_, count) => {
    const schema = { properties: { count }, $defs: { count: { type: 'integer' } } };
    const advice = expect.stringMatching(
      /^Declare null as JSON Schema does, such as "type": \["\w+", "null"\].*"nullable" is a word of OpenAPI 3\.0/,
    );
    expect(verdictOn(schema, { count: null })).toMatchObject({ kind: 'invalid', problem: { advice } });
    expect(verdictOn(schema, { count: 'x' })).not.toHaveProperty('problem.advice');
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
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        prefixItems: [{ type: 'string' }, { type: 'number' }],
      },
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
      'an id and $async, which are ignored',
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
      'names of inherited object members',
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
      'such a number inside another value',
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
    expect(verdictOn(schema, value)).toEqual(invalid(problem));
  });

  test('a required property named __proto__ changes nothing', () => {
    const schema = parsed(
      '{"type":"object","required":["__proto__"],"properties":{"__proto__":{"type":"string"}}}',
    );
    expect(verdictOn(schema, {})).toMatchObject({
      problem: { expected: 'an object with the property "__proto__"' },
    });
    expect(verdictOn(schema, parsed('{"__proto__":"x"}'))).toEqual(VALID);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });
});

describe('patterns of targets', () => {
  test('a pattern that takes exponential time in other engines is matched at once', () => {
    const text = `${'a'.repeat(50)}!`;
    expect(verdictOn({ type: 'string', pattern: '^(a+)+$' }, text)).toEqual(
      invalid({
        pointer: '',
        expected: 'a string, matching ^(a+)+$',
        received: `"${text}" (string)`,
      }),
    );
    const keyed = { [text]: 1 };
    expect(verdictOn({ patternProperties: { '^(a|a)*$': { type: 'string' } } }, keyed)).toEqual(VALID);
    const names = { propertyNames: { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } };
    expect(verdictOn(names, keyed)).toMatchObject({ kind: 'invalid' });
  });

  test('all patterns of a schema are applied', () => {
    const schema = { allOf: [{ pattern: 'a' }, { pattern: 'b' }], pattern: 'c' };
    expect(verdictOn(schema, 'abc')).toEqual(VALID);
    for (const text of ['ab', 'bc', 'ac']) expect(verdictOn(schema, text)).toMatchObject({ kind: 'invalid' });
    const named = { patternProperties: { '^a': { type: 'string' }, b$: { maxLength: 1 } } };
    expect(verdictOn(named, { ab: 'x' })).toEqual(VALID);
    expect(verdictOn(named, { ab: 'xy' })).toMatchObject({ problem: { pointer: '/ab' } });
  });

  test.each([
    ['^a(?=b).', 'a look-ahead that is not at its beginning'],
    ['(a)\\1', 'a back reference'],
    ['(?<!a)b', 'a look-behind'],
    ['^\\p{Emoji}$', 'the Unicode property \\p{Emoji}'],
  ])('%s cannot be matched in linear time, and the verdict says why', (pattern, why) => {
    const schema = { type: 'string', pattern };
    const reason = `its pattern ${JSON.stringify(pattern)} uses ${why}`;
    expect(verdictOn(schema, 'ab')).toEqual({ kind: 'undecided', reason });
    expect(verdictOn(schema, 1)).toMatchObject({ problem: { received: '1 (number)' } });
  });

  test('a pattern is not applied to a text beyond the bounds', () => {
    expect(verdictOn({ pattern: '^(?:a?){900}b$' }, 'a'.repeat(200_000))).toEqual(
      undecided('a text is longer than the 100000 characters'),
    );
    expect(verdictOn({ pattern: '^(?:a?){900}b$' }, 'a'.repeat(100_000))).toEqual(
      undecided('more than 5000000 steps'),
    );
  });

  test.each(['(', '[', 'a**', '\\'])('%s is not a regular expression', (pattern) => {
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

describe('invalid schemas', () => {
  test.each<[string, Json, SchemaProblem]>([
    ['text', 'object', { pointer: '', expected: 'a schema: an object', received: 'string' }],
    ['null', null, { pointer: '', expected: 'a schema: an object', received: 'null' }],
    ['a list', [], { pointer: '', expected: 'a schema: an object', received: 'array' }],
    [
      'a length that is a string',
      { properties: { a: { minLength: '1' } } },
      { pointer: '/properties/a/minLength', expected: 'an integer, 0 or more', received: '"1" (string)' },
    ],
    [
      'a reference that does not resolve',
      { $ref: '#/$defs/a' },
      {
        pointer: '',
        expected: 'every $ref to resolve',
        received: '$ref #/$defs/a, which does not exist',
      },
    ],
  ])('%s', (_, schema, problem) => {
    expect(evaluator.foreign(schema)).toEqual({ kind: 'invalid', problem });
  });

  test('an unknown type', () => {
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
    [
      'a reference to another document',
      { $ref: 'https://example.com/a' },
      'it refers to https://example.com/a',
    ],
    [
      'a reference to a document beside it',
      { properties: { a: { $ref: 'other.json#/a' } } },
      'it refers to other.json#/a',
    ],
    [
      'an old draft',
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

  test('a schema as deep as an answer may be', () => {
    expect(evaluator.foreign(nested(250)).kind).toBe('usable');
  });

  type Level = (next: Json, level: number) => JsonObject;

  /** Each definition refers to the next one twice: applied 2^60 times in all, unless a result is kept. */
  const doubling = (level: Level, leaf: Json = { type: 'string' }): Json => {
    const levels = Array.from({ length: 60 }, (_, index): [string, Json] => [
      `d${index}`,
      level({ $ref: `#/$defs/d${index + 1}` }, index),
    ]);
    return {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries([...levels, ['d60', leaf]]),
    };
  };
  const deepValue = (inner: string): Json => parsed(`${'{"a":'.repeat(60)}${inner}${'}'.repeat(60)}`);

  test.each<[string, Json, Json, Json]>([
    ['allOf', doubling((next) => ({ allOf: [next, next] })), 'x', 1],
    ['anyOf', doubling((next) => ({ anyOf: [next, next] })), 'x', 1],
    [
      'oneOf and not',
      doubling((next) => ({ oneOf: [next, { not: next }, false] }), true),
      'x',
      undefined as never,
    ],
    [
      'if',
      doubling(
        (next) => parsed(`{"if":${JSON.stringify(next)},"then":${JSON.stringify(next)}}`) as JsonObject,
      ),
      'x',
      undefined as never,
    ],
    [
      '$dynamicRef',
      doubling(
        (_, level) => ({
          $dynamicAnchor: `n${level}`,
          anyOf: [{ $dynamicRef: `#n${level + 1}` }, { $dynamicRef: `#n${level + 1}` }],
        }),
        { $dynamicAnchor: 'n60', type: 'string' },
      ),
      'x',
      1,
    ],
    [
      'references to resources with dynamic names',
      doubling(
        (_, level) => {
          const next = { $ref: `https://example.com/d${level + 1}` };
          return { $id: `https://example.com/d${level}`, $dynamicAnchor: 'n', allOf: [next, next] };
        },
        { $id: 'https://example.com/d60', $dynamicAnchor: 'n', type: 'string' },
      ),
      'x',
      1,
    ],
    [
      'unevaluatedProperties',
      doubling((next) => ({ anyOf: [next, next], unevaluatedProperties: false }), {
        properties: { a: { type: 'string' } },
      }),
      { a: 'x' },
      { b: 'x' },
    ],
    [
      'every level of the value',
      { properties: { a: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } }, type: ['object', 'string'] },
      deepValue('"x"'),
      deepValue('1'),
    ],
  ])('a schema that doubles with %s is applied once to each value', (_, schema, valid, invalid) => {
    expect(verdictOn(schema, valid)).toEqual(VALID);
    if (invalid !== undefined) expect(verdictOn(schema, invalid)).toMatchObject({ kind: 'invalid' });
  });

  test('a value at two places fails at each', () => {
    const $defs = { a: { required: ['x'], properties: { x: { type: 'string' } } } };
    const either = { anyOf: [{ $ref: '#/$defs/a' }, { properties: { x: { $ref: '#/$defs/a' } } }], $defs };
    const inside = {
      properties: { in: { allOf: [{ $ref: '#/$defs/a' }] } },
      not: { $ref: '#/$defs/a' },
      $defs,
    };
    expect(verdictOn(either, { x: 1 })).toEqual(VALID);
    expect(verdictOn(inside, { in: { x: 1 } })).toMatchObject({ problem: { pointer: '/in/x' } });
  });

  test('all values of one use share its steps, and the next use has all of them', () => {
    const schema = { items: { enum: Array.from({ length: 9000 }, (_, index) => [index]) } };
    const value = Array.from({ length: 200 }, () => [8999]);
    const use = evaluator.foreign(schema);
    if (use.kind !== 'usable') throw new Error(use.kind);
    const verdicts = Array.from({ length: 4 }, () => use.apply(value).kind);
    expect(verdicts).toEqual(['valid', 'undecided', 'undecided', 'undecided']);
    expect(verdictOn(schema, value)).toEqual(VALID);
  });

  test.each<[string, Json, Json, string]>([
    ['refers to itself', { $ref: '#' }, {}, 'it refers to itself without end'],
    [
      'refers to itself through another schema',
      { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#' } } },
      1,
      'it refers to itself without end',
    ],
    [
      'compares every item with thousands of values',
      { items: { enum: Array.from({ length: 9000 }, (_, index) => [index]) } },
      Array.from({ length: 2000 }, () => [8999]),
      'it takes more than 5000000 steps',
    ],
    [
      'goes as deep as the value',
      { properties: { a: { $ref: '#' } } },
      parsed(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
      'it goes more than 1200 schemas deep',
    ],
    [
      'compares values that are too deep',
      { uniqueItems: true },
      parsed(`[${'['.repeat(10_000)}${']'.repeat(10_000)}]`),
      'an item is nested more than 1000 levels deep',
    ],
  ])('a schema that %s is undecided', (_, schema, value, reason) => {
    expect(verdictOn(schema, value)).toEqual({ kind: 'undecided', reason });
  });

  test('a schema that exceeds the stack of the caller is undecided', () => {
    const schema = { properties: { a: { $ref: '#' } } };
    const value = parsed(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`);
    expect(verdictOn(schema, value).kind).toBe('valid');
    const asDeepAsPossible = (): unknown => {
      try {
        return asDeepAsPossible();
      } catch {
        return verdictOn(schema, value);
      }
    };
    expect(asDeepAsPossible()).toEqual({
      kind: 'undecided',
      reason: 'it goes deeper than the stack of this process',
    });
  });

  test('a value of any depth is shown', () => {
    const deep = parsed(`${'['.repeat(10_000)}${']'.repeat(10_000)}`);
    expect(verdictOn({ type: 'string' }, deep)).toMatchObject({ problem: { expected: 'a string' } });
  });

  test('a schema that is too deep', () => {
    expect(evaluator.foreign(nested(10_000))).toEqual({
      kind: 'unusable',
      reason: 'it is nested more than 256 levels deep',
    });
  });

  test('an undecided part is settled by another part', () => {
    const loop = { $ref: '#/$defs/loop' };
    const $defs = { loop };
    expect(verdictOn({ anyOf: [loop, { type: 'string' }], $defs }, 'x')).toEqual(VALID);
    expect(verdictOn({ allOf: [loop, { type: 'string' }], $defs }, 1)).toMatchObject({ kind: 'invalid' });
    expect(verdictOn({ not: loop, $defs }, 1)).toEqual(undecided('without end'));
    const either = parsed(
      '{"if":{"$ref":"#/$defs/loop"},"then":{"minimum":1},"else":{"minimum":2},"$defs":{"loop":{"$ref":"#/$defs/loop"}}}',
    );
    expect(verdictOn(either, 3)).toEqual(VALID);
    expect(verdictOn(either, 0)).toMatchObject({ kind: 'invalid' });
    expect(verdictOn(either, 1)).toEqual(undecided('without end'));
  });

  test('an undecided value does not affect the next one', () => {
    const read = evaluator.foreign({ properties: { a: { $ref: '#' } }, type: 'object' });
    if (read.kind !== 'usable') throw new Error(read.kind);
    const deep = parsed(`${'{"a":'.repeat(5000)}{}${'}'.repeat(5000)}`);
    expect(read.apply(deep)).toEqual(undecided('more than 1200 schemas deep'));
    expect(read.apply({ a: {} })).toEqual(VALID);
    expect(read.apply({ a: 1 })).toMatchObject({ problem: { pointer: '/a' } });
  });

  test('an unreachable part may be invalid', () => {
    const $defs = {
      a: { $ref: '#/$defs/nowhere' },
      b: { $ref: 'https://example.com/b' },
      c: { pattern: '(' },
    };
    expect(verdictOn({ $defs, type: 'string' }, 'x')).toEqual(VALID);
    expect(evaluator.foreign({ $defs, properties: { a: { $ref: '#/$defs/a' } } })).toMatchObject({
      kind: 'invalid',
      problem: { received: '$ref #/$defs/nowhere, which does not exist' },
    });
  });

  test('a large result is decided', () => {
    const item = (index: number): Json =>
      Object.fromEntries(Array.from({ length: 10 }, (_, key): [string, Json] => [`p${key}`, `${index}`]));
    const properties = Object.fromEntries(
      Array.from({ length: 10 }, (_, key): [string, Json] => [`p${key}`, { $ref: '#/$defs/text' }]),
    );
    const schema = {
      items: { type: 'object', properties, required: ['p0', 'p9'], additionalProperties: false },
      uniqueItems: true,
      $defs: { text: { type: 'string', maxLength: 10 } },
    };
    const items = Array.from({ length: 50_000 }, (_, index) => item(index));
    expect(verdictOn(schema, items)).toEqual(VALID);
    expect(verdictOn(schema, [...items, item(7)])).toMatchObject({
      problem: { received: 'items 7 and 50000 are the same' },
    });
  });
});

describe('schemas without $schema', () => {
  const draft = (uri: string, schema: { readonly [key: string]: Json }): Json => ({
    $schema: uri,
    ...schema,
  });

  test('are decided only where the drafts agree', () => {
    const differ = 'it declares no $schema, and the drafts differ on the value';
    const beside = { $ref: '#/$defs/a', maximum: 5, $defs: { a: { type: 'integer' } } };
    expect(verdictOn(beside, 5)).toEqual(VALID);
    expect(verdictOn(beside, 'x')).toMatchObject({ kind: 'invalid' });
    expect(verdictOn(beside, 6)).toEqual({ kind: 'undecided', reason: differ });
    expect(verdictOn(draft('http://json-schema.org/draft-07/schema#', beside), 6)).toEqual(VALID);
  });

  test('are not read by drafts that lack their keywords', () => {
    const tuple = { prefixItems: [{ type: 'string' }] };
    expect(verdictOn(tuple, ['a'])).toEqual(VALID);
    expect(verdictOn(tuple, [1])).toMatchObject({ problem: { pointer: '/0' } });
    const within = { properties: { a: { dependentRequired: { b: ['c'] } } } };
    expect(verdictOn(within, { a: { b: 1 } })).toMatchObject({ kind: 'invalid', problem: { pointer: '/a' } });
    // A property of that name is not a keyword.
    const named = {
      properties: { prefixItems: { $ref: '#/definitions/a', maximum: 5 } },
      definitions: { a: {} },
    };
    expect(verdictOn(named, { prefixItems: 6 })).toMatchObject({ kind: 'undecided' });
  });

  test('are read only by drafts that they are valid for', () => {
    const tuple = { items: [{ type: 'string' }], additionalItems: false };
    expect(verdictOn(tuple, [1])).toMatchObject({ problem: { pointer: '/0' } });
    expect(verdictOn(tuple, ['a', 'b'])).toMatchObject({ problem: { expected: 'no further items' } });
    expect(evaluator.foreign(draft('https://json-schema.org/draft/2020-12/schema', tuple))).toMatchObject({
      kind: 'invalid',
      problem: { pointer: '/items' },
    });
  });

  test('dependencies of later drafts are undecided where they matter', () => {
    const schema = draft('https://json-schema.org/draft/2020-12/schema', { dependencies: { a: ['b'] } });
    expect(verdictOn(schema, { a: 1, b: 2 })).toEqual(VALID);
    expect(verdictOn(schema, { a: 1 })).toEqual(undecided('"dependencies", which its draft no longer has'));
  });
});

describe('schemas of suites', () => {
  test('are compiled once, and failures are described', () => {
    const schema = { type: 'array', minItems: 2 };
    expect(evaluator.apply(schema, [1, 2])).toEqual(VALID);
    expect(evaluator.apply(schema, [1])).toEqual(
      invalid({ pointer: '', expected: 'an array, at least 2 items', received: '[1] (array)' }),
    );
  });

  test('may refer to their own parts', () => {
    const tree = { type: 'object', properties: { left: { $ref: '#' } } };
    const list = { type: 'array', items: { $ref: '#' } };
    expect(evaluator.apply(tree, { left: { left: [] } })).toMatchObject({
      problem: { pointer: '/left/left' },
    });
    expect(evaluator.apply(list, [[], [{}]])).toMatchObject({
      problem: { pointer: '/1/0', expected: 'an array' },
    });
    expect(evaluator.apply(tree, { left: {} })).toEqual(VALID);
  });
});

describe('objects with keys of built-in members', () => {
  const twice = (key: string) => JSON.parse(`[{"${key}":{}},{"${key}":{}}]`) as Json[];

  test.each(['valueOf', 'toString', 'constructor', '__proto__', 'hasOwnProperty'])('%s', (key) => {
    const [one = null, other = null] = twice(key);
    expect(verdictOn({ const: one }, other)).toEqual(VALID);
    expect(verdictOn({ enum: [1, one] }, other)).toEqual(VALID);
    expect(verdictOn({ const: one }, {})).toMatchObject({ kind: 'invalid' });
    expect(verdictOn({ uniqueItems: true }, [one, 1])).toEqual(VALID);
    expect(verdictOn({ uniqueItems: true }, [one, other])).toMatchObject({ kind: 'invalid' });
    const named = JSON.parse(`{"properties":{"${key}":{"type":"string"}},"required":["${key}"]}`) as Json;
    expect(verdictOn(named, {})).toMatchObject({ kind: 'invalid' });
    expect(verdictOn(named, one)).toMatchObject({ problem: { pointer: `/${key}` } });
  });
});

test('any JSON as a schema, applied to any value, throws no error', () => {
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
      const read = evaluator.foreign(schema);
      if (read.kind === 'usable') read.apply(value);
      else expect(read.kind === 'invalid' ? read.problem.expected : read.reason).not.toBe('');
    }),
    { numRuns: 400 },
  );
});

describe('integers above 2^53 are judged by their digits, fractions as doubles', () => {
  test.each<[schema: string, value: string, kind: SchemaVerdict['kind']]>([
    ['{"type":"integer"}', '174322306148984899', 'valid'],
    ['{"type":"number"}', '0.10000000000000001', 'valid'],
    ['{"type":"integer"}', '0.10000000000000001', 'invalid'],
    ['{"type":"string"}', '174322306148984899', 'invalid'],
    ['{"type":"object"}', '174322306148984899', 'invalid'],
    ['{"type":"integer"}', '1e999', 'invalid'],
    ['{"uniqueItems":true}', '[174322306148984899,174322306148984900,174322306148984901]', 'valid'],
    ['{"uniqueItems":true}', '[174322306148984899,174322306148984899]', 'invalid'],
    ['{"uniqueItems":true}', '[0.1,0.10000000000000001]', 'invalid'],
    ['{"uniqueItems":true}', '[1e999,1e999]', 'undecided'],
    ['{"const":174322306148984899}', '174322306148984899', 'valid'],
    ['{"const":174322306148984899}', '174322306148984900', 'invalid'],
    ['{"const":174322306148984900}', '174322306148984899', 'invalid'],
    ['{"enum":[0.1]}', '0.10000000000000001', 'valid'],
    ['{"enum":[0.10000000000000001]}', '0.1', 'valid'],
    ['{"enum":[{"a":[174322306148984899]}]}', '{"a":[174322306148984901]}', 'invalid'],
    ['{"multipleOf":7}', '174322306148984896', 'valid'],
    ['{"multipleOf":7}', '174322306148984895', 'invalid'],
    ['{"multipleOf":0.1}', '0.30000000000000000001', 'valid'],
    ['{"maximum":9223372036854775807}', '9223372036854775807', 'valid'],
    ['{"maximum":9223372036854775807}', '9223372036854775808', 'invalid'],
    ['{"minimum":174322306148984899}', '174322306148984900', 'valid'],
    ['{"minimum":174322306148984899}', '174322306148984898', 'invalid'],
    ['{"exclusiveMaximum":174322306148984900}', '174322306148984899', 'valid'],
    ['{"exclusiveMinimum":9007199254740993}', '9007199254740993', 'invalid'],
    ['{"exclusiveMinimum":-9007199254740993}', '-9007199254740992', 'valid'],
    ['{"minLength":1.00000000000000000001}', '"a"', 'valid'],
  ])('%s, %s: %s', (schema, value, kind) => {
    expect(verdictOn(parseExactly(schema), parseExactly(value)).kind).toBe(kind);
  });
});

describe('the default dialect', () => {
  const tuple = { type: 'object', properties: { range: { type: 'array', items: [{ type: 'number' }] } } };
  const modern = createSchemaEvaluator('2020-12');

  test('refuses what is only valid in an older draft, and says how to name it', () => {
    expect(evaluator.foreign(tuple).kind).toBe('usable');
    expect(modern.foreign(tuple)).toMatchObject({
      kind: 'invalid',
      problem: {
        pointer: '/properties/range/items',
        advice: expect.stringContaining('"$schema": "http://json-schema.org/draft-07/schema#"'),
      },
    });
  });

  test('does not count for a schema that names its own', () => {
    expect(modern.foreign({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple }).kind).toBe(
      'usable',
    );
  });
});
