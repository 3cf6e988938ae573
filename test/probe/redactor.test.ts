import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/probe/redactor.ts';
import { anyCharacter } from '../any-character.ts';
import { runs } from '../property-runs.ts';

const VARIABLE = 'TEST_SECRET';
const SHOWN = `$${VARIABLE}`;
const redactorOf = (value: string) => createRedactor([{ value, variable: VARIABLE }]);

/** Characters that are difficult for patterns, escapes and encodings; not `<` and `>`, which surround secrets here. */
const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'abcxyzABCXYZ0123456789') },
  { weight: 3, arbitrary: fc.constantFrom(...'.*+?^${}()|[]/-_~!@#&=,:;') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\\', '\\', '"', "'", '%', '%25', '%5C', '\\u', 'u0041', ' ', '`'),
  },
  { weight: 1, arbitrary: fc.constantFrom('é', 'ÿ', 'ß', '£', '東', '京', 'я', '🚀', '\u00A0', '\u2028') },
);
const secretOf = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(character, { minLength: 8, maxLength, size: 'max' })
    .map((characters) => characters.join(''))
    // A secret that ends in an escaped backslash (%5C) is not found if its letters are escaped twice.
    .filter((value) => new Set(value).size > 2 && !/%5C$/i.test(value));
const secret = secretOf(40);

/** Alternates the case of the letters of escapes. */
const mixed = (text: string, pattern: RegExp): string => {
  let turn = 0;
  return text.replaceAll(pattern, (code) => {
    turn += 1;
    return turn % 2 === 0 ? code.toUpperCase().replace('U', 'u') : code.toLowerCase();
  });
};
const percent = encodeURIComponent;
const everyPercent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const jsonAscii = (text: string): string => json(text).replaceAll(/[^\0-~]/g, unicodeEscape);
const jsonOfPhp = (text: string): string => jsonAscii(text).replaceAll('/', '\\/');
const everyUnicode = (text: string): string => text.split('').map(unicodeEscape).join('');
const times = (count: number, write: (text: string) => string, text: string): string =>
  count === 0 ? text : times(count - 1, write, write(text));

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const CODES = /%[0-9a-f]{2}/gi;
const UNITS = /\\u[0-9a-f]{4}/gi;

const SPELLINGS: readonly (readonly [name: string, spell: (value: string) => string])[] = [
  ['raw', (value) => value],
  ['URL-encoded', percent],
  ['URL-encoded in lower case', (value) => percent(value).replaceAll(CODES, (code) => code.toLowerCase())],
  ['URL-encoded in mixed case', (value) => mixed(percent(value), CODES)],
  ['with every byte URL-encoded', everyPercent],
  ['URL-encoded twice', (value) => times(2, percent, value)],
  ['URL-encoded four times', (value) => times(4, percent, value)],
  ['as a form', (value) => new URLSearchParams({ '': value }).toString().slice(1)],
  ['JSON-escaped', json],
  ['JSON-escaped in ASCII', jsonAscii],
  ['JSON-escaped as PHP does', jsonOfPhp],
  ['JSON-escaped twice', (value) => times(2, json, value)],
  ['JSON-escaped as PHP does, twice', (value) => times(2, jsonOfPhp, value)],
  ['JSON-escaped three times', (value) => times(3, json, value)],
  ['JSON-escaped four times', (value) => times(4, jsonAscii, value)],
  ['with every letter escaped', everyUnicode],
  ['with every letter escaped in mixed case', (value) => mixed(everyUnicode(value), UNITS)],
  ['with every letter escaped twice', (value) => json(everyUnicode(value))],
  ['with every letter escaped four times', (value) => times(3, json, everyUnicode(value))],
  ['JSON-escaped and then URL-encoded', (value) => percent(json(value))],
  ['with every letter escaped and then URL-encoded', (value) => percent(everyUnicode(value))],
  ['URL-encoded and then JSON-escaped', (value) => json(percent(value))],
];

describe.each(SPELLINGS)('a secret, %s', (_, spell) => {
  test('is replaced completely, and nothing else is', () => {
    const innocent = fc.string({ unit: fc.constantFrom(...'abcé東 "\'\\%/{}[]:,0125'), maxLength: 20 });
    fc.assert(
      fc.property(secret, innocent, innocent, fc.boolean(), (value, before, after, asBytes) => {
        const { text, bytes } = redactorOf(value);
        const read = (given: string): string =>
          asBytes ? bytes(Buffer.from(given)).toString() : text(given);
        expect(read(`${before}<${spell(value)}>${after}`)).toBe(`${before}<${SHOWN}>${after}`);
      }),
      { numRuns: runs(16) },
    );
  });
});

/** One secret for each kind of difficulty. */
const HARD = [
  'abcdefgh',
  'QRSTUVWX0123456789',
  's3cr3t/with+all="kinds"\\of letters~é-0123456789',
  '\\"abcdefgh',
  '\\\\abcdefgh',
  'abcdefgh\\',
  'abcdefgh\\\\\\',
  'abcdefg\\\\\\%',
  'ab\\\\\\cd\\"ef/gh',
  '%25%5Cab\\u0041cd',
  "ab&cd;ef'gh ij`kl",
  '🚀京я\u2028\u00A0ÿ🚀',
  '.*+?^${}()|[]\\/',
  'ab\tcd\nef\rgh\u0001\u001F',
  'long-'.repeat(50),
  '~'.repeat(400),
  `${'ab\\"'.repeat(50)}~`,
  '/"'.repeat(200),
  // If a piece of a pattern ended in one of these percent signs, what follows would be read as part of an escape.
  `xx${'%25'.repeat(30)}`,
  `${'Q'.repeat(45)}%2525abc`,
  `${'Q'.repeat(191)}%25abc`,
  `${'~'.repeat(192)}%25~`,
];

