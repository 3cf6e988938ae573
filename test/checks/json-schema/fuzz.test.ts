import { Validator } from '@cfworker/json-schema';
import { Ajv, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSchemaEvaluator } from '../../../src/checks/json/schema-evaluator.ts';
import type { Json, JsonObject } from '../../../src/json/json.ts';

const OPTIONS: Options = {
  strict: false,
  validateSchema: false,
  validateFormats: false,
  logger: false,
  ownProperties: true,
};

/** Two other validators. Each has bugs, so only verdicts on which both agree are used. */
const DRAFTS = [
  { uri: 'http://json-schema.org/draft-07/schema#', name: '7', ajv: () => new Ajv(OPTIONS) },
  { uri: 'https://json-schema.org/draft/2019-09/schema', name: '2019-09', ajv: () => new Ajv2019(OPTIONS) },
  { uri: 'https://json-schema.org/draft/2020-12/schema', name: '2020-12', ajv: () => new Ajv2020(OPTIONS) },
] as const;

/** No names of built-in members: ajv may call their values. */
const name = fc.constantFrom('a', 'b', 'c', 'ab');
const scalar = fc.constantFrom<Json>(null, true, false, 0, 1, 2, 3, -1, 1.5, '', 'a', 'b', 'ab', 'abc');
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

/**
 * Without multipleOf, which other validators decide by floating point, and dependencies, which later drafts dropped.
 */
function schemasOf(draft: (typeof DRAFTS)[number]['name']): fc.Arbitrary<Json> {
  const { schema } = fc.letrec<{ schema: Json; list: Json[]; map: Json }>((tie) => {
    const schema = tie('schema');
    const list = tie('list');
    const map = tie('map');
    const count = fc.integer({ min: 0, max: 3 });
    const names = fc.uniqueArray(name, { maxLength: 3 });
    const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string');
    const since2019 = draft !== '7';
    const keywords = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      const: value,
      enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, comparator: 'SameValueZero' }),
      minimum: count,
      exclusiveMaximum: count,
      minLength: count,
      maxLength: count,
      pattern: fc.constantFrom('^a', 'b$', '^[ab]+$', '.'),
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      contains: schema,
      items: draft === '2020-12' ? schema : fc.oneof(schema, list),
      minProperties: count,
      required: names,
      properties: map,
      patternProperties: fc.dictionary(fc.constantFrom('^a', 'b', '.'), schema, {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      additionalProperties: schema,
      propertyNames: schema,
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: schema,
      if: schema,
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword.
      then: schema,
      else: schema,
      $ref: fc.constantFrom('#/definitions/one', '#/definitions/two', '#/definitions/named'),
      ...(draft === '2020-12' ? { prefixItems: list } : { additionalItems: schema }),
      ...(since2019
        ? {
            unevaluatedItems: schema,
            unevaluatedProperties: schema,
            dependentRequired: fc.dictionary(name, names, { maxKeys: 2, noNullPrototype: true }),
            dependentSchemas: map,
            minContains: count,
            maxContains: count,
          }
        : {}),
    };
    const members = Object.entries<fc.Arbitrary<unknown>>(keywords).map(([keyword, operand]) =>
      operand.map((made) => [keyword, made as Json] as const),
    );
    return {
      schema: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        fc.boolean(),
        fc
          .array(fc.oneof(...members), { minLength: 1, maxLength: 4 })
          .map((made): Json => Object.fromEntries(made)),
      ),
      list: fc.array(schema, { minLength: 1, maxLength: 3 }),
      map: fc.dictionary(name, schema, { maxKeys: 3, noNullPrototype: true }),
    };
  });
  return schema;
}

test.each(DRAFTS)(
  'draft $name: random schemas and values are decided as by two other validators',
  (draft) => {
    const evaluator = createSchemaEvaluator();
    const definitions = fc.record({
      one: schemasOf(draft.name),
      two: schemasOf(draft.name),
      named: fc.constant(true),
    });
    let compared = 0;
    let decided = 0;
    fc.assert(
      fc.property(
        schemasOf(draft.name),
        definitions,
        fc.array(value, { minLength: 4, maxLength: 4 }),
        (part, defs, values) => {
          const schema = { $schema: draft.uri, allOf: [part], definitions: defs } as unknown as JsonObject;
          const read = evaluator.foreign(schema);
          if (read.kind !== 'usable') throw new Error(JSON.stringify(read));
          const agreedOn = oracle(draft, schema);
          for (const one of values) {
            compared += 1;
            const verdict = read.apply(one);
            if (verdict.kind === 'undecided') continue;
            const truth = agreedOn(one);
            if (truth === null) continue;
            decided += 1;
            expect({ schema, value: one, valid: verdict.kind === 'valid' }).toEqual({
              schema,
              value: one,
              valid: truth,
            });
          }
        },
      ),
      { seed: 7, numRuns: 150 },
    );
    // Otherwise the comparison would prove little.
    expect(decided).toBeGreaterThan(compared * 0.7);
  },
);

/** The verdict of both validators on a value; null if they differ, or one of them fails. */
function oracle(draft: (typeof DRAFTS)[number], schema: JsonObject): (value: Json) => boolean | null {
  const first = draft.ajv().compile(schema);
  const second = new Validator(schema, draft.name);
  return (one) => {
    try {
      const isValid = first(one);
      return isValid === second.validate(one).valid ? isValid : null;
    } catch (error) {
      // The code of ajv throws for a property with the schema false below a pattern property.
      if (error instanceof RangeError || error instanceof TypeError) return null;
      throw error;
    }
  };
}
