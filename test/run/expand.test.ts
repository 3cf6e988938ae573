import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/check/run-settings.ts';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import type { RunSettings } from '../../src/model/report.ts';
import { bytesOf, wholeBody } from '../../src/model/sent.ts';
import type { Step } from '../../src/model/suite.ts';
import { type Expansion, expandStep } from '../../src/run/calls/expand.ts';
import type { ExpandContext, PlannedInstance } from '../../src/run/calls/expand-context.ts';
import type { HttpRequest } from '../../src/run/calls/http-request.ts';
import type { InstanceRequest } from '../../src/run/calls/make-request.ts';
import { createRestraint } from '../../src/run/calls/restraint.ts';
import { NOTHING_SEEN } from '../../src/run/calls/seen-changes.ts';
import { MET, type Prerequisite } from '../../src/run/state/exchange-judge.ts';
import { loadText, suiteOf } from '../suite/loading.ts';

const schemas = createSchemaEvaluator();
const READ = `- id: read
  request: { get: /capabilities }
  expect: { status: { is: 200, id: read-ok } }
  save: { functions: { at: "$.functions[*]", many: true }, token: { at: $.token } }
`;
const LOOP = 'forEach: { in: "${functions}", as: fn, key: "${fn.name}" }';

const stepOf = (text: string): Step => {
  const step = loadText(suiteOf(READ + text)).steps.find(({ id }) => id === 'mine/a');
  if (step === undefined) throw new Error('no step a');
  return step;
};

const A: JsonObject = { name: 'greet', inputs: ['name'], outputs: ['text'] };
const B: JsonObject = {
  name: 'add',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, note: { type: 'string' } },
    required: ['a', 'note'],
  },
  returns: {},
};

interface Parts {
  readonly functions?: readonly Json[];
  readonly settings?: Partial<RunSettings>;
  readonly form?: ExpandContext['form'];
  readonly succeeded?: ExpandContext['succeeded'];
  readonly calls?: ExpandContext['calls'];
}

function expand(
  text: string,
  { functions = [A, B], settings = {}, form = 'B', succeeded = null, calls = new Map() }: Parts = {},
): Expansion {
  return expandStep(stepOf(text), {
    unchosen: new Map(),
    settings: { ...settingsOf({ seed: 7 }), ...settings },
    saved: new Map<string, Json>([
      ['functions', functions],
      ['token', 't/1'],
    ]),
    form,
    opened: null,
    schemas,
    blockedWhenEmpty: 'capabilities/functions-not-empty',
    succeeded,
    costly: new Set(),
    calls,
    restraint: createRestraint(settingsOf({}), NOTHING_SEEN),
    accepted: new Map(),
  });
}

function instances(text: string, parts: Parts = {}): readonly PlannedInstance[] {
  const expansion = expand(text, parts);
  if (expansion.kind !== 'instances') throw new Error(JSON.stringify(expansion));
  return expansion.instances;
}

const keys = (text: string, parts: Parts = {}): readonly string[] =>
  instances(text, parts).map(({ key }) => key);
const bodies = (text: string, parts: Parts = {}): readonly unknown[] =>
  instances(text, parts).map(({ request }) => JSON.parse(bytesOf(httpOf(request)?.body ?? []).toString()));

/** What is sent to a server of the REST contract. */
function httpOf(request: InstanceRequest | null | undefined): HttpRequest | null {
  if (request == null || 'path' in request) return request ?? null;
  throw new Error('a message of the Model Context Protocol');
}

const step = (request: string, rest = ''): string =>
  `- id: a\n  needs: [read]\n  request: ${request}\n  expect: { status: { is: 200, id: ok } }${rest === '' ? '' : `\n  ${rest}`}`;

