import { describe, expect, test } from 'vitest';
import { judgeReport } from '../../src/check/judge-report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { BEYOND_CONTRACT, checkTarget, expectClean, findingsInBrief, rowsWith } from './expect-clean.ts';
import { described, echoing, type OfferedFunction, offering, Refusal } from './offering.ts';
import { type ArrivedRequest, jsonAnswer, type Members, serve } from './serve.ts';

const FORMS: readonly Form[] = ['A', 'B'];
const NO_FAILING_SAMPLE = ['errors/handler-failure-status', 'errors/handler-failure-code'];
const ALL_NEED_SOMETHING = ['execute/parameters-default'];
/** In form A, these answers cannot be matched to their calls. */
const INDISTINGUISHABLE = ['execute/concurrent-isolation'];

/** Inapplicable rows if every function repeats the text of its example, and none is configured to fail. */
function leftOut(form: Form): readonly string[] {
  return [...NO_FAILING_SAMPLE, ...(form === 'A' ? [] : ALL_NEED_SOMETHING)];
}

/** Names of functions in valid /execute requests. */
function namesCalled(arrived: readonly ArrivedRequest[], form: Form): readonly string[] {
  const calls = arrived
    .filter(({ path, method }) => path === '/execute' && method === 'POST')
    .map(({ body }) => JSON.parse(Buffer.from(body).toString()) as Members);
  const key = form === 'A' ? 'input' : 'parameters';
  return calls
    .filter((call) => typeof (call[key] as Members | undefined)?.text === 'string')
    .map((call) => String(call.function));
}

describe.concurrent('three hundred functions', () => {
  test.each(FORMS)('fifty are called, and the report says so, form %s', async (form) => {
    const functions = Array.from({ length: 300 }, (_, index) => echoing(form, `function-${index}`));
    const result = await checkTarget(serve(offering(form, functions)), { samples: {}, minCoverage: 50 });
    expectClean(result, { form, inapplicable: leftOut(form) });
    expect(result.coverage).toMatchObject({ listed: 300, exercised: 50 });
    expect(new Set(result.coverage?.notExercised.map(({ remedy }) => remedy))).toEqual(
      new Set(['Call all with --max-functions 300.']),
    );
    // The bound of the harness does not make fewer functions enough.
    const { served: _, ...saved } = result;
    const { minCoverage: _given, ...settings } = saved.settings;
    expect(await judgeReport({ ...saved, settings })).toMatchObject({
      verdict: 'incomplete',
      coverage: { exercised: 50, needed: 150 },
    });
    const called = [...new Set(namesCalled(result.served.arrived, form))];
    expect(called).toHaveLength(50);
    expect(called).toEqual(Array.from({ length: 50 }, (_, index) => `function-${index * 6}`));
    const bounds = result.facts.filter(({ name }) => name === 'bound').map(({ text }) => text);
    expect(bounds).toEqual([
      expect.stringMatching(
        /^50 of 300 functions were called by .*execute\/call.*, spread evenly over the list/,
      ),
    ]);
  });

  test.each(FORMS)('all are called when the bound is raised, form %s', async (form) => {
    const functions = Array.from({ length: 70 }, (_, index) => echoing(form, `function-${index}`));
    const result = await checkTarget(serve(offering(form, functions)), { samples: {}, maxFunctions: 70 });
    expectClean(result, { form, inapplicable: leftOut(form) });
    expect(new Set(namesCalled(result.served.arrived, form)).size).toBe(70);
    expect(result.facts.filter(({ name }) => name === 'bound')).toEqual([]);
  });
});

const LONG = 'long-'.repeat(60);
const NAMES: readonly string[] = [
  'two words',
  ' spaces around ',
  'a/b/../c',
  '/',
  'a?b=c&d#e',
  'a%20b%2Fc',
  `it's "quoted" \`back\``,
  'back\\slash',
  '[0]',
  '][@A#0~2!1',
  '(case)',
  '{curly} ${fn.name} ${run.seed} $& $1 $$',
  'naïve-façade',
  '東京都',
  'שלום',
  '🚀',
  '👩🏽‍🚀 family 👨‍👩‍👧‍👦',
  'line\nbreak and\ttab',
  '\u0000\u0007\u001B[31m',
  '\u202Eright to left',
  '\uFEFFmark',
  LONG,
  `${LONG}!`,
  `${'é'.repeat(79)}🚀🚀`,
  'A',
  'a',
  '0',
  'true',
  'null',
  'undefined',
  '*',
  '..',
  '$',
  '$.functions',
  '-rf',
  'probity-mark-1-2',
];
const PROTOTYPE_NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'then'];

