import { describe, expect, test } from 'vitest';
import { OUTCOME_ORDER, worst } from '../../src/judge/worst.ts';
import type { PlannedCall } from '../../src/model/call.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import type { Finding } from '../../src/model/judgement.ts';
import type { Step } from '../../src/model/suite.ts';
import type { StepRun } from '../../src/run/state/record.ts';
import { type AnswerParts, call, type MeasurementParts, noAnswer } from '../checks/example.ts';
import { at, judge, outcomes, type RecordParts, ran, stepOf, stepsOf, TARGET, timedAs } from './judging.ts';

const FULL = `- id: read
  request: { get: /health }
  expect:
    status: [{ is: 200, id: ok }, { not: 201, id: second }]
    headers: [{ name: etag, is: { minLength: 1 }, id: tag }]
    body: [{ at: $.a, is: { type: string }, id: text }, { at: $.b, is: {}, id: needy, needs: text }]
    checks:
      - { check: answered, id: there }
      - { check: json-object, id: object }
      - { check: timestamp-iso8601, id: stamp, needs: text }
      - { check: same-functions, id: same, needs: needy }
    time: { maxMs: 100, id: quick }`;

const good = { a: 'x', b: 1, timestamp: '2026-01-31T12:00:00Z', functions: [] };

describe('what keeps an answer from being judged', () => {
  test('nothing', () => {
    const two = [at({ value: good, key: 'read#0' }), at({ value: good, key: 'read#1' })];
    expect(
      outcomes([ran(stepOf(FULL), { exchanges: two.slice(0, 1) })]).filter((one) => !one.endsWith('passed')),
    ).toEqual(['same: undecided']);
    const all = outcomes([ran(stepOf(FULL), { exchanges: two })]);
    expect(all.every((one) => one.endsWith(': passed'))).toBe(true);
    expect(new Set(all).size).toBe(10);
  });

  test('no answer: blocked by the requirement for an answer, which fails', () => {
    const reset = noAnswer({ code: 'connection-reset', fault: 'server', message: 'reset' });
    expect(outcomes([ran(stepOf(FULL), { exchanges: [reset] })])).toEqual([
      'ok: blocked by there',
      'second: blocked by there',
      'there: failed',
      'object: blocked by there',
      'stamp: blocked by there',
      'same: blocked by there',
      'tag: blocked by there',
      'text: blocked by there',
      'needy: blocked by there',
      'quick: blocked by there',
    ]);
  });

  test('no answer, without a check for it: the first assertion fails and blocks the others', () => {
    const step = stepOf(`- id: a
  request: { get: / }
  expect: { status: { is: 200, id: ok }, body: [{ at: $, is: {}, id: text }] }`);
    const reset = noAnswer({ code: 'connection-reset', fault: 'server', message: 'reset' });
    expect(outcomes([ran(step, { exchanges: [reset] })])).toEqual(['ok: failed', 'text: blocked by ok']);
    const late = noAnswer({ code: 'deadline', fault: 'harness', message: 'late' });
    expect(outcomes([ran(step, { exchanges: [late] })])).toEqual(['ok: undecided', 'text: blocked by ok']);
  });

  test('no answer without a name server: undecided', () => {
    const step = stepOf('- { id: a, request: { get: / }, expect: { status: { is: 200, id: ok } } }');
    const lost = noAnswer({ code: 'name-lookup-failed', fault: 'network', message: 'no DNS' });
    expect(outcomes([ran(step, { exchanges: [lost] })])).toEqual(['ok: undecided']);
  });

  test('no answer with several assertions of a requirement: an applicable one reports it', () => {
    const step = stepOf(`- id: a
  request: { get: / }
  expect:
    status: { is: 200, requirement: execute/status-200, when: { form: B } }
    body: [{ at: $, is: {}, requirement: execute/status-200 }, { at: $.x, is: {}, id: other }]`);
    const reset = noAnswer({ code: 'connection-reset', fault: 'server', message: 'reset' });
    const judged = (form: 'A' | 'B') => outcomes([ran(step, { exchanges: [reset] })], { form: { form } });
    expect(judged('B')).toEqual(['execute/status-200: failed', 'other: blocked by execute/status-200']);
    expect(judged('A')).toEqual([
      'execute/status-200: inapplicable',
      'execute/status-200: failed',
      'other: blocked by execute/status-200',
    ]);
  });

  test('an unexpected status blocks the others, except time', () => {
    expect(outcomes([ran(stepOf(FULL), { exchanges: [at({ status: 500, value: good })] })])).toEqual([
      'ok: failed',
      'second: blocked by ok',
      'there: passed',
      'object: blocked by ok',
      'stamp: blocked by ok',
      'same: blocked by ok',
      'tag: blocked by ok',
      'text: blocked by ok',
      'needy: blocked by ok',
      'quick: passed',
    ]);
  });

  test('a body that is not JSON', () => {
    expect(outcomes([ran(stepOf(FULL), { exchanges: [at({ body: { text: '<html>' } })] })])).toEqual([
      'ok: passed',
      'second: passed',
      'there: passed',
      'object: failed',
      'stamp: blocked by object',
      'same: blocked by object',
      'tag: passed',
      'text: blocked by object',
      'needy: blocked by object',
      'quick: passed',
    ]);
  });

  test('a body that is not JSON, without a check for it: each assertion that needs it fails', () => {
    const step = stepOf(`- id: a
  request: { get: / }
  expect: { status: { is: 200, id: ok }, body: [{ at: $.a, is: {}, id: text }, { at: $.b, is: {}, id: more, needs: text }] }`);
    const [, text] = judge([ran(step, { exchanges: [at({ body: { text: 'x' } })] })]);
    expect(text?.finding).toMatchObject({
      outcome: 'failed',
      message: 'the body is not JSON',
      received: '"x" (string)',
    });
    expect(outcomes([ran(step, { exchanges: [at({ body: { text: 'x' } })] })])).toEqual([
      'ok: passed',
      'text: failed',
      'more: blocked by text',
    ]);
  });

  test('a body beyond the limits of the harness is undecided', () => {
    const step = stepOf(
      '- id: a\n  request: { get: / }\n  expect: { status: { is: 200, id: ok }, body: [{ at: $.a, is: {}, id: text }] }',
    );
    const deep = `{"a":${'['.repeat(300)}${']'.repeat(300)}}`;
    const [, text] = judge([ran(step, { exchanges: [at({ body: { text: deep } })] })]);
    expect(text?.finding).toMatchObject({
      outcome: 'undecided',
      fault: 'harness',
      received: 'more than 256 levels',
    });
  });

  test('a failed prerequisite is named, even an indirect one', () => {
    const exchanges = [at({ value: { ...good, a: 1 }, key: 'r#0' }), at({ value: good, key: 'r#1' })];
    const judged = outcomes([ran(stepOf(FULL), { exchanges })]);
    expect(judged.filter((one) => /^(text|needy|stamp|same)/.test(one))).toEqual([
      'stamp: blocked by text',
      'stamp: passed',
      'same: blocked by text',
      'text: failed',
      'text: passed',
      'needy: blocked by text',
      'needy: passed',
    ]);
  });

  test('another form is inapplicable, an unknown form blocks', () => {
    const step = stepOf(`- id: a
  request: { get: / }
  expect: { status: { is: 200, id: ok, when: { form: B } }, body: [{ at: $, is: {}, id: both }, { at: $.x, is: {}, id: needy, needs: ok }] }`);
    const steps = [ran(step, { exchanges: [at({ value: good })] })];
    expect(outcomes(steps, { form: { form: 'A' } })).toEqual([
      'ok: inapplicable',
      'both: passed',
      'needy: inapplicable',
    ]);
    expect(outcomes(steps, { form: { form: null, because: 'capabilities/reachable' } })).toEqual([
      'ok: blocked by capabilities/reachable',
      'both: blocked by ok',
      'needy: blocked by capabilities/reachable',
    ]);
  });

  test('the form of /execute counts for a custom body to /execute', () => {
    const forms = { form: { form: 'A' }, executeForm: { form: 'B' } } as const;
    const judged = (path: string) => {
      const step = stepOf(`- id: a
  request: { post: ${path}, body: {} }
  expect: { body: [{ at: $, is: {}, id: ok, when: { form: B } }] }`);
      return outcomes([ran(step, { exchanges: [at({ path, value: good })] })], forms);
    };
    expect(judged('/execute')).toEqual(['ok: passed']);
    expect(judged('/health')).toEqual(['ok: inapplicable']);
  });

  test('a missing member', () => {
    const step = stepOf(`- id: a
  request: { get: / }
  expect: { body: [{ at: $.version, is: { type: string }, id: version, when: { present: $.version } }] }`);
    expect(outcomes([ran(step, { exchanges: [at({ value: {} })] })])).toEqual(['version: inapplicable']);
    expect(outcomes([ran(step, { exchanges: [at({ value: { version: 1 } })] })])).toEqual([
      'version: failed',
    ]);
  });

  test('a step that did not run', () => {
    const step = stepOf(FULL);
    expect(
      new Set(judge([{ kind: 'blocked', step, by: 'mine/x' }]).map(({ finding }) => JSON.stringify(finding))),
    ).toEqual(new Set(['{"outcome":"blocked","blockedBy":"mine/x"}']));
    const [first, ...rest] = judge([{ kind: 'inapplicable', step, reason: 'only for form B' }]);
    expect(first).toMatchObject({
      finding: { outcome: 'inapplicable', message: 'only for form B' },
      curl: null,
      request: null,
    });
    expect(rest).toHaveLength(9);
  });
});

