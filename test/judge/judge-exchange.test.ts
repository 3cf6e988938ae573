import { describe, expect, test } from 'vitest';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import type { Json } from '../../src/json/json.ts';
import { blocked } from '../../src/judge/not-judged.ts';
import { holds } from '../../src/judge/prerequisites.ts';
import type { TransportFailure } from '../../src/model/exchange.ts';
import { failed, inapplicable, passed } from '../../src/model/judgement.ts';
import type { Step } from '../../src/model/suite.ts';
import { type AnswerParts, noAnswer } from '../checks/example.ts';
import { at, findings, outcomes, ran, stepOf, stepsOf } from './judging.ts';

const bare = stepOf('- { id: a, request: { get: / }, expect: { body: [{ at: $.a, is: {}, id: text }] } }');
const one = (step: Step, parts: AnswerParts = {}) => [ran(step, { exchanges: [at(parts)] })];

describe('a request without an answer, without a check for it', () => {
  const found = (reason: TransportFailure) => findings([ran(bare, { exchanges: [noAnswer(reason)] })]);

  test('reports only what happened', () => {
    expect(found({ code: 'connection-reset', fault: 'server', message: 'cut off' })).toStrictEqual([
      {
        outcome: 'failed',
        fault: 'server',
        message: 'cut off',
        expected: 'an answer',
        received: 'none: connection-reset',
      },
    ]);
  });

  test('comes with advice if there is any', () => {
    expect(found({ code: 'deadline', fault: 'harness', message: 'late' })).toStrictEqual([
      {
        outcome: 'undecided',
        because: 'cut-short',
        fault: 'harness',
        message: 'late',
        expected: 'an answer',
        received: 'none: deadline',
        advice: 'Give the check more time with --deadline; this says nothing about the server.',
      },
    ]);
  });
});

test('a step that uses a missing answer without assertions is blocked by its step', () => {
  const [first, second] = stepsOf(`- id: first
  request: { execute: add, arguments: sample, abort: { afterBytes: 1 } }
- id: second
  use: first
  expect: { body: [{ at: $, is: {}, id: text }] }`) as [Step, Step];
  const exchanges = [noAnswer({ code: 'aborted-on-purpose', fault: 'harness', message: 'cut off' })];
  expect(outcomes([ran(first, { exchanges }), ran(second, { exchanges })])).toEqual([
    'text: blocked by first',
  ]);
});

describe('a refused request without a status assertion', () => {
  const step = stepOf(`- id: a
  request: { get: / }
  expect: { headers: [{ name: etag, is: {}, id: tag }], body: [{ at: $.a, is: {}, id: text }] }`);

  test.each([401, 403, 429])('%i decides nothing', (status) => {
    const found = findings(one(step, { status, headers: [] }));
    expect(found).toMatchObject([
      { outcome: 'undecided', expected: 'an answer to the request itself' },
      { outcome: 'undecided', expected: 'an answer to the request itself' },
    ]);
  });

  test('any other is judged', () => {
    expect(outcomes(one(step, { status: 404, headers: [] }))).toEqual(['tag: failed', 'text: failed']);
  });

  test('an expected status is judged', () => {
    const refused = stepOf(`- id: a
  request: { get: / }
  expect: { status: { is: 401, id: refused }, body: [{ at: $.a, is: {}, id: text }] }`);
    expect(outcomes(one(refused, { status: 401, value: { a: 1 } }))).toEqual([
      'refused: passed',
      'text: passed',
    ]);
  });
});

describe('the body', () => {
  test.each<[string, AnswerParts, object]>([
    [
      'is no JSON',
      { body: { text: '' } },
      { outcome: 'failed', message: 'the body is empty', expected: 'JSON', received: 'an empty body' },
    ],
    [
      'exceeds a limit of the harness, which is not the server’s fault',
      { body: { text: '['.repeat(300) + ']'.repeat(300) } },
      { outcome: 'undecided', fault: 'harness', received: 'more than 256 levels' },
    ],
    ['lacks a required member', { value: {} }, { outcome: 'failed', message: 'a is missing' }],
  ])('%s', (_, parts, finding) => {
    expect(findings(one(bare, parts))).toMatchObject([finding]);
  });

  test('that must be an object blocks another step if it is a list', () => {
    const [first, second] = stepsOf(`- id: first
  request: { get: / }
  expect: { status: { is: 200, id: ok }, checks: [{ check: json-object, id: object }] }
- id: second
  use: first
  expect: { body: [{ at: "$[0]", is: {}, id: text }] }`) as [Step, Step];
    const exchanges = [at({ value: ['x'] })];
    expect(outcomes([ran(first, { exchanges }), ran(second, { exchanges })]).at(-1)).toBe(
      'text: blocked by object',
    );
  });

  test('is judged by a check', () => {
    const step = stepOf(
      '- { id: a, request: { get: / }, expect: { checks: [{ check: timestamp-iso8601, id: stamp }] } }',
    );
    expect(outcomes(one(step, { value: { timestamp: '2026-01-31T12:00:00Z' } }))).toEqual(['stamp: passed']);
    expect(outcomes(one(step, { value: { timestamp: 'now' } }))).toEqual(['stamp: failed']);
  });
});

