import { afterEach, beforeEach, chai, type TestContext } from 'vitest';

/*
 * A test that calls no `expect` proves nothing, and fails. The runner's `requireAssertions` has one count for all tests
 * of a file and resets it when one begins, so it fails concurrent tests that are still busy after their last `expect`.
 * This count only rises.
 */
const COUNTED = Symbol.for('calls of expect');

interface Counting {
  withTest: (test: unknown) => unknown;
  [COUNTED]?: number;
}

/** Each call of `expect` creates an assertion with its test. */
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