describe('what earlier steps decided', () => {
  const TWO = `- id: first
  request: { get: /health }
  expect: { status: { is: 200, id: ok }, body: [{ at: $.a, is: { type: string }, id: text }] }
- id: second
  needs: [first]
  request: { get: /capabilities }
  expect: { status: { is: 200, id: later, needs: text } }`;

  test.each([
    [{ a: 'x' }, 'later: passed'],
    [{ a: 1 }, 'later: blocked by text'],
  ])('%j', (value, expected) => {
    const [first, second] = stepsOf(TWO) as [Step, Step];
    const judged = outcomes([ran(first, { exchanges: [at({ value })] }), ran(second, { exchanges: [at()] })]);
    expect(judged.at(-1)).toBe(expected);
  });

  test('a step that uses an answer that need not be an object', () => {
    const [first, second] = stepsOf(`- id: first
  request: { get: /health }
  expect: { status: { is: 200, id: ok } }
- id: second
  use: first
  expect: { body: [{ at: "$[0]", is: { type: string }, id: text }] }`) as [Step, Step];
    const judged = (exchange: Exchange) =>
      outcomes([ran(first, { exchanges: [exchange] }), ran(second, { exchanges: [exchange] })]).at(-1);
    expect(judged(at({ value: ['x'] }))).toBe('text: passed');
    expect(judged(at({ value: [1] }))).toBe('text: failed');
    expect(judged(at({ body: { text: 'x' } }))).toBe('text: blocked by first');
  });

  test('a step that uses the answer of another is blocked where that one is', () => {
    const [first, second] = stepsOf(`- id: first
  request: { get: /health }
  expect: { status: { is: 200, id: ok }, checks: [{ check: json-object, id: object }] }
- id: second
  use: first
  expect: { body: [{ at: $.a, is: { type: string }, id: text }] }`) as [Step, Step];
    const judged = (exchange: Exchange) =>
      outcomes([ran(first, { exchanges: [exchange] }), ran(second, { exchanges: [exchange] })]).at(-1);
    expect(judged(at({ value: { a: 'x' } }))).toBe('text: passed');
    expect(judged(at({ value: { a: 1 } }))).toBe('text: failed');
    expect(judged(at({ status: 404 }))).toBe('text: blocked by ok');
    expect(judged(at({ body: { text: 'x' } }))).toBe('text: blocked by object');
  });

  test('a check on several steps receives only usable answers', () => {
    const [health, capabilities, judging] = stepsOf(`- id: health
  request: { get: /health }
  expect: { status: { is: 200, id: a } }
- id: capabilities
  request: { get: /capabilities }
  expect: { status: { is: 200, id: b } }
- id: judging
  use: { health: health, capabilities: capabilities }
  expect: { checks: [{ check: versions-agree, id: agree, needs: b }] }`) as [Step, Step, Step];
    const run = (status: number, mcpVersion: string) =>
      judge([
        ran(health, { exchanges: [at({ value: { mcpVersion: '1.0' } })] }),
        ran(capabilities, {
          exchanges: [at({ status, value: { mcpVersion }, key: 'capabilities#0', path: '/capabilities' })],
        }),
        ran(judging),
      ]).at(-1);
    expect(run(200, '1.0')?.finding).toEqual({ outcome: 'passed' });
    expect(run(200, '1.1')).toMatchObject({
      finding: { outcome: 'failed', pointer: '/mcpVersion' },
      where: { step: 'mine/judging', exchange: 'capabilities#0' },
      request: { method: 'GET', url: `${TARGET}/capabilities` },
    });
    expect(run(500, '1.1')?.finding).toEqual({ outcome: 'blocked', blockedBy: 'mine/b' });
  });

  test('a check on a whole step names the affected call', () => {
    const [together, alone] = stepsOf(`- id: a
  request: { execute: x, arguments: {} }
- id: b
  use: { together: a }
  request: { execute: x, arguments: {} }
  expect: { checks: [{ check: own-answers, id: own }] }`) as [Step, Step];
    const of = (functionName: string, sent: string, received: string) => ({
      functionName,
      call: call({ functionName, requestId: sent }),
      exchanges: [
        at({ key: `${functionName}#0`, path: '/execute', value: { result: {}, requestId: received } }),
      ],
    });
    const judged = judge([ran(together, of('add', 'a', 'a'), of('now', 'b', 'a')), ran(alone)]);
    expect(judged).toMatchObject([
      {
        finding: { outcome: 'failed', pointer: '/requestId' },
        where: { exchange: 'now#0' },
        request: { url: `${TARGET}/execute` },
        curl: expect.stringContaining('curl '),
      },
    ]);
  });

  test('a check on a whole step may depend on requirements of its answers', () => {
    const step = stepOf(`- id: a
  request: { execute: x, arguments: {} }
  repeat: { times: 2, atOnce: true }
  expect: { body: [{ at: $.result, is: { type: object }, id: result }], checks: [{ check: no-stack-trace, id: own, needs: result }] }`);
    const run = (second: object) =>
      outcomes([
        ran(step, {
          call: call({ requestId: 'a' }),
          exchanges: [
            at({ value: { result: {}, requestId: 'a' }, key: 'a#0' }),
            at({ value: { ...second, requestId: 'a' }, key: 'a#1' }),
          ],
        }),
      ]);
    expect(run({ result: {} })[0]).toMatch(/^own: (passed|inapplicable)$/);
    expect(run({ result: 1 })[0]).toBe('own: blocked by result');
  });
});

