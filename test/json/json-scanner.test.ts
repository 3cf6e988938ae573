import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonPointer } from '../../src/json/json.ts';
import { type JsonBounds, type OddNumber, scanJson } from '../../src/json/json-scanner.ts';
import { anyCharacter } from '../any-character.ts';
import { runs } from '../property-runs.ts';

const WIDE: JsonBounds = { maxDepth: 1000, maxValues: 1_000_000 };
const scan = (text: string, bounds: Partial<JsonBounds> = {}) => scanJson(text, { ...WIDE, ...bounds });

describe('values and levels', () => {
  test.each([
    ['1', 1, 0],
    ['""', 1, 0],
    ['[]', 1, 1],
    ['{}', 1, 1],
    [' [ 1 , [ ] ] ', 3, 2],
    ['{"a":{"b":[null]},"c":"[[["}', 5, 3],
  ])('of %s are counted', (text, values, depth) => {
    expect(scan(text)).toEqual({ end: 'whole', valueEnd: null, values, depth, duplicate: null, numbers: [] });
  });

  test('are counted up to a bound', () => {
    expect(scan('[[[1]]]', { maxDepth: 3 })).toMatchObject({ end: 'whole', depth: 3 });
    expect(scan('[[[1]]]', { maxDepth: 2 })).toMatchObject({ end: 'too-deep', depth: 3 });
    expect(scan('[1,2,3]', { maxValues: 4 })).toMatchObject({ end: 'whole', values: 4 });
    expect(scan('[1,2,3]', { maxValues: 3 })).toMatchObject({ end: 'too-many', values: 4 });
  });

  test.each([
    ['a bound and then a mistake', '[1,2,,', 'too-many'],
    ['a mistake and then a bound', '[1,,2,3', 'broken'],
    ['a value past the bound that is invalid', '[1,x', 'broken'],
    ['a value past the bound that is not closed', '[1,"x', 'broken'],
  ])('are decided by what comes first: %s', (_, text, end) => {
    expect(scan(text, { maxValues: 2 }).end).toBe(end);
  });
});

describe('the grammar', () => {
  test.each([
    ['an exponent with e or E', '[1e5,1E5,0.5E-2,-0E+0,10e10]'],
    ['white space of every kind', '\t\n\r [\r1\r,\t2\r\n]\r'],
    ['white space in empty lists and objects', '[\r\n{ },[\t]]'],
    ['spaces and non-ASCII characters in strings', '["a b","é\u007F\u2028🚀\uD800"]'],
    ['every escape', '["\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uABCD\\ud800"]'],
    ['keys of every kind', '{"":1,"\\u0061":2,"b c":{}}'],
    ['every word', '[true,false,null]'],
  ])('accepts %s', (_, text) => {
    expect(isJson(text)).toBe(true);
    expect(scan(text)).toMatchObject({ end: 'whole', duplicate: null, numbers: [] });
  });

  test.each([
    ...['', ' ', '[', '{', '[[]', '{"a":[]', '[1', '{"a":1', ']', '}', '[}', '{]', '[1}', '{"a":1]'],
    ...['[]]', '{}}', '{}{}', '1 2', '[1 2]', '[1:2]', ',', '[,1]', '[1,]', '[1,,2]', '{,}', '{"a":1,}'],
    ...[
      '{"a"}',
      '{"a",1}',
      '{"a" 1}',
      '{"a":}',
      '{"a":1 "b":2}',
      '{1:2}',
      '{a:1}',
      '{a"',
      '{"a":1,b"',
      '[1,{"a',
    ],
    ...[
      '-',
      '-a',
      '-.5',
      '-e1',
      '+1',
      '01',
      '-01',
      '1.',
      '1.e5',
      '1.a',
      '.5',
      '1e',
      '1e+',
      '1E-',
      '1ee5',
      '1e5.',
    ],
    ...[
      '[-]',
      '[1.]',
      '[1e]',
      '{"a":-}',
      '0x1',
      'nul',
      'True',
      'nullnull',
      'NaN',
      '\f1',
      '1\u00A0',
      '\uFEFF1',
    ],
    ...['"', '"a', '"\\', '"\\"', '"a\n"', '"\u0000"', '"\u001F"', '"\\x"', '"\\u', '"\\u12"', '"\\u12'],
    ...[
      '"\\u{12"',
      '"\\u{12}"',
      '"\\u123g"',
      '"\\ug123"',
      '"\\U0041"',
      '{"a\\x":1}',
      '{"a\\',
      '{"a\\u12":1}',
    ],
  ])('rejects %j', (text) => {
    expect(isJson(text)).toBe(false);
    expect(scan(text)).toMatchObject({ end: 'broken', duplicate: null, numbers: [] });
  });
});

