import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeJson, jsonBody, MAX_JSON_DEPTH, scanJson } from '../../src/checks/json-body.ts';
import { jsonPointer } from '../../src/model/json.ts';
import { answer } from './example.ts';

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const decode = (text: string) => decodeJson(bytesOf(text));

describe('a body', () => {
  test('that is an object', () => {
    expect(decode(' {"a":[1,{"b":null}]}\r\n')).toEqual({ value: { a: [1, { b: null }] }, problem: null });
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
    expect(decode(text)).toEqual({ value: undefined, problem: { serversFault: true, message, received } });
  });

  test.each([
    ['[]', 'the body is JSON, but an array', '[] (array)'],
    ['"x"', 'the body is JSON, but a string', '"x" (string)'],
    ['1', 'the body is JSON, but a number', '1 (number)'],
    ['true', 'the body is JSON, but a boolean', 'true (boolean)'],
    ['null', 'the body is JSON, but null', 'null'],
  ])('%s has a value, but is no object', (text, message, received) => {
    expect(decode(text)).toEqual({
      value: JSON.parse(text),
      problem: { serversFault: true, message, received },
    });
  });

  test('with a byte order mark is judged all the same', () => {
    expect(decode('\uFEFF{"a":1}')).toEqual({
      value: { a: 1 },
      problem: {
        serversFault: true,
        message: 'the body starts with a byte order mark',
        received: 'EF BB BF before the JSON',
      },
    });
  });

  test('with two byte order marks is no JSON', () => {
    expect(decode('\uFEFF\uFEFF{}').value).toBeUndefined();
  });

  test.each([
    ['a lone continuation byte', [0x7b, 0x80, 0x7d]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['Latin 1', [0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
    ['a text that breaks off', [0x22, 0xf0, 0x9f, 0x9a]],
  ])('of %s is not UTF-8', (_, bytes) => {
    expect(decodeJson(Uint8Array.from(bytes))).toEqual({
      value: undefined,
      problem: {
        serversFault: true,
        message: 'the body is not valid UTF-8',
        received: `${bytes.length} bytes that are not UTF-8`,
      },
    });
  });

  test('with escaped lone surrogates is JSON', () => {
    expect(decode('{"a":"\\uD800","\\uDC00":1}')).toEqual({
      value: { a: '\uD800', '\uDC00': 1 },
      problem: null,
    });
  });

  test('with numbers out of range is JSON, and they are seen to be', () => {
    expect(decode('{"a":1e999,"b":-1e999}').value).toEqual({
      a: Number.POSITIVE_INFINITY,
      b: Number.NEGATIVE_INFINITY,
    });
    expect(decode('1e999').problem?.received).toBe('Infinity (number out of range)');
  });

  test('as deep as may be, and one level deeper', () => {
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(decode(nested(MAX_JSON_DEPTH)).problem).toBeNull();
    expect(decode(nested(MAX_JSON_DEPTH + 1))).toEqual({
      value: undefined,
      problem: {
        serversFault: false,
        message: `the body is nested ${MAX_JSON_DEPTH + 1} deep, which is more than the harness judges (${MAX_JSON_DEPTH})`,
        received: `JSON nested ${MAX_JSON_DEPTH + 1} deep`,
      },
    });
  });

  test('deeper than any stack', () => {
    expect(decode(`${'['.repeat(500_000)}${']'.repeat(500_000)}`).problem).toMatchObject({
      serversFault: false,
      received: 'JSON nested 500000 deep',
    });
  });

  test('is decoded once', () => {
    const exchange = answer({ value: { a: [] } });
    expect(jsonBody(exchange)).toBe(jsonBody(exchange));
  });
});

describe('a key that stands twice', () => {
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
  ])('is not in %s', (text) => {
    expect(scanJson(text).duplicate).toBeNull();
  });
});

/** JSON as text with its keys as they are, so that one may stand twice. */
type Written =
  | null
  | boolean
  | number
  | string
  | readonly Written[]
  | { readonly members: readonly (readonly [string, Written])[] };

const written = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Written>(null, true, 1.5, -0),
    fc.constantFrom<Written>('a', ',', '}', '\\', '"', '{"a":1,"a":2}'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', '', '\\', '"', '/', '\u0061', 'é', '~'), tie('value')), {
        maxLength: 4,
      })
      .map((members): Written => ({ members })),
  ),
})).value;

const keyWriters = [
  (key: string) => JSON.stringify(key),
  (key: string) =>
    `"${[...key].map((character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`).join('')}"`,
];

function isList(value: Written): value is readonly Written[] {
  return Array.isArray(value);
}

function write(value: Written, space: string, turn = { count: 0 }): string {
  if (isList(value)) return `[${value.map((item) => space + write(item, space, turn)).join(',')}${space}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = value.members.map(([key, inner]) => {
    turn.count += 1;
    const writeKey = keyWriters[turn.count % keyWriters.length] ?? JSON.stringify;
    return `${space}${writeKey(key)}${space}:${space}${write(inner, space, turn)}`;
  });
  return `{${members.join(',')}${space}}`;
}

/** The plainest way to find the first key that stands twice, in the order of the text. */
function firstDuplicate(value: Written, path: readonly (string | number)[] = []): string | null {
  if (isList(value)) {
    for (const [index, item] of value.entries()) {
      const found = firstDuplicate(item, [...path, index]);
      if (found !== null) return found;
    }
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const seen = new Set<string>();
  for (const [key, inner] of value.members) {
    if (seen.has(key)) return jsonPointer([...path, key]);
    seen.add(key);
    const found = firstDuplicate(inner, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

function depthOf(value: Written): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = isList(value) ? value : value.members.map(([, member]) => member);
  return 1 + Math.max(0, ...inner.map(depthOf));
}

describe('in general', () => {
  test('a key is found to stand twice exactly where a plain walk finds it', () => {
    fc.assert(
      fc.property(written, fc.constantFrom('', ' ', '\n\t'), (value, space) => {
        const { duplicate, depth } = scanJson(write(value, space));
        expect(duplicate === null ? null : jsonPointer(duplicate)).toBe(firstDuplicate(value));
        expect(depth).toBe(depthOf(value));
      }),
      { numRuns: 2000 },
    );
  });

  test('any JSON is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(decode(text).value).toEqual(JSON.parse(text));
      }),
    );
  });

  test('any bytes are read or refused', () => {
    const jsonLike = fc
      .array(fc.constantFrom(...'{}[]":,\\ \n', '"a"', 'null', '1e9', '\\u00', '\uFEFF', '\uD800', 'é'), {
        maxLength: 40,
      })
      .map((parts) => bytesOf(parts.join('')));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), jsonLike), (bytes) => {
        const { value, problem } = decodeJson(bytes);
        expect(value === undefined && problem === null).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });
});
