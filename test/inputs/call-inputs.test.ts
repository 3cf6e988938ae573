import { describe, expect, test } from 'vitest';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { type CallInput, callInputs, descriptorNamed } from '../../src/inputs/call-inputs.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import type { ConfiguredSample } from '../../src/model/call.ts';
import { NAMED_ARGUMENTS, type NamedArguments } from '../../src/model/request-template.ts';

const formA: JsonObject = { name: 'greet', inputs: ['name', 'count'], outputs: ['text'] };
const formB: JsonObject = {
  name: 'add',
  parameters: {
    type: 'object',
    properties: {
      a: { type: 'number' },
      label: { type: 'string' },
      code: { type: 'string', pattern: '^x' },
      extra: { type: 'boolean' },
    },
    required: ['a', 'label', 'code'],
  },
  returns: {},
};
const good: ConfiguredSample = { input: { a: 1, label: 'l', code: 'x' }, fails: false };
const failing: ConfiguredSample = { input: { a: 'no' }, fails: true };
const inputs = (
  kind: NamedArguments,
  descriptor: JsonObject,
  samples: readonly ConfiguredSample[] = [],
): readonly CallInput[] =>
  callInputs(kind, descriptor, samples, { seed: 'seed', schemas: createSchemaEvaluator() });

describe('a valid input', () => {
  test('is each configured sample', () => {
    expect(inputs('sample', formB, [good, failing, { ...good, input: {} }])).toEqual([
      { input: good.input, source: 'configured' },
      { input: {}, source: 'configured' },
    ]);
  });

  test('is limited to ten samples', () => {
    expect(
      inputs(
        'sample',
        formB,
        Array.from({ length: 50 }, () => good),
      ),
    ).toHaveLength(10);
  });

  test('else the first example of the descriptor', () => {
    expect(
      inputs('sample', { ...formA, examples: [{ input: { name: 'a' } }, { input: { name: 'b' } }] }, [
        failing,
      ]),
    ).toEqual([{ input: { name: 'a' }, source: 'example' }]);
  });

  test('else generated: all inputs in form A, the required ones in form B', () => {
    expect(inputs('sample', formA)).toEqual([{ input: { name: 'probity', count: 1 }, source: 'assembled' }]);
    expect(inputs('sample', formB)).toEqual([
      { input: { a: 1, label: 'probity', code: expect.stringMatching(/^x/) }, source: 'assembled' },
    ]);
  });

  test('else empty, if nothing is required', () => {
    expect(inputs('sample', { name: 'now', inputs: [], outputs: [] })).toEqual([
      { input: {}, source: 'none-needed' },
    ]);
    expect(inputs('sample', {})).toEqual([{ input: {}, source: 'none-needed' }]);
  });

  test('an empty example of a function that requires nothing is the input', () => {
    const optional = { type: 'object', properties: { a: { type: 'number' } } };
    for (const descriptor of [
      { name: 'now', inputs: [], outputs: [], examples: [{}] },
      { name: 'now', parameters: optional, returns: {}, examples: [{}] },
    ])
      expect(inputs('sample', descriptor)).toEqual([{ input: {}, source: 'example' }]);
    expect(inputs('sample', { ...formA, examples: [{}] })[0]?.source).toBe('assembled');
  });

  test('names of every kind', () => {
    const odd = { name: 'odd', inputs: ['__proto__', 'constructor', ''], outputs: [] };
    expect(inputs('sample', odd)[0]?.input).toEqual(
      JSON.parse('{"__proto__":"probity","constructor":"probity","":"probity"}'),
    );
  });
});

