import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contractText, parseContract } from '../../src/contract/contract-file.ts';
import type { JsonObject } from '../../src/json/json.ts';
import type { Contract, ContractFunction } from '../../src/model/contract.ts';
import { contract, tool } from './contracts.ts';

const whole = contract({
  functions: [
    tool('search', { query: { type: 'string' }, _meta: { type: 'object' } }, ['query'], {
      description: 'Finds.',
      annotations: { readOnlyHint: true, title: 'Search' },
      more: { icons: [], _meta: { at: '2026-01-31T12:00:00Z' } },
    }),
    tool('delete'),
  ],
  resources: [
    {
      uri: 'file:///b',
      name: 'b',
      size: 12,
      annotations: { lastModified: '2026-01-31T12:00:00Z', priority: 1 },
    },
    { uri: 'file:///a', name: 'a' },
  ],
  prompts: [{ name: 'review' }, { name: 'ask' }],
});

/** The same value with the members of every object, and all lists of named entries, in another order. */
function shuffled(value: unknown, random: () => number): unknown {
  const mixed = <Item>(items: readonly Item[]): readonly Item[] =>
    items
      .map((item) => [random(), item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item);
  if (Array.isArray(value)) {
    const items = value.map((item) => shuffled(item, random));
    return items.every((item) => typeof item === 'object') ? mixed(items) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(mixed(Object.entries(value)).map(([key, one]) => [key, shuffled(one, random)]));
}

describe('the file of a contract', () => {
  test('has the same bytes whatever the order in which a server lists', () => {
    const text = contractText(whole);
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (numbers) => {
        const random = (): number => numbers.next().value as number;
        expect(contractText(shuffled(whole, random) as Contract)).toBe(text);
      }),
      { seed: 3, numRuns: 30 },
    );
  });

  test('is read as it was written, without what changes from run to run', () => {
    const read = parseContract(contractText(whole), 'c.json');
    expect(contractText(read)).toBe(contractText(whole));
    expect(read.functions.map(({ name }) => name)).toEqual(['delete', 'search']);
    const search = read.functions[1] as ContractFunction;
    expect(search.more).toEqual({ icons: [] });
    // The name of an argument is no such member.
    expect(Object.keys((search.input as JsonObject).properties as JsonObject)).toContain('_meta');
    expect(read.resources).toEqual([
      { name: 'a', uri: 'file:///a' },
      { annotations: { priority: 1 }, name: 'b', uri: 'file:///b' },
    ]);
  });

  test.each([
    ['{', 'c.json is not JSON'],
    ['[]', 'c.json has no member "schema"'],
    ['{"schema": 1}', 'its "schema" is 1'],
    ['{"schema": "https://probity.invalid/schemas/contract/v2"}', 'of another version of Probity'],
    [JSON.stringify({ ...whole, functions: [{ name: 1 }] }), '/functions/0'],
    [JSON.stringify({ ...whole, extra: 1 }), '"extra"'],
    [
      contractText(whole)
        .replace('"size"', '"x"')
        .replace('12', '1e999')
        .replace('"priority": 1', '"priority": 1e999'),
      'no double',
    ],
    [`{"schema": "${whole.schema}", "functions": ${'['.repeat(300)}${']'.repeat(300)}}`, 'nested more than'],
  ])('%# says what is wrong with it, and how to get another one', (text, message) => {
    const read = () => parseContract(text, 'c.json');
    expect(read).toThrow(message);
    expect(read).toThrow('probity contract TARGET -o FILE');
  });
});
