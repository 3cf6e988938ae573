import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/json/json.ts';
import type { Chosen } from '../../src/pickers/define-picker.ts';
import { pickers } from '../../src/pickers/index.ts';
import { answer } from '../checks/example.ts';

const record = (id: string, parts: JsonObject = {}): JsonObject => ({
  id,
  name: `Server ${id}`,
  category: 'maps',
  tags: [],
  uptime: 99,
  responseTime: 40,
  audited: true,
  openSource: true,
  endpoint: `http://${id}.example`,
  ...parts,
});

const page = (servers: readonly Json[], total = servers.length): Json => {
  return { servers, pagination: { total, limit: 100, offset: 0, hasNext: total > servers.length } };
};

interface Given {
  readonly items?: readonly Json[];
  readonly saved?: Readonly<Record<string, Json>>;
  readonly entry?: string;
}

function choose(
  name: string,
  values: readonly Json[],
  { items = [], saved = {}, entry }: Given = {},
): Chosen {
  const picker = pickers.get(name);
  if (picker === undefined) throw new Error(`There is no picker "${name}".`);
  return picker({
    answers: values.map((value, index) => ({ exchange: answer({ value }), value, item: items[index] })),
    saved: new Map(Object.entries(saved)),
    settings: { directory: { entry: entry ?? null, tryRateLimit: false } },
    callOf: ({ name: called }) => ({
      input: { of: called ?? '' },
      source: called === 'guessed' ? 'assembled' : 'example',
      changesSomething: String(called).startsWith('delete'),
    }),
  });
}

const pickedBy = (chosen: Chosen): Json | string => (chosen.kind === 'chosen' ? chosen.value : chosen.kind);

describe('pages', () => {
  const many = (count: number): readonly Json[] => Array.from({ length: count }, (_, id) => record(`${id}`));

  test('of a small directory are three consecutive ones', () => {
    expect(pickedBy(choose('pages', [page(many(8))]))).toEqual([
      { offset: 0, limit: 3 },
      { offset: 3, limit: 3 },
      { offset: 6, limit: 3 },
    ]);
  });

  test('of an empty one is one', () => {
    expect(pickedBy(choose('pages', [page([])]))).toEqual([{ offset: 0, limit: 1 }]);
  });

  test('of a large one are twenty, spread from the first to the last', () => {
    const chosen = pickedBy(choose('pages', [page(many(100), 100_000)])) as readonly { offset: number }[];
    expect(chosen).toHaveLength(20);
    expect(chosen[0]?.offset).toBe(0);
    expect(chosen.at(-1)?.offset).toBe(99_900);
  });

  test('are as large as the directory allows', () => {
    expect(pickedBy(choose('pages', [page(many(2), 5)]))).toEqual([
      { offset: 0, limit: 2 },
      { offset: 2, limit: 2 },
      { offset: 4, limit: 2 },
    ]);
  });
});

