import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/check/run-settings.ts';
import { judgeRun } from '../../src/judge/judge-run.ts';
import type { Judgement } from '../../src/model/judgement.ts';
import type { Timed } from '../../src/run/state/record.ts';
import { call, measurement } from '../checks/example.ts';
import { at, inputOf, judge, ran, stepsOf, timedAs } from './judging.ts';

const [health, execute] = stepsOf(`- id: health
  request: { get: /health }
  experiment: timed-calls
  expect: { budget: { of: health, id: soon }, status: { is: 200, id: well }, checks: [{ check: timed-calls-answered, id: answered }] }
- id: execute
  request: { execute: add, arguments: {} }
  experiment: timed-calls
  expect:
    budget: { of: execute, id: fast }
    status: { not: 5xx, id: served }
    checks: [{ check: timed-calls-answered, id: no-errors }, { check: claimed-time-kept, id: as-claimed }]`) as [
  ReturnType<typeof stepsOf>[number],
  ReturnType<typeof stepsOf>[number],
];

const times = (ms: number, count = 75): readonly number[] => Array.from({ length: count }, () => ms);
const budgets = (...lines: readonly string[]) => {
  return { settings: { latency: settingsOf({ latency: { budgets: lines } }).latency } };
};
const ofHealth = (timed: Timed) => ran(health, { exchanges: [at({ key: 'mine/health#0' })], timed });
const called = (name: string, timed: Timed, status = 200) => ({
  exchanges: [at({ key: `mine/execute[${name}]#0`, path: '/execute', status })],
  functionName: name,
  call: call({ functionName: name }),
  timed,
});
const timedCall = (name: string, durationsMs: readonly number[]) =>
  called(name, timedAs(durationsMs, { operation: 'execute', function: name, key: `mine/execute[${name}]` }));
const notMeasured = (because: 'unanswered' | 'refused' | 'no-time'): Timed => ({
  kind: 'not-measured',
  because,
});

const found = (judgements: readonly Judgement[], id: string) =>
  judgements.filter(({ requirement }) => requirement === `mine/${id}`).map(({ finding }) => finding);
const inBrief = (judgements: readonly Judgement[], id: string) =>
  found(judgements, id).map((finding) =>
    'message' in finding ? `${finding.outcome}: ${finding.message}` : finding.outcome,
  );

