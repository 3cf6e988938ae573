import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/check/run-settings.ts';
import { type Check, defineCheck } from '../../src/checks/define-check.ts';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { checks } from '../../src/generated/checks.ts';
import { judgeDuringRun } from '../../src/judge/judge-during-run.ts';
import type { PlannedCall } from '../../src/model/call.ts';
import type { Finding } from '../../src/model/judgement.ts';
import type { Assertion, Step } from '../../src/model/suite.ts';
import { learn } from '../../src/run/learn.ts';
import { nothingLearned } from '../../src/run/state/learned.ts';
import type { StepRun } from '../../src/run/state/record.ts';
import { noAnswer } from '../checks/example.ts';
import { at, findings, outcomes, ran, stepOf, stepsOf, TARGET, timedAs } from './judging.ts';

/** Every kind of check; the compiler requires new kinds here. */
const SEES = Object.keys({
  exchange: true,
  answer: true,
  json: true,
  repetitions: true,
  step: true,
  measurements: true,
} satisfies Record<Check['sees'], true>);

/** Every kind of assertion about an answer of REST except checks, in the suite language; the answer below meets them. */
const KINDS = {
  status: 'expect: { status: { is: 200, id: planted } }',
  header: 'expect: { headers: [{ name: etag, is: {}, id: planted }] }',
  body: 'expect: { body: [{ at: $.a, is: {}, id: planted }] }',
  time: 'expect: { time: { maxMs: 1000, id: planted } }',
  budget: 'experiment: { timed-calls: 72 }\n  expect: { budget: [{ maxMs: 1000, id: planted }] }',
} satisfies Record<Exclude<Assertion['kind'], 'check' | 'outcome'>, string>;

const withPart = (text: string): Step => stepOf(`- id: a\n  request: { get: /health }\n  ${text}`);
const timed = timedAs(Array.from({ length: 72 }, () => 10));
const answeredRun = (step: Step): StepRun =>
  ran(step, { exchanges: [at({ value: { a: 1 }, key: 'a#0' })], timed });
const found = (step: Step): readonly Finding[] => findings([answeredRun(step)]);
/** The step with an assertion that was changed after loading. */
const changed = (step: Step, change: object): Step => ({
  ...step,
  expect: step.expect.map((assertion) => ({ ...assertion, ...change }) as Assertion),
});
const undecided = (message: string) => [{ outcome: 'undecided', fault: 'harness', message }];

const planted = checks as Map<string, Check>;
const plant = (name: string, sees: string, judge: () => unknown): void => {
  const check = defineCheck(sees as 'exchange', name, 'nothing', judge as () => Finding);
  planted.set(name, check);
};

beforeAll(() => {
  for (const sees of [...SEES, 'moon']) {
    plant(`empty-${sees}`, sees, () => []);
    plant(`passing-${sees}`, sees, () => ({ outcome: 'passed' }));
  }
});
afterAll(() => {
  for (const name of planted.keys()) if (/^(empty|passing)-/.test(name)) planted.delete(name);
});

const checking = (name: string): Step =>
  withPart(`experiment: { timed-calls: 72 }\n  expect: { checks: [{ check: ${name}, id: planted }] }`);

describe.each(SEES)('a check that sees %s', (sees) => {
  test('decides', () => {
    expect(found(checking(`passing-${sees}`))).toEqual([{ outcome: 'passed' }]);
  });

  test('and returns no finding is undecided', () => {
    expect(found(checking(`empty-${sees}`))).toMatchObject(
      undecided(`this was not judged: the check "empty-${sees}" found nothing`),
    );
  });

  test('and does not exist is undecided', () => {
    expect(found(changed(checking(`passing-${sees}`), { check: 'gone' }))).toMatchObject(
      undecided('this was not judged: there is no check "gone"'),
    );
  });

  test('blocks dependent assertions if it does not exist', () => {
    const step = withPart(
      'expect: { checks: [{ check: passing-json, id: first }], body: [{ at: $.a, is: {}, id: second, needs: first }] }',
    );
    const [first, second] = step.expect as [Assertion, Assertion];
    const broken = { ...step, expect: [{ ...first, check: 'gone' } as Assertion, second] };
    expect(outcomes([answeredRun(broken)])).toEqual(['first: undecided', 'second: blocked by first']);
  });
});

describe('a check that cannot judge', () => {
  const served =
    '- id: a\n  request: { execute: add, arguments: {} }\n  expect: { checks: [CHECK], status: { not: 1xx, id: ok } }';
  const judged = (check: string): readonly Finding[] => {
    const step = stepOf(served.replace('CHECK', check));
    return findings([
      ran(step, { exchanges: [noAnswer({ code: 'closed-early', fault: 'server', message: '' })] }),
    ]);
  };

  test('is undecided with its reason', () => {
    expect(judged('{ check: crlf-line-ends, id: lines }')).toContainEqual({
      outcome: 'undecided',
      because: 'cut-short',
      fault: 'harness',
      message: 'this was not judged: no request was answered',
      expected: 'a judgement',
      received: 'none',
      advice: 'Fix that first. If another requirement decides it, name that under blockedBy: no-answer.',
    });
  });

  test('is blocked by the requirement that the suite names for its reason', () => {
    expect(judged('{ check: crlf-line-ends, id: lines, blockedBy: { no-answer: ok } }')).toContainEqual({
      outcome: 'blocked',
      blockedBy: 'mine/ok',
    });
  });
});

