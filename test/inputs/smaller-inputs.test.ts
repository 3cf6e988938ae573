import { describe, expect, it } from 'vitest';
import { isSmaller, smallerInputs } from '../../src/inputs/explore/smaller-inputs.ts';
import { parseExactly } from '../../src/json/exact-json.ts';
import type { JsonObject } from '../../src/json/json.ts';

/** The smallest input that fails, as a run finds it. */
function smallest(found: JsonObject, fails: (input: JsonObject) => boolean): JsonObject {
  let current = found;
  for (;;) {
    const next = [...smallerInputs(current)].find(fails);
    if (next === undefined) return current;
    current = next;
  }
}

describe('the smallest failing input', () => {
  it.each<[string, JsonObject, (input: never) => boolean, JsonObject]>([
    [
      'has only the parameters that matter',
      { text: 'Grace Hopper', limit: 10, tags: ['a', 'b'] },
      ({ limit }: { limit?: number }) => limit !== undefined && limit > 7,
      { limit: 8 },
    ],
    [
      'has the shortest text',
      { text: 'x'.repeat(700) },
      ({ text = '' }: { text?: string }) => text.length > 255,
      { text: 'a'.repeat(256) },
    ],
    [
      'keeps the one character that matters',
      { text: 'a long text with a "quotation" inside' },
      ({ text = '' }: { text?: string }) => text.includes('"'),
      { text: '"' },
    ],
    [
      'has the number next to the bound',
      { count: 9_007_199_254_740_991 },
      ({ count = 0 }: { count?: number }) => count > 2_147_483_647,
      { count: 2_147_483_648 },
    ],
    [
      'has 0 beside texts too',
      { amount: 1, from: 'USD', to: 'GBP' },
      ({ to }: { to?: string }) => to === 'GBP',
      { to: 'GBP' },
    ],
    [
      'has 0 beside texts that must stay',
      { amount: 1, from: 'USD', to: 'GBP' },
      ({ amount, from, to }: { amount?: number; from?: string; to?: string }) =>
        amount !== undefined && from === 'USD' && to === 'GBP',
      { amount: 0, from: 'USD', to: 'GBP' },
    ],
    [
      'has few digits',
      { ratio: 0.30000000000000004 },
      ({ ratio = 0 }: { ratio?: number }) => !Number.isInteger(ratio),
      { ratio: 0.1 },
    ],
    [
      'has the shortest list of the smallest items',
      { values: Array.from({ length: 300 }, (_, index) => index * 7) },
      ({ values = [] }: { values?: readonly number[] }) => values.length > 100,
      { values: Array.from({ length: 101 }, () => 0) },
    ],
    [
      'has the smallest nested object',
      { address: { city: 'Aachen', lines: [{ text: 'Markt 1' }, { text: '' }] } },
      ({ address }: { address?: { lines?: readonly { text?: string }[] } }) =>
        address?.lines?.some(({ text }) => text === '') === true,
      { address: { lines: [{ text: '' }] } },
    ],
  ])('%s', (_, found, fails, expected) => {
    expect(smallest(found, fails as (input: JsonObject) => boolean)).toEqual(expected);
  });

  it('proposes only smaller inputs', () => {
    const input = { text: 'Zürich', count: -12.75, flags: [true, false], deep: { text: 'x' } };
    const proposed = [...smallerInputs(input)];
    expect(proposed.length).toBeGreaterThan(20);
    expect(proposed.filter((one) => !isSmaller(one, input))).toEqual([]);
  });
});

it('makes an id above 2^53 smaller', () => {
  const input = parseExactly('{"id":174322306148984899}') as JsonObject;
  expect(smallest(input, ({ id }) => Number(id) >= 1)).toEqual({ id: 1 });
  expect([...smallerInputs(input)].filter((one) => !isSmaller(one, input))).toEqual([]);
});
