import { describe, expect, test } from 'vitest';
import { type Json, MAX_JSON_DEPTH } from '../../src/json/json.ts';
import { type SelectedNode, select } from '../../src/json/selector.ts';

function nested(levels: number, inmost: Json = {}): Json {
  let value = inmost;
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}

function nodes(at: string, value: Json): readonly SelectedNode[] {
  const selection = select(at, value);
  if (selection.kind === 'undecided') throw new Error(selection.reason);
  return selection.nodes;
}

describe('a selector', () => {
  test('finds values with their places', () => {
    const value = { list: [{ 'a/b~c': 1 }, { 'a/b~c': [2] }] };
    expect(nodes('$.list[*].*', value)).toEqual([
      { value: 1, pointer: '/list/0/a~1b~0c' },
      { value: [2], pointer: '/list/1/a~1b~0c' },
    ]);
    expect(nodes('$.nothing', value)).toEqual([]);
  });

  test('descends to the last level of a body that is judged', () => {
    const found = nodes('$..a', nested(MAX_JSON_DEPTH, { a: 'inmost' }));
    expect(found.length).toBe(MAX_JSON_DEPTH);
    expect(found.at(-1)).toEqual({ value: 'inmost', pointer: '/a'.repeat(MAX_JSON_DEPTH) });
  });

  test('finds more values than fit on the stack', () => {
    const list = Array.from({ length: 249_000 }, () => ({}));
    expect(nodes('$.functions[*]', { functions: list }).length).toBe(list.length);
    expect(nodes('$..*', { functions: list }).length).toBe(list.length + 1);
  });

  test('does not write the places of values that nobody reads', () => {
    const longName = 'n'.repeat(3_000_000);
    const list = Array.from({ length: 200_000 }, () => 0);
    expect(nodes('$.*[*]', { [longName]: list }).length).toBe(list.length);
  });

  test.each([
    ['values that it finds many times', '$..*..*', Array.from({ length: 3000 }, () => nested(40))],
    [
      'many values in a deep one',
      '$..*',
      nested(
        250,
        Array.from({ length: 200_000 }, () => 0),
      ),
    ],
    [
      'a filter that needs too much of the stack',
      '$[?count($..*) > 1]',
      [Array.from({ length: 249_000 }, () => 0)],
    ],
  ])('is undecided about %s', (_, at, value) => {
    expect(select(at, value)).toEqual({ kind: 'undecided', reason: expect.stringMatching(/values|stack/) });
  });
});
