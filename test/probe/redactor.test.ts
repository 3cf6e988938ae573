import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/probe/redactor.ts';

const VARIABLE = 'TEST_SECRET';
const SHOWN = `$${VARIABLE}`;
const redactorOf = (value: string) => createRedactor([{ value, variable: VARIABLE }]);

/** Secrets of all that may trouble a pattern, an escape or an encoding; never `<` or `>`, which stand around them here. */
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
    .filter((value) => new Set(value).size > 2);
const secret = secretOf(40);

/** Letters in which an escape may be written either way, turned by turns. */
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
  ['URL-encoded in small letters', (value) => percent(value).replaceAll(CODES, (code) => code.toLowerCase())],
  ['URL-encoded in letters of both sizes', (value) => mixed(percent(value), CODES)],
  ['URL-encoded to the last byte', everyPercent],
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
  ['with every letter escaped in letters of both sizes', (value) => mixed(everyUnicode(value), UNITS)],
  ['with every letter escaped, and that again', (value) => json(everyUnicode(value))],
  ['with every letter escaped, and that four times', (value) => times(3, json, everyUnicode(value))],
  ['JSON-escaped and then URL-encoded', (value) => percent(json(value))],
  ['with every letter escaped and then URL-encoded', (value) => percent(everyUnicode(value))],
  ['URL-encoded and then JSON-escaped', (value) => json(percent(value))],
];

describe.each(SPELLINGS)('a secret, %s', (_, spell) => {
  test('is replaced to the letter, and nothing else is', () => {
    const innocent = fc.string({ unit: fc.constantFrom(...'abcé東 "\'\\%/{}[]:,0125'), maxLength: 20 });
    fc.assert(
      fc.property(secret, innocent, innocent, fc.boolean(), (value, before, after, asBytes) => {
        const { text, bytes } = redactorOf(value);
        const read = (given: string): string =>
          asBytes ? bytes(Buffer.from(given)).toString() : text(given);
        expect(read(`${before}<${spell(value)}>${after}`)).toBe(`${before}<${SHOWN}>${after}`);
      }),
      { numRuns: 16 },
    );
  });
});

describe('a secret in base64', () => {
  const surroundings = fc.string({ unit: 'binary', maxLength: 10 });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const WRITERS: readonly (readonly [name: string, write: (text: string) => string])[] = [
    ['plain', base64],
    ['for URLs', (text) => Buffer.from(text).toString('base64url')],
    ['without its end', (text) => base64(text).replace(/=+$/, '')],
    ['JSON-escaped as PHP does', (text) => jsonOfPhp(base64(text))],
    ['JSON-escaped twice as PHP does', (text) => times(2, jsonOfPhp, base64(text))],
    ['URL-encoded', (text) => percent(base64(text))],
    [
      'URL-encoded in small letters',
      (text) => percent(base64(text)).replaceAll(CODES, (code) => code.toLowerCase()),
    ],
  ];

  test.each(WRITERS)('%s is gone, however it is aligned', (_, write) => {
    fc.assert(
      fc.property(secret, surroundings, surroundings, (value, before, after) => {
        const kept = redactorOf(value).text(`"${write(`${before}${value}${after}`)}"`);
        expect(kept).toContain(SHOWN);
        // What is left at either side is what surrounds it, and at most a letter that holds some of both.
        const [left = '', right = ''] = kept.split(SHOWN).map((part) => plain(part));
        expect(left.length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(before) * 8) / 6));
        expect(right.length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(after) * 8) / 6) + 1);
      }),
      { numRuns: 16 },
    );
  });

  /** Letters of base64 in a text, escapes undone. */
  function plain(text: string): string {
    return decodeURIComponent(text).replaceAll(/[^A-Za-z0-9+/_-]/g, '');
  }
});

describe('what the redactor leaves', () => {
  test('bytes without a secret are the very same', () => {
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 3 }), fc.uint8Array({ maxLength: 300 }), (values, given) => {
        const { bytes } = createRedactor(values.map((value) => ({ value, variable: VARIABLE })));
        const buffer = Buffer.from(given);
        expect(bytes(buffer)).toBe(buffer);
      }),
      { numRuns: 60 },
    );
  });

  test('nor does it take what is nearly a secret', () => {
    // A backslash or a per cent sign of a secret is also found where it starts an escape.
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
      { numRuns: 60 },
    );
  });

  test('bytes around a secret, whatever they are', () => {
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
      { numRuns: 60 },
    );
  });

  test('JSON stays JSON, with the secret replaced in it', () => {
    const surroundings = fc.string({ unit: fc.constantFrom(...'ab"\n\\é{}<'), maxLength: 5 });
    fc.assert(
      fc.property(secret, surroundings, surroundings, fc.boolean(), (value, before, after, asKey) => {
        const held = `${before}${value}${after}`;
        const given = asKey ? { [held]: 1 } : { a: [held] };
        const kept = JSON.stringify(JSON.parse(redactorOf(value).text(JSON.stringify(given))));
        expect(kept).toContain(SHOWN);
        expect(kept).not.toContain(json(value));
      }),
      { numRuns: 60 },
    );
  });

  test('a secret in Latin-1, as a header or a server may hold it', () => {
    const { text, bytes } = redactorOf('pässwörd-ÿ');
    expect(bytes(Buffer.from('<pässwörd-ÿ>', 'latin1')).toString('latin1')).toBe(`<${SHOWN}>`);
    expect(text(Buffer.from('<pässwörd-ÿ>').toString('latin1'))).toBe(`<${SHOWN}>`);
  });

  test('every one of many', () => {
    fc.assert(
      fc.property(secret, fc.nat({ max: 30 }), (value, count) => {
        const given = Array.from(
          { length: count },
          (_, index) => `<${SPELLINGS[index % SPELLINGS.length]?.[1](value)}>`,
        );
        expect(redactorOf(value).text(given.join('\n'))).toBe(given.map(() => `<${SHOWN}>`).join('\n'));
      }),
      { numRuns: 40 },
    );
  });
});

describe('a secret that is hard on patterns', () => {
  test('of many thousand characters', () => {
    fc.assert(
      fc.property(secretOf(20_000), fc.constantFrom(...SPELLINGS), (value, [, spell]) => {
        expect(redactorOf(value).text(`<${spell(value)}>`)).toBe(`<${SHOWN}>`);
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });

  test.each([
    ['without a letter', '.*+?^${}()|[]\\/"%'.repeat(200)],
    ['of per cent signs', '%25'.repeat(500)],
    ['of one letter', 'a'.repeat(5000)],
  ])('long, and %s', (_, value) => {
    const { text } = redactorOf(value);
    for (const [name, spell] of SPELLINGS.slice(0, 12))
      expect(text(`<${spell(value)}>`), name).toBe(`<${SHOWN}>`);
  });

  // With a pattern that tries all ways to divide backslashes, this ends after the universe.
  test.each([
    ['backslashes', `ab${'\\'.repeat(40)}cd`, '\\', 2_000],
    ['backslashes and quotation marks', 'ab\\"\\"\\"\\"\\"\\"\\"cd', '\\', 2_000],
    ['a backslash first', '\\"abcdefgh', '\\', 300_000],
    ['per cent signs', '%%%%%%%%%%%%x', '%25', 50_000],
    ['codes of per cent signs', '%25%25%25%25%25%25x', '25', 300_000],
  ])('of %s, in a text made to be slow', (_, value, unit, count) => {
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