describe.concurrent('names of functions', () => {
  test.each(FORMS)('with all kinds of characters, form %s', async (form) => {
    const result = await checkTarget(
      serve(
        offering(
          form,
          NAMES.map((name) => echoing(form, name)),
        ),
      ),
      // Such names are within the contract, and no good practice.
      { samples: {}, skip: [...BEYOND_CONTRACT, 'inputs/*', 'texts/*'] },
    );
    expectClean(result, { form, inapplicable: leftOut(form) });
    expect(new Set(namesCalled(result.served.arrived, form))).toEqual(new Set(NAMES));
    const keys = result.exchanges.map(({ request }) => request.key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(result.samples.map((sample) => sample.function).toSorted()).toEqual([...NAMES].toSorted());
  });

  test.each(FORMS)('of inherited object members, all listed, form %s', async (form) => {
    const functions = PROTOTYPE_NAMES.map((name) => echoing(form, name));
    const result = await checkTarget(serve(offering(form, functions)), { samples: {} });
    // The row calls four such names; all of them are listed here, so the calls are valid.
    expectClean(result, { form, inapplicable: [...leftOut(form), 'errors/prototype-names'] });
    expect(new Set(namesCalled(result.served.arrived, form))).toEqual(new Set(PROTOTYPE_NAMES));
  });

  test.each(FORMS)('of inherited object members, one listed, the others refused, form %s', async (form) => {
    const result = await checkTarget(serve(offering(form, [echoing(form, 'constructor')])), { samples: {} });
    expectClean(result, { form, inapplicable: leftOut(form) });
    expect(rowsWith(result, 'passed')).toContain('errors/prototype-names');
  });

  test.each(FORMS)('and of their inputs and outputs, form %s', async (form) => {
    // Validators ignore a property called __proto__, so a server of form B could not report that it is missing.
    const inputs = [
      ...(form === 'A' ? ['__proto__'] : []),
      'constructor',
      'a b',
      'x/y~z',
      '$ref',
      '🚀',
      'toString',
      'text',
    ];
    const outputs = ['__proto__', 'hasOwnProperty', 'a"b', 'length'];
    const fn: OfferedFunction = {
      name: 'mirror',
      descriptor: described(form, inputs, outputs, [
        Object.fromEntries([['input', Object.fromEntries(inputs.map((name) => [name, 'word']))]]),
      ]),
      run: () => Object.fromEntries(outputs.map((name) => [name, 'said'])),
    };
    const result = await checkTarget(serve(offering(form, [fn, echoing(form, 'echo')])), { samples: {} });
    expectClean(result, { form, inapplicable: form === 'A' ? NO_FAILING_SAMPLE : leftOut(form) });
  });

  test('samples are found for any of them', async () => {
    const names = ['constructor', '__proto__', 'two words', '🚀'];
    const functions = names.map(
      (name): OfferedFunction => ({
        name,
        descriptor: { inputs: ['text'], outputs: ['said'] },
        run: ({ text }) => {
          if (text !== `for ${name}`) throw new Refusal(400);
          return { said: text };
        },
      }),
    );
    const samples = Object.fromEntries(names.map((name) => [name, [{ input: { text: `for ${name}` } }]]));
    const result = await checkTarget(serve(offering('A', functions)), { samples });
    // Each function takes only one text.
    expectClean(result, { form: 'A', inapplicable: [...leftOut('A'), ...INDISTINGUISHABLE] });
  });
});

const text = { type: 'string', description: 'Some text.' } as const;

/** Valid but unusual schemas. */
const SCHEMAS: readonly (readonly [
  name: string,
  parameters: Members,
  returns: Members,
  input: Members,
  result: Members,
])[] = [
  [
    'with $schema and title, in draft-07',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $comment: 'Made by a generator.',
      title: 'Input',
      type: 'object',
      properties: { text: { title: 'Text', ...text, default: 'a', readOnly: false } },
      required: ['text'],
      additionalProperties: false,
    },
    {
      $schema: 'http://json-schema.org/draft-07/schema',
      title: 'Output',
      type: 'object',
      properties: { said: text },
    },
    { text: 'a' },
    { said: 'a' },
  ],
  [
    'with $schema 2020-12, $id and $defs behind local references',
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/schemas/input.json',
      type: 'object',
      $defs: {
        word: { ...text, minLength: 1 },
        'a/b~c d': { type: 'integer', description: 'A number.' },
        again: { $ref: '#/$defs/word' },
      },
      properties: {
        text: { $ref: '#/$defs/again' },
        count: { $ref: '#/$defs/a~1b~0c%20d', description: 'How often.' },
      },
      required: ['text'],
    },
    {
      type: 'object',
      $defs: { said: { type: 'string', description: 'What was said.' } },
      properties: { said: { $ref: '#/$defs/said' } },
      required: ['said'],
    },
    { text: 'a', count: 2 },
    { said: 'a' },
  ],
  [
    'with definitions, as draft-07 calls them, and no $schema',
    {
      type: 'object',
      definitions: { word: text },
      properties: { text: { $ref: '#/definitions/word' } },
      required: ['text'],
    },
    {
      type: 'object',
      definitions: { list: { type: 'array', items: { type: 'string' } } },
      properties: { said: { type: 'array', items: { $ref: '#/definitions/list' } } },
    },
    { text: 'a' },
    { said: [['a']] },
  ],
  [
    'with several types for one value',
    {
      type: 'object',
      properties: { text: { type: ['string', 'null'], description: 'Text, or nothing.' } },
      required: ['text'],
    },
    {
      type: 'object',
      properties: { said: { type: ['string', 'null'] }, count: { type: ['null', 'integer'] } },
    },
    { text: null },
    { said: null, count: null },
  ],
  [
    'with tuples as in 2020-12',
    {
      type: 'object',
      properties: {
        text,
        pair: {
          type: 'array',
          description: 'A pair.',
          prefixItems: [{ type: 'string' }, { type: 'number' }],
          items: false,
          minItems: 2,
        },
      },
      required: ['text', 'pair'],
    },
    { type: 'object', properties: { said: { type: 'array', prefixItems: [{ type: 'string' }] } } },
    { text: 'a', pair: ['a', 1] },
    { said: ['a'] },
  ],
  [
    'with tuples as in draft-07, and no $schema',
    {
      type: 'object',
      properties: {
        text,
        pair: {
          type: 'array',
          description: 'A pair.',
          items: [{ type: 'string' }, { type: 'number' }],
          additionalItems: false,
        },
      },
      required: ['text'],
    },
    {
      type: 'object',
      properties: {
        said: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
      },
    },
    { text: 'a', pair: ['a', 1] },
    { said: ['a', 1] },
  ],
  [
    'with keywords of OpenAPI and of the author',
    {
      type: 'object',
      'x-order': 1,
      properties: { text: { ...text, nullable: true, example: 'a', xml: { name: 't' }, 'x-widget': 'area' } },
      required: ['text'],
      discriminator: 'text',
    },
    {
      type: 'object',
      properties: { said: { type: 'string', format: 'a-format-of-our-own', nullable: true } },
    },
    { text: 'a' },
    { said: 'a' },
  ],
  [
    'with conditions, patterns and dependencies',
    {
      type: 'object',
      properties: {
        text: { ...text, pattern: '^[a-z]+$' },
        mode: { type: 'string', enum: ['a', 'b'], description: 'The mode.' },
      },
      required: ['text'],
      if: { properties: { mode: { const: 'b' } }, required: ['mode'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { minProperties: 2 },
      dependentRequired: { mode: ['text'] },
      patternProperties: { '^x-': { type: 'string' } },
      propertyNames: { maxLength: 40 },
      unevaluatedProperties: false,
    },
    {
      type: 'object',
      properties: { said: { type: 'string', pattern: '^\\p{L}+$' } },
      additionalProperties: false,
    },
    { text: 'a' },
    { said: 'a' },
  ],
  [
    'that refer to themselves',
    {
      type: 'object',
      $defs: {
        node: {
          type: 'object',
          properties: { value: { type: 'string' }, next: { $ref: '#/$defs/node' } },
          required: ['value'],
        },
      },
      properties: { text, list: { $ref: '#/$defs/node', description: 'A chain.' } },
      required: ['text', 'list'],
    },
    { type: 'object', properties: { said: { type: 'object', properties: { self: { $ref: '#' } } } } },
    { text: 'a', list: { value: 'a', next: { value: 'b' } } },
    { said: { self: { said: {} } } },
  ],
];

describe.concurrent.each(SCHEMAS)('schemas %s', (_name, parameters, returns, input, answer) => {
  function fn(examples: readonly Members[]): OfferedFunction {
    const given = examples.length === 0 ? {} : { examples };
    return { name: 'get-said', descriptor: { parameters, returns, ...given }, run: () => answer };
  }
  test('with an example', async () => {
    const result = await checkTarget(serve(offering('B', [fn([{ parameters: input }])])), { samples: {} });
    // A parameter of several types may accept any value, and one behind a reference shows no type.
    const inapplicable = rowsWith(result, 'inapplicable').filter((id) => id === 'errors/wrong-type');
    expectClean(result, { form: 'B', inapplicable: [...leftOut('B'), ...inapplicable] });
    const plainly = Object.values(parameters.properties as Members).some(
      (schema) => typeof (schema as Members).type === 'string',
    );
    if (plainly) expect(inapplicable).toEqual([]);
  });
});

describe.concurrent('schemas that the harness cannot apply', () => {
  const beyond: readonly (readonly [name: string, parameters: Members])[] = [
    [
      'a reference to another address',
      {
        properties: {
          text,
          more: { $ref: 'https://example.com/more.json', type: 'object', description: 'More.' },
        },
      },
    ],
    ['an old draft', { $schema: 'http://json-schema.org/draft-04/schema#', properties: { text } }],
  ];
  test('a pattern with a look-ahead leaves nothing undecided where it is not needed', async () => {
    const ahead = { properties: { text: { ...text, pattern: '^(?!x)[a-z]+$' } } };
    const fn: OfferedFunction = {
      name: 'get-said',
      descriptor: {
        parameters: { type: 'object', ...ahead },
        returns: { type: 'object', properties: { said: text } },
        examples: [{ parameters: { text: 'a' } }],
      },
      run: () => ({ said: 'a' }),
    };
    const result = await checkTarget(serve(offering('B', [fn], {})), {
      samples: {},
      only: ['capabilities/*'],
    });
    expect(result.findings).toEqual([]);
    expect(result.verdict).toBe('pass');
  });

  test.each(beyond)('%s is undecided, never failed', async (_name, more) => {
    const returns = { type: 'object', properties: { said: text } };
    const fn: OfferedFunction = {
      name: 'get-said',
      descriptor: {
        parameters: { type: 'object', ...more },
        returns,
        examples: [{ parameters: { text: 'a' } }],
      },
      run: () => ({ said: 'a' }),
    };
    const answer = offering('B', [fn], {});
    const result = await checkTarget(serve(answer), { samples: {}, only: ['capabilities/*'] });
    expect(rowsWith(result, 'failed', 'blocked')).toEqual([]);
    expect(rowsWith(result, 'undecided')).toEqual(['capabilities/schema-valid']);
    expect(result.findings.map(({ fault }) => fault)).toEqual(['harness']);
    expect(result.verdict).toBe('incomplete');
  });
});

describe.concurrent('functions that need nothing', () => {
  test.each(FORMS)('count an empty example as an example, form %s', async (form) => {
    const fn: OfferedFunction = {
      name: 'ping',
      descriptor: described(form, [], ['pong'], [{}]),
      run: () => ({ pong: 'now' }),
    };
    const result = await checkTarget(serve(offering(form, [fn])), { samples: {} });
    expect(findingsInBrief(result)).toEqual([]);
    expect(rowsWith(result, 'passed')).toContain('documentation/examples');
  });

  test.each(FORMS)('one that has no parameter, form %s', async (form) => {
    const fn: OfferedFunction = {
      name: 'ping',
      descriptor: described(form, [], ['pong']),
      run: () => ({ pong: 'now' }),
    };
    const configured = { ping: [{ input: {} }] };
    const result = await checkTarget(serve(offering(form, [fn])), { samples: configured });
    expectClean(result, {
      form,
      inapplicable: [
        ...NO_FAILING_SAMPLE,
        ...(form === 'A'
          ? INDISTINGUISHABLE
          : [
              'capabilities/parameters-typed',
              'capabilities/required-declared',
              'documentation/parameter-descriptions',
              'documentation/parameter-types',
              'errors/missing-required',
              'errors/wrong-type',
            ]),
      ],
    });
  });

  test('form B: optional parameters only, and no list of required ones', async () => {
    const parameters = { type: 'object', properties: { text } };
    const returns = { type: 'object', properties: { said: text } };
    const fn: OfferedFunction = {
      name: 'get-said',
      descriptor: { parameters, returns, examples: [{ parameters: {} }] },
      run: ({ text: given = 'nothing' }) => ({ said: given }),
    };
    expectClean(await checkTarget(serve(offering('B', [fn])), { samples: {} }), {
      form: 'B',
      inapplicable: [...NO_FAILING_SAMPLE, 'capabilities/required-declared', 'errors/missing-required'],
    });
  });

  test.each(FORMS)('one that returns nothing, form %s', async (form) => {
    const fn: OfferedFunction = {
      name: 'forget',
      descriptor: described(form, ['text'], [], [{ input: { text: 'a' } }]),
      run: () => ({}),
    };
    expectClean(await checkTarget(serve(offering(form, [fn, echoing(form, 'echo')])), { samples: {} }), {
      form,
      inapplicable: form === 'A' ? NO_FAILING_SAMPLE : leftOut(form),
    });
  });
});

describe.concurrent('a function that takes no input and refuses to be called now', () => {
  const refusing = (form: Form, body?: unknown): OfferedFunction => ({
    name: 'checkout',
    descriptor: described(form, [], ['order']),
    run: () => {
      throw new Refusal(409, body ?? { error: { code: 'CART_EMPTY', message: 'The cart is empty.' } });
    },
  });

  test.each(FORMS)('is undecided, not failed, form %s', async (form) => {
    const functions = [echoing(form, 'echo'), refusing(form)];
    const result = await checkTarget(serve(offering(form, functions)), { samples: {} });
    expect(rowsWith(result, 'failed')).toEqual(['documentation/examples']);
    expect(rowsWith(result, 'undecided')).toEqual([]);
    expect(rowsWith(result, 'passed')).toEqual(
      expect.arrayContaining(['errors/error-body', 'execute/status-200']),
    );
    expect(result).toMatchObject({
      verdict: 'pass',
      coverage: { exercised: 1, needed: 1, notExercised: [{ function: 'checkout' }] },
    });
    const [undecided] = result.findings.filter(({ outcome }) => outcome === 'undecided');
    expect(undecided).toMatchObject({
      message: '"checkout" takes no input, and refused the call',
      where: { function: 'checkout' },
    });
    expect(undecided?.fix).toContain('samples: "checkout"');
  });

  test.each(FORMS)('fails if the error body has another form, form %s', async (form) => {
    const functions = [echoing(form, 'echo'), refusing(form, { detail: 'The cart is empty.' })];
    const result = await checkTarget(serve(offering(form, functions)), { samples: {} });
    expect(rowsWith(result, 'failed')).toEqual([
      'documentation/examples',
      'execute/status-200',
      'errors/error-body',
    ]);
  });
});

describe.concurrent('keys of a result', () => {
  const answering = (returns: Members, result: Members): OfferedFunction => ({
    name: 'weather',
    descriptor: {
      parameters: { type: 'object', properties: { text }, required: ['text'] },
      returns: { type: 'object', ...returns },
      examples: [{ parameters: { text: 'Oslo' } }],
    },
    run: () => result,
  });
  const temperature = { type: 'number' };
  const allowed: readonly (readonly [what: string, returns: Members, result: Members])[] = [
    ['an optional key is missing', { properties: { temperature, wind: temperature } }, { temperature: 2 }],
    ['an additional key', { properties: { temperature } }, { temperature: 2, wind: 3 }],
    [
      'additional keys that the schema allows',
      { properties: { temperature }, additionalProperties: true },
      { wind: 3 },
    ],
    [
      'the keys of an alternative',
      { properties: { temperature }, oneOf: [{ properties: { problem: text }, required: ['problem'] }] },
      { problem: 'no such city' },
    ],
  ];

  test.each(allowed)('%s', async (_, returns, result) => {
    const target = serve(offering('B', [answering(returns, result), echoing('B', 'echo')]));
    const checked = await checkTarget(target, { samples: {} });
    expect(findingsInBrief(checked)).toEqual([]);
    expect(checked.verdict).toBe('pass');
  });

  test('a misspelt key is a warning', async () => {
    const returns = { properties: { temperature } };
    const target = serve(offering('B', [answering(returns, { temprature: 2, debug: 1 })]));
    const checked = await checkTarget(target, { samples: {} });
    expect(rowsWith(checked, 'failed')).toEqual(['execute/result-keys-declared']);
    expect(checked.findings[0]).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining('did you mean "temperature"?'),
    });
    expect(checked.verdict).toBe('pass');
  });
});

