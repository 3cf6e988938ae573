import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROFILES } from '../../src/generated/portability.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import type { Profile, ProfileId } from '../../src/model/profile.ts';
import { definitionsIn, fitOf } from '../../src/portability/fit.ts';
import { rewritten } from '../../src/portability/rewrite.ts';
import { runs } from '../property-runs.ts';
import { contractWith, functionWith, ruleExamples } from './profile-examples.ts';

function profileOf(id: ProfileId): Profile {
  return PROFILES.find((one) => one.id === id) as Profile;
}

function inputFor(id: ProfileId, input: Json) {
  const { definition, lost, unfit } = rewritten(functionWith(input), 'mcp', profileOf(id));
  return { input: definition.input, lost, unfit };
}

/** Rules about what no change of one definition gives: what another document says, or fewer functions and inputs. */
const BEYOND_REACH = new Set([
  'local-references',
  'nesting',
  'properties',
  'enum-values',
  'tools',
  'optional-parameters',
  'unions',
]);

describe('a rewritten definition', () => {
  it.each(ruleExamples())('fits: $profile/$rule', ({ profile: id, rule, breaks, keeps }) => {
    const profile = profileOf(id as ProfileId);
    const [broken, kept] = [breaks.functions[0], keeps.functions[0]];
    if (broken === undefined || kept === undefined) throw new Error('no example');
    const made = rewritten(broken, 'mcp', profile);
    if (BEYOND_REACH.has(rule)) expect(made.unfit.every((one) => one.rule === rule)).toBe(true);
    else {
      expect(made.unfit).toEqual([]);
      const contract = contractWith([made.definition]);
      expect(fitOf(definitionsIn(contract), profile, false).portable).toBe(1);
    }
    expect(rewritten(kept, 'mcp', profile)).toEqual({ definition: kept, lost: [], unfit: [] });
  });

  it('closes objects, and requires all properties: one that may be left out accepts null', () => {
    const input = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['C', 'F'], type: 'string', description: 'The unit.' },
        place: { $ref: '#/$defs/place' },
      },
      required: ['city'],
      $defs: { place: { type: 'object', properties: {} } },
    };
    expect(inputFor('openai-strict', input)).toEqual({
      input: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          unit: { enum: ['C', 'F', null], type: ['string', 'null'], description: 'The unit.' },
          place: { anyOf: [{ $ref: '#/$defs/place' }, { type: 'null' }] },
        },
        required: ['city', 'unit', 'place'],
        additionalProperties: false,
        $defs: { place: { type: 'object', properties: {}, additionalProperties: false } },
      },
      lost: ['that arguments may be left out: they are null instead, which the client removes before a call'],
      unfit: [],
    });
  });

  it('says in words what a provider does not accept as a keyword', () => {
    const days = { type: 'integer', minimum: 1, maximum: 10, description: 'Days.' };
    const { input, lost } = inputFor('anthropic-strict', { type: 'object', properties: { days } });
    expect(input).toMatchObject({
      properties: { days: { type: 'integer', description: 'Days. (minimum: 1) (maximum: 10)' } },
    });
    expect(lost).toEqual([
      '"minimum", which the description says in words',
      '"maximum", which the description says in words',
    ]);
  });

  it('declares the properties of all alternatives that may not stand at the root', () => {
    const ofText = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    const ofFile = { $ref: '#/$defs/file' };
    const $defs = { file: { type: 'object', properties: { file: { type: 'string' } } } };
    const { input, lost } = inputFor('anthropic', { type: 'object', anyOf: [ofText, ofFile], $defs });
    expect(input).toEqual({
      type: 'object',
      properties: { text: { type: 'string' }, file: { type: 'string' } },
      $defs,
    });
    expect(lost).toEqual(['"anyOf": which arguments belong together']);
  });

  it('puts in place of references what they refer to', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, id: { const: 7 } } };
    const { input } = inputFor('gemini-openapi', {
      type: 'object',
      properties: { list: { $ref: '#/$defs/node', description: 'A list.' } },
      $defs: { node },
    });
    expect(input).toEqual({
      type: 'object',
      properties: {
        list: {
          type: 'object',
          properties: { next: { type: 'object' }, id: { type: 'string', enum: ['7'] } },
          description: 'A list.',
        },
      },
    });
  });

  const ofPair = (pair: JsonObject) => ({
    type: 'object',
    properties: { pair },
    required: ['pair'],
    additionalProperties: false,
  });
  const numbers = { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false };

  it('leaves a list closed that has no more items than are named', () => {
    expect(inputFor('anthropic-strict', ofPair(numbers))).toEqual({
      input: ofPair(numbers),
      lost: [],
      unfit: [],
    });
    expect(inputFor('anthropic-strict', ofPair({ type: 'array', items: false }))).toMatchObject({
      input: ofPair({ type: 'array', items: false }),
      lost: [],
    });
    expect(inputFor('openai-strict', ofPair(numbers))).toEqual({
      input: ofPair({ type: 'array', items: { type: 'number' }, maxItems: 2 }),
      lost: ['which item of a list has which schema'],
      unfit: [],
    });
    const { prefixItems, items } = numbers;
    expect(inputFor('draft-07', ofPair(numbers))).toEqual({
      input: ofPair({ type: 'array', items: prefixItems, additionalItems: items }),
      lost: [],
      unfit: [],
    });
  });

  it('leaves an argument that accepts null already as it is', () => {
    for (const one of [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { enum: ['a', null] }]) {
      const input = { type: 'object', properties: { one }, additionalProperties: false };
      expect(inputFor('openai-strict', input).input).toEqual({ ...input, required: ['one'] });
    }
  });

  it('moves definitions, and the references to them', () => {
    const { input, lost } = inputFor('draft-07', {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a', maxLength: 3 } },
      $defs: { a: { type: 'string' } },
    });
    expect(input).toEqual({
      type: 'object',
      properties: { a: { allOf: [{ $ref: '#/definitions/a' }, { maxLength: 3 }] } },
      definitions: { a: { type: 'string' } },
    });
    expect(lost).toEqual([]);
  });

  it('leaves what is no schema of arguments, and says so', () => {
    const { input, unfit } = inputFor('bedrock', { type: 'string' });
    expect(input).toEqual({ type: 'string' });
    expect(unfit).toMatchObject([{ rule: 'root-object', pointer: '/inputSchema' }]);
  });

  it('gives no two arguments the same name', () => {
    const properties = { 'a b': { type: 'string' }, 'a-b': { type: 'string' }, a_b: { type: 'string' } };
    const { input } = inputFor('gemini-openapi', { type: 'object', properties, required: ['a b', 'a-b'] });
    const { properties: named, required } = input as { properties: JsonObject; required: string[] };
    expect(Object.keys(named)).toHaveLength(3);
    expect(required.every((name) => Object.hasOwn(named, name))).toBe(true);
  });

  it('fits, whatever the server says, or says what does not', () => {
    fc.assert(
      fc.property(anySchema, fc.constantFrom(...PROFILES), (schema, profile) => {
        const input = {
          type: 'object',
          properties: { a: schema, b: { $ref: '#/$defs/a' } },
          $defs: { a: schema },
        };
        const made = rewritten(functionWith(input), 'mcp', profile);
        const fit = fitOf(definitionsIn(contractWith([made.definition])), profile, false);
        expect(fit.problems).toEqual(made.unfit);
        expect(made.unfit.filter(({ rule }) => !BEYOND_REACH.has(rule))).toEqual([]);
      }),
      { numRuns: runs(400) },
    );
  });
});

