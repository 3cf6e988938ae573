import type { Json, JsonObject } from '../../src/json/json.ts';
import type { Behaviour, Visit } from './behaviour.ts';
import { CLEAN, failing, orSpent, undecided } from './finds.ts';
import { carrying, withMember } from './wire.ts';

type Finds = Behaviour['finds']['capabilities'];

interface Descriptor {
  readonly name: string;
  readonly parameters: { readonly properties: JsonObject; readonly required: readonly string[] };
  readonly returns: { readonly properties: JsonObject };
  readonly examples?: Json;
}

type Change = (add: Descriptor) => Descriptor;

/** Lists an extra function, a changed `add`; on other endpoints its descriptor is an extra member. */
function changed(
  id: string,
  words: string,
  make: (visit: Visit) => Change,
  finds: Finds = [],
  more: Partial<Behaviour> = {},
): Behaviour {
  return {
    id: `schemas/${id}`,
    words: `${words}; on other endpoints in an extra member`,
    legal: true,
    serves: { odd: 'add' },
    play: carrying((text, visit) => {
      const change = make(visit);
      if (visit.endpoint !== 'capabilities') return withMember(text, JSON.stringify(change(ADD)));
      const record = JSON.parse(text) as { functions: Descriptor[] };
      const add = record.functions.find(({ name }) => name === (more.serves?.odd ?? 'add')) ?? ADD;
      const functions = [...record.functions, { ...change(add), name: 'odd' }];
      return JSON.stringify({ ...record, functions });
    }),
    finds: { ...(more.large === true ? orSpent(CLEAN) : CLEAN), capabilities: finds },
    ...more,
  };
}

const ADD: Descriptor = {
  name: 'add',
  parameters: { properties: {}, required: [] },
  returns: { properties: {} },
};

const described = (schema: Json): Json =>
  typeof schema === 'object' && schema !== null && !Array.isArray(schema)
    ? { description: 'Something.', ...schema }
    : schema;

/** Adds an optional parameter and an optional key of the result, both with this schema. */
function property(schema: Json): Change {
  return (add) => ({
    ...add,
    parameters: { ...add.parameters, properties: { ...add.parameters.properties, x: described(schema) } },
    returns: { ...add.returns, properties: { ...add.returns.properties, x: described(schema) } },
  });
}

/** Adds a required parameter, for which a value must be generated. */
function required(schema: Json): Change {
  return ({ examples: _examples, ...add }) => ({
    ...add,
    parameters: {
      ...add.parameters,
      properties: { ...add.parameters.properties, x: described(schema) },
      required: [...add.parameters.required, 'x'],
    },
  });
}

/** Has no example, so that a value for this schema must be generated. */
function withoutExample(id: string, words: string, schema: () => Json): Behaviour {
  return changed(id, words, () => required(schema()), failing('has no example', 'documentation/examples'));
}

/** Adds keywords to the schemas of the parameters and of the result. */
function beside(keywords: JsonObject): Change {
  return (add) => ({
    ...add,
    parameters: { ...add.parameters, ...keywords },
    returns: { ...add.returns, ...keywords },
  });
}

/** Adds keywords to the schema of the result, against which answers are checked. */
function result(keywords: JsonObject): Change {
  return (add) => ({ ...add, returns: { ...add.returns, ...keywords } });
}

const LARGE = { large: true } as const;
const REMOTE = 'the harness does not fetch schemas';
const invalid = failing('is not a valid JSON Schema', 'capabilities/schema-valid');
const unusable = (says: string): Finds =>
  undecided(says, 'capabilities/schema-valid', 'execute/result-matches-returns');

function nestedIn(keyword: string, depth: number): Json {
  let schema: Json = { type: 'number' };
  for (let level = 0; level < depth; level += 1) schema = { [keyword]: [schema, schema] };
  return schema;
}

/** `a1` refers to `a0` twice, `a2` to `a1` twice, and so on: 2 to the power of the depth. */
function doubling(depth: number): JsonObject {
  const levels = Array.from({ length: depth }, (_, level): [string, Json] => [
    `a${level + 1}`,
    { allOf: [{ $ref: `#/$defs/a${level}` }, { $ref: `#/$defs/a${level}` }] },
  ]);
  return { $defs: Object.fromEntries([['a0', { type: 'object' }], ...levels]), $ref: `#/$defs/a${depth}` };
}