describe.concurrent('form B: functions that accept calls without required parameters', () => {
  test('cause only warnings, and leave nothing undecided', async () => {
    const reference = offering('B', [echoing('B', 'echo')]);
    // Without validation, any input is used.
    const lenient = serve(async (request) => {
      const answer = await reference(request);
      const { requestId } = answer.body.includes('INVALID_INPUT') ? (JSON.parse(answer.body) as Members) : {};
      if (requestId === undefined) return answer;
      return jsonAnswer(200, { requestId, result: { said: 'undefined' }, executionTime: 0 });
    });
    const result = await checkTarget(lenient, { samples: {}, skip: BEYOND_CONTRACT });
    expect(rowsWith(result, 'failed')).toEqual([
      'errors/missing-required',
      'errors/wrong-type',
      'inputs/invalid-refused',
    ]);
    expect(rowsWith(result, 'blocked', 'undecided')).toEqual([]);
    expect(rowsWith(result, 'passed')).toEqual(expect.arrayContaining(['errors/error-request-id']));
    expect(result.verdict).toBe('pass');
  });

  test('cause only warnings if they close the connection', async () => {
    const result = await checkTarget(
      serve(offering('B', [echoing('B', 'echo')]), {
        write: (response, answer) => {
          if (answer.body.includes('INVALID_INPUT')) return void response.destroy();
          response.writeHead(answer.status, answer.headers).end(answer.body);
        },
      }),
      { samples: {}, skip: BEYOND_CONTRACT },
    );
    expect(rowsWith(result, 'failed')).toEqual([
      'errors/missing-required',
      'errors/wrong-type',
      'inputs/invalid-refused',
    ]);
    expect(rowsWith(result, 'blocked', 'undecided')).toEqual([]);
    expect(result.verdict).toBe('pass');
  });
});