describe.each(HARD)('%j', (value) => {
  // One for all spellings, because the redactor must reset its state.
  const { text, bytes } = redactorOf(value);

  test.each(SPELLINGS)('%s', (_, spell) => {
    const given = `<${spell(value)}>, <${spell(value)}>`;
    expect(text(given)).toBe(`<${SHOWN}>, <${SHOWN}>`);
    expect(bytes(Buffer.from(given)).toString()).toBe(`<${SHOWN}>, <${SHOWN}>`);
  });

  test('is not found with a letter removed or changed', () => {
    const letters = [...value];
    const nearly: string[] = [];
    // The end of a secret may match other spellings too, but never its start or middle.
    for (const at of [0, letters.length >> 1]) {
      for (const other of ['', '#', '\\/', ' ', '+', '&;', '&undefined;']) {
        const given = `<${letters.with(at, other).join('')}>`;
        if (!['\\', '/', ' '].includes(letters[at] ?? '') && !given.includes(value)) nearly.push(given);
      }
    }
    expect(nearly.map((given) => text(given))).toEqual(nearly);
  });
});

describe('a secret in hexadecimal', () => {
  const hex = (text: string): string => Buffer.from(text).toString('hex');

  test.each(HARD)('%j', (value) => {
    const { text } = redactorOf(value);
    expect(text(`<${hex(value)}>`)).toBe(`<${SHOWN}>`);
    expect(text(`<${hex(value).toUpperCase()}>`)).toBe(`<${SHOWN}>`);
    const other = `<${hex(`#${value.slice(1)}`)}>`;
    expect(text(other)).toBe(other);
  });
});