describe('the status', () => {
  const step = stepOf(
    '- { id: a, request: { get: /health }, expect: { status: { is: [200, 4xx], id: ok } } }',
  );
  const not = stepOf(
    '- { id: a, request: { get: /health }, expect: { status: { not: [201, 5xx], id: ok } } }',
  );
  const find = (
    one: Step,
    parts: AnswerParts,
    record: RecordParts = {},
    planned?: PlannedCall,
  ): Finding | undefined =>
    judge(
      [ran(one, { exchanges: [at(parts)], ...(planned === undefined ? {} : { call: planned }) })],
      record,
    )[0]?.finding;

  test.each([
    [200, 'passed'],
    [404, 'passed'],
    [499, 'passed'],
    [201, 'failed'],
    [500, 'failed'],
    [302, 'failed'],
  ])('%i if 200 or 4xx is expected', (status, outcome) => {
    expect(find(step, { status })?.outcome).toBe(outcome);
  });

  test.each([
    [200, 'passed'],
    [201, 'failed'],
    [503, 'failed'],
    [404, 'passed'],
  ])('%i if anything but 201 or 5xx is expected', (status, outcome) => {
    expect(find(not, { status })?.outcome).toBe(outcome);
  });

  test('shows the received status with the error message', () => {
    expect(find(step, { status: 500, value: { error: { code: 'BOOM', message: 'it broke' } } })).toEqual({
      outcome: 'failed',
      fault: 'server',
      message: 'the status is 500',
      expected: 'status 200 or a 4xx status',
      received: 'status 500, BOOM: it broke',
    });
    expect(find(not, { status: 500 })).toMatchObject({ expected: 'anything but status 201 or a 5xx status' });
  });

  test('429 decides nothing', () => {
    expect(find(not, { status: 429 })).toMatchObject({ outcome: 'undecided', fault: 'server' });
    const named = stepOf('- { id: a, request: { get: /health }, expect: { status: { is: 429, id: ok } } }');
    expect(find(named, { status: 429 })).toEqual({ outcome: 'passed' });
  });

  test.each([401, 403])('%i decides nothing if no request succeeded', (status) => {
    expect(find(not, { status })).toMatchObject({
      outcome: 'undecided',
      message: 'the target requires a key',
    });
    expect(find(not, { status }, { settings: { headerNames: ['authorization'] } })).toMatchObject({
      outcome: 'undecided',
      message: 'the target refused the key',
    });
    const served = judge([
      ran(not, { exchanges: [at({ status, key: 'a#0' }), at({ status: 200, key: 'a#1' })] }),
    ]);
    expect(served.map(({ finding }) => finding.outcome)).toEqual(['passed', 'passed']);
  });

  test('refusing a generated input is undecided, refusing an example fails', () => {
    const calls = stepOf('- { id: a, request: { execute: add }, expect: { status: { is: 200, id: ok } } }');
    const refusal: AnswerParts = { status: 400, value: { error: { code: 'INVALID', message: 'a' } } };
    expect(find(calls, refusal, {}, call({ inputSource: 'assembled' }))).toMatchObject({
      outcome: 'undecided',
      message: '"add" refused an input that was generated from its descriptor',
      advice: expect.stringContaining('samples: "add"'),
    });
    for (const inputSource of ['example', 'configured', 'proven'] as const)
      expect(find(calls, refusal, {}, call({ inputSource }))?.outcome).toBe('failed');
    for (const status of [404, 405, 501])
      expect(find(calls, { status }, {}, call({ inputSource: 'assembled' }))?.outcome).toBe('failed');
    expect(find(calls, { status: 422 }, {}, call({ inputSource: 'assembled' }))?.outcome).toBe('undecided');
    const unknown = { error: { code: 'FUNCTION_NOT_FOUND', message: 'a' } };
    expect(
      find(calls, { status: 404, value: unknown }, {}, call({ inputSource: 'assembled' }))?.outcome,
    ).toBe('failed');
  });
});

