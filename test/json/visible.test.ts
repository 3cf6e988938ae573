import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeLive, visible, visibleLines } from '../../src/json/visible.ts';
import { wrap } from '../../src/report/view/wrap.ts';
import { anyCharacter } from '../any-character.ts';
import { craftedText, isCommand, LIVE } from '../report/live-text.ts';

describe('visible escapes', () => {
  test.each([
    [
      'nothing in plain text',
      'Zürich – 東京 – 🚀 – שלום – "quotes" \\n',
      'Zürich – 東京 – 🚀 – שלום – "quotes" \\n',
    ],
    ['line breaks and tabs', 'a\nb\r\nc\td', 'a\\nb\\r\\nc\\td'],
    ['terminal colours', '\u001B[31mred\u001B[0m', '\\e[31mred\\e[0m'],
    ['terminal titles', '\u001B]0;owned\u0007', '\\e]0;owned\\u{7}'],
    ['8-bit controls', '\u009B31m\u0085', '\\u{9B}31m\\u{85}'],
    ['NUL and delete', '\u0000\u007F', '\\u{0}\\u{7F}'],
    ['backspaces', 'safe\b\b\b\bevil', 'safe\\u{8}\\u{8}\\u{8}\\u{8}evil'],
    [
      'right-to-left overrides',
      'a\u202Eb\u202Cc\u2066d\u2069\u200F\u061C',
      'a\\u{202E}b\\u{202C}c\\u{2066}d\\u{2069}\\u{200F}\\u{61C}',
    ],
    [
      'zero-width characters',
      'a\u200Bb\u200Cc\u200Dd\u2060e\uFEFFf\u00ADg',
      'a\\u{200B}b\\u{200C}c\\u{200D}d\\u{2060}e\\u{FEFF}f\\u{AD}g',
    ],
    ['line separators', 'a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
    ['lone surrogates', 'a\uD800b\uDC00', 'a\\u{D800}b\\u{DC00}'],
    [
      'all direction marks',
      '\u200E\u202A\u202B\u202D\u2067\u2068',
      '\\u{200E}\\u{202A}\\u{202B}\\u{202D}\\u{2067}\\u{2068}',
    ],
    ['tags outside the basic plane', '\u{E0041}\u{E0000}\u{E007F}', '\\u{E0041}\\u{E0000}\\u{E007F}'],
    ['invisible letters', '\u3164\u115F\uFFA0\u1160', '\\u{3164}\\u{115F}\\u{FFA0}\\u{1160}'],
    ['the blank Braille pattern', 'a\u2800b', 'a\\u{2800}b'],
    ['interlinear annotations', '\uFFF9a\uFFFAb\uFFFB', '\\u{FFF9}a\\u{FFFA}b\\u{FFFB}'],
    [
      'variation selectors, which can hide text',
      'a\uFE00\uFE0F\u180B\u{E0100}\u{E01EF}',
      'a\\u{FE00}\\u{FE0F}\\u{180B}\\u{E0100}\\u{E01EF}',
    ],
    ['ignored joiners and vowels', 'a\u034F\u17B4\u2065', 'a\\u{34F}\\u{17B4}\\u{2065}'],
    ['nothing', '', ''],
  ])('%s', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test('all active characters of any text', () => {
    const live = fc.constantFrom(
      ...['\u001B', '\u009B', '\u202E', '\u2066', '\u200B', '\uFEFF', '\uD800', '\uDFFF', '\u{E0020}', '\n'],
      ...[
        '\u2028',
        '\uFE0F',
        '\u{E0101}',
        '\u3164',
        '\u2800',
        '::error::',
        ' ::debug ::',
        '##[group]',
        '##vso[',
      ],
    );
    const text = fc
      .array(fc.oneof(live, fc.string({ unit: anyCharacter, maxLength: 5 })), { maxLength: 20 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (value) => {
        const shown = visible(value);
        expect(shown).not.toMatch(LIVE);
        expect(visible(shown)).toBe(shown);
      }),
      { numRuns: 500 },
    );
  });

  test('exactly the active characters', () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10_ffff; code += 1) {
      const character = String.fromCodePoint(code);
      const shown = visible(`a${character}b`);
      // Node may know more default-ignorable characters than this test.
      const isRight = LIVE.test(character)
        ? /^a\\(n|r|t|e|u\{[0-9A-F]+\})b$/.test(shown)
        : shown === `a${character}b` || /\p{Default_Ignorable_Code_Point}/u.test(character);
      if (!isRight) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});

describe('commands of CI systems', () => {
  test.each([
    ['::error::x', ':\\u{3A}error::x'],
    ['  ::set-output name=x::y', '  :\\u{3A}set-output name=x::y'],
    ['::add-mask::secret', ':\\u{3A}add-mask::secret'],
    ['::stop-commands::token', ':\\u{3A}stop-commands::token'],
    ['::error file=a:b,line=1::x', ':\\u{3A}error file=a:b,line=1::x'],
    ['::EndGroup::', ':\\u{3A}EndGroup::'],
    ['words ::debug::x', 'words :\\u{3A}debug::x'],
    ['\u3000::debug::x', '\u3000:\\u{3A}debug::x'],
    ['words ::error', 'words :\\u{3A}error'],
    ['::set-output:', ':\\u{3A}set-output:'],
    ['a\n::error::x', 'a\\n:\\u{3A}error::x'],
    ['##[group]x', '#\\u{23}[group]x'],
    ['x ##[error]y', 'x #\\u{23}[error]y'],
    ['###[error]y', '##\\u{23}[error]y'],
    ['##vso[task.setvariable variable=a]b', '#\\u{23}vso[task.setvariable variable=a]b'],
    ["x ##teamcity[buildStatus text='y']", "x #\\u{23}teamcity[buildStatus text='y']"],
    ['section_start:0:x\r\u001B[0K', 'section_start:0:x\\r\\e[0K'],
  ])('%j are escaped', (text, shown) => {
    expect(visible(text)).toBe(shown);
    expect(visible(text).split('\n').some(isCommand)).toBe(false);
  });

  test.each([
    'std::vector::iterator',
    'a::b::c',
    'http://[2001:db8::1]:80/',
    '::1',
    '::ffff:192.0.2.1',
    '2001:db8::beef::',
    'add :: Int -> Int :: x',
    ':error:',
    '## A title [with brackets]',
    '# [x]',
    '#[derive]',
    'issue #1 [x]',
  ])('%j is not one, and is unchanged', (text) => {
    expect(visible(text)).toBe(text);
  });

  test('are in no line of a report, however lines are broken and texts are joined', () => {
    fc.assert(
      fc.property(craftedText, craftedText, fc.integer({ min: 1, max: 30 }), (one, other, width) => {
        const lines = wrap(`${visible(one)} ${visible(other)}`, width);
        expect(lines.filter(isCommand)).toEqual([]);
        expect(visibleLines(`${one}\n${other}`).split('\n').filter(isCommand)).toEqual([]);
      }),
      { numRuns: 5000 },
    );
  });

  test('are frequent enough in the generated texts', () => {
    const texts = fc.sample(craftedText, { numRuns: 5000, seed: 7 });
    expect(texts.filter((text) => text.split('\n').some(isCommand)).length).toBeGreaterThan(25);
  });

  test('are in no line of a JSON report', () => {
    fc.assert(
      fc.property(craftedText, fc.array(craftedText, { maxLength: 3 }), (key, list) => {
        const value = { [key]: list, nested: { [key]: key } };
        const written = escapeLive(JSON.stringify(value, null, 2));
        expect(written.split('\n').filter(isCommand)).toEqual([]);
        expect(JSON.parse(written)).toEqual(value);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('JSON with escaped active characters', () => {
  test('has the same value and no active characters', () => {
    const value = fc.jsonValue({ stringUnit: 'binary' });
    fc.assert(
      fc.property(
        value,
        fc.constantFrom('\u202E', '\u{E0041}', '\u200B', '\u009B', '\uFE0F', '\u{E0100}', '\u2800', '##[a]'),
        (json, live) => {
          const written = escapeLive(JSON.stringify({ json, [live]: live }, null, 2));
          expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify({ json, [live]: live })));
          expect(written.replaceAll('\n', '')).not.toMatch(LIVE);
        },
      ),
    );
  });
});
