import { describe, expect, test } from 'vitest';
import { createSchemaEvaluator } from '../../../src/checks/json/schema-evaluator.ts';
import type { Json, JsonObject } from '../../../src/json/json.ts';

const DRAFT_06 = 'http://json-schema.org/draft-06/schema#';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const evaluator = createSchemaEvaluator();

function verdict($schema: string, schema: JsonObject, value: Json): string {
  const read = evaluator.foreign({ $schema, ...schema });
  return read.kind === 'usable' ? read.apply(value).kind : JSON.stringify(read);
}

const parsed = (text: string): JsonObject => JSON.parse(text) as JsonObject;

describe('each draft has its own rules', () => {
  const TUPLE = { items: [{ type: 'string' }], additionalItems: { type: 'number' } };
  const CONDITION = parsed('{"if":{"minimum":1},"then":{"maximum":2}}');
  test.each<[string, string, JsonObject, Json, string]>([
    ['a tuple', DRAFT_06, TUPLE, ['a', 'b'], 'invalid'],
    ['a tuple', DRAFT_2019, TUPLE, ['a', 1], 'valid'],
    ['prefixItems', DRAFT_2019, { prefixItems: [false] }, [1], 'valid'],
    ['prefixItems', DRAFT_2020, { prefixItems: [{}], items: { type: 'string' } }, [1, 2], 'invalid'],
    ['additionalItems', DRAFT_2020, { prefixItems: [{}], additionalItems: false }, [1, 2], 'valid'],
    ['a condition', DRAFT_06, CONDITION, 3, 'valid'],
    ['a condition', DRAFT_07, CONDITION, 3, 'invalid'],
    [
      'keywords beside $ref',
      DRAFT_07,
      { allOf: [{ $ref: '#/definitions/a', maximum: 1 }], definitions: { a: {} } },
      2,
      'valid',
    ],
    [
      'keywords beside $ref',
      DRAFT_2019,
      { allOf: [{ $ref: '#/definitions/a', maximum: 1 }], definitions: { a: {} } },
      2,
      'invalid',
    ],
    ['dependencies', DRAFT_07, { dependencies: { a: ['b'] } }, { a: 1 }, 'invalid'],
    ['dependentRequired', DRAFT_07, { dependentRequired: { a: ['b'] } }, { a: 1 }, 'valid'],
    ['dependentRequired', DRAFT_2019, { dependentRequired: { a: ['b'] } }, { a: 1 }, 'invalid'],
    ['dependentSchemas', DRAFT_2020, { dependentSchemas: { a: { required: ['b'] } } }, { a: 1 }, 'invalid'],
    ['minContains', DRAFT_07, { contains: { type: 'number' }, minContains: 2 }, [1], 'valid'],
    ['minContains', DRAFT_2020, { contains: { type: 'number' }, minContains: 2 }, [1], 'invalid'],
    [
      'minContains 0',
      DRAFT_2020,
      { contains: { type: 'number' }, minContains: 0, maxContains: 1 },
      [],
      'valid',
    ],
    ['maxContains', DRAFT_2019, { contains: { type: 'number' }, maxContains: 1 }, [1, 2], 'invalid'],
    ['an empty enum', DRAFT_2019, { enum: [] }, 1, 'invalid'],
    ['a whole number with a fraction of zero', DRAFT_06, { type: 'integer' }, 1.0, 'valid'],
    ['format and content', DRAFT_07, { format: 'date', contentMediaType: 'application/json' }, '{', 'valid'],
    ['multipleOf in decimals', DRAFT_2020, { multipleOf: 0.01 }, 19.99, 'valid'],
    ['multipleOf after rounding', DRAFT_2020, { multipleOf: 0.1 }, 18.400000000000002, 'undecided'],
  ])('%s, %s: %j', (_, $schema, schema, value, expected) => {
    expect(verdict($schema, schema, value)).toBe(expected);
  });
});