describe.concurrent('functions without any example', () => {
  test.each(FORMS)(
    'generated inputs are accepted, and only the examples are missing, form %s',
    async (form) => {
      const plain = (name: string, inputs: readonly string[]): OfferedFunction => ({
        name,
        descriptor: described(form, inputs, ['said']),
        run: (input) => ({ said: inputs.map((key) => String(input[key])).join(' ') }),
      });
      const functions = [
        plain('welcome', ['name']),
        plain('look-up', ['city', 'language']),
        plain('now', []),
      ];
      const result = await checkTarget(serve(offering(form, functions)), { samples: {} });
      expect(rowsWith(result, 'failed')).toEqual(['documentation/examples']);
      expect(rowsWith(result, 'blocked', 'undecided')).toEqual([]);
      expect(result.findings.map(({ severity, outcome }) => [severity, outcome])).toEqual(
        functions.map(() => ['warning', 'failed']),
      );
      expect(result.verdict).toBe('pass');
    },
  );

  test('form B: inputs are generated from the schemas', async () => {
    const parameters = {
      type: 'object',
      $defs: { day: { type: 'string', format: 'date', description: 'A day.' } },
      properties: {
        count: { type: 'integer', minimum: 3, multipleOf: 4, description: 'How many.' },
        share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1, description: 'A share.' },
        mode: { enum: ['fast', 'slow'], type: 'string', description: 'How.' },
        on: { $ref: '#/$defs/day' },
        tags: { type: 'array', items: { type: 'string', minLength: 12 }, minItems: 2, description: 'Tags.' },
        place: {
          type: 'object',
          properties: { lat: { type: 'number' }, lon: { type: 'number' } },
          required: ['lat', 'lon'],
          description: 'Where.',
        },
        flag: { const: true, type: 'boolean', description: 'Always on.' },
      },
      required: ['count', 'share', 'mode', 'on', 'tags', 'place', 'flag'],
    };
    const fn: OfferedFunction = {
      name: 'plan',
      descriptor: { parameters, returns: { type: 'object', properties: { done: { type: 'boolean' } } } },
      run: () => ({ done: true }),
    };
    const result = await checkTarget(serve(offering('B', [fn])), { samples: {} });
    expect(rowsWith(result, 'failed')).toEqual(['documentation/examples']);
    expect(rowsWith(result, 'blocked', 'undecided')).toEqual([]);
    expect(result.verdict).toBe('pass');
  });
});

