import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { judgeContext } from '../../src/judge/step-context.ts';
import type { Step } from '../../src/model/suite.ts';
import { noAnswer } from '../checks/example.ts';
import { at, findings, inputOf, outcomes, ran, stepOf, stepsOf } from './judging.ts';

const PAIR = `- id: first
  request: { get: /health }
  expect: { status: { is: 200, id: ok }, body: [{ at: $.a, is: { type: string }, id: text }] }
- id: second
  needs: [first]
  request: { get: /capabilities }
  expect: { status: { is: 200, id: later, needs: text } }`;

describe('what an earlier step decided', () => {
  const [first, second] = stepsOf(PAIR) as [Step, Step];
  const dependent = ran(second, { exchanges: [at({ path: '/capabilities' })] });
  const later = (...values: readonly (string | number)[]) => {
    const exchanges = values.map((a, index) => at({ value: { a }, key: `first#${index}` }));
    return outcomes([ran(first, { exchanges }), dependent]).at(-1);
  };

  test('counts with its worst outcome', () => {
    expect(later('x', 'x')).toBe('later: passed');
    expect(later('x', 1)).toBe('later: blocked by text');
    expect(later(1, 'x')).toBe('later: blocked by text');
  });

  test('leaves dependent assertions undecided if it decided nothing', () => {
    expect(findings([ran(first), dependent])).toMatchObject([
      { outcome: 'undecided', message: 'this was not judged: it needs mine/text, which nothing decided' },
    ]);
  });
});

describe('what is open for one function', () => {
  const [called, later] = stepsOf(`- id: called
  request: { execute: add }
  expect: { body: [{ at: $.a, is: { type: string }, id: text }] }
- id: later
  needs: [called]
  request: { execute: add }
  expect: { body: [{ at: $.b, is: { type: string }, id: again, needs: text }] }`) as [Step, Step];
  const calls = (step: Step, name: string, value: JsonObject) => ({
    functionName: name,
    call: { form: 'B', functionName: name, input: {}, inputSource: 'assembled', requestId: null } as const,
    exchanges: [at({ path: '/execute', value, key: `${step.id}[${name}]#0` })],
  });
  const functions = [{ name: 'broken' }, { name: 'good' }];
  const outcomesOf = (...names: readonly string[]) =>
    outcomes(
      [
        ran(called, calls(called, 'broken', { a: 1 }), calls(called, 'good', { a: 'x' })),
        ran(later, ...names.map((name) => calls(later, name, { b: 1 }))),
      ],
      { saved: new Map([['functions', functions]]) },
    ).slice(2);

  test('blocks that function', () => {
    expect(outcomesOf('broken')).toEqual(['again: blocked by text']);
  });

  test('hides no failure of another one', () => {
    expect(outcomesOf('good')).toEqual(['again: failed']);
    expect(outcomesOf('broken', 'good')).toEqual(['again: blocked by text', 'again: failed']);
  });

  test('and passed for another one does not block a function that was not called before', () => {
    expect(outcomesOf('unlisted')).toEqual(['again: failed']);
  });
});

describe('whether a refusal is due to a missing key', () => {
  const [health, execute] =
    stepsOf(`- { id: health, request: { get: /health }, expect: { status: { is: 200, id: ok } } }
- { id: calls, request: { execute: add }, expect: { status: { is: 200, id: called } } }`) as [Step, Step];

  test('does not depend on other operations', () => {
    const steps = [
      ran(health, { exchanges: [at({ key: 'health#0' })] }),
      ran(execute, { exchanges: [at({ status: 401, path: '/execute', key: 'calls#0' })] }),
    ];
    expect(outcomes(steps)).toEqual(['ok: passed', 'called: undecided']);
  });

  test.each([
    [299, 'failed'],
    [300, 'undecided'],
  ])('if another request of the operation got %i: %s', (status, outcome) => {
    const exchanges = [at({ status: 401, key: 'health#0' }), at({ status, key: 'health#1' })];
    expect(findings([ran(health, { exchanges })])[0]?.outcome).toBe(outcome);
  });

  test('is unknown for a step that sent nothing', () => {
    const input = inputOf([ran(health, { exchanges: [at()] })]);
    expect(judgeContext(execute, input, new Map()).servedElsewhere).toBe(false);
    expect(judgeContext(health, input, new Map()).servedElsewhere).toBe(true);
  });
});

