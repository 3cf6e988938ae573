import { describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { settingsOf } from '../../src/check/run-settings.ts';
import type { Step } from '../../src/model/suite.ts';
import { outageAfter, skipBeforehand, skipInForm, skipWithInstances } from '../../src/run/calls/policies.ts';
import { createRestraint } from '../../src/run/calls/restraint.ts';
import type { RunState } from '../../src/run/calls/run-state.ts';
import { requestsEndAtMs } from '../../src/run/calls/run-state.ts';
import { NOTHING_SEEN } from '../../src/run/calls/seen-changes.ts';
import { nothingLearned } from '../../src/run/state/learned.ts';
import type { StepRun } from '../../src/run/state/record.ts';
import { noAnswer } from '../checks/example.ts';
import { loadText, suiteOf } from '../suite/loading.ts';

const { steps } = loadText(
  suiteOf(`
- { id: read, request: { get: /health }, expect: { status: { is: 200, id: read } } }
- { id: judge, needs: [read], use: { read: read }, expect: { checks: [{ check: answered, id: judged }] } }
- { id: form-b, when: { form: B }, request: { get: /health }, expect: { status: { is: 200, id: form-b } } }
- { id: call, request: { execute: add, arguments: {} }, expect: { status: { is: 200, id: call } } }
- { id: crowd, repeat: { times: 3, atOnce: true }, request: { get: /health }, expect: { status: { is: 200, id: crowd } } }
- { id: burst, experiment: { burst: 9 }, request: { get: /health }, expect: { status: { is: 200, id: burst } } }
- { id: timed, experiment: { timed-calls: 20 }, request: { get: /health }, expect: { status: { is: 200, id: timed } } }
- { id: negative, phase: negative, request: { get: /health }, expect: { status: { is: 200, id: negative } } }
- { id: more-negative, phase: negative, request: { get: /health }, expect: { status: { is: 200, id: more } } }
- { id: end, phase: finally, request: { get: /health }, expect: { status: { is: 200, id: end } } }
`),
);

function step(id: string): Step {
  const found = steps.find((one) => one.id === `mine/${id}`);
  if (found === undefined) throw new Error(`no step is called ${id}`);
  return found;
}

function stateWith(options: CheckOptions = {}, change: Partial<RunState> = {}): RunState {
  const settings = settingsOf({ seed: 1, ...options });
  return {
    settings,
    planning: false,
    used: new Set(),
    steps,
    endsAtMs: 60_000,
    firstCalls: null,
    rounds: new Map(),
    learned: nothingLearned(settings, steps),
    ended: new Map(),
    restraint: createRestraint(settings, NOTHING_SEEN),
    outage: { silentBy: null, goneBy: null, brokenBy: null },
    ...change,
  };
}

/** It is not skipped. */
const run = null;
const inapplicable = (reason: string) => ({ kind: 'inapplicable', reason });
const blocked = (by: string) => ({ kind: 'blocked', by });

test('a step that judges an inapplicable step is inapplicable', () => {
  const reason = 'not of this form';
  const ended = new Map<string, StepRun>([
    ['mine/read', { kind: 'inapplicable', step: step('read'), reason }],
  ]);
  expect(skipBeforehand(step('judge'), stateWith({}, { ended }))).toEqual(inapplicable(reason));
  expect(skipBeforehand(step('judge'), stateWith())).toEqual(run);
  const asking = { ...step('judge'), request: step('read').request };
  expect(skipBeforehand(asking, stateWith({}, { ended }))).toEqual(run);
  const forEach = {
    in: '${list}',
    as: 'one',
    key: '${one}',
    where: null,
    succeeded: null,
    first: null,
    functions: null,
  };
  const looping = { ...asking, rounds: { ...asking.rounds, forEach } };
  expect(skipBeforehand(looping, stateWith({}, { ended }))).toEqual(inapplicable(reason));
  // Another step may have saved its list.
  const learned = { ...stateWith().learned, saved: new Map([['list', ['item']]]) };
  expect(skipBeforehand(looping, stateWith({}, { ended, learned }))).toEqual(run);
});

describe('an outage', () => {
  test('during timed calls blocks all negative steps, including the last ones', () => {
    const state = stateWith({}, { outage: { silentBy: 'mine/timed', goneBy: null, brokenBy: null } });
    const decisions = ['read', 'negative', 'end'].map((id) => skipBeforehand(step(id), state));
    expect(decisions).toEqual([run, blocked('mine/timed'), blocked('mine/timed')]);
  });

  test('after a negative step blocks negative steps of other requirements, but not the last steps', () => {
    const state = stateWith({}, { outage: { silentBy: null, goneBy: 'mine/negative', brokenBy: null } });
    const decisions = ['read', 'negative', 'more-negative', 'end'].map((id) =>
      skipBeforehand(step(id), state),
    );
    expect(decisions).toEqual([run, run, blocked('mine/negative'), run]);
  });

  test('is that of the first step that finds it', () => {
    const refused = noAnswer({ code: 'connection-refused', fault: 'network', message: 'nothing listens' });
    const instance = { key: 'a', item: undefined, functionName: null, caseId: null, call: null, timed: null };
    const ran = (id: string): StepRun => ({
      kind: 'ran',
      step: step(id),
      instances: [{ ...instance, exchanges: [refused] }],
    });
    const none = { silentBy: null, goneBy: null, brokenBy: null };
    expect(outageAfter(ran('read'), null, false, stateWith())).toEqual(none);
    expect(outageAfter(ran('timed'), refused, false, stateWith())).toEqual({
      ...none,
      silentBy: 'mine/timed',
    });
    const outage = outageAfter(ran('negative'), null, false, stateWith());
    expect(outage).toEqual({ ...none, goneBy: 'mine/negative' });
    expect(outageAfter(ran('more-negative'), null, false, stateWith({}, { outage }))).toEqual(outage);
    expect(outageAfter(ran('end'), null, false, stateWith()).brokenBy).toBeNull();
    expect(outageAfter(ran('end'), null, true, stateWith()).brokenBy).toBe('mine/end');
  });
});

test('a rate limit is tested only on request', () => {
  const asked = (tryRateLimit: boolean) => stateWith({ directory: { tryRateLimit } });
  expect(skipBeforehand(step('burst'), asked(true))).toEqual(run);
  expect(skipBeforehand(step('read'), asked(false))).toEqual(run);
  expect(skipBeforehand(step('burst'), asked(false))).toEqual(
    inapplicable('tried only with --try-rate-limit'),
  );
});

describe('the form', () => {
  const unknown = { form: null, because: 'capabilities/reachable' } as const;

  test.each([
    ['read', unknown, run],
    ['call', unknown, blocked('capabilities/reachable')],
    ['call', { form: 'A' } as const, run],
    ['form-b', unknown, blocked('capabilities/reachable')],
    ['form-b', { form: 'B' } as const, run],
    ['form-b', { form: 'A' } as const, inapplicable('only for form B; the target speaks form A')],
  ])('of %s, for %o', (id, form, decision) => {
    expect(skipInForm(step(id), stateWith(), form)).toEqual(decision);
  });
});

test('concurrent requests need a concurrency above one', () => {
  const decisions = [1, 2].map((concurrency) =>
    skipInForm(step('crowd'), stateWith({ concurrency }), { form: 'A' }),
  );
  expect(decisions).toEqual([inapplicable('only one request at a time is allowed: see --concurrency'), run]);
  expect(skipInForm(step('read'), stateWith({ concurrency: 1 }), { form: 'A' })).toEqual(run);
});

test('a step does not apply if none of its functions may be called, or called again', () => {
  const item = { name: 'add', description: 'Adds.' };
  const key = 'mine/call';
  const instances = [{ key, item, functionName: 'add', caseId: null, call: null, request: null }];
  const decided = (never: readonly string[], calls: number) =>
    skipWithInstances(
      step('call'),
      instances,
      stateWith({ mutating: { once: ['*'], never } }).restraint,
      new Map([['add', calls]]),
    );
  const reason = 'every callable function changes something or looks as if it does: see --mutating';
  expect(decided([], 0)).toEqual(run);
  expect(decided([], 9)).toEqual(run);
  expect(decided([], 10)).toEqual(inapplicable(reason));
  expect(decided(['add'], 0)).toEqual(inapplicable(reason));
});

test('time is reserved for the last steps, and during timed calls for negative steps too', () => {
  const options = { deadlineMs: 40_000, requestTimeoutMs: 4000 };
  const endsOf = (state: RunState) =>
    ['read', 'timed', 'negative', 'end'].map((id) => requestsEndAtMs(step(id), state));
  expect(endsOf(stateWith(options))).toEqual([60_000, 45_500, 55_500, 60_000]);
  expect(endsOf(stateWith({ ...options, deadlineMs: 8000 }))).toEqual([60_000, 56_000, 58_000, 60_000]);
  const withoutLast = { steps: steps.filter(({ phase }) => phase !== 'finally') };
  expect(endsOf(stateWith(options, withoutLast))).toEqual([60_000, 50_000, 60_000, 60_000]);
});

test('the first reason to skip a step decides', () => {
  const state = stateWith(
    {},
    { outage: { silentBy: 'mine/timed', goneBy: 'mine/negative', brokenBy: null } },
  );
  const both = { ...step('burst'), phase: 'negative' } as const;
  expect(skipBeforehand(both, state)).toEqual(blocked('mine/timed'));
  expect(skipBeforehand(step('burst'), state)).toMatchObject({ kind: 'inapplicable' });
  expect(skipBeforehand(step('read'), state)).toEqual(run);
});