describe('a refusal of a function that takes no input', () => {
  const calls = stepOf(
    '- { id: a, request: { execute: checkout }, expect: { status: { is: 200, id: ok } } }',
  );
  const outcomeOf = (parts: AnswerParts, input: PlannedCall['input'] = {}): Finding | undefined => {
    const planned = call({ functionName: 'checkout', input, inputSource: 'none-needed' });
    return judge([ran(calls, { exchanges: [at(parts)], call: planned })])[0]?.finding;
  };
  const refusal = { error: { code: 'CART_EMPTY', message: 'Put something into the cart.' } };

  test.each([400, 404, 409, 422, 500, 503])('with status %i and an error body is undecided', (status) => {
    expect(outcomeOf({ status, value: refusal })).toMatchObject({
      outcome: 'undecided',
      fault: 'harness',
      message: '"checkout" takes no input, and refused the call',
      received: `status ${status}, CART_EMPTY: Put something into the cart.`,
      advice: expect.stringContaining('samples: "checkout", or an example'),
    });
  });

  test.each([
    ['in another form', { status: 400, value: { detail: 'the cart is empty' } }],
    ['without a message', { status: 400, value: { error: { code: 'CART_EMPTY' } } }],
    ['with a page', { status: 500, body: { text: '<html>' } }],
    ['as not registered', { status: 400, value: { error: { code: 'FUNCTION_NOT_FOUND', message: 'a' } } }],
    ['with a success status', { status: 201, value: refusal }],
  ] as const)('%s is a failure', (_, parts) => {
    expect(outcomeOf(parts)?.outcome).toBe('failed');
  });

  test('is a failure if the input was omitted', () => {
    expect(outcomeOf({ status: 400, value: refusal }, null)?.outcome).toBe('failed');
  });
});

