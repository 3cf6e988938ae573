import { expect, test } from 'vitest';
import { leadingVersion } from '../../src/checks/capabilities/versions.ts';

test.each([
  ['1', [1]],
  ['1.0', [1, 0]],
  ['v1.2.3-beta.4', [1, 2, 3]],
  ['V10.20', [10, 20]],
  ['  2.0 (stable)', [2, 0]],
  ['1.2.x', [1, 2]],
  ['1.', [1]],
  ['2026-01-31', [2026]],
  ['0.9', [0, 9]],
  ['007.08', [7, 8]],
])('%s', (text, numbers) => {
  expect(leadingVersion(text)).toEqual(numbers);
});

test.each(['', 'latest', 'version 1', '.5', '-1', 'vv1', '１.0'])(
  '%s does not start with a version',
  (text) => {
    expect(leadingVersion(text)).toBeUndefined();
  },
);

test('a very long number is not parsed', () => {
  expect(leadingVersion('9'.repeat(400))).toEqual([999_999_999]);
});