describe('a number', () => {
  const noted = (text: string): readonly OddNumber[] => scan(text).numbers;

  test.each([
    ['1e999', 'overflow'],
    ['-1e309', 'overflow'],
    ['1.8e308', 'overflow'],
    [`1${'0'.repeat(309)}`, 'overflow'],
    [`0.${'0'.repeat(50)}1e${'9'.repeat(30)}`, 'overflow'],
    ['9007199254740993', 'inexact'],
    ['-9007199254740993', 'inexact'],
    ['18446744073709551615', 'inexact'],
    ['123456789012345678901234567890', 'inexact'],
    [`${'9'.repeat(308)}`, 'inexact'],
  ])('%s is reported', (literal, kind) => {
    expect(noted(`[0,${literal}]`)).toMatchObject([{ pointer: '/1', kind }]);
  });

  test.each([
    '9007199254740991',
    '9007199254740992',
    '100000000000000000000',
    String(2n ** 60n),
    String(-(2n ** 1000n)),
    '-0',
    '0.1',
    '1e308',
    '1e23',
    '9007199254740993.0',
    '9007199254740993e0',
    '5e-324',
    '1e-999',
    '"1e999"',
  ])('%s is not reported', (literal) => {
    expect(noted(literal)).toEqual([]);
    expect(noted(`{"a":${literal}}`)).toEqual([]);
  });

  test('is reported with its pointer', () => {
    const [first, second, third] = noted('[{"a":[]},{"b":{},"c d":[0,[],1e999,{"/":1e999}],"e":1e999}]');
    expect([first, second, third].map((odd) => odd?.pointer)).toEqual(['/1/c d/2', '/1/c d/3/~1', '/1/e']);
  });

  test('is shortened when it is long', () => {
    const [found] = noted('9'.repeat(1000));
    expect(found?.literal).toBe(`${'9'.repeat(39)}…`);
    expect(noted(`[${'1'.repeat(1_000_000)}]`)).toMatchObject([{ kind: 'overflow' }]);
  });

  test('at most three of a body are reported', () => {
    expect(noted(`[${Array(10).fill('1e999')}]`).map(({ pointer }) => pointer)).toEqual(['/0', '/1', '/2']);
  });

  test('is reported exactly if a double cannot hold it', () => {
    const integers = fc.oneof(
      fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
      fc
        .tuple(fc.bigInt({ min: 0n, max: 2n ** 12n }), fc.nat({ max: 1010 }))
        .map(([n, by]) => n << BigInt(by)),
      fc
        .tuple(fc.integer({ min: -2, max: 2 }), fc.nat({ max: 1023 }))
        .map(([by, n]) => 2n ** BigInt(n) + BigInt(by)),
    );
    fc.assert(
      fc.property(integers, (integer) => {
        // All bits after the first 53 must be zero.
        const size = integer < 0n ? -integer : integer;
        const spareBits = BigInt(Math.max(0, size.toString(2).length - 53));
        const isExact = (size >> spareBits) << spareBits === size;
        expect(noted(String(integer)).map(({ kind }) => kind)).toEqual(isExact ? [] : ['inexact']);
      }),
      { numRuns: runs(2000) },
    );
  });
});

/** A JSON value as it is written, in which a key may occur twice. */
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
    fc.constantFrom<Written>(null, true, 1.5, -0, 1e21, 1e-7),
    fc.constantFrom<Written>('a', ',', '}', '\\', '"', '{"a":1,"a":2}', '\u2028', '🚀'),
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

/** Finds the first key that occurs twice, in the order of the text, in the simplest way. */
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

function partsOf(value: Written): readonly Written[] {
  if (typeof value !== 'object' || value === null) return [];
  return isList(value) ? value : value.members.map(([, member]) => member);
}

function depthOf(value: Written): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...partsOf(value).map(depthOf));
}

