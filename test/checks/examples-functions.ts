import type { Json, JsonObject } from '../../src/json/json.ts';
import type { PlannedCall } from '../../src/model/call.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import type { Form } from '../../src/model/requirement.ts';
import {
  answer,
  call,
  cannotJudge,
  containing,
  type Example,
  fails,
  type Given,
  jsonAnswer,
  notApplicable,
  passes,
  undecided,
} from './example.ts';

const listing = (...functions: readonly Json[]): { readonly value: JsonObject } => ({ value: { functions } });
const formA = (parts: JsonObject = {}): JsonObject => ({
  name: 'add',
  description: 'Adds two numbers.',
  inputs: ['a', 'b'],
  outputs: ['sum'],
  ...parts,
});
const object = (properties: JsonObject, parts: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...parts,
});
const formB = (parts: JsonObject = {}): JsonObject => ({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: object({ a: { type: 'number', description: 'The first number.' } }, { required: ['a'] }),
  returns: object({ sum: { type: 'number' } }),
  ...parts,
});

interface FurtherParts {
  readonly form?: Form;
  readonly item?: JsonObject;
  readonly call?: Partial<PlannedCall>;
}

/** Answers of a function, judged by another check or a schema. */
function further(by: string | JsonObject, answers: readonly Exchange[], parts: FurtherParts = {}): Given {
  const { form = 'B', item = formB(), call: planned = {} } = parts;
  return {
    form,
    options: typeof by === 'string' ? { by } : { is: by },
    asked: answers.map((exchange) => ({ exchange, call: call(planned), item })),
  };
}

