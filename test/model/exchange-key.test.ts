import { describe, expect, test } from 'vitest';
import {
  aliveKey,
  callKey,
  exchangeKey,
  followUpKey,
  inputKey,
  instanceKey,
  isFirstAttempt,
  isFirstAttemptOf,
  isForItem,
  namesakeKey,
  retriedKey,
  waitedKey,
} from '../../src/model/exchange-key.ts';

const add = instanceKey('execute/call', 'add', null);

/** Saved reports must find their exchanges by the same keys. */
test.each([
  [instanceKey('health/read', null, null), 'health/read'],
  [instanceKey('robustness/odd', null, 'long'), 'robustness/odd(long)'],
  [instanceKey('execute/alone', 'add', '2'), 'execute/alone[add](2)'],
  [namesakeKey(add, 2), 'execute/call[add]|2'],
  [callKey(add, 'A'), 'execute/call[add]@A'],
  [callKey(add, 'B', 0), 'execute/call[add]@B'],
  [callKey(add, 'B', 2), 'execute/call[add]@B=3'],
  [inputKey(callKey(add, 'B'), 0), 'execute/call[add]@B'],
  [inputKey(callKey(add, 'B'), 1), 'execute/call[add]@B~2'],
  [followUpKey(callKey(add, 'B'), 'other'), 'execute/call[add]@B%other'],
  [exchangeKey(callKey(add, 'B'), 0), 'execute/call[add]@B#0'],
  [aliveKey('performance/health'), 'performance/health#after'],
  [waitedKey(exchangeKey('health/read', 0), 1), 'health/read#0!1'],
  [retriedKey(exchangeKey('health/read', 0), 2), 'health/read#0?2'],
])('a key is %s', (made, key) => {
  expect(made).toBe(key);
});

describe('a key', () => {
  test('identifies the first attempt of the first request, and its instance', () => {
    const first = exchangeKey(add, 0);
    expect(
      [first, exchangeKey(add, 10), waitedKey(first, 1), retriedKey(first, 2)].map(isFirstAttempt),
    ).toEqual([true, false, false, false]);
    expect(isFirstAttemptOf(first, add)).toBe(true);
    expect(isFirstAttemptOf(first, instanceKey('execute/call', 'ad', null))).toBe(false);
  });

  test('identifies its item, also with a shortened name', () => {
    const long = 'x'.repeat(40);
    expect(isForItem(exchangeKey(add, 0), 'add')).toBe(true);
    expect(isForItem(exchangeKey(add, 0), 'ad')).toBe(false);
    expect(isForItem(instanceKey('execute/call', `${long.slice(0, 35)}…`, null), long)).toBe(true);
  });
});