describe('a secret in HTML', () => {
  const NAMES: Readonly<Record<string, string>> = { '&': 'amp', '"': 'quot', "'": 'apos' };
  const escaped = (text: string, write: (code: number, character: string) => string): string =>
    [...text].map((character) => write(character.codePointAt(0) ?? 0, character)).join('');
  const byName = (text: string): string =>
    escaped(text, (_, character) => (NAMES[character] === undefined ? character : `&${NAMES[character]};`));
  const amp = (text: string): string => text.replaceAll('&', '&amp;');
  const byNumber = (text: string): string => escaped(text, (code) => `&#${code};`);
  const WRITERS: readonly (readonly [name: string, write: (text: string) => string])[] = [
    ['by name', byName],
    ['by name, twice', (text) => amp(byName(text))],
    ['by name, five times', (text) => times(4, amp, byName(text))],
    ['by number', byNumber],
    ['by number, five times', (text) => times(4, amp, byNumber(text))],
    ['by number with five leading zeros', (text) => escaped(text, (code) => `&#00000${code};`)],
    ['by hexadecimal number', (text) => escaped(text, (code) => `&#x${code.toString(16)};`)],
    [
      'by upper-case hexadecimal number',
      (text) => escaped(text, (code) => `&#X${code.toString(16).toUpperCase()};`),
    ],
    [
      'by number with four digits',
      (text) => escaped(text, (code) => `&#x${code.toString(16).padStart(4, '0')};`),
    ],
  ];

  describe.each(HARD)('%j', (value) => {
    const { text } = redactorOf(value);
    test.each(WRITERS)('%s', (_, write) => {
      expect(text(`<${write(value)}>`)).toBe(`<${SHOWN}>`);
    });
  });

  test('with a character that may start an escape, at its end or the end of a piece of its pattern', () => {
    for (const value of ['abcdefg&', `${'-'.repeat(191)}&-`]) {
      const { text } = redactorOf(value);
      for (const [, write] of WRITERS) expect(text(`<${write(value)}>`)).toBe(`<${SHOWN}>`);
    }
  });

  test('with characters that have a named entity', () => {
    const { text } = redactorOf('<a>&"b"\'c\'');
    expect(text('[&lt;a&gt;&amp;&quot;b&quot;&apos;c&apos;]')).toBe(`[${SHOWN}]`);
    expect(text('[&lt;a&gt;&amp;&quot;b&quot;&#39;c&#39;]')).toBe(`[${SHOWN}]`);
    expect(text('[&gt;a&lt;&amp;&quot;b&quot;&apos;c&apos;]')).toBe(
      '[&gt;a&lt;&amp;&quot;b&quot;&apos;c&apos;]',
    );
  });
});

describe('a secret in base64', () => {
  const surroundings = fc.string({ unit: anyCharacter, maxLength: 10 });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const WRITERS: readonly (readonly [name: string, write: (text: string) => string])[] = [
    ['plain', base64],
    ['for URLs', (text) => Buffer.from(text).toString('base64url')],
    ['without padding', (text) => base64(text).replace(/=+$/, '')],
    ['JSON-escaped as PHP does', (text) => jsonOfPhp(base64(text))],
    ['JSON-escaped twice as PHP does', (text) => times(2, jsonOfPhp, base64(text))],
    ['URL-encoded', (text) => percent(base64(text))],
    [
      'URL-encoded in lower case',
      (text) => percent(base64(text)).replaceAll(CODES, (code) => code.toLowerCase()),
    ],
  ];

  test.each(WRITERS)('%s is replaced at any alignment', (_, write) => {
    fc.assert(
      fc.property(secret, surroundings, surroundings, (value, before, after) => {
        const kept = redactorOf(value).text(`"${write(`${before}${value}${after}`)}"`);
        expect(kept).toContain(SHOWN);
        // Only the surroundings are left, and at most one letter on each side that encodes some of both.
        const [left = '', right = ''] = kept.split(SHOWN).map((part) => plain(part));
        expect(left.length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(before) * 8) / 6));
        expect(right.length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(after) * 8) / 6) + 1);
      }),
      { numRuns: runs(16) },
    );
  });

  test('in the URL variant', () => {
    const { text } = redactorOf('ab?ab>ab?ab>');
    expect(text('<YWI/YWI+YWI/YWI+>')).toBe(`<${SHOWN}>`);
    expect(text('<YWI_YWI-YWI_YWI->')).toBe(`<${SHOWN}>`);
    expect(text('<YWI%2FYWI%2bYWI%252FYWI%252b>')).toBe(`<${SHOWN}>`);
    expect(text('<YWI-YWI_YWI-YWI_>')).toBe('<YWI-YWI_YWI-YWI_>');
  });

  /** The base64 letters of a text, without escapes. */
  function plain(text: string): string {
    return decodeURIComponent(text).replaceAll(/[^A-Za-z0-9+/_-]/g, '');
  }
});