describe('settings', () => {
  const listing = (check: string) =>
    stepOf(`- { id: a, request: { get: /capabilities }, expect: { checks: [${check}] } }`);

  test('a forced form applies to every descriptor', () => {
    const step = listing(
      '{ check: descriptors, id: all, with: { form: B, schema: { required: [parameters] } } }',
    );
    const ofFormA = { functions: [{ name: 'add', description: 'Adds.', inputs: ['a'], outputs: ['b'] }] };
    const steps = [ran(step, { exchanges: [at({ value: ofFormA })] })];
    expect(outcomes(steps, { form: { form: 'B' } })).toEqual(['all: inapplicable']);
    expect(outcomes(steps, { form: { form: 'B' }, settings: { form: 'B' } })).toEqual(['all: failed']);
  });

  test('a sample replaces the example of its function', () => {
    const step = listing('{ check: examples-given, id: given }');
    const value = { functions: [{ name: 'add' }, { name: 'now' }, { name: 'constructor' }] };
    const samples = { add: [{ input: {}, fails: false }] };
    const found = findings([ran(step, { exchanges: [at({ value })] })], { settings: { samples } });
    expect(found).toMatchObject([
      { outcome: 'failed', pointer: '/functions/1' },
      { outcome: 'failed', pointer: '/functions/2' },
    ]);
  });
});

describe('the answers that a step uses', () => {
  const [health, listing, again, agree] = stepsOf(`- id: health
  request: { get: /health }
  expect: { status: { is: 200, id: ok } }
- id: listing
  request: { get: /capabilities }
  expect: { status: { is: 200, id: listed } }
- id: again
  use: listing
  expect: { body: [{ at: $, is: {}, id: body }] }
- id: agree
  use: { health: health, capabilities: listing }
  expect: { checks: [{ check: versions-agree, id: same }] }`) as [Step, Step, Step, Step];
  const healthy = ran(health, { exchanges: [at({ value: { mcpVersion: '1.0' }, key: 'health#0' })] });
  const old = { value: { mcpVersion: '0.9' }, path: '/capabilities' };
  const reset = noAnswer({ code: 'connection-reset', fault: 'server', message: 'reset' });
  const same = (...exchanges: Parameters<typeof ran>[1]['exchanges']) =>
    outcomes([healthy, ran(listing, { exchanges }), ran(agree)]).at(-1);

  test('are those with the expected status', () => {
    expect(same(at({ ...old, key: 'listing#0' }))).toBe('same: failed');
    expect(same(at({ ...old, status: 500, key: 'listing#0' }))).toBe('same: inapplicable');
    expect(same(reset, at({ ...old, key: 'listing#1' }))).toBe('same: failed');
    expect(same(reset)).toBe('same: inapplicable');
  });

  test('are missing if the step did not run', () => {
    const steps = [healthy, { kind: 'blocked', step: listing, by: 'mine/x' } as const, ran(agree)];
    expect(outcomes(steps).at(-1)).toBe('same: inapplicable');
  });

  test('are those of all other steps for "*", each once', () => {
    const all = stepOf(`- id: all
  request: { get: /health }
  use: { every: "*" }
  expect: { status: { is: 200, id: fine } }`);
    const listed = at({ ...old, key: 'listing#0' });
    const steps = [
      healthy,
      ran(listing, { exchanges: [listed] }),
      ran(again, { exchanges: [listed] }),
      ran(all, { exchanges: [at({ key: 'all#0' })] }),
    ];
    const { used } = judgeContext(all, inputOf(steps), new Map());
    expect(used.every?.map(({ exchange }) => exchange.request.key)).toEqual(['health#0', 'listing#0']);
  });
});