describe('an inapplicable assertion has a reason', () => {
  test.each([
    ['{ present: $.version }', 'the answer has no $.version'],
    ['{ present: $.version, otherwise: it has no version }', 'it has no version'],
    ['{ form: B }', 'only for form B; the target speaks form A'],
  ])('when: %s', (when, message) => {
    const step = stepOf(
      `- { id: a, request: { get: / }, expect: { body: [{ at: $, is: {}, id: text, when: ${when} }] } }`,
    );
    expect(findings(one(step))).toEqual([inapplicable(message)]);
  });
});

describe('the message of an assertion', () => {
  const step = stepOf(
    '- { id: a, request: { get: / }, expect: { body: [{ at: $.a, is: { type: string }, message: no text, id: text }] } }',
  );

  test('is that of its failures', () => {
    expect(findings(one(step, { value: { a: 1 } }))).toMatchObject([
      { outcome: 'failed', message: 'no text', received: '1 (number)', pointer: '/a' },
    ]);
  });

  test('says nothing of a body that cannot be read', () => {
    const [finding] = findings(one(step, { body: { text: 'no JSON' } }));
    expect(finding).toMatchObject({ outcome: 'failed', message: expect.stringContaining('JSON') });
  });
});

describe('many findings of one assertion', () => {
  const step = stepOf(
    '- { id: a, request: { get: / }, expect: { body: [{ at: "$.a[*]", each: { type: string }, id: text }] } }',
  );
  const messages = (count: number) => {
    const value: Json = { a: Array.from({ length: count }, () => 1) };
    return findings(one(step, { value })).map((finding) => ('message' in finding ? finding.message : ''));
  };

  test('are all reported up to a hundred', () => {
    expect(messages(100)).toHaveLength(100);
    expect(messages(100).filter((message) => message.includes('more findings'))).toEqual([]);
  });

  test('are counted beyond', () => {
    const reported = messages(150);
    expect(reported).toHaveLength(100);
    expect(reported.slice(0, 99).filter((message) => message.includes('more findings'))).toEqual([]);
    expect(reported[0]).toBe('a.0 is invalid');
    expect(reported[99]).toBe('a.99 is invalid; and 50 more findings like it');
  });
});

test('a forbidden header is named with its value', () => {
  const step = stepOf(
    '- { id: a, request: { get: / }, expect: { headers: [{ name: etag, absent: true, id: no-tag }] } }',
  );
  expect(findings(one(step))).toMatchObject([{ expected: 'no such header', received: '"1"' }]);
});

test('an assertion that others need is judged once', () => {
  const step = stepOf(`- id: a
  request: { get: / }
  expect:
    body:
      - { at: $.a, is: { type: string }, id: text }
      - { at: $.b, is: { type: string }, id: second, needs: text }
      - { at: $.c, is: { type: string }, id: third, needs: second }`);
  const schemas = createSchemaEvaluator();
  let judged = 0;
  const counting = {
    ...schemas,
    apply: (...given: Parameters<typeof schemas.apply>) => {
      judged += 1;
      return schemas.apply(...given);
    },
  };
  const steps = one(step, { value: { a: 'x', b: 'y', c: 'z' } });
  expect(outcomes(steps, { schemas: counting })).toEqual(['text: passed', 'second: passed', 'third: passed']);
  expect(judged).toBe(3);
});

test.each([
  ['nothing', [], true],
  ['passed and inapplicable findings', [passed, inapplicable('x')], true],
  [
    'one that failed among others',
    [passed, failed({ message: 'a', expected: 'b', received: 'c' }), passed],
    false,
  ],
  ['one that is blocked', [blocked('x'), passed], false],
])('a requirement holds by %s: %j is %s', (_, found, expected) => {
  expect(holds(found)).toBe(expected);
});

describe('a selector that the harness cannot apply', () => {
  const deep = [...'x'.repeat(250)].reduce<Json>(
    (inner) => ({ a: inner }),
    Array.from({ length: 20_000 }, () => 0),
  );

  test.each([
    ['finds', 'body: [{ at: $..*, is: {}, id: text }]'],
    [
      'decides whether an assertion applies',
      'body: [{ at: $, is: {}, id: text, when: { present: $..zero } }]',
    ],
  ])('leaves the row undecided when it %s', (_, expected) => {
    const step = stepOf(`- { id: a, request: { get: / }, expect: { ${expected} } }`);
    expect(findings(one(step, { value: deep }))).toEqual([
      {
        outcome: 'undecided',
        because: 'cut-short',
        fault: 'harness',
        message: expect.stringContaining('cannot be applied: it finds more values'),
        expected: 'an answer to which the selector can be applied',
        received: 'it finds more values, or values nested deeper, than the harness judges',
      },
    ]);
  });
});