describe.concurrent('a generated input that is refused', () => {
  const refusals: readonly (readonly [name: string, refusal: Refusal])[] = [
    ['400 with an error body', new Refusal(400)],
    ['404 for what the input names', new Refusal(404, { error: { code: 'NO_SUCH_CITY', message: 'No.' } })],
    ['409', new Refusal(409)],
    ['422', new Refusal(422)],
    ['500 as of a failing handler', new Refusal(500, { error: { code: 'EXECUTION_ERROR', message: 'No.' } })],
    ['503', new Refusal(503)],
  ];
  function picky(form: Form, name: string, refusal: Refusal): OfferedFunction {
    return {
      name,
      descriptor: described(form, ['city'], ['found']),
      run: () => {
        throw refusal;
      },
    };
  }

  test.each(FORMS)('is undecided, with advice that names the function, form %s', async (form) => {
    const functions = [
      echoing(form, 'echo'),
      ...refusals.map(([name, refusal]) => picky(form, name, refusal)),
    ];
    const result = await checkTarget(serve(offering(form, functions)), { samples: {} });
    expect(result.verdict).toBe('incomplete');
    expect(result.coverage).toMatchObject({ exercised: 1, needed: 4 });
    expect(result.coverage?.notExercised.map((one) => one.function)).toEqual(refusals.map(([name]) => name));
    expect(rowsWith(result, 'undecided')).toEqual([]);
    const undecided = result.findings.filter(({ outcome }) => outcome === 'undecided');
    expect(undecided.map(({ where, fault }) => [where.function, fault])).toEqual(
      refusals.map(([name]) => [name, 'harness']),
    );
    for (const { where, fix } of undecided) expect(fix).toContain(JSON.stringify(where.function));
    expect(rowsWith(result, 'failed')).toEqual(['documentation/examples']);
  });

  test.each(FORMS)('is undecided also without another function, form %s', async (form) => {
    const result = await checkTarget(serve(offering(form, [picky(form, 'look-up', new Refusal(422))])), {
      samples: {},
    });
    expect(rowsWith(result, 'failed')).toEqual(['documentation/examples']);
    expect(rowsWith(result, 'undecided')).toEqual(['execute/status-200']);
    expect(result.results.flatMap(({ blockedBy }) => blockedBy ?? [])).toEqual(
      rowsWith(result, 'blocked').map(() => 'execute/status-200'),
    );
    expect(result.verdict).toBe('incomplete');
  });

  test.each(FORMS)('must still be refused in the form of an error body, form %s', async (form) => {
    const functions = [
      echoing(form, 'echo'),
      picky(form, 'look-up', new Refusal(400, { message: 'validation failed' })),
    ];
    const result = await checkTarget(serve(offering(form, functions)), { samples: {} });
    expect(rowsWith(result, 'failed')).toEqual(['documentation/examples', 'errors/error-body']);
    expect(rowsWith(result, 'undecided')).toEqual([]);
    const [finding] = result.findings.filter(({ id }) => id === 'errors/error-body');
    expect(finding).toMatchObject({
      severity: form === 'A' ? 'warning' : 'error',
      message: 'the answer has status 400, and error is missing',
      where: { function: 'look-up' },
    });
    expect(result.verdict).toBe(form === 'A' ? 'pass' : 'fail');
  });

  test.each(FORMS)('fails if it is a configured sample, form %s', async (form) => {
    const functions = [echoing(form, 'echo'), picky(form, 'look-up', new Refusal(422))];
    const result = await checkTarget(serve(offering(form, functions)), {
      samples: { 'look-up': [{ input: { city: 'Paris' } }] },
    });
    expect(rowsWith(result, 'failed')).toEqual(['execute/status-200']);
    expect(result.verdict).toBe('fail');
    expect(findingsInBrief(result)).toHaveLength(1);
    expect(result.findings[0]?.where.function).toBe('look-up');
  });

  test.each(FORMS)('fails if it is an example of the descriptor, form %s', async (form) => {
    const { run } = picky(form, 'look-up', new Refusal(400));
    const descriptor = described(form, ['city'], ['found'], [{ input: { city: 'Paris' } }]);
    const functions = [echoing(form, 'echo'), { name: 'look-up', descriptor, run }];
    const result = await checkTarget(serve(offering(form, functions)), { samples: {} });
    expect(rowsWith(result, 'failed')).toEqual(['execute/status-200']);
    expect(result.verdict).toBe('fail');
  });
});