describe('an input of another kind', () => {
  test('distinct: other values, as far as the schema accepts them', () => {
    const [made] = inputs('distinct', { ...formB, parameters: { ...(formB.parameters as JsonObject) } }, [
      good,
    ]);
    expect(made).toEqual({
      input: { a: expect.any(Number), label: expect.stringMatching(/^probe-[a-z]{10}$/), code: 'x' },
      source: 'assembled',
    });
    expect(made?.input?.a).not.toBe(1);
    expect(inputs('distinct', { name: 'now', inputs: [], outputs: [] })).toEqual([
      { input: {}, source: 'none-needed' },
    ]);
  });

  test('failing: only samples that are configured as failing', () => {
    expect(inputs('failing', formB, [good, failing])).toEqual([{ input: failing.input, source: 'failing' }]);
    expect(inputs('failing', formB, [good])).toEqual([]);
  });

  test('omitted: no input at all', () => {
    expect(inputs('omitted', formB, [good])).toEqual([{ input: null, source: 'none-needed' }]);
  });

  test('missing-required: leaves out the first required name of the input', () => {
    expect(inputs('missing-required', formB)).toEqual([
      { input: { label: 'probity', code: expect.stringMatching(/^x/) }, source: 'made-wrong' },
    ]);
    expect(inputs('missing-required', formB, [{ input: { code: 'x' }, fails: false }])).toEqual([
      { input: {}, source: 'made-wrong' },
    ]);
    expect(inputs('missing-required', { ...formB, parameters: { properties: {} } })).toEqual([]);
    expect(inputs('missing-required', formA)).toEqual([]);
  });

  test.each<[Json, Json | undefined]>([
    ['string', [{ probity: 'not a string' }]],
    ['number', 'not a number'],
    ['integer', 'not an integer'],
    ['boolean', 'not true or false'],
    ['object', 'not an object'],
    ['array', 'not an array'],
    ['null', 'not null'],
    [['string', 'number'], undefined],
    ['text', undefined],
  ])('wrong-type: for %j', (type, wrong) => {
    const descriptor = { parameters: { properties: { x: { type } }, required: ['x'] } };
    const made = inputs('wrong-type', descriptor, [{ input: { x: 1, y: 2 }, fails: false }]);
    expect(made).toEqual(wrong === undefined ? [] : [{ input: { x: wrong, y: 2 }, source: 'made-wrong' }]);
  });

  test('wrong-type: a required parameter, else an optional one', () => {
    const properties = { optional: { type: 'string' }, either: { type: ['string', 'null'] } };
    const descriptor = { parameters: { properties, required: ['either'] } };
    expect(inputs('wrong-type', descriptor)[0]?.input).toMatchObject({
      optional: [{ probity: 'not a string' }],
    });
  });

  test('wrong-type: not a value that another alternative accepts', () => {
    const properties = { it: { anyOf: [{ type: 'object' }, { $ref: '#/$defs/text' }] } };
    const parameters = { type: 'object', properties, required: ['it'], $defs: { text: { type: 'string' } } };
    expect(inputs('wrong-type', { parameters }, [{ input: { it: {} }, fails: false }])).toEqual([]);
  });

  test('every kind gives inputs that can be sent, for any descriptor', () => {
    const odd: readonly JsonObject[] = [
      {},
      { inputs: 'a' },
      { parameters: [] },
      { parameters: { required: [1] } },
      formA,
    ];
    for (const kind of NAMED_ARGUMENTS) {
      for (const descriptor of odd) expect(() => JSON.stringify(inputs(kind, descriptor))).not.toThrow();
    }
  });
});

test('a descriptor is found by its own name', () => {
  const functions = [null, 'add', { name: 'constructor' }, formB, { ...formB, name: 'add', second: true }];
  expect(descriptorNamed(functions, 'add')).toBe(formB);
  expect(descriptorNamed(functions, 'constructor')).toEqual({ name: 'constructor' });
  expect(descriptorNamed(functions, 'toString')).toBeUndefined();
  expect(descriptorNamed({ add: formB }, 'add')).toBeUndefined();
  expect(descriptorNamed(undefined, 'add')).toBeUndefined();
});

describe('a guessed number for an id', () => {
  const withId = (name: string, properties: JsonObject = { itemId: { type: 'integer' } }): JsonObject => ({
    name,
    parameters: { type: 'object', properties, required: Object.keys(properties) },
  });
  const idIn = (kind: NamedArguments, descriptor: JsonObject): number =>
    Number(inputs(kind, descriptor)[0]?.input?.itemId);

  test('is none that a server counts up to, for a function that deletes', () => {
    for (const name of ['deleteItem', 'remove_item', 'eraseItem']) {
      expect(idIn('sample', withId(name))).toBeGreaterThan(900_000_000);
      expect(idIn('distinct', withId(name))).toBeGreaterThan(900_000_000);
    }
    expect(idIn('sample', withId('getItem'))).toBeLessThan(1000);
  });

  test('keeps the declared bounds', () => {
    expect(idIn('sample', withId('deleteItem', { itemId: { type: 'integer', maximum: 99 } }))).toBeLessThan(
      100,
    );
  });
});