/** Schemas with most keywords in most places, valid or not. */
const { schema: anySchema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(
      {},
      true,
      false,
      { type: 'array', items: false },
      { type: 'string', format: 'uri', minLength: 2 },
      { type: ['string', 'null'], pattern: '^(?!a)' },
      { type: 'integer', minimum: 1, exclusiveMaximum: 9 },
      { enum: [1, 'two', null] },
      { const: 'x' },
      { $ref: '#/$defs/a' },
      { $ref: '#', maxLength: 4 },
      { type: 'array' },
      { type: 'array', uniqueItems: true, minItems: 3, items: {} },
    ),
    fc.record({ type: fc.constant('array'), items: fc.array(tie('schema'), { maxLength: 2 }) }),
    fc.record({
      type: fc.constant('array'),
      prefixItems: fc.array(tie('schema'), { maxLength: 2 }),
      items: tie('schema'),
    }),
    fc.record({ type: fc.constant('array'), items: tie('schema'), contains: tie('schema') }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({
      oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      description: fc.constant('d'),
    }),
    fc.record({
      allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      type: fc.constant('object'),
    }),
    fc.record({ not: tie('schema'), if: tie('schema'), else: tie('schema') }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('p', 'q', '$top', '__proto__'), tie('schema'), {
        maxKeys: 3,
      }),
      required: fc.subarray(['p', 'q', 'z']),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      patternProperties: fc.dictionary(fc.constant('^x'), tie('schema'), { maxKeys: 1 }),
      dependentRequired: fc.constant({ p: ['q'] }),
      unevaluatedProperties: fc.boolean(),
      $schema: fc.constant('https://json-schema.org/draft/2020-12/schema'),
    }),
  ) as fc.Arbitrary<Json>,
}));
