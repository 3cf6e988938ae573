import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalText, compareJson } from '../../../src/checks/json-schema/compare.ts';
import { type Json, sameJson } from '../../../src/json/json.ts';

const unlimited = (): void => {};
const parsed = (text: string): Json => JSON.parse(text) as Json;

describe('two values', () => {
  test.each([
    ['1', '1.0', 'same'],
    ['0', '-0', 'same'],
    ['0', 'false', 'different'],
    ['1', 'true', 'different'],
    ['""', 'null', 'different'],
    ['[]', '{}', 'different'],
    ['{"a":1,"b":[2]}', '{"b":[2.0],"a":1}', 'same'],
    ['{"a":1}', '{"a":1,"b":2}', 'different'],
    ['{"toString":1}', '{"a":1}', 'different'],
    ['{"__proto__":{}}', '{}', 'different'],
    ['{"__proto__":[1]}', '{"__proto__":[1]}', 'same'],
    ['1e999', '1e1000', 'unknown'],
    ['[1e999,1]', '[1e1000,1]', 'unknown'],
    ['[1e999,1]', '[1e1000,2]', 'different'],
    ['1e999', '-1e999', 'different'],
  ])('%s and %s are %s', (left, right, expected) => {
    expect(compareJson(parsed(left), parsed(right), unlimited)).toBe(expected);
  });

  test('have the same text exactly if they are the same', () => {
    const text = (value: Json) => canonicalText(value, unlimited);
    const small = fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(0, -0, 1, '', '0', 'a,', null, false, true, '[]', [], {}),
      fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
    );
    fc.assert(
      fc.property(small, small, (left, right) => {
        const isSame = compareJson(left, right, unlimited) === 'same';
        expect(isSame).toBe(sameJson(left, right));
        expect(JSON.stringify(text(left)) === JSON.stringify(text(right))).toBe(isSame);
      }),
      { seed: 2, numRuns: 2000 },
    );
  });
});

test('every compared value is counted', () => {
  let steps = 0;
  compareJson([1, { a: 2 }], [1, { a: 2 }], (count) => {
    steps += count;
  });
  expect(steps).toBe(4);
});