describe('instances', () => {
  test('one without a loop', () => {
    expect(instances(step('{ get: "/x/${token}", headers: { X-Seed: "s${run.seed}" } }'))).toEqual([
      {
        key: 'mine/a',
        item: undefined,
        functionName: null,
        caseId: null,
        call: null,
        request: {
          method: 'GET',
          path: '/x/t%2F1',
          headers: [['x-seed', 's7']],
          body: null,
          abortAfterBytes: null,
          anonymous: false,
          keepConnection: false,
          scheme: null,
          token: null,
          timeoutMs: null,
          from: null,
          upgrade: null,
        },
      },
    ]);
  });

  test('one for each item and each case', () => {
    expect(
      keys(
        step('{ get: "/${fn.name}/${case.x}" }', `${LOOP}\n  cases: [{ id: one, x: 1 }, { id: two, x: 2 }]`),
      ),
    ).toEqual(['mine/a[greet](one)', 'mine/a[greet](two)', 'mine/a[add](one)', 'mine/a[add](two)']);
  });

  test('two functions with the same name have separate exchanges', () => {
    expect(keys(step('{ get: "/${fn.name}" }', LOOP), { functions: [A, A, A] })).toEqual([
      'mine/a[greet]',
      'mine/a[greet]|2',
      'mine/a[greet]|3',
    ]);
  });

  test('a long name is shortened and still unique', () => {
    const long = (end: string): JsonObject => ({ ...A, name: `${'x'.repeat(200)}${end}` });
    const [first, second] = keys(step('{ get: / }', LOOP), { functions: [long('a'), long('b')] });
    expect(first?.length).toBeLessThan(120);
    expect(first).not.toBe(second);
  });

  test('only matching items, only successful ones, only the first ones', () => {
    const where = LOOP.replace(' }', ', where: { required: [parameters] } }');
    expect(keys(step('{ get: / }', where))).toEqual(['mine/a[add]']);
    const first = LOOP.replace(' }', ', first: 1 }');
    expect(keys(step('{ get: / }', first))).toEqual(['mine/a[greet]']);
    const succeeded = new Map<Json, Prerequisite>([
      [A, { met: false, by: 'mine/read-ok' }],
      [B, MET],
    ]);
    expect(keys(step('{ get: / }', LOOP), { succeeded })).toEqual(['mine/a[add]']);
  });

  test('a function whose calls are used up is chosen last', () => {
    const first = LOOP.replace(' }', ', first: 1 }');
    const functions = [
      { name: 'whoAmI', description: 'The user of a session.' },
      { name: 'login', description: 'Opens a session.' },
    ];
    const afterCalls = (whoAmI: number, login: number): readonly string[] =>
      keys(step('{ execute: "${fn.name}" }', first), {
        functions,
        calls: new Map([
          ['whoAmI', whoAmI],
          ['login', login],
        ]),
      });
    expect(afterCalls(9, 0)).toEqual(['mine/a[whoAmI]@B']);
    expect(afterCalls(10, 0)).toEqual(['mine/a[login]@B']);
    expect(afterCalls(10, 10)).toEqual(['mine/a[whoAmI]@B']);
  });

  test('an empty loop is not a pass', () => {
    expect(expand(step('{ get: / }', LOOP), { functions: [] })).toEqual({
      kind: 'blocked',
      by: 'capabilities/functions-not-empty',
    });
    expect(
      expand(step('{ get: / }', LOOP), {
        succeeded: new Map<Json, Prerequisite>([
          [A, { met: false, by: 'mine/x' }],
          [B, { met: false, by: 'mine/y' }],
        ]),
      }),
    ).toEqual({
      kind: 'blocked',
      by: 'mine/x',
    });
    expect(expand(step('{ get: / }', LOOP.replace(' }', ', where: { required: [nope] } }')))).toEqual({
      kind: 'inapplicable',
      reason: 'the step applies to none of the requested items',
    });
  });

  test('items that cannot be judged leave the step undecided', () => {
    const where = (schema: string) => LOOP.replace(' }', `, where: { properties: { name: ${schema} } } }`);
    const loop = step('{ get: / }', where("{ pattern: '^g(?=r)r|(?<=x)y' }"));
    expect(expand(loop)).toMatchObject({
      kind: 'undecided',
      doubt: { expected: 'a schema that can be applied' },
    });
    const settled = where("{ anyOf: [{ const: add }, { pattern: '(?<=x)y' }] }");
    expect(keys(step('{ get: / }', settled))).toEqual(['mine/a[add]']);
  });

  test('items beyond the limit of loops are recorded', () => {
    const functions = Array.from({ length: 10 }, (_, index): JsonObject => ({ ...A, name: `f${index}` }));
    const expansion = expand(step('{ get: / }', LOOP), { functions, settings: { maxItems: 3 } });
    expect(expansion).toMatchObject({
      kind: 'instances',
      omission: { step: 'mine/a', listed: 10, called: 3 },
    });
    expect(keys(step('{ get: / }', LOOP), { functions, settings: { maxItems: 3 } })).toEqual([
      'mine/a[f0]',
      'mine/a[f3]',
      'mine/a[f6]',
    ]);
    expect(expand(step('{ get: / }', LOOP))).toMatchObject({ omission: null });
  });
});

