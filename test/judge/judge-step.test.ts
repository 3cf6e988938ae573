import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { type AnswerParts, call, noAnswer } from '../checks/example.ts';
import { at, findings, judge, outcomes, ran, stepOf, stepsOf, TARGET, timedAs } from './judging.ts';

const reset = noAnswer({ code: 'connection-reset', fault: 'server', message: 'reset' });

describe('a check on the repetitions of one request', () => {
  const step = stepOf(`- id: a
  request: { get: /health }
  repeat: { times: 3 }
  expect: { status: { is: 200, id: ok }, checks: [{ check: same-functions, id: same }, { check: uptime-never-back, id: uptime }] }`);
  const reads = (...answers: readonly AnswerParts[]): readonly Exchange[] =>
    answers.map((parts, index) => at({ ...parts, key: `a#${index}`, startedAtMs: index }));
  const one = { value: { functions: [{ name: 'add' }] } };
  const other = { value: { functions: [] } };
  const failing = { status: 500, ...other };
  const same = (exchanges: readonly Exchange[]) =>
    outcomes([ran(step, { exchanges })]).find((found) => found.startsWith('same'));

  test.each<[string, readonly Exchange[], string]>([
    ['equal answers', reads(one, one, one), 'same: passed'],
    ['a last one that differs', reads(one, one, other), 'same: failed'],
    ['unusable answers are left out', reads(one, one, failing), 'same: passed'],
    ['so are requests without an answer', [...reads(one, one), reset], 'same: passed'],
    ['even if the first is one of them', reads(failing, one, one), 'same: passed'],
    ['a single remaining answer decides nothing', reads(one, failing, failing), 'same: undecided'],
    [
      'without remaining answers, the cause of the first counts',
      reads(failing, failing, failing),
      'same: blocked by ok',
    ],
    ['no request was sent', [], 'same: undecided'],
  ])('%s', (_, exchanges, expected) => {
    expect(same(exchanges)).toBe(expected);
  });

  test('is not blocked by its own requirement', () => {
    const own = stepOf(`- id: a
  request: { get: /health }
  repeat: { times: 3 }
  expect:
    status: { is: 200, requirement: robustness/survives }
    checks: [{ check: same-functions, requirement: robustness/survives }]`);
    const found = outcomes([ran(own, { exchanges: reads(failing, failing) })]);
    expect(found).toEqual(['robustness/survives: failed', 'robustness/survives: failed']);
  });

  test('names the affected repetition, else the last', () => {
    const uptime = (...values: readonly number[]) =>
      judge([ran(step, { exchanges: reads(...values.map((value) => ({ value: { uptime: value } }))) })]).at(
        -1,
      );
    expect(uptime(5, 1, 2)).toMatchObject({
      finding: { outcome: 'failed', received: '1' },
      where: { exchange: 'a#1' },
    });
    expect(uptime(5, 6, 7)).toMatchObject({ finding: { outcome: 'passed' }, where: { exchange: 'a#2' } });
  });

  test('knows which call was answered', () => {
    const [health, restarted] = stepsOf(`- id: health
  request: { get: /health }
  expect: { status: { is: 200, id: ok } }
- id: restarted
  request: { get: /health }
  repeat: { times: 2 }
  use: { earlier: health }
  expect: { status: { is: 200, id: again }, checks: [{ check: no-restart, id: up }] }`) as [
      typeof step,
      typeof step,
    ];
    const up = (uptime: number, planned = {}) =>
      findings([
        ran(health, { exchanges: [at({ value: { uptime: 100 } })] }),
        ran(restarted, { exchanges: [at({ value: { uptime }, key: 'restarted#0' })], ...planned }),
      ]).at(-1);
    expect(up(101)).toEqual({ outcome: 'passed' });
    expect(up(1)).toMatchObject({ outcome: 'undecided', exchangeKey: 'restarted#0' });
    // The uptime that a function returns is not that of the server.
    expect(up(1, { call: call() })).toEqual({ outcome: 'passed' });
  });
});

describe('a check on a whole step', () => {
  test('names the affected exchange of an instance', () => {
    const step = stepOf(`- id: a
  request: { get: /health }
  repeat: { times: 2 }
  expect: { checks: [{ check: connection-reused, id: reused }] }`);
    const judged = judge([
      ran(step, {
        exchanges: [at({ key: 'a#0' }), at({ key: 'a#1', path: '/health?again' })],
        caseId: 'one',
      }),
    ]);
    expect(judged).toMatchObject([
      {
        finding: { outcome: 'failed' },
        where: { exchange: 'a#1', case: 'one' },
        request: { url: `${TARGET}/health?again` },
      },
    ]);
  });
});

describe('a budget', () => {
  const step = stepOf(`- id: a
  request: { get: /health }
  experiment: { timed-calls: 72 }
  expect: { budget: [{ p50Ms: 50, id: half }, { p95Ms: 100, id: most }, { maxMs: 150, id: slowest }], status: { is: 200, id: ok } }`);
  const timed = (durationsMs: readonly number[]) => [
    ran(step, { exchanges: [at({ key: 'a#0' })], timed: timedAs(durationsMs) }),
  ];
  const budget = (durationsMs: readonly number[]) => findings(timed(durationsMs)).slice(1);
  const times = (count: number, ms: number): readonly number[] => Array.from({ length: count }, () => ms);
  const passes = { outcome: 'passed' };

  test('is met by an equal time', () => {
    expect(budget(times(72, 50))).toEqual([passes, passes, passes]);
    expect(budget([...times(71, 50), 150])).toEqual([passes, passes, passes]);
  });

  test('is undecided if the interval includes it', () => {
    expect(budget([...times(35, 50), ...times(37, 60)])[0]).toMatchObject({ outcome: 'undecided' });
  });

  test('applies to its percentile in any order of answers', () => {
    const [half, most, slowest] = budget([...times(16, 120), ...times(55, 10), 20]);
    expect(half).toEqual(passes);
    expect(most).toMatchObject({
      outcome: 'failed',
      message: 'p95 is over its budget',
      expected: 'at most 100 ms',
      received: '120.0 ms (95 % interval 120.0 to 120.0 ms, 72 samples)',
    });
    expect(slowest).toEqual(passes);
    expect(budget([...times(30, 10), 151, ...times(41, 10)])[2]).toMatchObject({
      outcome: 'failed',
      expected: 'at most 150 ms',
      received: '151.0 ms',
    });
    expect(budget([9, ...times(69, 50), 100, 10])).toEqual([passes, passes, passes]);
  });

  test('with too few answers says how many it needs', () => {
    expect(budget(times(5, 10))[0]).toMatchObject({
      outcome: 'undecided',
      expected: 'p50 of at most 50 ms',
      received: '5 samples',
    });
  });

  test('without an answer decides nothing', () => {
    expect(budget([]).at(-1)).toMatchObject({
      outcome: 'undecided',
      message: 'no call was answered',
      expected: 'at most 150 ms',
      received: 'no samples',
    });
  });

  test('is not judged if the call before failed', () => {
    const refused = ran(step, {
      exchanges: [at({ status: 503, key: 'a#0' })],
      timed: { kind: 'not-measured', because: 'unanswered' },
    });
    expect(outcomes([refused])).toEqual([
      'ok: failed',
      'half: blocked by ok',
      'most: blocked by ok',
      'slowest: blocked by ok',
    ]);
  });

  test('names its first request', () => {
    expect(judge(timed(times(72, 10))).at(-1)).toMatchObject({
      where: { exchange: 'a#0' },
      request: { url: `${TARGET}/health` },
    });
  });
});
