import { describe, expect, test } from 'vitest';
import { pointedRange } from '../../../src/report/view/answers.ts';

function pointed(text: string, pointer: string): string | null {
  const range = pointedRange(text, pointer);
  return range === null ? null : text.slice(...range);
}

describe('the place of a JSON pointer in a text', () => {
  test.each([
    ['{"a": {"b": [1, {"c": "}\\"]"}]}, "d": 2}', '/a/b/1/c', '"}\\"]"'],
    ['{"a": {"b": [1, 2]}, "d": -2e3 }', '/d', '-2e3'],
    ['{"a": {"b": [1, 2]}, "d": 2}', '/a', '{"b": [1, 2]}'],
    ['[[], {}, [3]]', '/2/0', '3'],
    ['{"x/y": {"~": null}}', '/x~1y/~0', 'null'],
    ['{"\\u0061": 1}', '/a', '1'],
    [' {"a": 1} ', '', '{"a": 1}'],
  ])('of %s, %s, is %s', (text, pointer, expected) => {
    expect(pointed(text, pointer)).toBe(expected);
  });

  test.each([
    ['not JSON', '/a'],
    ['{"a": 1}', '/b'],
    ['{"a": 1}', '/a/b'],
    ['[1]', '/1'],
    ['[]', '/0'],
    ['{}', '/__proto__'],
  ])('of %s, %s, is unknown', (text, pointer) => {
    expect(pointed(text, pointer)).toBeNull();
  });
});