describe('bodies', () => {
  test('JSON, text, bytes, and none', () => {
    const sent = (request: string) => httpOf(instances(step(request))[0]?.request);
    expect(sent('{ post: /x, body: { seed: "${run.seed}", list: ["a${run.seed}"] } }')).toMatchObject({
      method: 'POST',
      headers: [['content-type', 'application/json']],
      body: wholeBody(Buffer.from('{"seed":7,"list":["a7"]}')),
    });
    expect(sent('{ post: /x, body: {}, headers: { Content-Type: text/plain } }')?.headers).toEqual([
      ['content-type', 'text/plain'],
    ]);
    expect(sent('{ post: /x, raw: "{${run.seed}" }')).toMatchObject({
      headers: [],
      body: wholeBody(Buffer.from('{7')),
    });
    expect(sent('{ post: /x, raw: { text: "ab", times: 3 } }')?.body).toEqual([
      { bytes: Buffer.from('ab'), times: 3 },
    ]);
    const parts = sent(
      '{ post: /x, raw: ["a", { json: ["${run.seed}"] }, { text: "", times: 9 }, { text: b, times: 2 }] }',
    );
    expect(bytesOf(parts?.body ?? []).toString()).toBe('a[7]bb');
    expect(bytesOf(sent('{ post: /x, raw: { base64: AP8=, times: 2 } }')?.body ?? [])).toEqual(
      Buffer.from([0, 255, 0, 255]),
    );
    expect(sent('{ post: /x, abort: { afterBytes: 5 } }')).toMatchObject({ body: null, abortAfterBytes: 5 });
  });
});