test('a check with an unknown kind of input is undecided', () => {
  expect(found(checking('passing-moon'))).toMatchObject([
    {
      outcome: 'undecided',
      message: expect.stringContaining('the harness cannot judge {"name":"passing-moon"'),
    },
  ]);
});

describe.each(Object.entries(KINDS))('an assertion of the kind %s', (_, text) => {
  test('decides', () => {
    expect(found(withPart(text))).toEqual([{ outcome: 'passed' }]);
  });

  test('is undecided if the kind is unknown', () => {
    expect(found(changed(withPart(text), { kind: 'moon' }))).toMatchObject([
      { outcome: 'undecided', message: expect.stringContaining('the harness cannot judge {') },
    ]);
  });
});

describe('an empty assertion', () => {
  test.each(['is', 'not'])('a status with an empty list under %s', (key) => {
    const step = changed(withPart(KINDS.status), { is: null, not: null, [key]: [] });
    expect(found(step)).toMatchObject(undecided('this was not judged: the assertion names no status'));
  });

  test('a budget without a limit', () => {
    expect(found(changed(withPart(KINDS.budget), { limitsMs: {} }))).toMatchObject(
      undecided('this was not judged: the budget limits nothing'),
    );
  });
});

describe('an assertion that needs another on several answers of its step', () => {
  const LATER = 'body: [{ at: $.a, is: {}, id: second }]';
  const needing = (step: Step): Step => ({
    ...step,
    expect: step.expect.map((one) =>
      one.requirement === 'mine/second' ? { ...one, needs: 'mine/planted' } : one,
    ),
  });

  test.each(['repetitions', 'step', 'measurements'])('a check that sees %s: is blocked', (sees) => {
    const step = withPart(
      `experiment: { timed-calls: 72 }\n  expect: { checks: [{ check: passing-${sees}, id: planted }], ${LATER} }`,
    );
    expect(outcomes([answeredRun(needing(step))])).toEqual(['planted: passed', 'second: blocked by planted']);
  });

  test('a budget: is blocked', () => {
    const step = withPart(KINDS.budget.replace('expect: { ', `expect: { ${LATER}, `));
    expect(outcomes([answeredRun(needing(step))])).toEqual(['second: blocked by planted', 'planted: passed']);
  });
});

test('a budget does not pass because of an unanswered request', () => {
  const [step] = stepsOf(`- id: a
  request: { get: /health }
  experiment: { timed-calls: 72 }
  expect: { budget: [{ maxMs: 1000, requirement: health/reachable }], checks: [{ check: answered-or-closed, requirement: health/reachable }] }`) as [
    Step,
  ];
  const closed = noAnswer({ code: 'connection-reset', fault: 'server', message: 'reset' });
  const run = ran(step, { exchanges: [closed], timed: { kind: 'not-measured', because: 'unanswered' } });
  expect(outcomes([run])).toEqual(['health/reachable: passed', 'health/reachable: undecided']);
});

describe('a value that is saved', () => {
  const step = withPart(
    'expect: { status: { is: 200, id: ok }, checks: [{ check: same-functions, id: several }, { check: request-id-echoed, id: echoed }] }\n  save: { list: { at: $.a, needs: ok } }',
  );
  const settings = settingsOf({ seed: 1 });
  const judgeExchange = judgeDuringRun({ settings, targetUrl: TARGET, schemas: createSchemaEvaluator() });
  const learnedWith = (needs: string | null, call: PlannedCall | null = null) => {
    const { list } = step.save as { list: Extract<Step['save'][string], { kind: 'found' }> };
    const instance = { key: 'a', item: undefined, functionName: null, caseId: null, call };
    const exchanges = [at({ value: { a: 1, requestId: 'r-1' }, key: 'a#0' })];
    const { learned, others } = learn(
      nothingLearned(settings, []),
      { ...step, save: { list: { ...list, needs: { rest: needs, mcp: null } } } },
      [{ ...instance, exchanges }],
      { settings, judgeExchange, schemas: createSchemaEvaluator() },
    );
    return { others, saved: learned.saved.get('list') };
  };

  test('is available to others if its prerequisite is met', () => {
    expect(learnedWith('mine/ok')).toEqual({ others: { met: true }, saved: 1 });
    expect(learnedWith(null)).toEqual({ others: { met: true }, saved: 1 });
  });

  test('is judged with the call that was made', () => {
    const call: PlannedCall = {
      form: 'B',
      functionName: 'add',
      input: {},
      inputSource: 'given',
      requestId: 'r-1',
    };
    expect(learnedWith('mine/echoed', call)).toEqual({ others: { met: true }, saved: 1 });
    expect(learnedWith('mine/echoed', { ...call, requestId: 'r-2' }).others).toEqual({
      met: false,
      by: 'mine/echoed',
    });
  });

  test.each(['mine/nowhere', 'mine/several'])('is not available if nothing decides %s', (needs) => {
    expect(learnedWith(needs)).toEqual({ others: { met: false, by: needs }, saved: undefined });
  });
});