describe('headers and time', () => {
  const step = stepOf(`- id: a
  request: { get: /health }
  expect:
    headers: [{ name: ETag, is: { pattern: "^W/" }, id: tag }, { name: set-cookie, absent: true, id: bare }]
    time: { maxMs: 100, id: quick }`);
  const findings = (parts: AnswerParts) =>
    judge([ran(step, { exchanges: [at(parts)] })]).map(({ finding }) => finding);

  test('valid', () => {
    expect(findings({ headers: [['Etag', 'W/1']], durationMs: 100 })).toEqual(
      [1, 2, 3].map(() => ({ outcome: 'passed' })),
    );
  });

  test('wrong, missing, forbidden and late', () => {
    expect(
      findings({
        headers: [
          ['etag', '1'],
          ['set-cookie', 'a=b'],
        ],
        durationMs: 100.4,
      }),
    ).toMatchObject([
      { message: 'the header etag is invalid', expected: 'matching ^W/', received: '"1" (string)' },
      { message: 'the header set-cookie is present', received: '"a=b"' },
      { message: 'the answer took too long', expected: 'at most 100 ms', received: '100.4 ms' },
    ]);
    expect(findings({ headers: [] })[0]).toMatchObject({
      message: 'the header etag is missing',
      received: 'no such header',
    });
  });
});