describe('budgets from the settings', () => {
  test('are the defaults that the samples allow', () => {
    expect(inBrief(judge([ofHealth(timedAs(times(400)))]), 'soon')).toEqual(['passed', 'passed']);
    expect(inBrief(judge([ofHealth(timedAs(times(600)))]), 'soon')).toEqual([
      'failed: p50 is over its budget',
      'passed',
    ]);
    expect(inBrief(judge([ofHealth(timedAs(times(400, 10)))]), 'soon')).toEqual(['passed']);
  });

  test.each([
    ['well within the defaults is met', 400, [], ['passed']],
    ['over a default is undecided', 600, [], ['undecided']],
    ['does not decide a budget of the user', 1, ['health.p95=300ms'], ['undecided']],
  ])('an unreliable figure %s', (_what, ms, lines, outcomes) => {
    const timed = timedAs(times(ms), { unreliable: ['the client was late'] });
    const judged = found(judge([ofHealth(timed)], lines.length === 0 ? {} : budgets(...lines)), 'soon');
    expect(judged.map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  test('are undecided if the samples allow none', () => {
    expect(found(judge([ofHealth(timedAs(times(400, 5)))]), 'soon')).toMatchObject([
      { outcome: 'undecided', message: 'too few calls were answered for p50', received: '5 samples' },
    ]);
  });

  test('of the user are judged, or say how many samples they need', () => {
    const parts = budgets('health.p50=300ms', 'health.p99=1s');
    expect(found(judge([ofHealth(timedAs(times(400)))], parts), 'soon')).toMatchObject([
      { outcome: 'failed', expected: 'at most 300 ms' },
      { outcome: 'passed' },
      {
        outcome: 'undecided',
        expected: 'p99 of at most 1000 ms',
        received: '75 samples',
        advice: expect.stringContaining('--samples 367'),
      },
    ]);
  });

  test('for functions advise enough samples for each share', () => {
    const settings = {
      latency: settingsOf({ latency: { budgets: ['execute.p95=1s'], samples: 60 } }).latency,
    };
    const [, advice] = found(judge([ran(execute, timedCall('add', times(1, 20)))], { settings }), 'fast');
    expect(advice).toMatchObject({ advice: expect.stringContaining('--samples 216') });
  });

  test('apply to one function or to all', () => {
    const run = ran(execute, timedCall('add', times(100)), timedCall('greet', times(100)));
    const judged = judge([run], budgets('execute:add.p50=50ms', 'execute.p95=200ms'));
    expect(judged.filter(({ finding }) => finding.outcome === 'failed')).toMatchObject([
      { requirement: 'mine/fast', where: { function: 'add' }, finding: { expected: 'at most 50 ms' } },
    ]);
    expect(inBrief(judged, 'fast').filter((brief) => brief === 'passed')).toHaveLength(3);
  });

  test('for a function that was not timed are reported', () => {
    const run = ran(execute, timedCall('add', times(100)));
    const [, , missed] = found(judge([run], budgets('execute:ad.p50=1s', 'execute:ad.p95=1s')), 'fast');
    expect(missed).toMatchObject({
      outcome: 'undecided',
      message: 'there is a budget for "ad", but no function of that name was timed',
      fault: 'harness',
    });
  });

  test('for a function that was not timed give the known reason', () => {
    const run = ran(execute, timedCall('add', times(100)));
    const latency = settingsOf({
      latency: {
        budgets: ['pay-now', 'ad', 'nothing-like-it', 'greet'].map((name) => `execute:${name}.p50=1s`),
      },
    }).latency;
    const input = inputOf([run], { settings: { latency } });
    const saved = new Map([['functions', ['add', 'pay-now', 'greet'].map((name) => ({ name }))]]);
    const restrained = [{ functionName: 'pay-now', policy: 'once', because: 'looks' } as const];
    const judged = judgeRun({ ...input, record: { ...input.record, saved, restrained } });
    expect(found(judged, 'fast').slice(2)).toMatchObject([
      { advice: expect.stringContaining('under mutating: allow') },
      { advice: expect.stringContaining('Did you mean "add"?') },
      { advice: expect.stringContaining('does not list this function: remove its budget') },
      { advice: expect.stringContaining('a first call with a sample input') },
    ]);
  });
});

describe('a budget in times of /health', () => {
  const run = (healthMs: readonly number[], callMs: readonly number[], ...lines: readonly string[]) =>
    inBrief(
      judge([ofHealth(timedAs(healthMs)), ran(execute, timedCall('add', callMs))], budgets(...lines)),
      'fast',
    );

  test('is taken at the same percentile', () => {
    const healthMs = [...times(1, 60), ...times(50, 15)];
    expect(run(healthMs, times(9), 'execute:add.p50=10x', 'execute:add.p95=10x')).toEqual([
      'passed',
      'passed',
    ]);
    expect(run(healthMs, times(11), 'execute:add.p50=10x', 'execute:add.p95=10x')).toEqual([
      'failed: p50 is over its budget',
      'passed',
    ]);
  });

  test('fails only beyond the interval of /health', () => {
    const healthMs = [...times(1, 40), ...times(2, 35)];
    expect(run(healthMs, times(15), 'execute:add.p50=10x')[0]).toBe(
      'undecided: p50 is over its budget, but not beyond doubt',
    );
    expect(run(healthMs, times(21), 'execute:add.p50=10x')[0]).toBe('failed: p50 is over its budget');
  });

  test('is undecided if /health has no reliable figure', () => {
    const without = [ran(execute, timedCall('add', times(9)))];
    const unreliable = ofHealth(timedAs(times(1), { unreliable: ['the client was late'] }));
    const small = ofHealth(timedAs(times(1, 5)));
    for (const runs of [without, [unreliable, ...without], [small, ...without]]) {
      expect(found(judge(runs, budgets('execute:add.p50=10x')), 'fast')[0]).toMatchObject({
        outcome: 'undecided',
        expected: 'p50 of /health',
        fault: 'harness',
      });
    }
  });
});

describe('what was not timed', () => {
  test('for lack of time is undecided if nothing was timed, or if a budget names it', () => {
    const late = called('greet', notMeasured('no-time'));
    const alone = judge([ran(execute, late)]);
    expect(inBrief(alone, 'fast')).toEqual(['undecided: there was no time left to time it']);
    expect(inBrief(alone, 'no-errors')).toEqual(['undecided: there was no time left to time it']);
    const beside = ran(execute, timedCall('add', times(9)), late);
    expect(inBrief(judge([beside]), 'fast')).toEqual([
      'passed',
      'passed',
      'inapplicable: there was no time left to time it',
    ]);
    expect(inBrief(judge([beside], budgets('execute:greet.p50=1s')), 'fast').at(-1)).toBe(
      'undecided: there was no time left to time it',
    );
  });

  test('because the target refuses repeated requests is inapplicable', () => {
    const run = ran(execute, called('vote', notMeasured('refused'), 409), timedCall('add', times(9)));
    expect(inBrief(judge([run]), 'fast')[0]).toMatch(/^inapplicable: the target refuses/);
    expect(inBrief(judge([run]), 'no-errors')).toEqual([expect.stringMatching(/^inapplicable/), 'passed']);
  });

  test('because the call before failed is blocked by it', () => {
    const run = ran(execute, called('add', notMeasured('unanswered'), 503));
    expect(found(judge([run]), 'fast')).toEqual([{ outcome: 'blocked', blockedBy: 'mine/served' }]);
    expect(found(judge([run]), 'no-errors')).toEqual([{ outcome: 'blocked', blockedBy: 'mine/served' }]);
  });
});

describe('checks of measurements', () => {
  test('name the affected call', () => {
    const failing = called('greet', {
      kind: 'measured',
      measurement: measurement({ operation: 'execute', function: 'greet', failures: { HTTP_500: 2 } }),
    });
    const judged = judge([ran(execute, timedCall('add', times(9)), failing)]);
    expect(judged.filter(({ finding }) => finding.outcome === 'failed')).toMatchObject([
      {
        requirement: 'mine/no-errors',
        where: { function: 'greet', exchange: 'mine/execute[greet]#0' },
        curl: expect.stringContaining('/execute'),
      },
    ]);
  });

  test('receive the median of all calls', () => {
    const settings = { claimedResponseTimeMs: 8 };
    const judged = judge([ran(execute, timedCall('add', times(9)))], { settings });
    expect(found(judged, 'as-claimed')).toMatchObject([
      { outcome: 'failed', received: '9.0 ms (95 % interval 9.0 to 9.0 ms)' },
    ]);
    expect(inBrief(judge([ran(execute, timedCall('add', times(9)))]), 'as-claimed')).toEqual([
      'inapplicable: the configuration has no listing.responseTime',
    ]);
  });
});
