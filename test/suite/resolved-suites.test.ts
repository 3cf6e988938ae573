import { describe, expect, test } from 'vitest';
import { loadText, product } from './loading.ts';

const EVERYTHING = `suite: v1
id: mine
title: All that a suite can say
defaults:
  headers: { X-Suite: mine, x-seed: "\${run.seed}" }
  retry: { attempts: 3, waitMs: 10, on: [503, unanswered] }
steps:
  - id: read
    request: { get: /capabilities, headers: { x-suite: read } }
    expect:
      status: [{ is: [200, 2xx], id: read-ok, level: MUST, why: It is read., fix: Serve it. }, { not: 5xx, id: no-5xx }]
      headers:
        - { name: Content-Type, is: { pattern: json }, id: typed }
        - { name: Set-Cookie, absent: true, id: no-cookie }
      body:
        - { at: $.functions, is: { type: [array, "null"] }, requirement: capabilities/functions-array }
        - { at: "$.functions[*].name", count: 2, id: two, when: { form: A, present: $.functions } }
        - { at: "$.functions[*].name", any: { const: add }, id: has-add, needs: capabilities/functions-array }
        - { at: $.password, absent: true, id: no-password, needs: has-add }
      checks:
        - { check: properties-typed, with: { in: returns }, id: typed-returns }
      time: { maxMs: 500, id: quick }
    save:
      functions: { at: "$.functions[*]", many: true, needs: read-ok }
      first: { at: "$.functions[0]" }
  - id: call
    title: call them all
    needs: [read]
    forEach: { in: "\${functions}", as: fn, key: "\${fn.name}", where: { required: [name] }, succeeded: sampled, first: 3 }
    cases: [{ id: a, text: x }, { id: b, text: "y" }]
    request:
      execute: "\${fn.name}"
      arguments: { text: "\${case.text}", list: [1, "\${first.name}"] }
      requestId: none
      unlisted: true
      abort: { afterBytes: 10 }
      retry: { attempts: 2, on: [500] }
    repeat: { times: 2, apartMs: 100 }
    when: { form: B }
    expect: { status: { is: 200, id: call-ok } }
  - id: sampled
    needs: [read]
    forEach: { in: "\${functions}", as: fn, key: "\${fn.name}" }
    request: { execute: "\${fn.name}" }
    experiment: { timed-calls: 72 }
    expect: { budget: [{ p50Ms: 10, p95Ms: 20, id: fast }, { maxMs: 30, id: faster }], status: { is: 200, id: sampled-ok } }
  - id: bytes
    request: { post: /upload, raw: { base64: aGk=, times: 3 } }
    expect: { status: { is: 4xx, id: bytes-ok } }
  - id: text
    request: { post: /upload, raw: "not json \${run.seed}" }
    expect: { status: { is: 4xx, id: text-ok } }
  - id: json
    request: { post: /upload, body: { a: [1, null, true, "\${run.seed}"] } }
    phase: finally
    expect: { status: { is: 4xx, id: json-ok } }
  - id: judge
    use: { health: health/read, own: read }
    expect: { checks: [{ check: versions-agree, id: agree }] }
`;

const suite = loadText(EVERYTHING, product.suites);
const stepNamed = (id: string) => {
  const step = suite.steps.find((candidate) => candidate.id === `mine/${id}`);
  if (step === undefined) throw new Error(`no step ${id}`);
  return step;
};
const place = (line: number, column: number) => ({ file: 'mine.suite.yaml', line, column });
const NO_CONDITION = {
  form: null,
  channel: null,
  address: null,
  era: null,
  since: null,
  until: null,
  capability: null,
  present: null,
  otherwise: null,
};