describe('budgets', () => {
  const step = stepOf(`- id: a
  request: { get: /health }
  experiment: { timed-calls: 72 }
  expect: { budget: [{ p50Ms: 50, id: half }, { p95Ms: 100, maxMs: 150, id: most, when: { form: A }, needs: ok }], status: { is: 200, id: ok } }`);
  const timed = (durationsMs: readonly number[], parts: MeasurementParts = {}) =>
    ran(step, { exchanges: [at({ key: 'a#0' })], timed: timedAs(durationsMs, parts) });
  const budget = (run: StepRun, record: RecordParts = {}) =>
    judge([run], record)
      .filter(({ requirement }) => requirement !== 'mine/ok')
      .map(({ requirement, finding }) => ({ requirement: requirement.replace('mine/', ''), ...finding }));
  const steady = (ms: number, count = 72): readonly number[] => Array.from({ length: count }, () => ms);

  test('kept', () => {
    expect(budget(timed(steady(40)))).toEqual([
      { requirement: 'half', outcome: 'passed' },
      { requirement: 'most', outcome: 'passed' },
      { requirement: 'most', outcome: 'passed' },
    ]);
  });

  test('broken beyond doubt', () => {
    expect(budget(timed(steady(200)))).toMatchObject([
      {
        outcome: 'failed',
        fault: 'server',
        message: 'p50 is over its budget',
        expected: 'at most 50 ms',
        received: '200.0 ms (95 % interval 200.0 to 200.0 ms, 72 samples)',
      },
      { outcome: 'failed', message: 'p95 is over its budget' },
      { outcome: 'failed', message: 'the slowest call is over its budget', received: '200.0 ms' },
    ]);
  });

  test('broken within the interval only: undecided', () => {
    const mixed = [...steady(40, 35), ...steady(60, 37)];
    expect(budget(timed(mixed))).toMatchObject([
      {
        outcome: 'undecided',
        message: 'p50 is over its budget, but not beyond doubt',
        received: '60.0 ms (95 % interval 40.0 to 60.0 ms, 72 samples)',
      },
      { outcome: 'passed' },
      { outcome: 'passed' },
    ]);
  });

  test('too few answers: undecided, except for the slowest', () => {
    expect(budget(timed(steady(10, 5)))).toMatchObject([
      { outcome: 'undecided', message: 'too few calls were answered for p50', received: '5 samples' },
      { outcome: 'undecided', message: 'too few calls were answered for p95' },
      { outcome: 'passed' },
    ]);
  });

  test('unreliable figures are not judged, for any reason', () => {
    expect(budget(timed(steady(200), { unreliable: ['the client was late', 'it waited'] }))).toMatchObject([
      {
        outcome: 'undecided',
        fault: 'harness',
        message: 'the figures cannot be relied on: the client was late; it waited',
      },
      { outcome: 'undecided', fault: 'harness' },
    ]);
    expect(budget(timed(steady(10), { failures: { HTTP_429: 1 } }))[0]).toMatchObject({
      outcome: 'undecided',
      fault: 'server',
      message: expect.stringContaining('rate limiter'),
    });
  });

  test('conditions and needs apply to them too', () => {
    const formB = budget(timed(steady(200)), { form: { form: 'B' } });
    expect(formB.map(({ outcome }) => outcome)).toEqual(['failed', 'inapplicable']);
    const refused = ran(step, {
      exchanges: [at({ status: 500, key: 'a#0' })],
      timed: { kind: 'not-measured', because: 'unanswered' },
    });
    expect(budget(refused).at(-1)).toEqual({ requirement: 'most', outcome: 'blocked', blockedBy: 'mine/ok' });
  });
});

