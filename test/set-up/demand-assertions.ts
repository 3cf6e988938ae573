import { afterEach, beforeEach, chai, type TestContext } from 'vitest';

/*
 * A test that calls no `expect` proves nothing, and fails. The runner's own `requireAssertions` keeps one count for all
 * tests of a file and sets it back whenever one begins: of tests that run at the same time, it fails those that were
 * still busy after their last `expect`. This count only rises.
 */
const COUNTED = Symbol.for('calls of expect');

interface Counting {
  withTest: (test: unknown) => unknown;
  [COUNTED]?: number;
}

/** Each call of `expect` makes an assertion and tells it its test. */
const assertions = chai.Assertion.prototype as unknown as Counting;

if (assertions[COUNTED] === undefined) {
  const { withTest } = assertions;
  assertions[COUNTED] = 0;
  assertions.withTest = function (test) {
    assertions[COUNTED] = calls() + 1;
    return withTest.call(this, test);
  };
}

function calls(): number {
  return assertions[COUNTED] ?? 0;
}

const before = new WeakMap<TestContext['task'], number>();

beforeEach(({ task }) => {
  before.set(task, calls());
});

afterEach(({ task }) => {
  if (task.result?.state !== 'pass' || before.get(task) !== calls()) return;
  throw new Error('This test calls no expect, so that it proves nothing: state in it what has to be so.');
});