describe('a secret', () => {
  test('has at least eight characters', () => {
    expect(redactorOf('abcdefgh').text('<abcdefgh>')).toBe(`<${SHOWN}>`);
    expect(redactorOf('abcdefg').text('<abcdefg>')).toBe('<abcdefg>');
  });

  test('is found after text that starts like it', () => {
    const value = `${'ab'.repeat(300)}X`;
    expect(redactorOf(value).text(`<ab${value}>`)).toBe(`<ab${SHOWN}>`);
    expect(redactorOf(value).text(`<a${value}${value}ab>`)).toBe(`<a${SHOWN}${SHOWN}ab>`);
  });

  test.each(['\\', '%5C', '%5c', '%25255C', '&#92;', '&#x5c;', '&#X005C;', '&amp;amp;amp;amp;#0000092;'])(
    'that starts with an escape is replaced with every %s before it',
    (backslash) => {
      const { text } = redactorOf('"abcdefgh');
      for (const count of [1, 2, 3, 17, 100])
        expect(text(`<${backslash.repeat(count)}"abcdefgh>`)).toBe(`<${SHOWN}>`);
      expect(text(`<"abcdefgh${backslash}"abcdefgh>`)).toBe(`<${SHOWN}${SHOWN}>`);
    },
  );

  test('does not include the backslashes before it if it starts with a plain character', () => {
    expect(redactorOf('abcdefgh').text('C:\\abcdefgh %5Cabcdefgh')).toBe(`C:\\${SHOWN} %5C${SHOWN}`);
    expect(redactorOf('"abcdefgh').text('<\\\\ "abcdefgh>')).toBe(`<\\\\ ${SHOWN}>`);
    expect(redactorOf('"abcdefgh').text('%5C-&#92;-"abcdefgh')).toBe(`%5C-&#92;-${SHOWN}`);
  });

  test('is reported once if an answer repeats it', () => {
    const { repeatedIn } = createRedactor([
      { value: 'abcdefgh', variable: 'FIRST' },
      { value: 'ijklmnop', variable: 'SECOND' },
      { value: 'qrst', variable: 'SHORT' },
    ]);
    const nothing = Buffer.from('abcdefg ijklmno qrst');
    expect(repeatedIn([], nothing)).toEqual([]);
    expect(repeatedIn(['x-echo', 'qrst'], nothing)).toEqual([]);
    expect(repeatedIn(['x-echo', 'abcdefgh'], nothing)).toEqual(['FIRST']);
    expect(repeatedIn(['x-echo', '-'], Buffer.from('ijklmnop ijklmnop 696a6b6c6d6e6f70'))).toEqual([
      'SECOND',
    ]);
    expect(repeatedIn(['ijklmnop'], Buffer.from('YWJjZGVmZ2g='))).toEqual(['FIRST', 'SECOND']);
    expect(createRedactor([]).repeatedIn(['abcdefgh'], nothing)).toEqual([]);
  });
});

