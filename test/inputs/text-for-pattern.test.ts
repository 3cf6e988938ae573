import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern } from '../../src/checks/json-schema/patterns.ts';
import { matchesPattern, textMatching } from '../../src/inputs/text-for-pattern.ts';

function numbersFrom(seed: number) {
  let next = seed;
  return (below: number): number => {
    next = (next * 1_103_515_245 + 12_345) % 2 ** 31;
    return next % below;
  };
}

const ANY = { least: 0, most: 200 };

describe('a text for a pattern', () => {
  test.each([
    '^[a-z]+$',
    '^\\d{5}$',
    '^[A-Z]{3}-\\d{4}$',
    '^\\+[1-9]\\d{6,14}$',
    '^(DE\\d{9}|FR[A-Z0-9]{2}\\d{9})$',
    '^97[89]\\d{10}$',
    '^0[1-9]( \\d\\d){4}$',
    '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$',
    '^(?=.*\\d)(?=.*[A-Z]).{8,}$',
    '^\\p{Lu}\\p{Ll}+$',
    '^#[0-9a-fA-F]{6}$',
    'abc',
    '^$',
    '^(a|b)?c*$',
    '^[\\w.-]+/[\\w.-]+$',
  ])('%s', (pattern) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const text = textMatching(pattern, numbersFrom(seed), ANY);
      expect(text, `${pattern} ${seed}`).not.toBeNull();
      expect(new RegExp(pattern, 'u').test(text ?? '')).toBe(true);
    }
  });

  test('keeps to its length limits', () => {
    const text = textMatching('^[a-z]+$', numbersFrom(1), { least: 8, most: 10 });
    expect(text).toMatch(/^[a-z]{8,10}$/);
    expect(textMatching('^[a-z]{20}$', numbersFrom(1), { least: 0, most: 10 })).toBeNull();
  });

  test('is null if none was found, or if the pattern is invalid', () => {
    expect(textMatching('^(?!)$', numbersFrom(1), ANY)).toBeNull();
    expect(textMatching('(', numbersFrom(1), ANY)).toBeNull();
    expect(matchesPattern('a', '(')).toBe(false);
  });

  test('never throws, and matches as far as that can be decided, whatever the pattern is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.stringMatching(/^[a-z0-9\\^$.|?*+()[\]{}-]{1,12}$/),
          fc.constantFrom('(a)\\1', '\\bword\\b', '(?<=a)b', '[\\s\\S]{3}', '\\u{1F600}+'),
        ),
        fc.nat(),
        (pattern, seed) => {
          const text = textMatching(pattern, numbersFrom(seed), ANY);
          const verdict = compilePattern(pattern)?.match(text ?? '', () => undefined);
          expect(text === null || (verdict !== undefined && verdict.kind !== 'no match')).toBe(true);
        },
      ),
      { numRuns: 1000, seed: 20_260_131 },
    );
  });
});