describe('references', () => {
  const $defs = { a: { $id: 'a.json', $defs: { b: { $anchor: 'b', type: 'string' } } } };
  test.each<[string, string, JsonObject, Json, string]>([
    ['by a relative $id', DRAFT_2020, { $id: 'http://x/root.json', $ref: 'a.json#b', $defs }, 1, 'invalid'],
    [
      'by an absolute $id',
      DRAFT_2020,
      { $id: 'http://x/root.json', $ref: 'http://x/a.json#b', $defs },
      '',
      'valid',
    ],
    ['by a pointer through an $id', DRAFT_2020, { $ref: '#/$defs/a/$defs/b', $defs }, 1, 'invalid'],
    [
      'by an anchor as an $id',
      DRAFT_07,
      { $ref: '#a', definitions: { a: { $id: '#a', type: 'string' } } },
      1,
      'invalid',
    ],
    [
      'to a metaschema',
      DRAFT_07,
      { properties: { a: { $ref: DRAFT_07 } } },
      { a: { type: 'zebra' } },
      'invalid',
    ],
    [
      'to a newer metaschema',
      DRAFT_2019,
      { $ref: DRAFT_2020 },
      { properties: { a: { minLength: -1 } } },
      'invalid',
    ],
    [
      'to a schema in an unknown keyword',
      DRAFT_2020,
      { $ref: '#/x/a', x: { a: { type: 'string' } } },
      1,
      'invalid',
    ],
    [
      'with an ignored $id beside it',
      DRAFT_07,
      {
        $id: 'http://x/a',
        allOf: [{ $id: 'http://y/', $ref: 'a#/definitions/b' }],
        definitions: { b: false },
      },
      1,
      'invalid',
    ],
  ])('%s', (_, $schema, schema, value, expected) => {
    expect(verdict($schema, schema, value)).toBe(expected);
  });

  test.each<[string, JsonObject, string]>([
    ['nowhere', { $ref: '#/$defs/a' }, '$ref #/$defs/a, which does not exist'],
    ['to an anchor that no schema has', { $ref: '#a' }, '$ref #a, which does not exist'],
    [
      'to a value that is not a schema',
      { $ref: '#/x', x: { type: 'zebra' } },
      '$ref #/x, which is not a schema',
    ],
    ['elsewhere', { $ref: 'http://x/a' }, 'it refers to http://x/a, and the harness does not fetch schemas'],
    [
      'to either of two',
      { $ref: 'u', $defs: { a: { $id: 'u' }, b: { $id: 'u', type: 'string' } } },
      'resolves to more than one schema',
    ],
  ])('%s', (_, schema, says) => {
    expect(verdict(DRAFT_2020, schema, 1)).toContain(says);
  });

  test('by the dynamic scope', () => {
    const tree = { $id: 'tree', $dynamicAnchor: 'node', properties: { child: { $dynamicRef: '#node' } } };
    const strict = {
      $id: 'http://x/strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
    };
    const schema = { ...strict, $defs: { tree } };
    expect(verdict(DRAFT_2020, schema, { child: { child: {} } })).toBe('valid');
    expect(verdict(DRAFT_2020, schema, { child: { wrong: 1 } })).toBe('invalid');
    const recursive = JSON.parse(
      JSON.stringify(schema)
        .replaceAll('"$dynamicAnchor":"node"', '"$recursiveAnchor":true')
        .replaceAll('"$dynamicRef":"#node"', '"$recursiveRef":"#"'),
    ) as JsonObject;
    expect(verdict(DRAFT_2019, recursive, { child: { child: {} } })).toBe('valid');
    expect(verdict(DRAFT_2019, recursive, { child: { wrong: 1 } })).toBe('invalid');
  });
});

describe('what is evaluated', () => {
  const CLOSED = { unevaluatedProperties: false };
  test.each<[string, JsonObject, Json, string]>([
    ['by allOf', { ...CLOSED, allOf: [{ properties: { a: {} } }] }, { a: 1 }, 'valid'],
    [
      'by every valid schema of anyOf',
      { ...CLOSED, anyOf: [{ properties: { a: {} } }, { required: ['b'], properties: { b: {} } }] },
      { a: 1, b: 2 },
      'valid',
    ],
    [
      'not by an invalid schema of anyOf',
      { ...CLOSED, anyOf: [{}, { required: ['b'], properties: { a: {} } }] },
      { a: 1 },
      'invalid',
    ],
    ['by if without then', { ...CLOSED, if: { properties: { a: {} } } }, { a: 1 }, 'valid'],
    [
      'by a reference',
      { ...CLOSED, $ref: '#/$defs/a', $defs: { a: { properties: { a: {} } } } },
      { a: 1 },
      'valid',
    ],
    ['not by not', { ...CLOSED, not: { not: { properties: { a: {} } } } }, { a: 1 }, 'invalid'],
    [
      'not beside the schema with the keyword',
      { allOf: [{ properties: { a: {} } }, CLOSED] },
      { a: 1 },
      'invalid',
    ],
    ['by contains', { unevaluatedItems: false, contains: { type: 'string' } }, ['a'], 'valid'],
    [
      'by contains, of other items',
      { unevaluatedItems: false, contains: { type: 'string' } },
      ['a', 1],
      'invalid',
    ],
    ['by prefixItems', { unevaluatedItems: false, prefixItems: [{}] }, [1, 2], 'invalid'],
    [
      'by an undecided schema',
      { ...CLOSED, anyOf: [{}, { $ref: '#/$defs/loop' }], $defs: { loop: { $ref: '#/$defs/loop' } } },
      { a: 1 },
      'undecided',
    ],
    ['by an undecided pattern', { ...CLOSED, patternProperties: { '(?<=a)b': {} } }, { ab: 1 }, 'undecided'],
    [
      'despite an undecided schema',
      { ...CLOSED, properties: { a: {} }, patternProperties: { '(?<=a)b': {} } },
      { a: 1, c: 2 },
      'undecided',
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(verdict(DRAFT_2020, schema, value)).toBe(expected);
  });

  test('contains counts since 2020-12', () => {
    const schema = { unevaluatedItems: false, contains: { type: 'string' } };
    expect(verdict(DRAFT_2019, schema, ['a'])).toBe('invalid');
  });
});