describe('a valid suite', () => {
  test('has its steps in the order of the file', () => {
    expect(suite).toMatchObject({ id: 'mine', title: 'All that a suite can say', file: 'mine.suite.yaml' });
    expect(suite.steps.map(({ id }) => id)).toEqual(
      ['read', 'call', 'sampled', 'bytes', 'text', 'json', 'judge'].map((id) => `mine/${id}`),
    );
  });

  test('has steps with all defaults', () => {
    expect(stepNamed('bytes')).toEqual({
      id: 'mine/bytes',
      title: 'bytes',
      where: place(47, 9),
      request: {
        kind: 'post',
        path: '/upload',
        headers: { 'x-suite': 'mine', 'x-seed': '${run.seed}' },
        body: { kind: 'raw', parts: [{ kind: 'base64', base64: 'aGk=', times: 3 }] },
        anonymous: false,
        keepConnection: false,
        scheme: null,
        token: null,
        timeoutMs: null,
        abort: null,
        retry: { attempts: 3, waitMs: 10, on: [503, 'unanswered'] },
      },
      use: { kind: 'none' },
      needs: [],
      when: NO_CONDITION,
      phase: null,
      experiment: null,
      rounds: { forEach: null, cases: null, times: 1, apartMs: 0, soonerMs: null, copies: 1, alone: false },
      expect: [
        {
          requirement: 'mine/bytes-ok',
          level: 'SHOULD',
          text: '',
          where: place(49, 23),
          why: '',
          fix: '',
          spec: '-',
          when: NO_CONDITION,
          needs: null,
          kind: 'status',
          is: ['4xx'],
          not: null,
        },
      ],
      save: {},
    });
  });

  test('has a step with all keys', () => {
    expect(stepNamed('call')).toMatchObject({
      title: 'call them all',
      needs: ['mine/read'],
      when: { form: 'B', present: null, otherwise: null },
      rounds: {
        forEach: {
          in: '${functions}',
          as: 'fn',
          key: '${fn.name}',
          where: { required: ['name'] },
          succeeded: 'mine/sampled',
          first: 3,
        },
        cases: [
          { id: 'a', text: 'x' },
          { id: 'b', text: 'y' },
        ],
        times: 2,
        apartMs: 100,
        copies: 1,
      },
      request: {
        kind: 'execute',
        function: '${fn.name}',
        unlisted: true,
        arguments: { kind: 'given', value: { text: '${case.text}', list: [1, '${first.name}'] } },
        requestId: 'none',
        headers: { 'x-suite': 'mine' },
        abort: { afterBytes: 10 },
        retry: { attempts: 2, waitMs: 0, on: [500] },
      },
    });
  });

  test('has assertions in the order of judgement', () => {
    const shown = stepNamed('read').expect.map(({ requirement, kind, level, needs }) =>
      [requirement, kind, level, needs].join(' '),
    );
    expect(shown).toEqual([
      'mine/read-ok status MUST ',
      'mine/no-5xx status SHOULD ',
      'mine/typed-returns check SHOULD ',
      'mine/typed header SHOULD ',
      'mine/no-cookie header SHOULD ',
      'capabilities/functions-array body MUST ',
      'mine/two body SHOULD ',
      'mine/has-add body SHOULD capabilities/functions-array',
      'mine/no-password body SHOULD mine/has-add',
      'mine/quick time SHOULD ',
    ]);
    expect(stepNamed('read').expect).toMatchObject([
      { is: [200, '2xx'], not: null, why: 'It is read.', fix: 'Serve it.', spec: '-' },
      { is: null, not: ['5xx'] },
      { check: 'properties-typed', options: { in: 'returns' } },
      { name: 'content-type', expectation: { kind: 'is', schema: { pattern: 'json' } } },
      { name: 'set-cookie', expectation: { kind: 'absent' } },
      { at: '$.functions', expectation: { kind: 'is', schema: { type: ['array', 'null'] } } },
      { expectation: { kind: 'count', schema: { const: 2 } }, when: { form: 'A', present: '$.functions' } },
      { expectation: { kind: 'any', schema: { const: 'add' } } },
      { expectation: { kind: 'absent' } },
      { maxMs: 500 },
    ]);
  });

  test('has saved values, budgets, uses and bodies', () => {
    expect(stepNamed('read').save).toEqual({
      functions: {
        kind: 'found',
        at: '$.functions[*]',
        many: true,
        needs: { rest: 'mine/read-ok', mcp: 'mine/read-ok' },
        blockedBy: {},
      },
      first: {
        kind: 'found',
        at: '$.functions[0]',
        many: false,
        needs: { rest: null, mcp: null },
        blockedBy: {},
      },
    });
    expect(stepNamed('sampled').experiment).toEqual({ name: 'timed-calls', calls: 72 });
    expect(stepNamed('sampled').expect).toMatchObject([
      { kind: 'status' },
      { kind: 'budget', of: null, limitsMs: { p50: 10, p95: 20 }, requirement: 'mine/fast' },
      { kind: 'budget', of: null, limitsMs: { max: 30 }, requirement: 'mine/faster' },
    ]);
    expect(stepNamed('judge')).toMatchObject({
      request: null,
      use: {
        kind: 'named',
        steps: { health: { kind: 'step', id: 'health/read' }, own: { kind: 'step', id: 'mine/read' } },
      },
    });
    expect(stepNamed('text').request).toMatchObject({
      body: { kind: 'raw', parts: [{ kind: 'text', text: 'not json ${run.seed}', times: 1 }] },
    });
    expect(stepNamed('json')).toMatchObject({
      phase: 'finally',
      request: { body: { kind: 'json', value: { a: [1, null, true, '${run.seed}'] } } },
    });
  });

  test('overrides a header of the suite with one of the request, in any case', () => {
    expect(stepNamed('read').request?.headers).toEqual({ 'x-suite': 'read', 'x-seed': '${run.seed}' });
  });

  test('may have assertions that need any kind of assertion of an earlier step', () => {
    const text = `suite: v1
id: mine
title: T
steps:
  - id: first
    request: { get: / }
    experiment: { timed-calls: 6 }
    expect:
      status: { is: 200, id: ok }
      headers: [{ name: a, absent: true, id: bare }]
      body: [{ at: $, is: {}, id: body }]
      checks: [{ check: answered, id: there }]
      time: { maxMs: 5, id: quick }
      budget: { p50Ms: 5, id: fast }
  - id: second
    needs: [first]
    request: { get: / }
    expect:
      status:
        - { is: 200, id: a, needs: ok }
        - { is: 200, id: b, needs: bare }
        - { is: 200, id: c, needs: body }
        - { is: 200, id: d, needs: there }
        - { is: 200, id: e, needs: quick }
        - { is: 200, id: f, needs: fast }
`;
    expect(loadText(text).steps[1]?.expect.map(({ needs }) => needs)).toEqual(
      ['ok', 'bare', 'body', 'there', 'quick', 'fast'].map((id) => `mine/${id}`),
    );
  });
});
