import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonBody } from '../../src/checks/json/json-body.ts';
import { decodeJson, MAX_JSON_VALUES } from '../../src/json/decode-json.ts';
import { MAX_JSON_DEPTH } from '../../src/json/json.ts';
import { runs } from '../property-runs.ts';
import { answer } from './example.ts';

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const decode = (text: string) => decodeJson(bytesOf(text));

describe('a body', () => {
  test('that is an object', () => {
    expect(decode(' {"a":[1,{"b":null}]}\r\n')).toEqual({
      value: { a: [1, { b: null }] },
      problem: null,
      numbers: [],
    });
  });

  test.each([
    ['nothing', '', 'the body is empty', 'an empty body'],
    ['a page', '<!doctype html>', 'the body is not JSON', '"<!doctype html>" (string)'],
    ['two values', '{}{}', 'the body is not JSON', '"{}{}" (string)'],
    ['a trailing comma', '{"a":1,}', 'the body is not JSON', '"{\\"a\\":1,}" (string)'],
    ['NaN', '{"a":NaN}', 'the body is not JSON', '"{\\"a\\":NaN}" (string)'],
    ['a comment', '{} // no', 'the body is not JSON', '"{} // no" (string)'],
    ['a control character in a text', '{"a":"\n"}', 'the body is not JSON', '"{\\"a\\":\\"\\n\\"}" (string)'],
    ['spaces alone', '  ', 'the body is not JSON', '"  " (string)'],
  ])('of %s has no value', (_, text, message, received) => {
    expect(decode(text)).toEqual({
      value: undefined,
      problem: { serversFault: true, message, received },
      numbers: [],
    });
  });

  test.each([
    ['[]', 'the body is JSON, but an array', '[] (array)'],
    ['"x"', 'the body is JSON, but a string', '"x" (string)'],
    ['1', 'the body is JSON, but a number', '1 (number)'],
    ['true', 'the body is JSON, but a boolean', 'true (boolean)'],
    ['null', 'the body is JSON, but null', 'null'],
  ])('%s has a value, but is not an object', (text, message, received) => {
    expect(decode(text)).toEqual({
      value: JSON.parse(text),
      problem: { serversFault: true, message, received },
      numbers: [],
    });
  });

  test('with a byte order mark has a value and a problem', () => {
    expect(decode('\uFEFF{"a":1}')).toEqual({
      value: { a: 1 },
      problem: {
        serversFault: true,
        message: 'the body starts with a byte order mark',
        received: 'EF BB BF before the JSON',
        advice: expect.stringMatching(/^Write the body as UTF-8 without the mark: .*utf-8-sig/),
      },
      numbers: [],
    });
  });

  test('with two byte order marks is not JSON', () => {
    expect(decode('\uFEFF\uFEFF{}').value).toBeUndefined();
  });

  test.each([
    ['a lone continuation byte', [0x7b, 0x80, 0x7d]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['an overlong NUL in four bytes', [0x22, 0xf0, 0x80, 0x80, 0x80, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a character past the last', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['Latin 1', [0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
    ['a truncated text', [0x22, 0xf0, 0x9f, 0x9a]],
  ])('of %s is not UTF-8', (_, bytes) => {
    expect(decodeJson(Uint8Array.from(bytes))).toEqual({
      value: undefined,
      problem: {
        serversFault: true,
        message: 'the body is not valid UTF-8',
        received: `${bytes.length} bytes that are not UTF-8`,
      },
      numbers: [],
    });
  });

  test('with escaped lone surrogates is JSON', () => {
    expect(decode('{"a":"\\uD800","\\uDC00":1}')).toEqual({
      value: { a: '\uD800', '\uDC00': 1 },
      problem: null,
      numbers: [],
    });
  });

  test('with numbers that do not fit a double is JSON, and they are reported', () => {
    const body = decode('{"a":1e999,"b":[-1e999,{"c/d":9007199254740993}]}');
    expect(body.value).toEqual({
      a: Number.POSITIVE_INFINITY,
      b: [Number.NEGATIVE_INFINITY, { 'c/d': 9007199254740992 }],
    });
    expect(body.problem).toBeNull();
    expect(body.numbers).toEqual([
      { pointer: '/a', literal: '1e999', kind: 'overflow' },
      { pointer: '/b/0', literal: '-1e999', kind: 'overflow' },
      { pointer: '/b/1/c~1d', literal: '9007199254740993', kind: 'inexact' },
    ]);
    expect(decode('1e999').problem?.received).toBe('a number too large for a double');
  });

  test('as deep as allowed, and one level deeper', () => {
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(decode(nested(MAX_JSON_DEPTH)).problem).toBeNull();
    expect(decode(nested(MAX_JSON_DEPTH + 1))).toEqual({
      value: undefined,
      problem: {
        serversFault: false,
        message: `the body is nested deeper than the harness judges (${MAX_JSON_DEPTH})`,
        received: `more than ${MAX_JSON_DEPTH} levels`,
      },
      numbers: [],
    });
  });

  test('of as many values as allowed, and one more', () => {
    const list = (values: number): string => `{"a":[${Array(values - 2).fill(1)}]}`;
    expect(decode(list(MAX_JSON_VALUES)).problem).toBeNull();
    expect(decode(list(MAX_JSON_VALUES + 1))).toEqual({
      value: undefined,
      problem: {
        serversFault: false,
        message: `the body holds more values than the harness judges (${MAX_JSON_VALUES})`,
        received: `more than ${MAX_JSON_VALUES} values`,
      },
      numbers: [],
    });
  });

  const MANY = 8 * 1024 * 1024;
  test.each([
    ['brackets', '['.repeat(MANY), 'nested deeper'],
    ['objects in objects', '{"":'.repeat(MANY / 4), 'nested deeper'],
    ['empty lists', `[${'[],'.repeat(MANY / 3)}`, 'more values'],
    ['empty objects', `[${'{},'.repeat(MANY / 3)}`, 'more values'],
    ['members', `{${'"a":1,'.repeat(MANY / 6)}`, 'more values'],
    ['numbers', `[${'0,'.repeat(MANY / 2)}`, 'more values'],
    // All of them are truncated, so a parser that does not stop at the bound would report invalid JSON.
  ])('of 8 MB of %s is read only up to the bound, and the server is not blamed', (_, text, message) => {
    const { value, problem } = decode(text);
    expect(value).toBeUndefined();
    expect(problem?.serversFault).toBe(false);
    expect(problem?.message).toContain(message);
  });

  test.each([
    ['commas', ','],
    ['colons', ':'],
    ['closing brackets', ']'],
    ['spaces', ' '],
    ['letters', 'a'],
    ['quotation marks', '"'],
    ['zeros', '0'],
    ['keys without values', '{"a"'],
    ['brackets of two kinds', '[}'],
    ['values without commas', '[1 2'],
  ])('of 8 MB of %s is not JSON, and the server is blamed', (_, text) => {
    const { value, problem } = decode(text.repeat(MANY / text.length));
    expect(value).toBeUndefined();
    expect(problem).toMatchObject({ serversFault: true, message: 'the body is not JSON' });
    expect(problem?.received.length).toBeLessThan(200);
  });

  test('is decoded once', () => {
    const exchange = answer({ value: { a: [] } });
    const first = jsonBody(exchange);
    expect(first).toEqual({ value: { a: [] }, problem: null, numbers: [] });
    expect(jsonBody(exchange)).toBe(first);
  });
});

describe('a key that occurs twice', () => {
  test.each([
    ['{"a":1,"a":2}', '/a'],
    ['{"a":{"b":[0,{"c":1,"c":2}]}}', '/a/b/1/c'],
    ['[[],[[],{"x":1,"y":{},"x":3}]]', '/1/1/x'],
    ['{"a/b":1,"~":{"":1,"":2}}', '/~0/'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"\\/":1,"/":2}', '/~1'],
    ['{"a":"b","c":["a","a"],"a":1}', '/a'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"\\uD83D\\uDE80":1,"🚀":2}', '/🚀'],
    ['{"first":{"a":1,"a":2},"second":{"b":1,"b":2}}', '/first/a'],
    ['{"a\\"b":1,"a\\"b":2}', '/a"b'],
    ['{"a":[1,2,{"d":1},{"d":1,"d":2}]}', '/a/3/d'],
  ])('%s', (text, pointer) => {
    expect(decode(text).problem).toMatchObject({
      serversFault: true,
      received: 'the same key twice',
      pointer,
    });
  });

  test.each([
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
    '{"a":"a","b":"a"}',
    '{"A":1,"a":2}',
    '{"a":1,"a ":2}',
    '["a","a"]',
    '{"a":"{\\"b\\":1,\\"b\\":2}"}',
    '{"é":1,"e\u0301":2}',
    '{"a":[","],"b":{},"c":[]}',
  ])('is not reported for %s', (text) => {
    expect(decode(text).problem?.received).not.toBe('the same key twice');
  });

  test('is shortened in the message', () => {
    const key = 'k'.repeat(100_000);
    const { problem } = decode(`{"${key}":1,"${key}":2}`);
    expect(problem?.message).toMatch(/^the key "k{100,200}… occurs twice in one object$/);
    expect(problem?.pointer).toBe(`/${key}`);
  });
});

/** Texts with one small change. */
const damaged = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      texts,
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom('', ...'{}[]":,\\-+.0e \n\u0000\uFEFF', '00', '1e999', '\\u00', '\\ud800', 'null'),
    )
    .map(([text, place, removed, added]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + added + text.slice(at + removed);
    });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('in general', () => {
  test('JSON and damaged JSON are read as by JSON.parse', () => {
    const text = fc.json({ maxDepth: 4, stringUnit: 'binary' });
    fc.assert(
      fc.property(fc.oneof(text, damaged(text), damaged(damaged(text))), (json) => {
        // UTF-8 cannot encode a lone surrogate.
        fc.pre(!json.startsWith('\uFEFF') && !/\p{Cs}/u.test(json));
        const { value, problem } = decode(json);
        expect(value).toEqual(parsed(json));
        expect(problem?.message === 'the body is not JSON' || problem?.message === 'the body is empty').toBe(
          parsed(json) === undefined,
        );
      }),
      { numRuns: runs(1500) },
    );
  });

  test('any bytes are read or refused', () => {
    const jsonLike = fc
      .array(fc.constantFrom(...'{}[]":,\\ \n', '"a"', 'null', '1e9', '\\u00', '\uFEFF', '\uD800', 'é'), {
        maxLength: 40,
      })
      .map((parts) => bytesOf(parts.join('')));
    const cutText = fc
      .tuple(fc.json({ stringUnit: 'binary' }), fc.nat(), fc.nat())
      .map(([text, from, to]) => bytesOf(text).subarray(from % 10, to % 500));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), jsonLike, cutText), (bytes) => {
        const { value, problem, numbers } = decodeJson(bytes);
        expect(value === undefined && problem === null).toBe(false);
        if (value === undefined) expect(numbers).toEqual([]);
      }),
      { numRuns: runs(1500) },
    );
  });
});