/** Examples of the checks of descriptors in /capabilities. */
export const examplesOfDescriptors: readonly Example[] = [
  {
    check: 'unique-names',
    what: 'different names',
    given: listing(formA(), formA({ name: 'Add' }), formA({ name: 'constructor' })),
    finds: passes,
  },
  {
    check: 'unique-names',
    what: 'two pairs of equal names',
    given: listing(formA(), formA({ name: 'sub' }), formA(), formA({ name: 'sub' })),
    finds: fails(
      {
        message: 'the name is already used by /functions/0',
        received: '"add" (string)',
        pointer: '/functions/2/name',
      },
      { message: 'the name is already used by /functions/1', pointer: '/functions/3/name' },
    ),
  },

  { check: 'descriptor-form', what: 'one of each form', given: listing(formA(), formB()), finds: passes },
  {
    check: 'descriptor-form',
    what: 'neither',
    given: listing(formA(), { name: 'odd', schema: {}, args: [] }, 'text', {}),
    finds: fails(
      {
        message: 'function "odd" is of neither form',
        received: 'only the keys name, schema, args',
        pointer: '/functions/1',
      },
      { message: 'function number 3 is of neither form', received: 'an object without keys' },
      { pointer: '/functions/3' },
    ),
  },

  { check: 'form-uniform', what: 'form A throughout', given: listing(formA(), formA()), finds: passes },
  {
    check: 'form-uniform',
    what: 'one of an unknown form',
    given: listing(formB(), { name: 'x' }),
    finds: passes,
  },
  {
    check: 'form-uniform',
    what: 'both forms',
    given: listing(formB(), formB(), formA({ name: 'odd' })),
    finds: fails({
      message: 'function "odd" is of form A, function "add" of form B',
      received: '1 of form A and 2 of form B',
      pointer: '/functions/2',
    }),
  },
  {
    check: 'form-uniform',
    what: 'only unknown forms',
    given: listing({ name: 'x' }),
    finds: notApplicable('no descriptor is of a known form'),
  },

  {
    check: 'descriptors',
    what: 'valid descriptors; the other form is ignored',
    given: { ...listing(formA(), formB()), options: { form: 'A', schema: { required: ['inputs'] } } },
    finds: passes,
  },
  {
    check: 'descriptors',
    what: 'null and an array instead of an object',
    given: {
      ...listing(formB({ parameters: null }), formB({ parameters: [] })),
      options: { form: 'B', schema: { properties: { parameters: { type: 'object' } } } },
    },
    finds: fails(
      { expected: 'an object', received: 'null' },
      { expected: 'an object', received: '[] (array)' },
    ),
  },
  {
    check: 'descriptors',
    what: 'an invalid descriptor',
    given: {
      ...listing(formA(), formA({ name: 'sub', inputs: ['a', 2] })),
      options: { form: 'A', schema: { properties: { inputs: { items: { type: 'string' } } } } },
    },
    finds: fails({
      message: 'function "sub": inputs/1 is invalid',
      expected: 'a string',
      received: '2 (number)',
      pointer: '/functions/1/inputs/1',
    }),
  },
  {
    check: 'descriptors',
    what: 'none of the form',
    given: { ...listing(formA()), options: { form: 'B', schema: {} } },
    finds: notApplicable('no function is described in form B'),
  },
  {
    check: 'descriptors',
    what: 'a form chosen by the user',
    given: {
      ...listing(formA()),
      form: 'B',
      formForced: true,
      options: { form: 'B', schema: { required: ['parameters'] } },
    },
    finds: fails({ message: 'function "add": the descriptor is invalid', pointer: '/functions/0' }),
  },

  {
    check: 'properties-typed',
    what: 'typed parameters, one by reference, one of two types',
    given: {
      ...listing(
        formB({
          parameters: object(
            { a: { $ref: '#/$defs/a' }, b: { type: ['string', 'null'] } },
            { $defs: { a: { type: 'integer' } } },
          ),
        }),
      ),
      options: { in: 'parameters' },
    },
    finds: passes,
  },
  {
    check: 'properties-typed',
    what: 'untyped and wrongly typed returns',
    given: {
      ...listing(
        formB({ returns: object({ 'a/b': {}, c: { type: 'text' }, d: { type: ['string', 'int'] } }) }),
      ),
      options: { in: 'returns' },
    },
    finds: fails(
      {
        message: 'function "add": "a/b" in returns has no type',
        received: 'no type',
        pointer: '/functions/0/returns/properties/a~1b',
      },
      { received: '"text" (string)', pointer: '/functions/0/returns/properties/c' },
      { received: '["string","int"] (array)' },
    ),
  },
  {
    check: 'properties-typed',
    what: 'a property whose values are listed',
    given: {
      ...listing(formB({ parameters: object({ a: { enum: [1, 'x'] } }) })),
      options: { in: 'parameters', implied: true },
    },
    finds: passes,
  },
  {
    check: 'properties-typed',
    what: 'a property that says nothing',
    given: {
      ...listing(formB({ parameters: object({ a: { description: 'x' } }) })),
      options: { in: 'parameters', implied: true },
    },
    finds: fails({ message: 'function "add": "a" in parameters has no type' }),
  },
  {
    check: 'properties-typed',
    what: 'no properties at all',
    given: { ...listing(formB({ parameters: object({}) })), options: { in: 'parameters' } },
    finds: notApplicable('no function has properties in parameters'),
  },
  {
    check: 'properties-typed',
    what: 'parameters that cannot be read',
    given: { ...listing(formB({ parameters: 'a, b' })), options: { in: 'parameters' } },
    finds: cannotJudge('no-properties'),
  },

  { check: 'required-declared', what: 'declared names', given: listing(formB()), finds: passes },
  {
    check: 'required-declared',
    what: 'an undeclared name, and the name of an inherited member',
    given: listing(formB({ parameters: object({ a: {} }, { required: ['a', 'b', 'toString'] }) })),
    finds: fails(
      {
        message: 'function "add" requires "b", which its properties do not have',
        expected: '"b" in parameters.properties',
        pointer: '/functions/0/parameters/required/1',
      },
      { pointer: '/functions/0/parameters/required/2' },
    ),
  },
  {
    check: 'required-declared',
    what: 'nothing required',
    given: listing(formB({ parameters: object({ a: {} }) })),
    finds: notApplicable('no function requires a parameter'),
  },

  { check: 'schemas-valid', what: 'valid schemas', given: listing(formB()), finds: passes },
  {
    check: 'schemas-valid',
    what: 'an unknown type',
    given: listing(formB({ returns: object({ sum: { type: 'float' } }) })),
    finds: fails({
      message: 'returns of function "add" is not a valid JSON Schema',
      received: '"float" (string)',
      pointer: '/functions/0/returns/properties/sum/type',
    }),
  },
  {
    check: 'schemas-valid',
    what: 'a schema in another document',
    given: listing(formB({ parameters: { $ref: 'https://example.com/schema' } })),
    finds: undecided({
      message: containing(
        'parameters of function "add" cannot be applied: it refers to https://example.com/schema',
      ),
      pointer: '/functions/0/parameters',
      fault: 'harness',
    }),
  },
  {
    check: 'schemas-valid',
    what: 'form A, which has no schemas',
    given: listing(formA()),
    finds: notApplicable('no function has parameters or returns'),
  },

  {
    check: 'same-functions',
    what: 'the same functions in another order, with keys in another order',
    given: {
      answers: [
        jsonAnswer({ key: 'read#0', value: { functions: [formA(), formB()] } }),
        jsonAnswer({ key: 'read#1', value: { functions: [formB(), { ...formA(), name: 'add' }] } }),
      ],
    },
    finds: passes,
  },
  {
    check: 'same-functions',
    what: 'one gone, one new',
    given: {
      answers: [
        jsonAnswer({ key: 'read#0', value: { functions: [formA({ name: 'old' })] } }),
        jsonAnswer({ key: 'read#1', value: { functions: [formA({ name: 'new' })] } }),
      ],
    },
    finds: fails({
      message: 'two reads list different functions',
      received: 'function "old" is gone, function "new" is new',
      pointer: '/functions',
      exchangeKey: 'read#1',
    }),
  },
  {
    check: 'same-functions',
    what: 'a changed descriptor',
    given: {
      answers: [
        jsonAnswer({ value: { functions: [formA()] } }),
        jsonAnswer({ key: 'read#1', value: { functions: [formA({ description: 'Other.' })] } }),
      ],
    },
    finds: fails({ message: 'the descriptor of function "add" differs between two reads' }),
  },
  {
    check: 'same-functions',
    what: 'another list in the middle of three reads',
    given: {
      answers: [
        jsonAnswer({ key: 'read#0', value: { functions: [formA()] } }),
        jsonAnswer({ key: 'read#1', value: { functions: [formA(), formB({ name: 'other' })] } }),
        jsonAnswer({ key: 'read#2', value: { functions: [formA()] } }),
      ],
    },
    finds: fails({ received: 'function "other" is new', exchangeKey: 'read#1' }),
  },
  {
    check: 'same-functions',
    what: 'only one read',
    given: { answers: [jsonAnswer({ value: { functions: [] } })] },
    finds: undecided({ message: 'only one read of /capabilities could be used', received: '1' }),
  },

  {
    check: 'versions-agree',
    what: 'the same versions',
    given: {
      used: {
        health: [jsonAnswer({ value: { version: '1.2', mcpVersion: '1.0' } })],
        capabilities: [jsonAnswer({ value: { server: { version: '1.2' }, mcpVersion: '1.0' } })],
      },
    },
    finds: passes,
  },
  {
    check: 'versions-agree',
    what: 'two different pairs',
    given: {
      used: {
        health: [jsonAnswer({ value: { version: '1.2', mcpVersion: '1.0' } })],
        capabilities: [
          jsonAnswer({ key: 'capabilities#0', value: { server: { version: '1.3' }, mcpVersion: '1.1' } }),
        ],
      },
    },
    finds: fails(
      {
        message: 'mcpVersion differs between health and capabilities',
        expected: '"1.0" (string) as in health',
        received: '"1.1" (string)',
        pointer: '/mcpVersion',
        exchangeKey: 'capabilities#0',
      },
      { message: 'version differs between health and capabilities', pointer: '/server/version' },
    ),
  },
  {
    check: 'versions-agree',
    what: 'a health record without versions',
    given: {
      used: {
        health: [jsonAnswer({ value: {} })],
        capabilities: [jsonAnswer({ value: { mcpVersion: '1' } })],
      },
    },
    finds: notApplicable('health and capabilities do not both give a version'),
  },

  {
    check: 'descriptions-say-something',
    what: 'sentences, one not in Latin letters',
    given: listing(formA(), formA({ description: '二つの数を足す' })),
    finds: passes,
  },
  {
    check: 'descriptions-say-something',
    what: 'the name again, a placeholder, and nothing',
    given: listing(
      formA({ name: 'get-time', description: 'Get time.' }),
      formA({ description: '  TODO: ' }),
      formA({ description: ' – ' }),
    ),
    finds: fails(
      {
        message: 'the description of function "get-time" is only the name again',
        pointer: '/functions/0/description',
      },
      { message: 'the description of function "add" is a placeholder', received: '"  TODO: " (string)' },
      { message: 'the description of function "add" is empty', pointer: '/functions/2/description' },
    ),
  },
  {
    check: 'descriptions-say-something',
    what: 'a description that is not a string',
    given: listing(formA({ description: 5 })),
    finds: cannotJudge('no-description'),
  },

  {
    check: 'examples-given',
    what: 'examples in descriptors of several shapes, and in the configuration',
    given: {
      ...listing(
        formA({ examples: [{ input: { a: 1 } }] }),
        formA({ name: 'b', example: { a: 1, b: 2 } }),
        formA({ name: 'c' }),
      ),
      samples: { c: [{ input: {}, fails: false }] },
    },
    finds: passes,
  },
  {
    check: 'examples-given',
    what: 'empty examples of functions that require nothing',
    given: listing(
      formA({ inputs: [], examples: [{}] }),
      formB({ name: 'b', parameters: object({}), examples: [{}] }),
      formB({ name: 'c', parameters: object({ a: { type: 'number' } }), example: {} }),
    ),
    finds: passes,
  },
  {
    check: 'examples-given',
    what: 'empty examples of functions that may require something',
    given: listing(formA({ examples: [{}] }), formB({ examples: [{}] }), {
      name: 'c',
      description: 'Does more.',
      examples: [{}],
    }),
    finds: fails({}, {}, {}),
  },
  {
    check: 'examples-given',
    what: 'no example, and an example of undeclared names',
    given: listing(formA(), formA({ name: 'b', examples: ['add 1 and 2', { z: 1 }] })),
    finds: fails(
      { message: 'function "add" has no example', received: 'neither', pointer: '/functions/0' },
      { message: 'function "b" has no example', pointer: '/functions/1' },
    ),
  },

  { check: 'parameters-described', what: 'described parameters', given: listing(formB()), finds: passes },
  {
    check: 'parameters-described',
    what: 'no description, and one of dashes',
    given: listing(formB({ parameters: object({ a: { type: 'number' }, 'b~c': { description: '---' } }) })),
    finds: fails(
      {
        message: 'function "add": the parameter "a" is not described',
        received: 'nothing',
        pointer: '/functions/0/parameters/properties/a',
      },
      { received: '"---" (string)', pointer: '/functions/0/parameters/properties/b~0c' },
    ),
  },
  {
    check: 'parameters-described',
    what: 'no parameters',
    given: listing(formB({ parameters: object({}) })),
    finds: notApplicable('no function has a parameter'),
  },

  {
    check: 'returns-documented',
    what: 'returns of both forms',
    given: listing(formA(), formB()),
    finds: passes,
  },
  {
    check: 'returns-documented',
    what: 'no outputs, no properties, no type',
    given: listing(
      formA({ outputs: 'sum' }),
      formB({ name: 'b', returns: object({ x: {} }) }),
      formB({ name: 'c', returns: { type: 'object' } }),
    ),
    finds: fails(
      { message: 'function "add" does not say what it returns', expected: 'outputs, a list of keys' },
      {
        message: 'function "b": the return key "x" has no type',
        pointer: '/functions/1/returns/properties/x',
      },
      { message: 'function "c" does not say what it returns', expected: 'returns.properties' },
    ),
  },
];

