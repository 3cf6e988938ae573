import { describe, expect, test } from 'vitest';
import {
  descriptorForm,
  descriptorsIn,
  propertiesOf,
  requiredNames,
  typesOf,
} from '../../src/checks/capabilities/descriptor.ts';
import { declaredInputs, exampleInputs } from '../../src/checks/documentation/examples-given.ts';
import { resolveLocalReference } from '../../src/checks/json/local-reference.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';

const ofRest = { parameters: 'parameters', returns: 'returns' };

describe('descriptors', () => {
  test('an entry that is not an object counts as an empty descriptor', () => {
    expect(descriptorsIn({ functions: [{ name: 'add' }, 'x', { name: 3 }] })).toEqual([
      { descriptor: { name: 'add' }, pointer: '/functions/0', label: 'function "add"', names: ofRest },
      { descriptor: {}, pointer: '/functions/1', label: 'function number 2', names: ofRest },
      { descriptor: { name: 3 }, pointer: '/functions/2', label: 'function number 3', names: ofRest },
    ]);
    expect(descriptorsIn({ functions: { 0: {} } })).toEqual([]);
    expect(descriptorsIn([])).toEqual([]);
  });

  test.each<[string, Json, 'A' | 'B' | null]>([
    ['inputs and outputs', { inputs: [], outputs: [] }, 'A'],
    ['outputs alone', { outputs: 'wrong' }, 'A'],
    ['parameters and returns', { parameters: {}, returns: {} }, 'B'],
    ['parameters alone', { parameters: null }, 'B'],
    ['both in full', { inputs: [], outputs: [], parameters: {}, returns: {} }, 'B'],
    ['more of A', { inputs: [], outputs: [], returns: {} }, 'A'],
    ['half of each', { inputs: [], returns: {} }, null],
    ['neither', { name: 'x' }, null],
    ['names of inherited object members', { toString: 1 }, null],
    ['text', 'inputs', null],
  ])('%s', (_, descriptor, form) => {
    expect(descriptorForm(descriptor)).toBe(form);
  });

  test('properties have their local references resolved', () => {
    const descriptor = {
      parameters: {
        properties: {
          a: { $ref: '#/$defs/one' },
          b: { $ref: '#/$defs/loop' },
          'c/d~': { type: 'string' },
          e: { $ref: '#/$defs/gone' },
          f: { $ref: '#/$defs/one', description: 'its own' },
        },
        $defs: {
          one: { $ref: '#/$defs/two' },
          two: { type: 'integer', description: 'shared' },
          loop: { $ref: '#/$defs/loop' },
        },
      },
    };
    const found = propertiesOf(
      { descriptor, pointer: '/functions/4', label: '"x"', names: ofRest },
      'parameters',
    );
    expect(found.map(({ name, pointer, schema }) => [name, pointer, schema])).toEqual([
      ['a', '/functions/4/parameters/properties/a', { type: 'integer', description: 'shared' }],
      ['b', '/functions/4/parameters/properties/b', { $ref: '#/$defs/loop' }],
      ['c/d~', '/functions/4/parameters/properties/c~1d~0', { type: 'string' }],
      ['e', '/functions/4/parameters/properties/e', { $ref: '#/$defs/gone' }],
      ['f', '/functions/4/parameters/properties/f', { type: 'integer', description: 'its own' }],
    ]);
    expect(propertiesOf({ descriptor, pointer: '', label: '', names: ofRest }, 'returns')).toEqual([]);
  });

  test.each<[Json, readonly string[] | null]>([
    [{ type: 'string' }, ['string']],
    [{ type: ['string', 'null'] }, ['string', 'null']],
    [{ type: 'text' }, null],
    [{ type: ['string', 'text'] }, null],
    [{ type: [] }, null],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'string' }] }, ['string', 'null']],
    [{ oneOf: [{ anyOf: [{ type: 'integer' }] }] }, ['integer']],
    [{ anyOf: [{ type: 'string' }, {}] }, null],
    [{ anyOf: [] }, null],
    [{ type: 'number', anyOf: [{ type: 'string' }] }, ['number']],
    [{}, null],
    ['string', null],
  ])('types of %j', (schema, types) => {
    expect(typesOf(schema)).toEqual(types);
  });

  test('required names are strings', () => {
    expect(requiredNames({ required: ['a', 1, null, 'b'] })).toEqual(['a', 'b']);
    expect(requiredNames({ required: 'a' })).toEqual([]);
    expect(requiredNames(undefined)).toEqual([]);
  });
});

describe('examples in descriptors', () => {
  const inputs = { inputs: ['a', 'input'] };

  test.each<[string, JsonObject, readonly Json[]]>([
    [
      'a list of examples with their input',
      { inputs: ['a'], examples: [{ input: { a: 1 } }, { inputs: { a: 2 } }] },
      [{ a: 1 }, { a: 2 }],
    ],
    ['examples that are the input', { inputs: ['a', 'b'], examples: [{ a: 1, b: 2 }] }, [{ a: 1, b: 2 }]],
    ['one example', { inputs: ['a'], example: { parameters: { a: 1 } } }, [{ a: 1 }]],
    ['examples in the schema', { parameters: { properties: {}, examples: [{ a: 1 }, 'x'] } }, [{ a: 1 }]],
    [
      'an input with a parameter named input',
      { ...inputs, examples: [{ a: 1, input: { x: 1 } }] },
      [{ a: 1, input: { x: 1 } }],
    ],
    ['undeclared names', { inputs: ['a'], examples: [{ z: 1 }] }, []],
    ['text', { inputs: ['a'], examples: 'add 1 and 2' }, []],
    ['nothing', { inputs: ['a'] }, []],
    ['an empty example', { inputs: ['a'], examples: [{}] }, []],
  ])('%s', (_, descriptor, found) => {
    expect(exampleInputs(descriptor)).toEqual(found);
  });

  test('declared inputs of both forms', () => {
    expect(declaredInputs({ inputs: ['a', 3, 'b'] })).toEqual(['a', 'b']);
    expect(declaredInputs({ parameters: { properties: { x: {}, y: {} } } })).toEqual(['x', 'y']);
    expect(declaredInputs({ parameters: { properties: [] } })).toEqual([]);
  });
});

test.each<[string, Json | undefined]>([
  ['#', { a: [{ 'b/c': 1 }], '~': 2, 'd%': 3 }],
  ['#/a/0/b~1c', 1],
  ['#/~0', 2],
  ['#/d%25', 3],
  ['#/a/1', undefined],
  ['#/a/0/b~1c/x', undefined],
  ['#/toString', undefined],
  ['#/%E0%A4%A', undefined],
  ['#a', undefined],
  ['a', undefined],
  ['https://example.com/#/a', undefined],
])('the local reference %s', (reference, value) => {
  expect(resolveLocalReference({ a: [{ 'b/c': 1 }], '~': 2, 'd%': 3 }, reference)).toEqual(value);
});