describe('calls', () => {
  const call = (rest = ''): string => step(`{ execute: "\${fn.name}"${rest} }`, LOOP);

  test('are written in the form of the target', () => {
    expect(bodies(call(), { form: 'A', functions: [A] })).toEqual([
      { function: 'greet', input: { name: 'probity' } },
    ]);
    expect(bodies(call(), { form: 'B', functions: [B] })).toEqual([
      {
        function: 'add',
        parameters: { a: 1, note: 'probity' },
        requestId: expect.stringMatching(/^probity-7-[0-9a-f]{10}$/),
      },
    ]);
    expect(instances(call(), { functions: [B] })[0]).toMatchObject({
      key: 'mine/a[add]@B',
      functionName: 'add',
      item: B,
      call: { form: 'B', functionName: 'add', inputSource: 'assembled' },
      request: { method: 'POST', path: '/execute', headers: [['content-type', 'application/json']] },
    });
  });

  test('have a given request id, a generated one, or none', () => {
    expect(bodies(call(', requestId: none'), { functions: [B] })[0]).not.toHaveProperty('requestId');
    expect(bodies(call(', requestId: "id ${run.seed}"'), { functions: [B] })[0]).toMatchObject({
      requestId: 'id 7',
    });
    const made = bodies(call(), { functions: [B, { ...B, name: 'other' }] }) as { requestId: string }[];
    expect(new Set(made.map(({ requestId }) => requestId)).size).toBe(2);
    expect(bodies(call(), { functions: [B] })).toEqual(bodies(call(), { functions: [B] }));
  });

  test('one for each configured sample, each with its own key', () => {
    const samples = { add: [1, 2, 3].map((a) => ({ input: { a }, fails: a === 2 })) };
    expect(keys(call(), { functions: [B], settings: { samples } })).toEqual([
      'mine/a[add]@B',
      'mine/a[add]@B~2',
    ]);
    expect(bodies(call(', arguments: failing'), { functions: [B], settings: { samples } })).toMatchObject([
      { parameters: { a: 2 } },
    ]);
  });

  test('only one, marked as proven, if the input succeeded before', () => {
    const samples = { add: [1, 3].map((a) => ({ input: { a }, fails: false })) };
    const looping = LOOP.replace(' }', ', succeeded: read }');
    const succeeded = new Map<Json, Prerequisite>([[B, MET]]);
    const made = instances(step('{ execute: "${fn.name}" }', looping), { settings: { samples }, succeeded });
    expect(made.map(({ call: planned }) => [planned?.input, planned?.inputSource])).toEqual([
      [{ a: 1 }, 'proven'],
    ]);
  });

  test('with arguments as given, references included', () => {
    expect(
      bodies(call(', arguments: { a: "${run.seed}", who: "it is ${fn.name}" }'), { functions: [B] }),
    ).toMatchObject([{ parameters: { a: 7, who: 'it is add' } }]);
  });

  test('without any input', () => {
    expect(bodies(call(', arguments: omitted, requestId: none'), { functions: [B] })).toEqual([
      { function: 'add' },
    ]);
  });

  test('distinct: the valid input first, then unique values', () => {
    const names = (
      bodies(`${call(', arguments: distinct')}\n  repeat: { times: 3, atOnce: true }`, {
        functions: [A],
        form: 'A',
      }) as {
        input: { name: string };
      }[]
    ).map(({ input }) => input.name);
    expect(names).toEqual([
      'probity',
      expect.stringMatching(/^probe-[a-z]{10}$/),
      expect.stringMatching(/^probe-[a-z]{10}$/),
    ]);
    expect(new Set(names).size).toBe(3);
  });

  test('of a function that is not listed', () => {
    const unlisted = (name: string): string => step(`{ execute: ${name}, unlisted: true, arguments: {} }`);
    expect(keys(unlisted('nobody'))).toEqual(['mine/a@B']);
    expect(expand(unlisted('add'))).toEqual({
      kind: 'inapplicable',
      reason: 'the target lists a function called "add"',
    });
    expect(keys(unlisted('__proto__'))).toEqual(['mine/a@B']);
  });

  test.each([
    ['failing', 'no sample in the configuration is marked as failing'],
    ['missing-required', 'no function requires a parameter'],
    ['wrong-type', 'no function has a parameter of one type'],
  ])('that are impossible: %s', (kind, reason) => {
    expect(
      expand(call(`, arguments: ${kind}`), { functions: [{ name: 'now', parameters: {}, returns: {} }] }),
    ).toEqual({
      kind: 'inapplicable',
      reason,
    });
  });

  test('sent concurrently are separate, each with its own id and mark', () => {
    const made = instances(
      step('{ execute: "${fn.name}", arguments: distinct }', `${LOOP}\n  repeat: { times: 2, atOnce: true }`),
      {
        functions: [B],
      },
    );
    expect(made.map(({ key }) => key)).toEqual(['mine/a[add]@B', 'mine/a[add]@B=2']);
    expect(new Set(made.map(({ call: planned }) => planned?.requestId)).size).toBe(2);
    expect(new Set(made.map(({ call: planned }) => planned?.input?.note)).size).toBe(2);
  });

  test('cannot be written before the form is known', () => {
    expect(expand(call(), { form: null }).kind).toBe('blocked');
  });
});

describe('values of a target', () => {
  test('that are missing block the step', () => {
    expect(expand(step('{ get: "/${fn.gone}" }', LOOP)).kind).toBe('blocked');
  });

  test('are encoded in a path, even a lone surrogate', () => {
    const odd = [{ name: '../x?y#z' }, { name: '\uD800' }, { name: '%2F' }];
    expect(
      instances(step('{ get: "/${fn.name}" }', LOOP), { functions: odd }).map(
        ({ request }) => httpOf(request)?.path,
      ),
    ).toEqual(['/..%2Fx%3Fy%23z', '/%EF%BF%BD', '/%252F']);
  });
});