export const examplesOfCalls: readonly Example[] = [
  {
    check: 'outputs-declared',
    what: 'exactly the declared keys',
    given: { item: formA({ outputs: ['b', 'a'] }), value: { output: { a: 1, b: 2 } } },
    finds: passes,
  },
  {
    check: 'outputs-declared',
    what: 'none declared, none given',
    given: { item: formA({ outputs: [] }), value: { output: {} } },
    finds: passes,
  },
  {
    check: 'outputs-declared',
    what: 'one missing and one more',
    given: { item: formA({ outputs: ['sum', 'toString'] }), value: { output: { sum: 1, extra: 2 } } },
    finds: fails({
      message: 'output lacks "toString" and has the undeclared "extra"',
      expected: 'exactly the keys "sum", "toString"',
      received: 'the keys "sum", "extra"',
      pointer: '/output',
    }),
  },
  {
    check: 'outputs-declared',
    what: 'no keys where some are declared',
    given: { item: formA(), value: { output: {} } },
    finds: fails({ message: 'output lacks "sum"', received: 'no keys' }),
  },
  {
    check: 'outputs-declared',
    what: 'outputs that are not a list of names',
    given: { item: formA({ outputs: ['sum', 1] }), value: { output: { sum: 1 } } },
    finds: cannotJudge('no-declaration'),
  },
  {
    check: 'outputs-declared',
    what: 'form B',
    given: { item: formB(), value: { output: {} } },
    finds: notApplicable('the function is described in form B'),
  },

  {
    check: 'result-matches-returns',
    what: 'a valid result',
    given: { item: formB(), value: { result: { sum: 3 } } },
    finds: passes,
  },
  {
    check: 'result-matches-returns',
    what: 'text for a number',
    given: { item: formB(), value: { result: { sum: '3' } } },
    finds: fails({
      message: 'result is not what returns declares',
      expected: 'a number',
      received: '"3" (string)',
      pointer: '/result/sum',
    }),
  },
  {
    check: 'result-matches-returns',
    what: 'a recursive schema, applied to the end',
    given: {
      item: formB({ returns: object({ child: { $ref: '#' }, id: { type: 'string' } }) }),
      value: { result: { child: { child: { id: 1 } } } },
    },
    finds: fails({ pointer: '/result/child/child/id', expected: 'a string' }),
  },
  {
    check: 'result-matches-returns',
    what: 'null where nullable is declared, a word of OpenAPI 3.0',
    given: {
      item: formB({ returns: object({ note: { type: 'string', nullable: true } }) }),
      value: { result: { note: null } },
    },
    finds: fails({
      pointer: '/result/note',
      advice:
        'Declare null as JSON Schema does, such as "type": ["string", "null"], and among the values of an enum, or do not send it: "nullable" is a word of OpenAPI 3.0, which JSON Schema ignores.',
    }),
  },
  {
    check: 'result-matches-returns',
    what: 'a schema that refers to itself without end',
    given: { item: formB({ returns: { type: 'object', allOf: [{ $ref: '#' }] } }), value: { result: {} } },
    finds: undecided({
      message: 'the returns schema cannot be applied to the result: it refers to itself without end',
      fault: 'harness',
    }),
  },
  {
    check: 'result-matches-returns',
    what: 'an invalid schema',
    given: { item: formB({ returns: { type: 'thing' } }), value: { result: {} } },
    finds: cannotJudge('returns-invalid'),
  },
  {
    check: 'result-matches-returns',
    what: 'a schema that cannot be applied',
    given: { item: formB({ returns: { $ref: 'other.json' } }), value: { result: {} } },
    finds: undecided({ message: containing('it refers to other.json'), fault: 'harness' }),
  },
  {
    check: 'result-matches-returns',
    what: 'no result',
    given: { item: formB(), value: { output: {} } },
    finds: notApplicable('there is no result'),
  },

  ...(
    [
      ['a valid result', 'result-matches-returns', { value: { result: { sum: 3 } } }],
      ['an object', 'json-object', { value: {} }],
      ['JSON, called so', 'json-content-type', { value: {} }],
      ['a time', { required: ['executionTime'] }, { value: { executionTime: 3 } }],
    ] as const
  ).map(
    ([what, by, parts]): Example => ({
      check: 'further-answers',
      what,
      given: further(by, [answer(parts)]),
      finds: passes,
    }),
  ),
  {
    check: 'further-answers',
    what: 'null for a number, in the second answer',
    given: further('result-matches-returns', [
      answer({ value: { result: { sum: 3 } } }),
      answer({ key: 'again#1', value: { result: { sum: null } } }),
    ]),
    finds: fails({
      expected: 'a number',
      received: 'null',
      pointer: '/result/sum',
      exchangeKey: 'again#1',
    }),
  },
  {
    check: 'further-answers',
    what: 'the same twice',
    given: further('result-matches-returns', [
      answer({ value: { result: { sum: null } } }),
      answer({ value: { result: { sum: null } } }),
    ]),
    finds: fails({ received: 'null' }),
  },
  {
    check: 'further-answers',
    what: 'more different findings than say anything new',
    given: further(
      'result-keys-declared',
      Array.from({ length: 9 }, (_, index) => answer({ value: { result: { [`other${index}`]: 1 } } })),
      { item: formB({ returns: { type: 'object', properties: { sum: { type: 'number' } } } }) },
    ),
    finds: Array.from({ length: 5 }, () => ({ outcome: 'failed' })),
  },
  {
    check: 'further-answers',
    what: 'an error with 200 in the place of a result',
    given: further({ required: ['result'] }, [answer({ value: { error: {} } })]),
    finds: fails({
      message: 'the body is invalid',
      expected: 'an object with the property "result"',
      pointer: '',
    }),
  },
  {
    check: 'further-answers',
    what: 'a list',
    given: further('json-object', [answer({ value: [] })]),
    finds: fails({ expected: 'one JSON object in UTF-8' }),
  },
  {
    check: 'further-answers',
    what: 'an output that lacks a declared key',
    given: further('outputs-declared', [answer({ value: { output: {} } })], {
      form: 'A',
      item: formA(),
      call: { form: 'A' },
    }),
    finds: fails({ message: 'output lacks "sum"', received: 'no keys' }),
  },
  ...(
    [
      [
        'a refusal',
        'result-matches-returns',
        { status: 400, value: { error: { code: 'TAKEN', message: 'The name is taken.' } } },
        {},
      ],
      [
        'a schema that cannot be applied, which the first answer reports',
        'result-matches-returns',
        { value: { result: {} } },
        { item: formB({ returns: { $ref: 'other.json' } }) },
      ],
      ['a result that is no object', 'result-matches-returns', { value: { result: [] } }, {}],
      ['a time that is no integer', 'execution-time-plausible', { value: { executionTime: 9e9 + 0.5 } }, {}],
      ['a call in the other form', 'json-object', { value: [] }, { form: 'A' }],
      ['an invalid input', 'json-object', { value: [] }, { call: { inputSource: 'made-wrong' } }],
      [
        'an explored input, whose result another row judges',
        'result-matches-returns',
        { value: { result: { sum: null } } },
        { call: { inputSource: 'explored' } },
      ],
      ['a function that is not listed', 'json-object', { value: [] }, { item: {} }],
    ] as const
  ).map(
    ([what, by, parts, more]): Example => ({
      check: 'further-answers',
      what,
      given: further(by, [answer(parts)], more),
      finds: notApplicable('no answer has anything to judge'),
    }),
  ),

  {
    check: 'result-keys-declared',
    what: 'exactly the declared keys',
    given: { item: formB(), value: { result: { sum: 3 } } },
    finds: passes,
  },
  {
    check: 'result-keys-declared',
    what: 'a misspelt key, and another',
    given: {
      item: formB({ returns: object({ temperature: { type: 'number' }, unit: { type: 'string' } }) }),
      value: { result: { temprature: 21, unit: 'C', debug: true } },
    },
    finds: fails({
      message:
        'result lacks the declared "temperature" and has the undeclared "temprature", "debug"; for "temprature", did you mean "temperature"?',
      expected: 'only keys that returns declares: "temperature", "unit"',
      received: 'the keys "temprature", "unit", "debug"',
      pointer: '/result',
    }),
  },
  {
    check: 'result-keys-declared',
    what: 'a key under quite another name',
    given: { item: formB({ returns: object({ sum: { type: 'number' } }) }), value: { result: { total: 3 } } },
    finds: fails({ message: 'result lacks the declared "sum" and has the undeclared "total"' }),
  },
  {
    check: 'result-keys-declared',
    what: 'an optional key that is missing',
    given: { item: formB({ returns: object({ a: {}, b: {} }) }), value: { result: { a: 1 } } },
    finds: passes,
  },
  {
    check: 'result-keys-declared',
    what: 'an additional key',
    given: { item: formB({ returns: object({ a: {} }) }), value: { result: { a: 1, b: 2 } } },
    finds: passes,
  },
  {
    check: 'result-keys-declared',
    what: 'a renamed key where no further keys are allowed',
    given: {
      item: formB({ returns: object({ a: {} }, { additionalProperties: false }) }),
      value: { result: { b: 1 } },
    },
    finds: fails({}),
  },
  ...(
    [
      ['additionalProperties', { additionalProperties: true }],
      ['a schema for additionalProperties', { additionalProperties: { type: 'number' } }],
      ['unevaluatedProperties', { unevaluatedProperties: true }],
      ['patternProperties', { patternProperties: { '^x-': {} } }],
      ['propertyNames', { propertyNames: { maxLength: 9 } }],
      ['additionalProperties in a part', { allOf: [{ additionalProperties: true }] }],
      ['a reference to another document', { allOf: [{ $ref: 'https://example.com/more.json' }] }],
    ] as const
  ).map(
    ([what, parts]): Example => ({
      check: 'result-keys-declared',
      what: `further keys allowed by ${what}`,
      given: { item: formB({ returns: object({ a: {} }, parts) }), value: { result: { b: 1 } } },
      finds: notApplicable('returns allows keys that it does not name'),
    }),
  ),
  ...(
    [
      ['$ref', { $ref: '#/$defs/more', $defs: { more: object({ b: {} }) } }],
      ['allOf', { allOf: [object({ b: {} })] }],
      ['anyOf', { anyOf: [object({ b: {} }), object({ c: {} })] }],
      ['oneOf, behind references', { oneOf: [{ $ref: '#/$defs/more' }], $defs: { more: object({ b: {} }) } }],
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      ['then', { if: { required: ['x'] }, then: object({ b: {} }) }],
      ['else', { if: { required: ['x'] }, else: object({ b: {} }) }],
      ['dependentSchemas', { dependentSchemas: { a: object({ b: {} }) } }],
      ['dependencies', { dependencies: { a: object({ b: {} }) } }],
      ['required alone', { required: ['b'] }],
      ['itself', { allOf: [{ $ref: '#' }, object({ b: {} })] }],
    ] as const
  ).map(
    ([what, parts]): Example => ({
      check: 'result-keys-declared',
      what: `a key declared through ${what}`,
      given: { item: formB({ returns: object({ a: {} }, parts) }), value: { result: { b: 1 } } },
      finds: passes,
    }),
  ),
  {
    check: 'result-keys-declared',
    what: 'a key of a root $ref that is missing',
    given: {
      item: formB({ returns: { $ref: '#/$defs/r', $defs: { r: object({ sum: {} }) } } }),
      value: { result: { total: 3 } },
    },
    finds: fails({ message: 'result lacks the declared "sum" and has the undeclared "total"' }),
  },
  {
    check: 'result-keys-declared',
    what: 'keys of alternatives only',
    given: {
      item: formB({ returns: { type: 'object', oneOf: [object({ a: {} }), object({ b: {} })] } }),
      value: { result: { c: 3 } },
    },
    finds: notApplicable('returns declares no keys'),
  },
  {
    check: 'result-keys-declared',
    what: 'no properties',
    given: { item: formB({ returns: { type: 'object' } }), value: { result: { c: 3 } } },
    finds: notApplicable('returns declares no keys'),
  },
  {
    check: 'result-keys-declared',
    what: 'no returns',
    given: { item: { name: 'a', parameters: object({}) }, value: { result: { a: 1 } } },
    finds: cannotJudge('no-declaration'),
  },
  {
    check: 'result-keys-declared',
    what: 'form A',
    given: { item: formA(), value: { result: { a: 1 } } },
    finds: notApplicable('the function is described in form A'),
  },
  {
    check: 'result-keys-declared',
    what: 'a result that is not an object',
    given: { item: formB(), value: { result: [] } },
    finds: notApplicable('result is not an object'),
  },

  {
    check: 'same-form',
    what: 'calls in the form of the descriptors',
    given: {
      used: {
        capabilities: [jsonAnswer(listing(formB()))],
        calls: [jsonAnswer({ value: { result: {} } }, call({ form: 'B' }))],
      },
    },
    finds: passes,
  },
  {
    check: 'same-form',
    what: 'calls in the other form',
    given: {
      used: {
        capabilities: [jsonAnswer(listing(formB()))],
        calls: [jsonAnswer({ key: 'call#0', value: { output: {} } }, call({ form: 'A' }))],
      },
    },
    finds: fails({
      message: 'functions are described in form B, but /execute answers in form A',
      expected: 'one form: parameters and result',
      received: 'form A: input and output',
      exchangeKey: 'call#0',
    }),
  },
  {
    check: 'same-form',
    what: 'no answered call',
    given: { used: { capabilities: [jsonAnswer(listing(formB()))], calls: [] } },
    finds: notApplicable('no call was answered'),
  },
];