describe('the redactor does not change', () => {
  test('bytes without a secret', () => {
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 3 }), fc.uint8Array({ maxLength: 300 }), (values, given) => {
        const { bytes } = createRedactor(values.map((value) => ({ value, variable: VARIABLE })));
        const buffer = Buffer.from(given);
        expect(bytes(buffer)).toBe(buffer);
      }),
      { numRuns: runs(60) },
    );
  });

  test('text that is almost a secret', () => {
    // A backslash or a percent sign of a secret also matches the start of an escape.
    const nearly = fc
      .tuple(
        secret.filter((value) => !/[\\%]/.test(value)),
        fc.nat(),
        fc.constantFrom(...SPELLINGS),
      )
      .map(([value, place, [, spell]]) => {
        const letters = [...value];
        const at = 1 + (place % (letters.length - 1));
        const changed = letters.with(at, letters[at] === 'Q' ? 'W' : 'Q').join('');
        return { value, text: `<${spell(changed)}>` };
      });
    fc.assert(
      fc.property(nearly, ({ value, text: given }) => {
        expect(redactorOf(value).text(given)).toBe(given);
      }),
      { numRuns: runs(60) },
    );
  });

  test('any bytes around a secret', () => {
    fc.assert(
      fc.property(
        secret,
        fc.uint8Array({ maxLength: 50 }),
        fc.uint8Array({ maxLength: 50 }),
        (value, before, after) => {
          const around = (middle: string): Buffer =>
            Buffer.concat([before, Buffer.from(`<${middle}>`), after]);
          expect(redactorOf(value).bytes(around(value)).equals(around(SHOWN))).toBe(true);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  test('the validity of JSON', () => {
    const surroundings = fc.string({ unit: fc.constantFrom(...'ab"\n\\é{}<'), maxLength: 5 });
    fc.assert(
      fc.property(secret, surroundings, surroundings, fc.boolean(), (value, before, after, asKey) => {
        const held = `${before}${value}${after}`;
        const given = asKey ? { [held]: 1 } : { a: [held] };
        const kept = JSON.stringify(JSON.parse(redactorOf(value).text(JSON.stringify(given))));
        expect(kept).toContain(SHOWN);
        expect(kept).not.toContain(json(value));
      }),
      { numRuns: runs(60) },
    );
  });

  test('a secret in Latin-1 is replaced, as in a header', () => {
    const { text, bytes } = redactorOf('pässwörd-ÿ');
    expect(bytes(Buffer.from('<pässwörd-ÿ>', 'latin1')).toString('latin1')).toBe(`<${SHOWN}>`);
    expect(text(Buffer.from('<pässwörd-ÿ>').toString('latin1'))).toBe(`<${SHOWN}>`);
  });

  test('each of many secrets is replaced', () => {
    fc.assert(
      fc.property(secret, fc.nat({ max: 30 }), (value, count) => {
        const given = Array.from(
          { length: count },
          (_, index) => `<${SPELLINGS[index % SPELLINGS.length]?.[1](value)}>`,
        );
        expect(redactorOf(value).text(given.join('\n'))).toBe(given.map(() => `<${SHOWN}>`).join('\n'));
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('a secret that is difficult for patterns', () => {
  test('with thousands of characters', () => {
    fc.assert(
      fc.property(secretOf(20_000), fc.constantFrom(...SPELLINGS), (value, [, spell]) => {
        expect(redactorOf(value).text(`<${spell(value)}>`)).toBe(`<${SHOWN}>`);
      }),
      { numRuns: runs(3), endOnFailure: true },
    );
  });

  test.each([
    ['without a letter', '.*+?^${}()|[]\\/"%'.repeat(200)],
    ['of percent signs', '%25'.repeat(500)],
    ['of one letter', 'a'.repeat(5000)],
  ])('long, and %s', (_, value) => {
    const { text } = redactorOf(value);
    for (const [name, spell] of SPELLINGS.slice(0, 12))
      expect(text(`<${spell(value)}>`), name).toBe(`<${SHOWN}>`);
  });

  // A pattern that tries all divisions of the backslashes would not end in practice.
  test.each([
    ['backslashes', `ab${'\\'.repeat(40)}cd`, '\\', 2_000],
    ['backslashes and quotation marks', 'ab\\"\\"\\"\\"\\"\\"\\"cd', '\\', 2_000],
    ['a leading backslash', '\\"abcdefgh', '\\', 300_000],
    ['percent signs', '%%%%%%%%%%%%x', '%25', 50_000],
    ['letters by number', `${'a'.repeat(40)}xyz`, '&#97;', 2_000],
    ['percent codes', '%25%25%25%25%25%25x', '25', 300_000],
  ])('of %s, in a text designed to be slow', (_, value, unit, count) => {
    const { text } = redactorOf(value);
    const slow = [`ab${unit.repeat(count)}`, `%${unit.repeat(count)}`].join('<');
    expect(text(`${slow}<${value}>`)).toBe(`${slow}<${SHOWN}>`);
  });

  test('that ends in a backslash', () => {
    const { text } = redactorOf('abcdefgh\\');
    expect(text('{"a":"abcdefgh\\\\","b":"abcdefgh\\\\\\""}')).toBe(
      '{"a":"$TEST_SECRET","b":"$TEST_SECRET\\""}',
    );
  });
});