function countOf(value: Written): number {
  return partsOf(value).reduce<number>((sum, part) => sum + countOf(part), 1);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('in general', () => {
  test('duplicate keys, levels and values are those that a simple walk finds', () => {
    fc.assert(
      fc.property(written, fc.constantFrom('', ' ', '\n\t'), (value, space) => {
        const { end, duplicate, depth, values } = scan(write(value, space));
        expect(end).toBe('whole');
        expect(duplicate === null ? null : jsonPointer(duplicate)).toBe(firstDuplicate(value));
        expect(depth).toBe(depthOf(value));
        expect(values).toBe(countOf(value));
      }),
      { numRuns: runs(2000) },
    );
  });

  test('a bound is passed exactly if there is more', () => {
    fc.assert(
      fc.property(written, fc.nat({ max: 5 }), fc.nat({ max: 30 }), (value, maxDepth, maxValues) => {
        const { end } = scan(write(value, ''), { maxDepth, maxValues });
        const isWithin = depthOf(value) <= maxDepth && countOf(value) <= maxValues;
        expect(end === 'whole').toBe(isWithin);
        if (end === 'too-deep') expect(depthOf(value)).toBeGreaterThan(maxDepth);
        if (end === 'too-many') expect(countOf(value)).toBeGreaterThan(maxValues);
      }),
      { numRuns: runs(2000) },
    );
  });

  const token = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '"a"',
      '"a":',
      '"\\n"',
      '"\\x"',
      '"\\u00e9"',
      '"\\u00g9"',
      '"\\ud8"',
    ],
    ...[
      '0',
      '-',
      '-0',
      '01',
      '1.',
      '.5',
      '1.5',
      '1e',
      '1e+',
      '1E-5',
      '+1',
      'true',
      'false',
      'null',
      'nul',
      'NaN',
    ],
    ...[
      ' ',
      '\t',
      '\n',
      '\r',
      '\f',
      '\u00A0',
      '\u2028',
      '\uFEFF',
      '\u0000',
      '"\u0000"',
      '"\u007F"',
      'é',
      '\uD800',
    ],
  );
  const anyText = fc.oneof(
    fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join('')),
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    fc
      .tuple(written, fc.nat(), fc.nat({ max: 2 }), fc.oneof(fc.constant(''), token))
      .map(([value, place, removed, added]) => {
        const text = write(value, '');
        const at = place % (text.length + 1);
        return text.slice(0, at) + added + text.slice(at + removed);
      }),
  );

  test('a text is whole exactly if JSON.parse accepts it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(scan(text).end).toBe(isJson(text) ? 'whole' : 'broken');
      }),
      { numRuns: runs(20_000) },
    );
  });

  test('a text that passes a bound is JSON up to there, once it is closed', () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 3 }), fc.nat({ max: 5 }), (text, maxDepth, maxValues) => {
        const bounds = { maxDepth, maxValues };
        const { end, depth, values } = scan(text, bounds);
        expect(depth).toBeLessThanOrEqual(maxDepth + 1);
        expect(values).toBeLessThanOrEqual(maxValues + 1);
        if (end === 'broken' || end === 'whole') expect(isJson(text)).toBe(end === 'whole');
        else expect(isJson(closed(toBound(text, bounds)))).toBe(true);
      }),
      { numRuns: runs(5000) },
    );
  });

  /** The shortest prefix of a text that passes a bound. */
  function toBound(text: string, bounds: JsonBounds): string {
    const beginnings = [...Array(text.length + 1).keys()].map((length) => text.slice(0, length));
    return beginnings.find((beginning) => scan(beginning, bounds).end.startsWith('too-')) ?? text;
  }

  /** The text, with all open lists and objects closed. */
  function closed(text: string): string {
    const open: string[] = [];
    for (const [piece] of text.matchAll(/"(?:\\.|[^"\\])*"|[[\]{}]/gsu)) {
      if (piece === '[') open.push(']');
      else if (piece === '{') open.push('}');
      else if (piece === ']' || piece === '}') open.pop();
    }
    return text + open.reverse().join('');
  }

  test('each character is read a fixed number of times', () => {
    const shapes = [
      '[',
      '{"a":',
      '[[],',
      '"\\u0061',
      '"a',
      ' ',
      '1',
      '0.1e',
      '-',
      '{"k":1,',
      '\\',
      'true',
      '"\\\\"',
      '\\u0061',
      '\\n',
    ];
    const units = fc
      .array(fc.constantFrom(...shapes), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.constantFrom('[', '["', '{"', ''), units, (start, unit) => {
        const reads = (times: number): number => {
          const counted = countedText(start + unit.repeat(times));
          scan(counted.text);
          return counted.reads();
        };
        const [some, more] = [reads(50), reads(500)];
        expect(more).toBeLessThanOrEqual(11 * some + 100);
      }),
      { numRuns: runs(300) },
    );
  });

  /** A text that counts how many of its characters are read. */
  function countedText(plain: string): { readonly text: string; readonly reads: () => number } {
    let count = 0;
    const counting = {
      length: plain.length,
      charCodeAt: (at: number) => {
        count += 1;
        return plain.charCodeAt(at);
      },
      charAt: (at: number) => {
        count += 1;
        return plain.charAt(at);
      },
      slice: (from: number, to: number) => {
        const part = plain.slice(from, to);
        count += part.length;
        return part;
      },
      startsWith: (part: string, at: number) => {
        count += part.length;
        return plain.startsWith(part, at);
      },
    };
    return { text: counting as unknown as string, reads: () => count };
  }
});