describe('values of filters', () => {
  test('a category of about half of the records, and an unused one', () => {
    const records = [
      record('a'),
      record('b'),
      record('c', { category: 'media' }),
      record('d', { category: 'media' }),
      record('e', { category: 'text' }),
    ];
    expect(pickedBy(choose('categories', [page(records)]))).toEqual(['maps', 'probity-unknown-category']);
  });

  test('a word in few records', () => {
    const records = [record('a', { name: 'Harbour tides' }), record('b', { name: 'Harbour snow' })];
    expect(pickedBy(choose('words', [page(records)]))).toEqual(['snow', 'xqzvkwjy']);
  });

  test('an uptime in the widest gap', () => {
    const records = [90, 99, 99.4].map((uptime, index) => record(`${index}`, { uptime }));
    expect(pickedBy(choose('uptime-limits', [page(records)]))).toEqual([94.5]);
  });

  test('an uptime that excludes all records if all have the same', () => {
    expect(pickedBy(choose('uptime-limits', [page([record('a'), record('b')])]))).toEqual([100]);
    expect(pickedBy(choose('response-time-limits', [page([record('a'), record('b')])]))).toEqual([20]);
  });

  test('none, without suitable records', () => {
    const perfect = [record('a', { uptime: 100, responseTime: 1 })];
    expect(choose('uptime-limits', [page(perfect)])).toMatchObject({ kind: 'none-fits' });
    expect(choose('response-time-limits', [page(perfect)])).toMatchObject({ kind: 'none-fits' });
    expect(choose('tag-queries', [page(perfect)])).toMatchObject({ kind: 'none-fits' });
    expect(choose('combination', [page(perfect)])).toMatchObject({ kind: 'none-fits' });
    for (const name of ['categories', 'tags', 'words', 'uptime-limits', 'combination', 'entries'])
      expect(choose(name, [page([])]), name).toMatchObject({ kind: 'none-fits' });
  });

  test('two tags of one record, in three ways', () => {
    const records = [record('a', { tags: ['y', 'x', 'p,q'] }), record('b', { tags: ['x'] }), record('c')];
    expect(pickedBy(choose('tag-queries', [page(records)]))).toEqual([
      { name: 'repeated', query: { tags: ['x', 'y'], limit: 100 } },
      { name: 'joined', query: { tags: 'x,y', limit: 100 } },
      { name: 'bracketed', query: { 'tags[]': ['x', 'y'], limit: 100 } },
    ]);
  });

  test('two filters, each of which alone matches another record', () => {
    const records = [
      record('a', { tags: ['x'] }),
      record('b'),
      record('c', { category: 'media', tags: ['x'] }),
    ];
    expect(pickedBy(choose('combination', [page(records)]))).toEqual({
      category: 'maps',
      tags: 'x',
      limit: 100,
    });
  });
});

describe('entries', () => {
  const records = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => record(id));

  test('are three, spread over the found records', () => {
    expect(pickedBy(choose('entries', [page(records)]))).toMatchObject([
      { id: 'a' },
      { id: 'c' },
      { id: 'e' },
    ]);
  });

  test('or the one that the user named, if it can exist', () => {
    expect(pickedBy(choose('entries', [page(records)], { entry: 'f' }))).toMatchObject([{ id: 'f' }]);
    expect(choose('entries', [page(records)], { entry: 'x' })).toMatchObject({ kind: 'none-fits' });
    expect(pickedBy(choose('entries', [page(records, 900)], { entry: 'x' }))).toEqual([{ id: 'x' }]);
  });

  test('whose details show functions are not requested again', () => {
    const saved = { entries: [record('a')] };
    const shown = { server: { functions: [{ name: 'add' }] } };
    expect(choose('endpoints', [shown], { saved })).toMatchObject({ kind: 'not-needed' });
    expect(pickedBy(choose('endpoints', [{}], { saved }))).toEqual([
      { id: 'a', endpoint: 'http://a.example' },
    ]);
    expect(choose('endpoints', [{}], { saved: { entries: [{ id: 'a' }] } })).toMatchObject({
      kind: 'not-needed',
    });
  });

  test('are not on this machine if the directory is elsewhere', () => {
    const saved = { entries: [record('a', { endpoint: 'http://127.0.0.1:8080' }), record('b')] };
    expect(pickedBy(choose('endpoints', [{}], { saved }))).toEqual([
      { id: 'b', endpoint: 'http://b.example' },
    ]);
  });

  test('are called by a function whose input is known and that changes nothing', () => {
    const functions = ['guessed', 'delete-all', 'add'].map((name) => ({ name }));
    const given = { items: [{ id: 'a' }] };
    const add = { id: 'a', function: 'add', input: { of: 'add' }, source: 'example' };
    expect(pickedBy(choose('calls', [{ functions }], given))).toEqual([add]);
    expect(pickedBy(choose('testees', [{ functions }], given))).toEqual([add]);
  });

  test('are tested without an input if no function is known', () => {
    expect(choose('calls', [])).toMatchObject({ kind: 'none-fits' });
    expect(pickedBy(choose('testees', [], { saved: { entries: [record('a')] } }))).toEqual([
      { id: 'a', input: {} },
    ]);
  });
});
