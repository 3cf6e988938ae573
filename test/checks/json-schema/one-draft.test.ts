import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSchemaEvaluator } from '../../../src/checks/json/schema-evaluator.ts';
import { isSameSinceDraft07, METASCHEMA_URIS } from '../../../src/checks/json-schema/drafts.ts';
import { isJsonObject, type Json } from '../../../src/json/json.ts';

const DRAFTS = ['draft-07', '2019-09', '2020-12'] as const;

const value: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  ...[null, true, 0, 1.5, 3, '', 'a', 'abc', [], [1, 1], ['a', 2], {}, { a: 1 }, { a: 'x', b: [] }],
);

/** Also with operands that are invalid. */
const schema = fc.letrec<{ schema: Json }>((tie) => {
  const inner = tie('schema');
  const operand = fc.oneof(
    fc.constantFrom<Json>(
      0,
      1,
      2,
      -1,
      'a',
      '^a',
      '[',
      true,
      'string',
      'array',
      ['a', 'b'],
      ['integer', 'object'],
    ),
    inner,
    fc.array(inner, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '^a'), inner, { maxKeys: 2, noNullPrototype: true }),
  );
  const keyword = fc.constantFrom(
    ...['type', 'enum', 'const', 'title', 'default', 'examples', 'format', '$comment', 'x-unknown'],
    ...['minimum', 'exclusiveMaximum', 'multipleOf', 'maxLength', 'pattern', 'items', 'minItems'],
    ...['uniqueItems', 'properties', 'required', 'additionalProperties', 'patternProperties'],
    ...['propertyNames', 'maxProperties', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
    ...['$ref', 'prefixItems', 'contains', 'dependencies', 'unevaluatedProperties', '$defs', 'readOnly'],
  );
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      fc.dictionary(keyword, operand, { maxKeys: 4, noNullPrototype: true }),
    ),
  };
}).schema;

test('where one draft is enough, the others say the same', () => {
  let enough = 0;
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 4 }), (made, values) => {
      if (!isJsonObject(made) || !isSameSinceDraft07(made)) return;
      const evaluator = createSchemaEvaluator();
      const undeclared = evaluator.foreign(made);
      const declared = DRAFTS.map((draft) => evaluator.foreign({ $schema: METASCHEMA_URIS[draft], ...made }));
      for (const one of declared) {
        expect(one.kind).toBe(undeclared.kind);
        if (one.kind !== 'usable' || undeclared.kind !== 'usable') continue;
        for (const sent of values) expect(one.apply(sent)).toEqual(undeclared.apply(sent));
      }
      enough += 1;
    }),
    { numRuns: 3000, seed: 7 },
  );
  expect(enough).toBeGreaterThan(300);
});

test('one draft is not enough for what drafts read differently', () => {
  for (const made of [
    { $ref: '#' },
    { items: [{}] },
    { properties: { a: { prefixItems: [] } } },
    { allOf: [{ contains: {}, minContains: 2 }] },
    { dependencies: {} },
    { $schema: METASCHEMA_URIS['draft-07'] },
    { properties: { a: 3 } },
  ])
    expect(isSameSinceDraft07(made)).toBe(false);
  expect(isSameSinceDraft07({ properties: { $ref: { type: 'string' }, dependencies: true } })).toBe(true);
});