function deep(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

const many = (count: number, make: (index: number) => Json): Json =>
  Array.from({ length: count }, (_, i) => make(i));

export const schemas: readonly Behaviour[] = [
  changed(
    'remote-reference',
    'refers to a schema on another server',
    ({ decoyUrl }) => property({ $ref: `${decoyUrl}/schema.json`, type: 'string' }),
    unusable(REMOTE),
  ),
  changed('remote-id', 'names itself as a schema on another server', ({ decoyUrl }) =>
    beside({ $id: `${decoyUrl}/schema.json`, $comment: 'so much' }),
  ),
  changed(
    'remote-meta-schema',
    'has a meta-schema on another server',
    ({ decoyUrl }) => beside({ $schema: `${decoyUrl}/schema.json` }),
    unusable('a draft that the harness does not know'),
  ),
  changed(
    'file-reference',
    'refers to a file',
    () => property({ $ref: 'file:///etc/passwd', type: 'string' }),
    unusable(REMOTE),
  ),
  changed('recursive', 'refers to itself, one level deeper each time', () =>
    property({ type: 'object', properties: { next: { $ref: '#' } } }),
  ),
  changed(
    'loop',
    'refers to itself without going deeper',
    () => result({ $ref: '#' }),
    undecided('cannot be applied to the result', 'execute/result-matches-returns'),
  ),
  changed(
    'mutual-loop',
    'refers to a schema that refers back, without going deeper',
    () => result({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    undecided('refers to itself without end', 'execute/result-matches-returns'),
  ),
  changed(
    'doubling',
    'refers to a schema twice, that refers to another twice, 30 deep',
    () => result(doubling(30)),
    undecided('cannot be applied to the result', 'execute/result-matches-returns'),
  ),
  changed('all-of', 'nests allOf 10 deep, two in each', () =>
    property({ type: 'number', ...nested('allOf', 10) }),
  ),
  changed(
    'all-of-wide',
    'nests allOf 14 deep, two in each: 500 KB',
    () => property({ type: 'number', ...nested('allOf', 14) }),
    unusable('longer than'),
    LARGE,
  ),
  // The changed function is explored too, and does not look at its input.
  changed(
    'one-of-wide',
    'has 1,000 alternatives',
    () => property({ type: 'number', oneOf: many(1000, (value) => ({ const: value })) }),
    failing('accepts an input that its parameters do not allow', 'inputs/invalid-refused'),
  ),
  withoutExample(
    'pattern-catastrophic',
    'has a pattern that takes exponential time, and a matching text',
    () => ({
      type: 'string',
      pattern: '^(a+)+$',
      examples: [`${'a'.repeat(40)}!`],
    }),
  ),
  changed(
    'pattern-on-result',
    'has a pattern that takes exponential time on what the function returns',
    () => (greet) => ({
      ...greet,
      returns: {
        ...greet.returns,
        properties: { greeting: { type: 'string', description: 'A greeting.', pattern: '^Hello, (a+)+!$' } },
      },
      examples: [{ parameters: { name: `${'a'.repeat(40)}?` } }],
    }),
    failing('result is not what returns declares', 'execute/result-matches-returns'),
    { serves: { odd: 'greet' } },
  ),
  changed(
    'pattern-huge',
    'has a pattern of 100 KB',
    () => property({ type: 'string', pattern: 'a?'.repeat(50_000) }),
    unusable('a pattern is longer than'),
  ),
  changed('pattern-counted', 'has a pattern that repeats a thousand times a thousand times', () =>
    property({ type: 'string', pattern: '((a{1,1000}){1,1000}){1,1000}' }),
  ),
  changed('pattern-look-behind', 'has a pattern with a look-behind', () =>
    property({ type: 'string', pattern: '(?<=a)b(?!c)' }),
  ),
  changed(
    'pattern-broken',
    'has a pattern that is not a regular expression',
    () => property({ type: 'string', pattern: '(((' }),
    invalid,
  ),
  changed('async', 'contains $async', () => beside({ $async: true })),
  changed('ids-clash', 'gives two schemas the same $id', () =>
    beside({ $defs: { a: { $id: 'urn:odd' }, b: { $id: 'urn:odd', type: 'string' } } }),
  ),
  changed('anchors-clash', 'gives two schemas the same $anchor, and refers to neither', () =>
    beside({ $defs: { a: { $anchor: 'odd' }, b: { $anchor: 'odd', type: 'string' } } }),
  ),
  changed(
    'anchor-ambiguous',
    'refers to an $anchor that two schemas have',
    () =>
      beside({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $defs: { a: { $anchor: 'odd' }, b: { $anchor: 'odd', type: 'string' }, c: { $ref: '#odd' } },
        propertyNames: { $ref: '#/$defs/c' },
      }),
    unusable('resolves to more than one schema'),
  ),
  changed('dynamic-reference', 'refers to itself by $dynamicRef', () =>
    beside({
      $dynamicAnchor: 'node',
      $defs: { list: { type: 'array', items: { $dynamicRef: '#node' } } },
    }),
  ),
  withoutExample('min-length', 'requires a text of 1,000,000,000 characters', () => ({
    type: 'string',
    minLength: 1e9,
  })),
  withoutExample('min-items', 'requires a list of 1,000,000,000 items', () => ({
    type: 'array',
    minItems: 1e9,
    items: { type: 'string' },
  })),
  withoutExample('lists-of-lists', 'requires lists of 1,000 lists of 1,000 lists, and so on', () => lists(8)),
  withoutExample('min-properties', 'requires an object of 1,000,000,000 keys', () => ({
    type: 'object',
    minProperties: 1e9,
  })),
  withoutExample('numbers', 'has limits that no number meets', () => ({
    type: 'number',
    minimum: 1e308,
    maximum: -1e308,
    multipleOf: 1e-320,
  })),
  changed('plain-data', 'has values that look like references and patterns', () =>
    property({
      type: 'object',
      default: { $ref: 'http://example.invalid/', pattern: '(((' },
      examples: [{ $ref: '#/nowhere' }],
      enum: [{ $ref: 'file:///etc/passwd' }],
    }),
  ),
  changed(
    'enum-of-100000',
    'lists 100,000 values',
    () => property({ type: 'number', enum: many(100_000, (value) => value) }),
    unusable('longer than'),
    LARGE,
  ),
  changed(
    'properties-50000',
    'has 50,000 properties',
    () => (add) => ({ ...add, returns: { ...add.returns, properties: fiftyThousand() } }),
    unusable('longer than'),
    LARGE,
  ),
  changed(
    'required-unknown',
    'requires undeclared names',
    () => (add) => ({
      ...add,
      parameters: { ...add.parameters, required: [...add.parameters.required, 'nowhere', 'toString'] },
    }),
    failing('which its properties do not have', 'capabilities/required-declared'),
  ),
  changed('unique-items', 'has a list of 5,000 items that must differ as a constant', () =>
    property({ type: 'array', uniqueItems: true, default: many(5000, (value) => ({ a: value })) }),
  ),
  changed('const-deep', 'has a constant 200 deep', () => property({ type: 'object', const: deep(200) })),
  changed(
    'of-300-kb',
    'has a description of 300 KB',
    () => property({ type: 'string', description: 'd'.repeat(300 * 1024) }),
    unusable('longer than'),
    LARGE,
  ),
  changed('type-unknown', 'has an unknown type', () => property({ type: 'zebra' }), [
    ...invalid,
    ...failing('has no type', 'capabilities/parameters-typed', 'capabilities/returns-schema'),
    ...failing('has no type', 'documentation/parameter-types'),
    ...failing('has no type', 'documentation/return-types'),
  ]),
  changed(
    'keywords-of-wrong-type',
    'has minLength: "three"',
    () => property({ type: 'string', minLength: 'three' }),
    [...invalid],
  ),
  changed(
    'reference-to-nowhere',
    'refers to a missing part',
    () => property({ type: 'string', $ref: '#/$defs/nowhere' }),
    invalid,
  ),
  changed('unknown-keywords', 'has unknown keywords', () =>
    beside({ zebra: { $ref: 'http://example.invalid/' }, 'x-malformed': [{ pattern: '(((' }] }),
  ),
  changed('names-inherited', 'has parameters named like inherited object members', () => (add) => ({
    ...add,
    parameters: {
      ...add.parameters,
      properties: {
        ...add.parameters.properties,
        ...(JSON.parse(
          '{"__proto__":{"type":"string","description":"One."},"constructor":{"type":"string","description":"Two."}}',
        ) as JsonObject),
      },
    },
  })),
];

function nested(keyword: string, depth: number): JsonObject {
  return nestedIn(keyword, depth) as JsonObject;
}

function lists(depth: number): Json {
  let schema: Json = { type: 'string' };
  for (let level = 0; level < depth; level += 1) schema = { type: 'array', minItems: 1000, items: schema };
  return schema;
}

function fiftyThousand(): JsonObject {
  return Object.fromEntries(
    Array.from({ length: 50_000 }, (_, index): [string, Json] => [`p${index}`, { type: 'number' }]),
  );
}
