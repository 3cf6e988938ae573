import { expect, test } from 'vitest';
import { hasRoom, type ThreadLoad } from '../../src/check/threads/thread-places.ts';

test.each<[string, ThreadLoad, boolean]>([
  ['few checks', { checks: 7, utilization: 1, begun: 7 }, true],
  ['many checks that wait', { checks: 63, utilization: 0.5, begun: 3 }, true],
  ['as many as it may have', { checks: 64, utilization: 0, begun: 0 }, false],
  ['many checks that keep it busy', { checks: 8, utilization: 0.95, begun: 0 }, false],
  ['many checks that have just begun', { checks: 20, utilization: 0.5, begun: 4 }, false],
])('whether a thread has room: %s', (_, load, expected) => {
  expect(hasRoom(load, 64)).toBe(expected);
});

test('a thread for few checks has room for all of them, however busy it is', () => {
  expect(hasRoom({ checks: 3, utilization: 1, begun: 3 }, 4)).toBe(true);
  expect(hasRoom({ checks: 4, utilization: 0, begun: 0 }, 4)).toBe(false);
});