describe('the members of a judgement', () => {
  test('place, fault, and the command to repeat it', () => {
    const step = stepOf(`- id: a
  request: { execute: add, arguments: {} }
  expect: { status: { is: 200, id: ok, level: MUST, why: Callers wait., fix: Answer. } }`);
    const judged = (status: number) =>
      judge([
        ran(step, {
          exchanges: [at({ key: 'a[add](zero)#0', path: '/execute', status })],
          functionName: 'add',
          caseId: 'zero',
        }),
      ])[0];
    expect(judged(500)).toEqual({
      requirement: 'mine/ok',
      subject: null,
      level: 'MUST',
      spec: '-',
      why: 'Callers wait.',
      fix: 'Answer.',
      finding: expect.objectContaining({ outcome: 'failed', fault: 'server' }),
      where: {
        suite: 'mine.suite.yaml',
        line: 7,
        column: 23,
        step: 'mine/a',
        function: 'add',
        case: 'zero',
        exchange: 'a[add](zero)#0',
      },
      request: { method: 'GET', url: `${TARGET}/execute` },
      curl: `curl -sS -i ${TARGET}/execute`,
    });
    expect(judged(200)).toMatchObject({ finding: { outcome: 'passed' }, curl: null });
  });

  test('the level is that of the operation’s form, or the stricter one if the form is unknown', () => {
    const [reading, calling] =
      stepsOf(`- { id: a, request: { get: /health }, expect: { status: { is: 200, id: ok } } }
- { id: b, request: { execute: add }, expect: { status: { is: 200, id: later } } }`).map((step): Step => {
        const level = { A: 'MAY', B: 'SHOULD' } as const;
        return { ...step, expect: step.expect.map((assertion) => ({ ...assertion, level })) };
      }) as [Step, Step];
    const levels = (parts: RecordParts) =>
      judge([ran(reading, { exchanges: [at()] }), ran(calling, { exchanges: [at()] })], parts).map(
        ({ level }) => level,
      );
    expect(levels({ form: { form: 'A' }, executeForm: { form: 'B' } })).toEqual(['MAY', 'SHOULD']);
    expect(levels({ form: { form: null, because: 'x' } })).toEqual(['SHOULD', 'SHOULD']);
  });
});

describe('the worst of several', () => {
  const of = (...found: readonly Finding['outcome'][]): Finding['outcome'] | undefined =>
    worst(found.map((outcome) => ({ outcome })))?.outcome;

  test('failed, blocked, undecided, passed, inapplicable, in this order', () => {
    expect(OUTCOME_ORDER).toEqual(['failed', 'blocked', 'undecided', 'passed', 'inapplicable']);
    for (const [index, outcome] of OUTCOME_ORDER.entries()) {
      for (const lesser of OUTCOME_ORDER.slice(index)) {
        expect(of(lesser, outcome)).toBe(outcome);
        expect(of(outcome, lesser)).toBe(outcome);
      }
    }
  });

  test('is undefined for an empty list', () => {
    expect(of()).toBeUndefined();
  });
});
