import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeLive, visible } from '../../src/report/visible.ts';

describe('text of a target is made visible', () => {
  test.each([
    [
      'plain text stays',
      'Zürich – 東京 – 🚀 – שלום – "quotes" \\n',
      'Zürich – 東京 – 🚀 – שלום – "quotes" \\n',
    ],
    ['line breaks and tabs', 'a\nb\r\nc\td', 'a\\nb\\r\\nc\\td'],
    ['colours of a terminal', '\u001B[31mred\u001B[0m', '\\e[31mred\\e[0m'],
    ['titles of a terminal', '\u001B]0;owned\u0007', '\\e]0;owned\\u{7}'],
    ['controls of eight bits', '\u009B31m\u0085', '\\u{9B}31m\\u{85}'],
    ['NUL and delete', '\u0000\u007F', '\\u{0}\\u{7F}'],
    ['backspaces', 'safe\b\b\b\bevil', 'safe\\u{8}\\u{8}\\u{8}\\u{8}evil'],
    [
      'text that runs the other way',
      'a\u202Eb\u202Cc\u2066d\u2069\u200F\u061C',
      'a\\u{202E}b\\u{202C}c\\u{2066}d\\u{2069}\\u{200F}\\u{61C}',
    ],
    [
      'characters without width',
      'a\u200Bb\u200Cc\u200Dd\u2060e\uFEFFf\u00ADg',
      'a\\u{200B}b\\u{200C}c\\u{200D}d\\u{2060}e\\u{FEFF}f\\u{AD}g',
    ],
    ['separators of lines', 'a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
    ['half a character', 'a\uD800b\uDC00', 'a\\u{D800}b\\u{DC00}'],
    ['tags outside the first plane', '\u{E0041}\u{E0001}', '\\u{E0041}\\u{E0001}'],
    ['letters that are nothing to see', '\u3164\u115F\uFFA0', '\\u{3164}\\u{115F}\\u{FFA0}'],
    ['nothing', '', ''],
  ])('%s', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test('nothing that acts is left, whatever the text', () => {
    const live = fc.constantFrom(
      '\u001B',
      '\u009B',
      '\u202E',
      '\u2066',
      '\u200B',
      '\uFEFF',
      '\uD800',
      '\uDFFF',
      '\u{E0020}',
      '\n',
      '\u2028',
    );
    const text = fc
      .array(fc.oneof(live, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 20 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (value) => {
        const shown = visible(value);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(visible(shown)).toBe(shown);
      }),
      { numRuns: 1000 },
    );
  });

  test('every character of those classes, one by one', () => {
    for (let code = 0; code <= 0x10_ffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (!/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(character)) continue;
      expect(visible(`a${character}b`)).toMatch(/^a\\(n|r|t|e|u\{[0-9A-F]+\})b$/);
    }
  });
});

describe('JSON with live characters as escapes', () => {
  test('is the same value, and text that does nothing', () => {
    const value = fc.jsonValue({ stringUnit: 'binary' });
    fc.assert(
      fc.property(value, fc.constantFrom('\u202E', '\u{E0041}', '\u200B', '\u009B'), (json, live) => {
        const written = escapeLive(JSON.stringify({ json, [live]: live }, null, 2));
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify({ json, [live]: live })));
        expect(written.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
